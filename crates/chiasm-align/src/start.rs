//! Where samplers begin: the first links are drawn from a log-linear model.
//!
//! It is estimated on a part of a large corpus, evenly spread, that is always the same. Pairs of words that are not in that
//! part are weighed by the links drawn before them.

use crate::direction::Direction;
use crate::loglinear::{LogLinear, diagonal};
use crate::model::Model;
use crate::rows::Rows;
use chiasm_text::Vocabulary;

/// The probability of two words that a saved model has not stored together: what is under 0.0001 is not.
const UNKNOWN: f32 = 1e-5;

/// One direction of a log-linear model, by words.
pub struct Start {
    /// p(child|parent), as the bits of the number.
    table: Rows,
    null: Vec<f32>,
    null_probability: f32,
    tension: f32,
}

impl Start {
    /// Of an estimated model; `words` are the source and target word of each entry.
    pub fn of_estimate(
        model: &LogLinear,
        words: &[(u32, u32)],
        forward: bool,
        parents: usize,
    ) -> Self {
        let mut table = Rows::new(parents);
        for (&(source, target), probability) in words.iter().zip(&model.translation) {
            let (parent, child) = if forward {
                (source, target)
            } else {
                (target, source)
            };
            table.add(parent, child, probability.max(f32::MIN_POSITIVE).to_bits());
        }
        Start {
            table,
            null: model.null.clone(),
            null_probability: model.null_probability,
            tension: model.tension,
        }
    }

    /// Of a saved model, for the words of a corpus.
    pub fn of_model(
        model: &Model,
        numbers: &ModelNumbers,
        forward: bool,
        words: (usize, usize),
    ) -> Self {
        let side = usize::from(!forward);
        let (parents, children) = if forward { words } else { (words.1, words.0) };
        let mut table = Rows::new(parents);
        for ((source, target), probabilities) in model.stored_entries() {
            if let Some((source, target)) = numbers.both(source, target) {
                let (parent, child) = if forward {
                    (source, target)
                } else {
                    (target, source)
                };
                let probability = probabilities[side].clamp(1e-7, 1.0);
                table.add(parent, child, probability.to_bits());
            }
        }
        let mut null = vec![1.0 / (children as f32 + 1.0); children];
        let own = &model.directions[side].null;
        for (word, number) in numbers.children(forward).iter().enumerate() {
            if let (Some(number), Some(&probability)) = (number, own.get(word)) {
                null[*number as usize] = probability;
            }
        }
        Start {
            table,
            null,
            null_probability: model.settings.null_probability,
            tension: model.settings.tension[side],
        }
    }

    /// p(child|parent) of the entries of a corpus, and of having no parent. Pairs that are not known have next to nothing.
    pub fn for_entries(&self, direction: &Direction) -> (Vec<f32>, Vec<f32>) {
        let probability = |&(source, target): &(u32, u32)| {
            let (parent, child) = match direction.forward {
                true => (source, target),
                false => (target, source),
            };
            match self.table.row(parent).get(child) {
                0 => UNKNOWN,
                known => f32::from_bits(known),
            }
        };
        let entries = direction.cells.words().iter();
        (entries.map(probability).collect(), self.null.clone())
    }

    /// Writes the weights of all parents of a child and returns that of having none. `otherwise` is p(child|parent) of words
    /// that this does not know together.
    pub fn weigh(
        &self,
        parents: &[u32],
        children: &[u32],
        child: usize,
        otherwise: impl Fn(u32, u32) -> f32,
        weights: &mut [f32],
    ) -> f32 {
        let word = children[child];
        diagonal(self.tension, child, children.len(), weights);
        for (weight, &parent) in weights.iter_mut().zip(parents) {
            let translation = match self.table.row(parent).get(word) {
                0 => otherwise(parent, word),
                known => f32::from_bits(known),
            };
            *weight *= translation * (1.0 - self.null_probability);
        }
        self.null_probability * self.null[word as usize]
    }
}

/// The numbers that a model's words have in a corpus.
pub struct ModelNumbers {
    source: Vec<Option<u32>>,
    target: Vec<Option<u32>>,
}

impl ModelNumbers {
    /// Looks all words of a model up.
    pub fn new(model: &Model, source: &Vocabulary, target: &Vocabulary) -> Self {
        let find = |stored: &chiasm_text::StoredVocabulary, words: &Vocabulary| {
            let ids = 0..stored.len() as u32;
            ids.map(|id| words.get(stored.word(id))).collect()
        };
        ModelNumbers {
            source: find(&model.source, source),
            target: find(&model.target, target),
        }
    }

    fn both(&self, source: u32, target: u32) -> Option<(u32, u32)> {
        let source = self.source.get(source as usize).copied().flatten()?;
        let target = self.target.get(target as usize).copied().flatten()?;
        Some((source, target))
    }

    fn children(&self, forward: bool) -> &[Option<u32>] {
        if forward { &self.target } else { &self.source }
    }

    /// The model's expected links, in units, by the corpus's words.
    pub fn counts(&self, model: &Model, forward: bool, parents: usize) -> Rows {
        let side = usize::from(!forward);
        let scale = &model.directions[side].scale;
        let mut counts = Rows::new(parents);
        for ((source, target), probabilities) in model.stored_entries() {
            let own = if forward { source } else { target };
            let links = scale.get(own as usize).map_or(0.0, |scale| 1.0 / scale);
            let units = probabilities[side] * links * crate::spelling::UNIT as f32;
            if let (Some((source, target)), 1..) = (self.both(source, target), units as u32) {
                let (parent, child) = if forward {
                    (source, target)
                } else {
                    (target, source)
                };
                counts.add(parent, child, units as u32);
            }
        }
        counts
    }
}
