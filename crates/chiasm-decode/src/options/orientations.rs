//! What reordering features say of an option: orientation scores of tables and learned models, asked
//! once for each option, and sparse features.

use super::{Question, SentenceOptions};
use crate::model::LogLinear;
use crate::sparse::{Position, SparseFeature, Template};
use crate::weights::ChannelSource;
use chiasm_phrases::Direction;
use chiasm_reorder::{Scratch, WordKey};
use std::hash::Hasher;

impl SentenceOptions {
    /// Asks the reordering models, weighs all orientation scores and adds the sparse features of the
    /// newest option.
    pub(super) fn weigh_orientation(&mut self, model: &LogLinear, question: Question<'_>) {
        let layout = model.layout();
        let number = self.options.len() - 1;
        let start = number * layout.orientation_scores;
        self.ask_models(model, number, question);
        for channel in &layout.channels {
            for class in 0..channel.classes.len() {
                let raw = self.orientation[start + channel.offset + class];
                self.weighted
                    .push(raw * model.weights.dense[channel.dense + class]);
            }
        }
        if !model.weights.sparse.is_empty() {
            for index in 0..layout.channels.len() {
                self.add_sparse(model, number, index);
            }
        }
        let best = |channels: &[crate::weights::Channel], weighted: &[f32]| -> f32 {
            channels
                .iter()
                .map(|channel| {
                    let first = start + channel.offset;
                    let scores = &weighted[first..first + channel.classes.len()];
                    // A jump without a class scores nothing.
                    let least = if channel.classes.is_total() {
                        f32::NEG_INFINITY
                    } else {
                        0.0
                    };
                    scores.iter().copied().fold(least, f32::max)
                })
                .sum()
        };
        let option = &mut self.options[number];
        option.best_backward = best(layout.backward(), &self.weighted);
        option.best_forward = best(layout.forward(), &self.weighted);
        if !layout.forward().is_empty() {
            self.options[number].forward = self.number_forward(model, number);
        }
    }

    /// Orientation scores that come from models, not from the table: once for each option.
    fn ask_models(&mut self, model: &LogLinear, number: usize, question: Question<'_>) {
        let layout = model.layout();
        let span = self.options[number].span;
        let words = self.words.range(number).len();
        for (index, reordering) in model.system().reordering_models().iter().enumerate() {
            self.answer.clear();
            self.answer.resize(layout.models[index], 0.0);
            reordering.log_probabilities(
                &mut self.scratches[index],
                span,
                &question.keys[index * words..(index + 1) * words],
                question.links,
                &mut self.answer,
            );
            for channel in &layout.channels {
                let ChannelSource::Model { model, first } = channel.source else {
                    continue;
                };
                if model == index {
                    let at = number * layout.orientation_scores + channel.offset;
                    let classes = channel.classes.len();
                    self.orientation[at..at + classes]
                        .copy_from_slice(&self.answer[first..first + classes]);
                }
            }
        }
    }

    /// Shows the sentence to the reordering models.
    pub(super) fn begin_models(&mut self, model: &LogLinear) {
        let system = model.system();
        let models = system.reordering_models();
        self.scratches.resize_with(models.len(), Scratch::default);
        let asked = models.iter().zip(system.word_keys());
        for ((reordering, known), scratch) in asked.zip(&mut self.scratches) {
            self.keys.clear();
            let words = self.source.iter().zip(&self.tokens);
            self.keys.extend(words.map(|(&word, token)| {
                let known = known.source.get(word as usize).copied();
                known.unwrap_or_else(|| reordering.source_word(token))
            }));
            for (key, tag) in self.keys.iter_mut().zip(&self.tags) {
                *key = key.tagged(tag);
            }
            scratch.begin_sentence(&self.keys);
        }
    }

    /// Target words, of which the vocabulary need not know all, as each reordering model sees them.
    pub(super) fn target_keys(&self, model: &LogLinear, words: &[u32], into: &mut Vec<WordKey>) {
        into.clear();
        let system = model.system();
        for (reordering, known) in system.reordering_models().iter().zip(system.word_keys()) {
            into.extend(words.iter().map(|&word| {
                let known = known.target.get(word as usize).copied();
                known.unwrap_or_else(|| reordering.target_word(self.target_word(model, word)))
            }));
        }
    }

