//! A trained aligner in a file, ready as soon as it is mapped.
//!
//! Sections: `settings` (JSON), `source/` and `target/` (vocabularies), `starts` and `targets` (for
//! every source word the target words it was seen linked with, sorted), `forward` and `reverse` (their
//! translation probabilities p(target|source) and p(source|target)), `*_null` (of having no parent),
//! `*_scale` (what a prior is multiplied with for a pair that is not stored), `*_classes`, `*_jumps`,
//! `*_ratios`
//! (sampled models only).

use crate::bitext::fold;
use crate::spelling::{UNIT, prior_of_words};
use crate::{Error, Result};
use chiasm_store::{Array, Container, Sections, Writer};
use chiasm_text::{StoredVocabulary, Vocabulary};
use serde::{Deserialize, Serialize};
use std::path::Path;

const KIND: &str = "aligner";
const VERSION: u32 = 1;
/// Pairs with a smaller probability in both directions are not stored.
const LEAST: f32 = 1e-4;

/// The few numbers of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelSettings {
    /// Was it sampled? Otherwise it is the log-linear model.
    pub sampled: bool,
    /// p0.
    pub null_probability: f32,
    /// λ forward, λ reverse.
    pub tension: [f32; 2],
    /// How strongly the directions are coupled.
    pub coupling: f32,
    /// Where random numbers begin.
    pub seed: u64,
    /// Sentence pairs it was estimated on.
    pub sentences: u64,
}

/// The parameters of one direction apart from the translation table.
#[derive(Clone, Default)]
pub struct DirectionParameters {
    /// p(child|no parent) of every child word.
    pub null: Array<f32>,
    /// 1 / total of every parent word, priors included, in occurrences.
    pub scale: Array<f32>,
    /// The jump class of every child word.
    pub classes: Array<u8>,
    /// Probabilities of the jump distances, a row a class.
    pub jumps: Array<f32>,
    /// Fertility ratios of every parent word, and of unknown ones.
    pub ratios: Array<f32>,
}

/// A trained aligner.
#[derive(Clone)]
pub struct Model {
    /// The few numbers.
    pub settings: ModelSettings,
    /// Source words, lower-cased.
    pub source: StoredVocabulary,
    /// Target words, lower-cased.
    pub target: StoredVocabulary,
    starts: Array<u64>,
    targets: Array<u32>,
    /// p(target|source) and p(source|target) of the stored pairs.
    probabilities: [Array<f32>; 2],
    /// Forward, reverse.
    pub directions: [DirectionParameters; 2],
}

/// One entry of the translation table: words and probabilities forward and reverse.
pub type Entry = ((u32, u32), [f32; 2]);

impl Model {
    /// A model in memory. `entries` in any order; improbable ones are dropped.
    pub fn new(
        settings: ModelSettings,
        source: &Vocabulary,
        target: &Vocabulary,
        entries: impl Iterator<Item = Entry>,
        directions: [DirectionParameters; 2],
    ) -> Self {
        let kept = |entry: &Entry| entry.1[0] >= LEAST || entry.1[1] >= LEAST;
        Self::whole(settings, source, target, entries.filter(kept), directions)
    }

    /// The same with all entries.
    pub(crate) fn whole(
        settings: ModelSettings,
        source: &Vocabulary,
        target: &Vocabulary,
        entries: impl Iterator<Item = Entry>,
        directions: [DirectionParameters; 2],
    ) -> Self {
        let mut entries: Vec<Entry> = entries.collect();
        entries.sort_unstable_by_key(|entry| entry.0);
        let mut starts = vec![0u64; source.len() + 1];
        for entry in &entries {
            starts[entry.0.0 as usize + 1] += 1;
        }
        for word in 0..source.len() {
            starts[word + 1] += starts[word];
        }
        let column = |at: usize| {
            entries
                .iter()
                .map(|entry| entry.1[at])
                .collect::<Vec<f32>>()
        };
        Model {
            settings,
            source: StoredVocabulary::new(source),
            target: StoredVocabulary::new(target),
            starts: starts.into(),
            targets: entries
                .iter()
                .map(|entry| entry.0.1)
                .collect::<Vec<_>>()
                .into(),
            probabilities: [column(0).into(), column(1).into()],
            directions,
        }
    }

