//! What a derivation is worth and why: a walk through its phrases that computes every feature from its definition.

use crate::Result;
use crate::blocks::words_between;
use crate::learned::{Learned, gain};
use crate::model::LogLinear;
use crate::options::{Origin, SentenceOptions, shift};
use crate::orientation::{between, forward_hier};
use crate::search::history_of;
use crate::translation::{OperationUse, OrientationUse, PhraseUse, Translation, sum_equal};
use crate::weights::{ChannelSource, UNKNOWN_WORD};
use chiasm_lm::State;
use chiasm_neural::EDGE;
use chiasm_operations::{Event, Move, Place, move_name, steps, untranslated, walk};
use chiasm_phrases::{Direction, OrientationKind, Span};

/// Turns a list of options into a translation, computing every feature anew from its definition.
pub(crate) struct Describer<'a> {
    pub model: &'a LogLinear,
    pub options: &'a SentenceOptions,
    pub start: &'a [State],
    pub ends_sentence: bool,
    pub learned: Option<&'a Learned>,
}

/// Where a derivation stands while it is walked through.
struct Walk {
    last: Option<(u32, Span)>,
    blocks: Vec<Span>,
    covered: Vec<bool>,
    states: Vec<State>,
    place: Place,
    features: Vec<f64>,
    learned: f64,
}

