//! Options as a joint model sees them.

use super::SentenceOptions;
use crate::model::LogLinear;
use chiasm_neural::{HISTORY, NOTHING, affiliations};
use chiasm_phrases::PhraseLink;
use std::ops::Range;

/// The target words of all options, in the order of [`super::PhraseWords::words`].
#[derive(Default)]
pub(crate) struct JointWords {
    /// What the source adds for each of its words and for its end, a row each.
    contexts: Vec<f32>,
    width: usize,
    /// The model's numbers.
    pub ids: Vec<u32>,
    /// The source word that each goes with.
    pub centres: Vec<u32>,
    /// Weighted score of a word and those after it in the phrase, where its history lies inside the phrase.
    pub inside: Vec<f32>,
}

/// The words before the next one, the nearest first.
pub(crate) fn shift(history: &mut [u32; HISTORY], word: u32) {
    history.rotate_right(1);
    history[0] = word;
}

impl JointWords {
    pub fn clear(&mut self) {
        self.contexts.clear();
        self.ids.clear();
        self.centres.clear();
        self.inside.clear();
    }

    /// Appends the words at `range` once more.
    pub fn duplicate(&mut self, range: Range<usize>) {
        if self.ids.is_empty() {
            return;
        }
        self.ids.extend_from_within(range.clone());
        self.centres.extend_from_within(range.clone());
        self.inside.extend_from_within(range);
    }

    /// What the source adds to a word that goes with a source word, or with the end.
    #[inline]
    pub fn context(&self, centre: u32) -> &[f32] {
        let first = centre as usize * self.width;
        &self.contexts[first..first + self.width]
    }
}

impl SentenceOptions {
    /// Reads the source sentence.
    pub(super) fn begin_joint(&mut self, model: &LogLinear) {
        if let Some(joint) = model.system().joint_model() {
            let source = self.tokens.iter().map(|token| joint.source_word(token));
            let source: Vec<u32> = source.collect();
            self.joint.width = joint.width();
            joint.contexts(&source, &mut self.joint.contexts);
        }
    }

    /// The model's number of a target word; of words beyond the vocabulary it knows none.
    pub fn joint_id(&self, model: &LogLinear, word: u32) -> u32 {
        let known = model.system().joint_words().get(word as usize).copied();
        known.unwrap_or_else(|| {
            let joint = model.system().joint_model();
            joint.map_or(NOTHING, |joint| {
                joint.target_word(self.target_word(model, word))
            })
        })
    }

    /// The source words that the words of an option go with. Without links they go with the first.
    pub fn joint_centres(&self, option: usize, links: &[PhraseLink], into: &mut Vec<u32>) {
        let span = self.options[option].span;
        let length = self.words.range(option).len();
        let links = links
            .iter()
            .filter(|link| link.is_within(span.len(), length));
        let links = links.map(|link| {
            let source = span.start as usize + usize::from(link.source);
            (source, usize::from(link.target))
        });
        let first = into.len();
        if !affiliations(length, links, into) {
            into.resize(first + length, span.start);
        }
    }

    /// Adds the option that was added last, and what the model says of it in isolation.
    pub(super) fn push_joint(&mut self, model: &LogLinear, links: &[PhraseLink]) {
        let Some(joint) = model.system().joint_model() else {
            return;
        };
        let option = self.options.len() - 1;
        let range = self.words.range(option);
        let mut centres = std::mem::take(&mut self.joint.centres);
        self.joint_centres(option, links, &mut centres);
        self.joint.centres = centres;
        let (mut history, mut total) = ([NOTHING; HISTORY], 0.0);
        for place in range.clone() {
            let id = self.joint_id(model, self.words.words[place]);
            let context = self.joint.context(self.joint.centres[place]);
            let score = model.weights.joint * joint.score(context, &history, id);
            shift(&mut history, id);
            self.joint.ids.push(id);
            self.joint.inside.push(score);
            total += score;
        }
        for place in (range.start + 1..range.end).rev() {
            self.joint.inside[place - 1] += self.joint.inside[place];
        }
        self.options[option].language += total;
    }
}
