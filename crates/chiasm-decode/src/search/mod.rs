//! The search for the best translation of one sentence.

pub(crate) mod chart;
mod cube;
mod expansion;
mod future;
mod joint;
pub(crate) mod lattice;
mod operations;

pub(crate) use chart::{Chart, Hypothesis, NONE};
pub(crate) use cube::CubeMemory;
pub(crate) use joint::history_of;

use crate::blocks::{NO_BLOCKS, can_be_joined, words_between};
use crate::configuration::{SearchAlgorithm, SearchSettings};
use crate::learned::{self, Learned};
use crate::model::LogLinear;
use crate::orientation::{between, forward_hier};
use crate::weights::Channel;
use chart::GroupKey;
use chiasm_lm::State;
use chiasm_phrases::{Jump, Orientation, OrientationKind, Span};
use operations::Entry;

/// A search over the options in `chart`.
pub(crate) struct Search<'a> {
    pub model: &'a LogLinear,
    pub settings: &'a SearchSettings,
    /// Keep recombined hypotheses for n-best lists.
    pub keep_alternatives: bool,
    /// Language model states before the first word.
    pub start: &'a [State],
    /// The end of the sentence follows the last word.
    pub ends_sentence: bool,
    /// The translation, if it is given.
    pub target: Option<&'a [u32]>,
    /// What the user has taught the system.
    pub learned: Option<&'a Learned>,
    pub chart: &'a mut Chart,
}

/// How a source span follows a group's hypotheses.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    /// Relations for backward and forward channels, each as the number of a pair.
    pub backward: u8,
    pub forward: u8,
    /// Weighted distance and sparse features of the words jumped over.
    pub score: f32,
    /// The moves of models of operations.
    pub entry: Entry,
}

/// How steps are told apart: by the orientations of the phrase and, if any feature looks at them, the words between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Relations {
    /// Orientations alone.
    #[default]
    Orientations,
    /// With distances.
    Distances,
}

const ORIENTATIONS: [Orientation; 4] = [
    Orientation::Monotone,
    Orientation::Swap,
    Orientation::DiscontinuousLeft,
    Orientation::DiscontinuousRight,
];

impl Relations {
    fn jumps(self) -> u8 {
        match self {
            Relations::Orientations => ORIENTATIONS.len() as u8,
            Relations::Distances => Jump::CODES as u8,
        }
    }

    /// How many pairs of relations there are.
    pub fn codes(self) -> usize {
        usize::from(self.jumps()) * usize::from(self.jumps())
    }

    /// A pair of relations as a number.
    fn pack(self, plain: Jump, hier: Jump) -> u8 {
        let number = |jump: Jump| match self {
            Relations::Orientations => jump.orientation() as u8,
            Relations::Distances => jump.code(),
        };
        number(plain) * self.jumps() + number(hier)
    }

    /// The relation that a channel looks at.
    pub fn of(self, channel: &Channel, code: u8) -> Jump {
        let number = match channel.orientation {
            OrientationKind::Hier => code % self.jumps(),
            _ => code / self.jumps(),
        };
        match self {
            Relations::Orientations => ORIENTATIONS[usize::from(number)].into(),
            Relations::Distances => Jump::of_code(number),
        }
    }
}