impl Describer<'_> {
    pub fn describe(&self, derivation: &[u32]) -> Result<Translation> {
        let mut translation = Translation::default();
        let layout = self.model.layout();
        let mut walk = Walk {
            last: None,
            blocks: Vec::new(),
            covered: vec![false; self.options.source.len()],
            states: self.start.to_vec(),
            place: Place::default(),
            features: vec![0.0; layout.dense],
            learned: 0.0,
        };
        for (number, &option) in derivation.iter().enumerate() {
            self.add_learned(option, number + 1 == derivation.len(), &mut walk);
            self.add_phrase(option, &mut walk, &mut translation)?;
            self.add_stand_ins(option, &mut translation);
        }
        translation.read_as.sort_unstable();
        if self.ends_sentence {
            let models = self.model.system().language_models();
            for (number, model) in models.iter().enumerate() {
                let state = walk.states[number];
                let mut after = state;
                let score = model.score(&state, model.end_of_sentence(), &mut after);
                walk.features[layout.language_models[number]] += f64::from(score);
            }
        }
        if self.ends_sentence {
            let models = self.model.system().operation_models();
            for (number, model) in models.iter().enumerate() {
                let mut state = walk.states[self.first_operation_state() + number];
                let before = state;
                let score = model.score(&before, model.end(), &mut state);
                walk.features[layout.operation_models[number]] += f64::from(score);
            }
        }
        self.end_joint(&mut walk);
        sum_equal(&mut translation.sparse);
        let weights = &self.model.weights;
        let dense = walk.features.iter().zip(&weights.dense);
        let mut score: f64 = dense
            .map(|(value, &weight)| value * f64::from(weight))
            .sum();
        for &(feature, value) in &translation.sparse {
            score += f64::from(value) * f64::from(weights.sparse(feature));
        }
        translation.score = (score + walk.learned) as f32;
        translation.learned = walk.learned as f32;
        translation.features = walk.features.iter().map(|&value| value as f32).collect();
        Ok(translation)
    }

    fn add_phrase(
        &self,
        number: u32,
        walk: &mut Walk,
        translation: &mut Translation,
    ) -> Result<()> {
        let option = &self.options.options[number as usize];
        let words = &self.options.words.words[self.options.words.range(number as usize)];
        let first_word = translation.words.len();
        for &word in words {
            let spelling = self.options.target_word(self.model, word);
            translation.words.push(spelling.to_string());
        }
        let links = self.options.links(self.model, number as usize)?;
        let inside = (links.iter()).filter(|link| link.is_within(option.span.len(), words.len()));
        let start = option.span.start as usize;
        translation.phrases.push(PhraseUse {
            source: option.span,
            target: Span::new(first_word as u32, translation.words.len() as u32),
            links: inside
                .map(|link| {
                    (
                        start + usize::from(link.source),
                        first_word + usize::from(link.target),
                    )
                })
                .collect(),
            unknown: option.origin == Origin::Unknown,
            orientations: Vec::new(),
            operations: Vec::new(),
        });
        self.add_plain_features(number, words.len(), walk)?;
        self.add_language_models(number, walk);
        self.add_joint(number, walk)?;
        self.add_orientations(number, walk, translation);
        if self.model.uses.operations {
            let told = self.add_operations(number, walk)?;
            if let Some(phrase) = translation.phrases.last_mut() {
                phrase.operations = told;
            }
        }
        walk.covered[option.span.range()].fill(true);
        push_block(&mut walk.blocks, option.span);
        walk.last = Some((number, option.span));
        Ok(())
    }

    /// What the table translates may be another form than the one that stands there.
    fn add_stand_ins(&self, number: u32, translation: &mut Translation) {
        let option = &self.options.options[number as usize];
        if !matches!(option.origin, Origin::Table(_)) {
            return;
        }
        for stand_in in &self.options.stand_ins {
            let inside = option.span.range().contains(&stand_in.position);
            if inside && (option.span.len() == 1 || !stand_in.alone) {
                let read = (stand_in.position, stand_in.form.clone());
                translation.read_as.push(read);
            }
        }
    }

    /// What was learned says of a phrase, before the language models have read it.
    fn add_learned(&self, number: u32, is_last: bool, walk: &mut Walk) {
        walk.learned += f64::from(self.options.options[number as usize].learned);
        if let Some(learned) = self.learned {
            let ends = is_last && self.ends_sentence;
            let states = &mut walk.states;
            let gained = gain(self.model, self.options, learned, number, ends, states);
            walk.learned += f64::from(gained);
        }
    }

    fn add_plain_features(&self, number: u32, words: usize, walk: &mut Walk) -> Result<()> {
        let layout = self.model.layout();
        let option = &self.options.options[number as usize];
        let mut add = |slot: Option<usize>, value: f64| {
            if let Some(index) = slot {
                walk.features[index] += value;
            }
        };
        add(layout.word_penalty, -(words as f64));
        add(layout.phrase_penalty, 1.0);
        let last_end = walk.last.map_or(0, |(_, span)| span.end);
        let distance = last_end.abs_diff(option.span.start);
        add(layout.distortion, -f64::from(distance));
        let scores = layout.phrase_scores.clone();
        match option.origin {
            Origin::Unknown => add(layout.unknown, f64::from(UNKNOWN_WORD)),
            Origin::Given(given) => {
                let value = self.model.given_score(self.options.given[given as usize]);
                for slot in scores {
                    add(Some(slot), f64::from(value));
                }
            }
            Origin::Learned(learned) => {
                let values = &self.options.learned[learned as usize].0;
                for (slot, &value) in scores.zip(values) {
                    add(Some(slot), f64::from(value));
                }
            }
            Origin::Table(entry) => {
                let mut values = vec![0.0; scores.len()];
                let table = self.model.system().phrase_table();
                table.scores(entry as usize, &mut values)?;
                for (slot, value) in scores.zip(values) {
                    add(Some(slot), f64::from(value));
                }
            }
        }
        Ok(())
    }

    fn add_language_models(&self, number: u32, walk: &mut Walk) {
        let models = self.model.system().language_models();
        let words = &self.options.words;
        for (index, model) in models.iter().enumerate() {
            for position in words.range(number as usize) {
                let word = words.language_ids[position * models.len() + index];
                let state = walk.states[index];
                let score = model.score(&state, word, &mut walk.states[index]);
                walk.features[self.model.layout().language_models[index]] += f64::from(score);
            }
        }
    }

    /// What a joint model says of a phrase, word by word.
    fn add_joint(&self, number: u32, walk: &mut Walk) -> Result<()> {
        let system = self.model.system();
        let (Some(joint), Some(slot)) = (system.joint_model(), self.model.layout().joint) else {
            return Ok(());
        };
        let option = number as usize;
        let links = self.options.links(self.model, option)?;
        let mut centres = Vec::new();
        self.options.joint_centres(option, links, &mut centres);
        let state = &mut walk.states[self.joint_state()];
        let mut history = history_of(state);
        let words = &self.options.words.words[self.options.words.range(option)];
        for (&word, &centre) in words.iter().zip(&centres) {
            let id = self.options.joint_id(self.model, word);
            let context = self.options.joint.context(centre);
            walk.features[slot] += f64::from(joint.score(context, &history, id));
            shift(&mut history, id);
        }
        *state = State::of_context(&history);
        Ok(())
    }

    /// What it says of the end of the sentence.
    fn end_joint(&self, walk: &mut Walk) {
        let system = self.model.system();
        let (Some(joint), Some(slot)) = (system.joint_model(), self.model.layout().joint) else {
            return;
        };
        if self.ends_sentence {
            let history = history_of(&walk.states[self.joint_state()]);
            let end = (self.options.joint).context(self.options.source.len() as u32);
            walk.features[slot] += f64::from(joint.score(end, &history, EDGE));
        }
    }

    fn joint_state(&self) -> usize {
        self.first_operation_state() + self.model.system().operation_models().len()
    }

    fn first_operation_state(&self) -> usize {
        self.model.system().language_models().len()
    }

    /// The operations of a phrase, computed from its links.
    fn add_operations(&self, number: u32, at: &mut Walk) -> Result<Vec<OperationUse>> {
        let (layout, option) = (self.model.layout(), &self.options.options[number as usize]);
        let words = &self.options.words.words[self.options.words.range(number as usize)];
        let links = self.options.links(self.model, number as usize)?.iter();
        let links = links.map(|link| (u32::from(link.source), u32::from(link.target)));
        let steps = steps(option.span.len() as u32, words.len() as u32, links);
        let positions: Vec<Option<u32>> = steps.iter().map(|step| step.position).collect();
        let source = |word: u32| {
            let place = (option.span.start + word) as usize;
            (
                self.options.source[place],
                self.options.tokens[place].clone(),
            )
        };
        let target = |word: u32| {
            let word = words[word as usize];
            (word, self.options.target_word(self.model, word).to_string())
        };
        let models = self.model.system().operation_models();
        let first = self.first_operation_state();
        let Walk {
            place,
            covered,
            states,
            features,
            ..
        } = at;
        let is_covered = |word: u32| covered.get(word as usize).copied().unwrap_or(false);
        let mut told = Vec::new();
        let start = option.span.start;
        let support = walk(&positions, start, place, is_covered, |event| {
            for (index, model) in models.iter().enumerate() {
                let mut name = String::new();
                let id = match event {
                    Event::Move(code) => {
                        name = move_name(Move::of_code(code));
                        model.move_id(code)
                    }
                    Event::Step(step) => {
                        let act = &steps[step].act;
                        model.act_name(act, source, target, &mut name);
                        model.act(act, source, target)
                    }
                };
                let state = &mut states[first + index];
                let before = *state;
                let score = model.score(&before, id, state);
                features[layout.operation_models[index]] += f64::from(score);
                if index == 0 {
                    told.push(OperationUse { name, score });
                }
            }
        });
        if let Some(slot) = layout.operation_support {
            let alone = untranslated(&steps);
            let counts = [support.gaps, support.open, support.distance, alone];
            for (value, count) in features[slot..].iter_mut().zip(counts) {
                *value -= f64::from(count);
            }
        }
        Ok(told)
    }

    fn add_orientations(&self, number: u32, walk: &mut Walk, translation: &mut Translation) {
        let layout = self.model.layout();
        let span = self.options.options[number as usize].span;
        let phrases = translation.phrases.len();
        let last = walk.last.map_or(Span::default(), |(_, span)| span);
        let top = walk.blocks.last().copied().unwrap_or_default();
        for (index, channel) in layout.channels.iter().enumerate() {
            let hier = channel.orientation == OrientationKind::Hier;
            let backward = channel.direction == Direction::Backward;
            let reference = if hier && backward { top } else { last };
            let relation = if hier && !backward {
                forward_hier(last, span, |position| {
                    walk.covered.get(position).copied().unwrap_or(true)
                })
            } else {
                between(reference, span)
            };
            // The orientation concerns this phrase, or the previous one.
            let class = channel.classes.class_in_search(relation);
            let (concerned, phrase) = match (backward, walk.last) {
                (true, _) => (number, phrases - 1),
                (false, Some((previous, _))) => (previous, phrases - 2),
                (false, None) => {
                    let open = self.orientation_use(index, number, None);
                    translation.phrases[phrases - 1].orientations.push(open);
                    continue;
                }
            };
            let start = concerned as usize * layout.orientation_scores + channel.offset;
            let value = self.options.orientation[start + class];
            walk.features[channel.dense + class] += f64::from(value);
            let mut sparse = self
                .options
                .sparse_features(self.model, concerned as usize, index);
            if backward && relation.orientation().is_discontinuous() {
                let jumped = words_between(reference, span);
                sparse.extend(self.options.between_features(self.model, index, jumped));
            }
            let sparse = sparse.into_iter();
            translation
                .sparse
                .extend(sparse.map(|feature| (feature.with_class(class), 1.0)));
            let said = self.orientation_use(index, concerned, Some(class));
            let orientations = &mut translation.phrases[phrase].orientations;
            if backward {
                orientations.push(said);
            } else if let Some(open) = orientations
                .iter_mut()
                .find(|open| open.orientation.is_none() && open.feature == said.feature)
            {
                *open = said;
            }
            if !backward {
                let open = self.orientation_use(index, number, None);
                translation.phrases[phrases - 1].orientations.push(open);
            }
        }
    }

    fn orientation_use(&self, index: usize, option: u32, class: Option<usize>) -> OrientationUse {
        let layout = self.model.layout();
        let channel = &layout.channels[index];
        let configuration = self.model.system().configuration();
        let feature = layout.reordering_features[channel.feature];
        let start = option as usize * layout.orientation_scores + channel.offset;
        let scores = &self.options.orientation[start..start + channel.classes.len()];
        // A phrase that the table does not know scores 0 throughout.
        let known = scores.iter().any(|&score| score != 0.0);
        let named = scores.iter().enumerate().filter(|_| known);
        OrientationUse {
            feature: configuration.features[feature].name.clone(),
            learned: matches!(channel.source, ChannelSource::Model { .. }),
            direction: channel.direction,
            orientation: class.map(|class| channel.classes.class_name(class)),
            probabilities: named
                .map(|(class, score)| (channel.classes.class_name(class), score.exp()))
                .collect(),
        }
    }
}

fn push_block(blocks: &mut Vec<Span>, mut span: Span) {
    while let Some(top) = blocks.last() {
        if top.end == span.start {
            span.start = top.start;
        } else if span.end == top.start {
            span.end = top.end;
        } else {
            break;
        }
        blocks.pop();
    }
    blocks.push(span);
}