    /// Adds the weights of the sparse features that depend on the option alone.
    fn add_sparse(&mut self, model: &LogLinear, number: usize, index: usize) {
        let layout = model.layout();
        let channel = &layout.channels[index];
        for feature in self.sparse_features(model, number, index) {
            for class in 0..channel.classes.len() {
                let at = number * layout.orientation_scores + channel.offset + class;
                self.weighted[at] += model.weights.sparse(feature.with_class(class));
            }
        }
    }

    /// The sparse features of an option in a channel, for class 0.
    pub fn sparse_features(
        &self,
        model: &LogLinear,
        number: usize,
        index: usize,
    ) -> Vec<SparseFeature> {
        let channel = &model.layout().channels[index];
        let system = model.system();
        let Some(shape) = system.sparse_shape(channel.feature) else {
            return Vec::new();
        };
        let template = match channel.direction {
            Direction::Backward if shape.phrase => Template::Phrase,
            Direction::Forward if shape.stack => Template::Stack,
            _ => return Vec::new(),
        };
        let span = self.options[number].span;
        let words = &self.words.words[self.words.range(number)];
        let mut positions = vec![
            (
                Position::SourceFirst,
                self.tokens[span.start as usize].as_str(),
            ),
            (
                Position::SourceLast,
                self.tokens[span.end as usize - 1].as_str(),
            ),
        ];
        if let (Some(&first), Some(&last)) = (words.first(), words.last()) {
            positions.push((Position::TargetFirst, self.target_word(model, first)));
            positions.push((Position::TargetLast, self.target_word(model, last)));
        }
        let mut features = Vec::new();
        for (vocabulary, words) in system
            .sparse_vocabularies(channel.feature)
            .iter()
            .enumerate()
        {
            for &(position, word) in &positions {
                if shape.vocabularies[vocabulary].side != position.side() {
                    continue;
                }
                if let Some(label) = words.label(word) {
                    features.push(SparseFeature::new(
                        channel.feature,
                        template,
                        vocabulary,
                        position,
                        label,
                        0,
                    ));
                }
            }
        }
        features
    }

    /// The sparse features of the source words jumped over, for class 0: every word counts.
    pub fn between_features(
        &self,
        model: &LogLinear,
        index: usize,
        jumped: std::ops::Range<usize>,
    ) -> Vec<SparseFeature> {
        let channel = &model.layout().channels[index];
        let system = model.system();
        let mut features = Vec::new();
        let Some(shape) = system
            .sparse_shape(channel.feature)
            .filter(|shape| shape.between)
        else {
            return features;
        };
        for (vocabulary, words) in system
            .sparse_vocabularies(channel.feature)
            .iter()
            .enumerate()
        {
            if shape.vocabularies[vocabulary].side != Position::Jumped.side() {
                continue;
            }
            let labels = self.tokens[jumped.clone()].iter();
            for label in labels.filter_map(|token| words.label(token)) {
                let position = Position::Jumped;
                let feature = SparseFeature::new(
                    channel.feature,
                    Template::Between,
                    vocabulary,
                    position,
                    label,
                    0,
                );
                features.push(feature);
            }
        }
        features
    }

    fn number_forward(&mut self, model: &LogLinear, number: usize) -> u32 {
        let layout = model.layout();
        let weighted = &self.weighted;
        let scores = |option: usize| {
            let start = option * layout.orientation_scores;
            &weighted[start + layout.backward_scores..start + layout.orientation_scores]
        };
        let hash = |option: usize| {
            let mut hasher = rustc_hash::FxHasher::default();
            for score in scores(option) {
                hasher.write_u32(score.to_bits());
            }
            hasher.finish()
        };
        let hashed = hash(number);
        if let Some(&found) = self
            .forward_numbers
            .find(hashed, |&other| scores(other as usize) == scores(number))
        {
            return found;
        }
        self.forward_numbers
            .insert_unique(hashed, number as u32, |&other| hash(other as usize));
        number as u32
    }
}
