//! Options as models of operation sequences see them.

use super::{PhraseWords, SentenceOptions};
use crate::language_model::is_within;
use crate::model::LogLinear;
use chiasm_lm::State;
use chiasm_operations::{Event, OperationModel, Place, is_straight, steps, untranslated, walk};
use chiasm_phrases::PhraseLink;

/// The steps of a list of options.
#[derive(Default)]
pub(crate) struct PhraseOperations {
    /// Where each option's steps end.
    ends: Vec<u32>,
    /// The source word that each step covers, inside the phrase.
    positions: Vec<Option<u32>>,
    /// Step `s` for model `l` of `m` stands at `s * m + l`.
    ids: Vec<u32>,
    /// Weighted score of a step and those after it, if nothing before the phrase matters and nothing jumps; as `ids`.
    inside: Vec<f32>,
    /// The state after the phrase under the same condition: option `o` of model `l` at `o * m + l`.
    final_states: Vec<State>,
    shapes: Vec<Shape>,
}

/// How an option goes through its source words.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// From left to right.
    pub straight: bool,
    /// Target words that translate nothing come first, so that moves stand behind them.
    pub late: bool,
    /// Right after the word covered last, inside the phrase.
    pub cursor: u32,
}

/// A phrase pair, in the words that models of operations know it by.
pub(crate) struct Worded<'a> {
    /// Source words: numbers and spellings.
    pub source: &'a [(u32, &'a str)],
    /// Target words, likewise.
    pub target: &'a [(u32, &'a str)],
    pub links: &'a [PhraseLink],
}

impl PhraseOperations {
    pub fn clear(&mut self) {
        self.ends.clear();
        self.positions.clear();
        self.ids.clear();
        self.inside.clear();
        self.final_states.clear();
        self.shapes.clear();
    }

    fn range(&self, option: usize) -> std::ops::Range<usize> {
        let start = option.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[option] as usize
    }

    pub fn shape(&self, option: usize) -> Shape {
        self.shapes[option]
    }

    /// Adds an option. The results are its weighted score in isolation, and how many source words nothing translates.
    pub fn push(
        &mut self,
        models: &[OperationModel],
        weights: &[f32],
        pair: &Worded<'_>,
    ) -> (f32, u32) {
        let lengths = (pair.source.len() as u32, pair.target.len() as u32);
        let links = pair.links.iter();
        let links = links.map(|link| (u32::from(link.source), u32::from(link.target)));
        let steps = steps(lengths.0, lengths.1, links);
        let first = self.positions.len();
        let of = |words: &[(u32, &str)], word: u32| {
            let (number, spelling) = words[word as usize];
            (number, spelling.to_string())
        };
        for step in &steps {
            self.positions.push(step.position);
            for model in models {
                let id = model.act(
                    &step.act,
                    |word| of(pair.source, word),
                    |word| of(pair.target, word),
                );
                self.ids.push(id);
            }
        }
        self.ends.push(self.positions.len() as u32);
        let covered = steps.iter().rev().find_map(|step| step.position);
        self.shapes.push(Shape {
            straight: is_straight(&steps),
            late: steps.first().is_some_and(|step| step.position.is_none()),
            cursor: covered.map_or(0, |last| last + 1),
        });
        let score = self.score_alone(models, weights, first);
        (score, untranslated(&steps))
    }

    /// Scores the last option as if nothing stood before it.
    fn score_alone(&mut self, models: &[OperationModel], weights: &[f32], first: usize) -> f32 {
        let count = models.len();
        self.inside.resize(self.ids.len(), 0.0);
        let positions = &self.positions[first..];
        let mut total = 0.0;
        for (number, (model, &weight)) in models.iter().zip(weights).enumerate() {
            let (mut state, mut next) = (model.nothing(), model.nothing());
            let (ids, inside) = (&self.ids, &mut self.inside);
            let mut place = Place::default();
            walk(
                positions,
                0,
                &mut place,
                |_| false,
                |event| {
                    let (id, at) = match event {
                        Event::Move(code) => (model.move_id(code), None),
                        Event::Step(step) => {
                            let at = (first + step) * count + number;
                            (ids[at], Some(at))
                        }
                    };
                    let score = weight * model.score(&state, id, &mut next);
                    std::mem::swap(&mut state, &mut next);
                    total += score;
                    if let Some(at) = at {
                        inside[at] = score;
                    }
                },
            );
            for step in (first + 1..self.positions.len()).rev() {
                inside[(step - 1) * count + number] += inside[step * count + number];
            }
            self.final_states.push(state);
        }
        total
    }