    /// Writes the model; the file appears when it is whole.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut writer = Writer::create(path, KIND, VERSION)?;
        self.write_sections(&mut writer)?;
        writer.finish()?;
        Ok(())
    }

    /// Writes the model into another file.
    pub fn write_sections(&self, writer: &mut Writer) -> chiasm_store::Result<()> {
        // Plain numbers and words: there is nothing that JSON could not say.
        let settings = serde_json::to_string(&self.settings).unwrap_or_default();
        writer.bytes("settings", settings.as_bytes())?;
        writer.within("source/", |writer| self.source.write_sections(writer))?;
        writer.within("target/", |writer| self.target.write_sections(writer))?;
        writer.array("starts", &self.starts)?;
        writer.array("targets", &self.targets)?;
        for (at, name) in ["forward", "reverse"].into_iter().enumerate() {
            writer.array(name, &self.probabilities[at])?;
            let direction = &self.directions[at];
            writer.array(&format!("{name}_null"), &direction.null)?;
            writer.array(&format!("{name}_scale"), &direction.scale)?;
            writer.array(&format!("{name}_classes"), &direction.classes)?;
            writer.array(&format!("{name}_jumps"), &direction.jumps)?;
            writer.array(&format!("{name}_ratios"), &direction.ratios)?;
        }
        Ok(())
    }

    /// Maps a model. Its contents are checked against their checksums.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let sections = Container::open(path)?.expect_kind(KIND, VERSION)?;
        sections.verify()?;
        Self::from_sections(&sections)
    }

    /// Reads a model that lies in another file.
    pub fn from_sections(sections: &Sections) -> Result<Self> {
        let settings = serde_json::from_str(sections.text("settings")?)
            .map_err(|error| sections.corrupt("settings", &error.to_string()))?;
        let direction = |name: &str| -> Result<DirectionParameters> {
            Ok(DirectionParameters {
                null: sections.array(&format!("{name}_null"))?,
                scale: sections.array(&format!("{name}_scale"))?,
                classes: sections.array(&format!("{name}_classes"))?,
                jumps: sections.array(&format!("{name}_jumps"))?,
                ratios: sections.array(&format!("{name}_ratios"))?,
            })
        };
        let model = Model {
            settings,
            source: StoredVocabulary::from_sections(&sections.within("source/"))?,
            target: StoredVocabulary::from_sections(&sections.within("target/"))?,
            starts: sections.array("starts")?,
            targets: sections.array("targets")?,
            probabilities: [sections.array("forward")?, sections.array("reverse")?],
            directions: [direction("forward")?, direction("reverse")?],
        };
        model.check(sections)?;
        Ok(model)
    }

    fn check(&self, sections: &Sections) -> Result<()> {
        let expect = |name: &str, right: bool| match right {
            true => Ok(()),
            false => Err(Error::Store(
                sections.corrupt(name, "has an impossible size"),
            )),
        };
        let (sources, targets) = (self.source.len(), self.target.len());
        expect("starts", self.starts.len() == sources + 1)?;
        expect("forward", self.probabilities[0].len() == self.targets.len())?;
        expect("reverse", self.probabilities[1].len() == self.targets.len())?;
        let sizes = [(sources, targets), (targets, sources)];
        for (direction, (parents, children)) in self.directions.iter().zip(sizes) {
            expect("null", direction.null.len() == children)?;
            expect("scale", direction.scale.len() == parents)?;
            if self.settings.sampled {
                expect("classes", direction.classes.len() == children)?;
                let distances = crate::jumps::CLASSES * crate::jumps::DISTANCES;
                expect("jumps", direction.jumps.len() == distances)?;
                let rows = (parents + 1) * crate::fertility::FERTILITIES;
                expect("ratios", direction.ratios.len() == rows)?;
            }
        }
        Ok(())
    }

    /// How many pairs of words are stored.
    pub fn entries(&self) -> usize {
        self.targets.len()
    }

    /// The stored pairs of a source word: target words, and where their probabilities begin.
    fn row(&self, word: u32) -> (&[u32], usize) {
        let at = word as usize;
        let bounds = self.starts.get(at).zip(self.starts.get(at + 1));
        let range = bounds.map_or(0..0, |(&from, &to)| from as usize..to as usize);
        let start = range.start;
        (self.targets.get(range).unwrap_or(&[]), start)
    }

    /// All stored pairs of words, by source word.
    pub fn stored_entries(&self) -> impl Iterator<Item = Entry> + '_ {
        (0..self.source.len() as u32).flat_map(move |word| {
            let (row, start) = self.row(word);
            let stored = row.iter().enumerate();
            stored.map(move |(at, &target)| ((word, target), self.stored(start + at)))
        })
    }

    /// The target words that are stored beside a source word, with p(target|source) and p(source|target), the most
    /// probable first.
    pub fn translations_of(&self, word: &str) -> Vec<(&str, [f32; 2])> {
        let mut buffer = String::new();
        let id = self.source.get(fold(word, &mut buffer));
        let (row, start) = id.map_or((&[][..], 0), |id| self.row(id));
        let stored = row.iter().enumerate();
        let mut found: Vec<_> = stored
            .map(|(at, &id)| (self.target.word(id), self.stored(start + at)))
            .collect();
        found.sort_by(|a, b| b.1[0].total_cmp(&a.1[0]).then(a.0.cmp(b.0)));
        found
    }

    /// p(target|source) and p(source|target) of two words; 0 if they are not stored together.
    pub fn probabilities(&self, source: &str, target: &str) -> [f32; 2] {
        let mut buffers = [String::new(), String::new()];
        let [for_source, for_target] = &mut buffers;
        let ids = (
            self.source.get(fold(source, for_source)),
            self.target.get(fold(target, for_target)),
        );
        let (Some(source), Some(target)) = ids else {
            return [0.0; 2];
        };
        let (row, start) = self.row(source);
        let found = row.binary_search(&target);
        found.map_or([0.0; 2], |at| self.stored(start + at))
    }

    /// p(target|source) and p(source|target) of the words of a sentence pair, source-major, words
    /// that are not known included: those have nothing but their spelling.
    pub fn translations(&self, source: &[Word], target: &[Word], into: &mut [Vec<f32>; 2]) {
        let cells = source.len() * target.len();
        for matrix in into.iter_mut() {
            matrix.clear();
            matrix.resize(cells, 0.0);
        }
        for (i, one) in source.iter().enumerate() {
            let (row, start) = one.id.map_or((&[][..], 0), |id| self.row(id));
            for (j, other) in target.iter().enumerate() {
                let found = other.id.and_then(|id| row.binary_search(&id).ok());
                let probability = match found {
                    Some(at) => self.stored(start + at),
                    None => self.unseen(one, other, source.len(), target.len()),
                };
                into[0][i * target.len() + j] = probability[0];
                into[1][i * target.len() + j] = probability[1];
            }
        }
    }

    fn stored(&self, at: usize) -> [f32; 2] {
        let read = |side: usize| self.probabilities[side].get(at).copied().unwrap_or(0.0);
        [read(0), read(1)]
    }

    /// A pair that is not stored has its prior; an unknown parent shares it among the children.
    fn unseen(&self, source: &Word, target: &Word, sources: usize, targets: usize) -> [f32; 2] {
        let prior = prior_of_words(source.folded, target.folded) as f32 / UNIT as f32;
        let scale = |side: usize, word: &Word, children: usize| {
            let known = word
                .id
                .and_then(|id| self.directions[side].scale.get(id as usize));
            let alone = UNIT as f32 / children.max(1) as f32;
            // A parent that was never linked to anything has no more than its priors.
            prior * known.copied().unwrap_or(alone).min(alone)
        };
        [
            scale(0, source, targets).min(1.0),
            scale(1, target, sources).min(1.0),
        ]
    }
}

/// A word as a model sees it.
#[derive(Clone, Copy, Debug)]
pub struct Word<'a> {
    /// Its number in the vocabulary, if it is known.
    pub id: Option<u32>,
    /// Its lower-cased spelling.
    pub folded: &'a str,
}
