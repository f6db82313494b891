//! A translation with everything that explains it: features, phrases, orientations, links.

use crate::ranking::Ranking;
use crate::sparse::SparseFeature;
use chiasm_phrases::{Direction, Span};

/// One translation of a sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Translation {
    /// The target words.
    pub words: Vec<String>,
    /// The model score: weights times features.
    pub score: f32,
    /// Dense features, in the order of the configuration.
    pub features: Vec<f32>,
    /// Sparse features that are not 0, sorted.
    pub sparse: Vec<(SparseFeature, f32)>,
    /// The phrases in target order.
    pub phrases: Vec<PhraseUse>,
    /// Source words that the phrase table does not know and that were read as another, known form, by position.
    pub read_as: Vec<(usize, String)>,
    /// What was said of it by a neural model, if one was asked.
    pub ranking: Option<Ranking>,
    /// The part of the score that comes from what was learned beside the system.
    pub learned: f32,
}

/// A phrase pair in a translation.
#[derive(Clone, Debug, PartialEq)]
pub struct PhraseUse {
    /// Its source words.
    pub source: Span,
    /// Its target words.
    pub target: Span,
    /// Links inside, in sentence positions.
    pub links: Vec<(usize, usize)>,
    /// The source word was not in the phrase table and was copied.
    pub unknown: bool,
    /// What each reordering model said.
    pub orientations: Vec<OrientationUse>,
    /// The operations that it stands for, if the system has a model of them.
    pub operations: Vec<OperationUse>,
}

/// One operation of a translation.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationUse {
    /// What is done, e.g. `haus→house` or `[gap]`.
    pub name: String,
    /// The natural logarithm of its probability by the first model.
    pub score: f32,
}

impl PhraseUse {
    /// Who speaks for the phrase's orientation to the one before: a learned model, which knows every phrase in its place,
    /// before a table, which knows what it has counted.
    pub fn told(&self) -> Option<&OrientationUse> {
        let backward = self.orientations.iter();
        let backward = backward.filter(|said| said.direction == Direction::Backward);
        let knows = |said: &&OrientationUse| said.learned && !said.probabilities.is_empty();
        backward.clone().find(knows).or(backward.clone().next())
    }
}

/// What one reordering model said of one phrase.
#[derive(Clone, Debug, PartialEq)]
pub struct OrientationUse {
    /// The reordering feature's name.
    pub feature: String,
    /// Its probabilities are learned from features, not counted in a table.
    pub learned: bool,
    /// With respect to the previous or the next phrase.
    pub direction: Direction,
    /// The orientation that came about; `None` for the forward orientation of the last phrase.
    pub orientation: Option<&'static str>,
    /// The model's probabilities of all orientations, by name; empty if it does not know the phrase.
    pub probabilities: Vec<(&'static str, f32)>,
}

impl Translation {
    /// The target words as a line.
    pub fn text(&self) -> String {
        self.words.join(" ")
    }

    /// All links, phrase by phrase.
    pub fn links(&self) -> impl Iterator<Item = (usize, usize)> {
        self.phrases
            .iter()
            .flat_map(|phrase| phrase.links.iter().copied())
    }

    /// Source words that were copied.
    pub fn unknown(&self) -> impl Iterator<Item = usize> {
        let phrases = self.phrases.iter().filter(|phrase| phrase.unknown);
        phrases.map(|phrase| phrase.source.start as usize)
    }

    /// Appends the translation of the words that follow in the same sentence.
    pub(crate) fn append(&mut self, mut next: Translation, source_offset: usize) {
        let target_offset = self.words.len();
        self.words.append(&mut next.words);
        self.score += next.score;
        self.learned += next.learned;
        for (total, value) in self.features.iter_mut().zip(&next.features) {
            *total += value;
        }
        self.sparse.append(&mut next.sparse);
        sum_equal(&mut self.sparse);
        let read_as = next.read_as.into_iter();
        (self.read_as).extend(read_as.map(|(position, form)| (position + source_offset, form)));
        for mut phrase in next.phrases {
            phrase.source = phrase.source.shifted(source_offset as u32);
            phrase.target = phrase.target.shifted(target_offset as u32);
            for link in &mut phrase.links {
                *link = (link.0 + source_offset, link.1 + target_offset);
            }
            self.phrases.push(phrase);
        }
    }
}

pub(crate) fn sum_equal(sparse: &mut Vec<(SparseFeature, f32)>) {
    sparse.sort_by_key(|entry| entry.0);
    sparse.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            first.1 += later.1;
        }
        same
    });
}