    /// Appends an option of `other`.
    pub fn copy(&mut self, other: &PhraseOperations, option: usize, models: usize) {
        let range = other.range(option);
        let ids = range.start * models..range.end * models;
        self.positions.extend_from_slice(&other.positions[range]);
        self.ends.push(self.positions.len() as u32);
        self.ids.extend_from_slice(&other.ids[ids.clone()]);
        self.inside.extend_from_slice(&other.inside[ids]);
        let states = option * models..(option + 1) * models;
        self.final_states
            .extend_from_slice(&other.final_states[states]);
        self.shapes.push(other.shapes[option]);
    }

    /// Appends one of its own options once more.
    pub fn duplicate(&mut self, option: usize) {
        let Some(models) = self.final_states.len().checked_div(self.shapes.len()) else {
            return;
        };
        let range = self.range(option);
        let ids = range.start * models..range.end * models;
        self.positions.extend_from_within(range);
        self.ends.push(self.positions.len() as u32);
        self.ids.extend_from_within(ids.clone());
        self.inside.extend_from_within(ids);
        let states = option * models..(option + 1) * models;
        self.final_states.extend_from_within(states);
        self.shapes.push(self.shapes[option]);
    }

    /// The weighted score of a straight option after `state` of one model, which becomes the state after it. Stops as soon
    /// as what stood before the phrase no longer matters.
    #[inline]
    pub fn score_straight(
        &self,
        (model, number, count): (&OperationModel, usize, usize),
        weight: f32,
        option: usize,
        state: &mut State,
    ) -> f32 {
        let range = self.range(option);
        let (mut total, mut next) = (0.0, *state);
        for step in range.clone() {
            let at = step * count + number;
            total += weight * model.score(state, self.ids[at], &mut next);
            std::mem::swap(state, &mut next);
            let seen = step + 1 - range.start;
            if step + 1 < range.end && is_within(state, seen) {
                total += self.inside[at + count];
                *state = self.final_states[option * count + number];
                break;
            }
        }
        total
    }

    /// The source words that the steps of an option cover.
    pub fn positions(&self, option: usize) -> &[Option<u32>] {
        &self.positions[self.range(option)]
    }

    /// What a step of an option is to a model.
    #[inline]
    pub fn id(&self, option: usize, step: usize, (number, count): (usize, usize)) -> u32 {
        self.ids[(self.range(option).start + step) * count + number]
    }
}

impl SentenceOptions {
    /// Adds the operations of the option that was added last to its scores.
    pub(super) fn push_operations(&mut self, model: &LogLinear, links: &[PhraseLink]) {
        if !model.uses.operations {
            return;
        }
        let number = self.options.len() - 1;
        let span = self.options[number].span;
        let mut operations = std::mem::take(&mut self.operations);
        let places = span.range();
        let source: Vec<(u32, &str)> = places
            .map(|place| (self.source[place], self.tokens[place].as_str()))
            .collect();
        let target = spelled(&self.words, number, |word| self.target_word(model, word));
        let pair = Worded {
            source: &source,
            target: &target,
            links,
        };
        let weights = &model.weights;
        let models = model.system().operation_models();
        let (alone, deleted) = operations.push(models, &weights.operation_models, &pair);
        self.operations = operations;
        self.options[number].language += alone;
        self.options[number].score -= weights.operation_support[DELETED] * deleted as f32;
    }
}

/// Which of the supporting features counts source words that nothing translates.
pub(crate) const DELETED: usize = 3;

/// The words of an option of the phrase table, spelled.
pub(super) fn spelled<'a>(
    words: &PhraseWords,
    option: usize,
    spelling: impl Fn(u32) -> &'a str,
) -> Vec<(u32, &'a str)> {
    let words = words.words[words.range(option)].iter();
    words.map(|&word| (word, spelling(word))).collect()
}
