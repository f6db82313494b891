//! One model of several that were estimated on parts of a corpus.
//!
//! A model keeps p(child|parent) and the expected links n(parent) of every parent word, so n(parent)·p(child|parent) are the
//! expected links of a pair, and these add up: the merged translation table is what the sum of all parts' counts gives, but for
//! pairs too improbable to have been stored, and for the priors, which each part has put in once. Jumps, fertilities and the
//! probabilities of words without a parent are not kept as counts; they become means, weighted by how much each part has seen.

use crate::fertility::FERTILITIES;
use crate::jumps::{BEGINNING, CLASSES, DISTANCES};
use crate::model::{DirectionParameters, Entry, Model};
use crate::{Error, Result};
use chiasm_store::Array;
use chiasm_text::{StoredVocabulary, Vocabulary};
use std::path::{Path, PathBuf};

/// A part with its words' numbers in the whole.
struct Part<'a> {
    model: &'a Model,
    /// Source words, target words.
    words: [Vec<u32>; 2],
    /// The share of the sentence pairs that it has seen.
    share: f64,
}

impl Part<'_> {
    /// Expected links of a parent word, by its number in this part.
    fn links(&self, side: usize, word: usize) -> f64 {
        let scale = self.model.directions[side].scale.get(word);
        scale.map_or(0.0, |&scale| 1.0 / f64::from(scale.max(f32::MIN_POSITIVE)))
    }
}

impl Model {
    /// Makes one model file of several.
    pub fn merge_files(parts: &[PathBuf], merged: &Path) -> Result<()> {
        let models: Result<Vec<Model>> = parts.iter().map(Model::open).collect();
        Model::merge(&models?)?.save(merged)
    }

    /// Makes one model of several of the same kind; what is exact in it and what is a mean is said above.
    pub fn merge(models: &[Model]) -> Result<Model> {
        let Some(first) = models.first() else {
            return Err(Error::Usage("no models to merge".into()));
        };
        if models
            .iter()
            .any(|model| model.settings.sampled != first.settings.sampled)
        {
            return Err(Error::Usage(
                "models of the preset fast merge with one another only, and so do those of standard and best".into(),
            ));
        }
        let mut vocabularies = [Vocabulary::new(), Vocabulary::new()];
        let sentences: u64 = models.iter().map(|model| model.settings.sentences).sum();
        let mut number = |side: usize, words: &StoredVocabulary| -> Vec<u32> {
            let ids = 0..words.len() as u32;
            ids.map(|id| vocabularies[side].intern(words.word(id)))
                .collect()
        };
        let part = |model| Part {
            model,
            words: [number(0, &model.source), number(1, &model.target)],
            share: model.settings.sentences as f64 / sentences.max(1) as f64,
        };
        let parts: Vec<Part> = models.iter().map(part).collect();
        let mut settings = first.settings.clone();
        settings.sentences = sentences;
        settings.tension = [0, 1].map(|side| {
            let of = |part: &Part| part.share * f64::from(part.model.settings.tension[side]);
            parts.iter().map(of).sum::<f64>() as f32
        });
        let sizes = [vocabularies[0].len(), vocabularies[1].len()];
        let totals = [0, 1].map(|side| totals(&parts, side, sizes[side]));
        let directions = [0, 1].map(|side| direction(&parts, side, sizes[1 - side], &totals[side]));
        let entries = entries(&parts, &totals);
        let [source, target] = &vocabularies;
        Ok(Model::new(settings, source, target, entries, directions))
    }
}

/// Expected links of every parent word in all parts.
fn totals(parts: &[Part], side: usize, words: usize) -> Vec<f64> {
    let mut totals = vec![0.0; words];
    for part in parts {
        for (word, &whole) in part.words[side].iter().enumerate() {
            totals[whole as usize] += part.links(side, word);
        }
    }
    totals
}

fn entries(parts: &[Part], totals: &[Vec<f64>; 2]) -> impl Iterator<Item = Entry> + use<> {
    let mut counts: Vec<((u32, u32), [f64; 2])> = Vec::new();
    for part in parts {
        for ((source, target), probabilities) in part.model.stored_entries() {
            let words = [source, target].map(|word| word as usize);
            let links =
                [0, 1].map(|side| f64::from(probabilities[side]) * part.links(side, words[side]));
            let whole = [0, 1].map(|side| part.words[side].get(words[side]).copied());
            if let [Some(source), Some(target)] = whole {
                counts.push(((source, target), links));
            }
        }
    }
    // Stable: the parts are summed in their order.
    counts.sort_by_key(|count| count.0);
    let mut merged: Vec<Entry> = Vec::new();
    for same in counts.chunk_by(|one, other| one.0 == other.0) {
        let (source, target) = same[0].0;
        let of = |side: usize, word: u32| {
            let sum: f64 = same.iter().map(|count| count.1[side]).sum();
            (sum / totals[side][word as usize].max(1e-9)).min(1.0) as f32
        };
        merged.push((same[0].0, [of(0, source), of(1, target)]));
    }
    merged.into_iter()
}