impl Search<'_> {
    /// Runs the search; afterwards the last stack holds the translations, if there are any.
    pub fn run(&mut self, memory: &mut CubeMemory) {
        self.chart.begin(self.start);
        let forced = self.target.is_some();
        match self.settings.algorithm {
            SearchAlgorithm::Cube if !forced => self.run_cube(memory),
            _ => self.run_expansion(),
        }
    }

    fn beam(&self) -> f32 {
        match self.settings.beam_threshold {
            threshold if threshold > 0.0 => threshold.ln(),
            _ => f32::NEG_INFINITY,
        }
    }

    /// States of a hypothesis: language models, models of operations, a joint model, what was learned.
    fn state_count(&self) -> usize {
        self.start.len()
    }

    fn length(&self) -> usize {
        self.chart.options.source.len()
    }

    /// Is the jump to `span` within the limit, and the jump back that it may leave behind?
    fn is_reachable(&self, last_end: u32, first_gap: u32, span: Span) -> bool {
        match self.settings.distortion_limit {
            None => true,
            Some(limit) => {
                let limit = u32::from(limit);
                last_end.abs_diff(span.start) <= limit
                    && (span.start == first_gap || span.end - first_gap <= limit)
            }
        }
    }

    /// Can a group's hypotheses go on with `span` under the constraint that joins are straight or inverted?
    fn is_joinable(&self, group: &GroupKey, span: Span) -> bool {
        let chart = &self.chart;
        let top = (group.blocks != NO_BLOCKS).then(|| chart.blocks.top(group.blocks));
        let covered = |position| chart.coverages.is_covered(group.coverage, position);
        !self.settings.itg || can_be_joined(top, span, covered)
    }

    /// What it means for a group's hypotheses to go on with `span`.
    fn step(&self, group: &GroupKey, span: Span) -> Step {
        let chart = &self.chart;
        let is_first = group.blocks == NO_BLOCKS && group.last.is_empty();
        let uses = &self.model.uses;
        let monotone = Jump::from(Orientation::Monotone);
        let plain = if uses.last_start {
            between(group.last, span)
        } else {
            monotone
        };
        let top = if uses.blocks {
            between(chart.blocks.top(group.blocks), span)
        } else {
            monotone
        };
        let forward_hier = if self.model.layout().forward().is_empty() || is_first {
            monotone
        } else {
            let covered = |position| chart.coverages.is_covered(group.coverage, position);
            forward_hier(group.last, span, covered)
        };
        let distance = group.last.end.abs_diff(span.start) as f32;
        let mut score = -self.model.weights.distortion * distance;
        let backward = uses.relations.pack(plain, top);
        if uses.between {
            score += self.between_score(group, span, backward);
        }
        Step {
            backward,
            forward: uses.relations.pack(plain, forward_hier),
            score,
            entry: self.entry(group, span),
        }
    }

    /// Weights of the sparse features of words jumped over.
    fn between_score(&self, group: &GroupKey, span: Span, code: u8) -> f32 {
        let mut total = 0.0;
        for (index, channel) in self.model.layout().backward().iter().enumerate() {
            let relation = self.model.uses.relations.of(channel, code);
            if !relation.orientation().is_discontinuous() {
                continue;
            }
            let reference = match channel.orientation {
                OrientationKind::Hier => self.chart.blocks.top(group.blocks),
                _ => group.last,
            };
            let class = channel.classes.class_in_search(relation);
            let jumped = words_between(reference, span);
            let features = self
                .chart
                .options
                .between_features(self.model, index, jumped);
            for feature in features {
                total += self.model.weights.sparse(feature.with_class(class));
            }
        }
        total
    }

    /// Weighted backward orientation scores of an option.
    #[inline]
    fn backward_score(&self, option: u32, code: u8) -> f32 {
        let width = self.model.layout().orientation_scores;
        let scores = &self.chart.options.weighted[option as usize * width..];
        self.model.backward.sum(scores, code)
    }

    /// What the last option's forward orientation adds, now that the next span is known.
    #[inline]
    fn forward_score(&self, option: u32, code: u8) -> f32 {
        if option == NONE {
            return 0.0;
        }
        let width = self.model.layout().orientation_scores;
        let scores = &self.chart.options.weighted[option as usize * width..];
        self.model.forward.sum(scores, code)
    }

    /// The group of hypotheses that end with `span`.
    fn next_group(
        &mut self,
        group: GroupKey,
        span: Span,
        coverage: u32,
        (position, cursor): (u32, u32),
    ) -> u32 {
        let uses = self.model.uses;
        let blocks = if uses.blocks || self.settings.itg {
            self.chart.blocks.push(group.blocks, span)
        } else {
            NO_BLOCKS
        };
        let start = if uses.last_start { span.start } else { 0 };
        self.chart.group(GroupKey {
            coverage,
            last: Span {
                start,
                end: span.end,
            },
            blocks,
            position,
            cursor,
        })
    }

    /// The weighted language model score of an option after `states`; at the end of the sentence
    /// with the end mark.
    #[inline]
    fn language_score(&self, option: u32, is_last: bool, states: &mut [State]) -> f32 {
        let system = self.model.system();
        let models = system.language_models();
        let weights = &self.model.weights.language_models;
        let options = &self.chart.options;
        // The first model speaks together with what was learned, the others for themselves.
        let (first, mut total) = match self.learned {
            None => (0, 0.0),
            Some(learned) => {
                let number = option as usize;
                (
                    1,
                    learned::score(self.model, options, learned, number, states),
                )
            }
        };
        let words = &options.words;
        total = words.score(models, weights, option as usize, (first, total), states);
        if is_last && self.ends_sentence {
            if let Some(learned) = self.learned {
                total += learned::gain_of_end(self.model, options, learned, states);
                if let Some(last) = states.last_mut() {
                    *last = State::empty();
                }
            }
            for ((model, weight), state) in models.iter().zip(weights).zip(states) {
                let mut after = *state;
                total += weight * model.score(state, model.end_of_sentence(), &mut after);
                *state = model.nothing();
            }
        }
        total
    }
}