fn direction(parts: &[Part], side: usize, children: usize, totals: &[f64]) -> DirectionParameters {
    let mut null = vec![0.0f64; children];
    for part in parts {
        let own = &part.model.directions[side].null;
        for (&word, &probability) in part.words[1 - side].iter().zip(own.iter()) {
            null[word as usize] += part.share * f64::from(probability);
        }
    }
    let plain = |numbers: &[f64]| -> Array<f32> {
        let numbers = numbers.iter().map(|&number| number as f32);
        numbers.collect::<Vec<f32>>().into()
    };
    let scale: Vec<f64> = totals.iter().map(|&total| 1.0 / total.max(1e-6)).collect();
    let mut merged = DirectionParameters {
        null: plain(&null),
        scale: plain(&scale),
        ..DirectionParameters::default()
    };
    if parts.iter().all(|part| part.model.settings.sampled) {
        let chosen = frequent(parts, side, children);
        let mut classes = vec![0u8; children];
        for (class, &word) in chosen.iter().enumerate() {
            classes[word as usize] = class as u8 + 1;
        }
        merged.jumps = plain(&jumps(parts, side, &classes));
        merged.ratios = plain(&ratios(parts, side, totals));
        merged.classes = classes.into();
    }
    merged
}

/// The child words that have a class of their own in most of the text, at most as many as there are classes.
fn frequent(parts: &[Part], side: usize, children: usize) -> Vec<u32> {
    let mut votes = vec![0.0f64; children];
    for part in parts {
        let classes = &part.model.directions[side].classes;
        for (&word, &class) in part.words[1 - side].iter().zip(classes.iter()) {
            votes[word as usize] += if class > 0 { part.share } else { 0.0 };
        }
    }
    let mut chosen: Vec<u32> = (0..children as u32)
        .filter(|&word| votes[word as usize] > 0.0)
        .collect();
    chosen.sort_by(|&one, &other| {
        votes[other as usize]
            .total_cmp(&votes[one as usize])
            .then(one.cmp(&other))
    });
    chosen.truncate(BEGINNING as usize - 1);
    chosen.sort_unstable();
    chosen
}

/// The mean row of every class: of the rows of its word where it has one, of those of all other words elsewhere.
fn jumps(parts: &[Part], side: usize, classes: &[u8]) -> Vec<f64> {
    let mut jumps = vec![0.0f64; CLASSES * DISTANCES];
    for part in parts {
        let direction = &part.model.directions[side];
        // Which of this part's classes stands for each class of the whole.
        let mut own = [0u8; CLASSES];
        own[BEGINNING as usize] = BEGINNING;
        for (&word, &class) in part.words[1 - side].iter().zip(direction.classes.iter()) {
            let whole = classes[word as usize];
            if whole > 0 {
                own[whole as usize] = class.min(BEGINNING);
            }
        }
        for (row, &class) in jumps.chunks_exact_mut(DISTANCES).zip(&own) {
            let from = direction.jumps.iter().skip(class as usize * DISTANCES);
            for (mean, &probability) in row.iter_mut().zip(from) {
                *mean += part.share * f64::from(probability);
            }
        }
    }
    jumps
}

/// The mean ratios of every parent word, weighted by its links in each part; the last row is that of unknown words.
fn ratios(parts: &[Part], side: usize, totals: &[f64]) -> Vec<f64> {
    let unknown = totals.len();
    let mut ratios = vec![0.0f64; (unknown + 1) * FERTILITIES];
    for part in parts {
        let rows = part.model.directions[side].ratios.chunks_exact(FERTILITIES);
        for (word, row) in rows.enumerate() {
            let (whole, weight) = match part.words[side].get(word) {
                Some(&whole) => {
                    let total = totals[whole as usize].max(1e-9);
                    (whole as usize, part.links(side, word) / total)
                }
                None => (unknown, part.share),
            };
            for (at, &ratio) in row.iter().enumerate() {
                ratios[whole * FERTILITIES + at] += weight * f64::from(ratio);
            }
        }
    }
    ratios
}
