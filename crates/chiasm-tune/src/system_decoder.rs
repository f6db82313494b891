//! A translation system and the source side of a development set, as tuning sees them.

use crate::{Entry, NbestDecoder, Weights};
use chiasm_decode::{Decoder, Input, SearchSettings, SparseFeature, System, Translation, Wanted};
use chiasm_metrics::bleu::SentenceReferences;
use chiasm_text::Vocabulary;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Decodes a development set with a system.
pub struct SystemDecoder {
    system: Arc<System>,
    settings: SearchSettings,
    inputs: Vec<Input>,
    threads: usize,
    words: Vocabulary,
    sparse: FxHashMap<SparseFeature, u32>,
    sparse_names: Vec<String>,
}

impl SystemDecoder {
    /// Source sentences, tokenised, and the search that is tuned for.
    pub fn new(
        system: Arc<System>,
        settings: SearchSettings,
        source: &[String],
        threads: usize,
    ) -> Self {
        SystemDecoder {
            system,
            settings,
            inputs: source.iter().map(|line| Input::from_line(line)).collect(),
            threads,
            words: Vocabulary::new(),
            sparse: FxHashMap::default(),
            sparse_names: Vec::new(),
        }
    }

    /// The references of each sentence, from sets of tokenised lines.
    pub fn references(&mut self, sets: &[Vec<String>]) -> Vec<SentenceReferences> {
        references(sets, &mut self.words)
    }

    /// The weights that the system came with.
    pub fn start(&mut self) -> Weights {
        let weights = self.system.weights();
        let mut sparse = std::collections::BTreeMap::new();
        for (name, weight) in weights.sparse {
            if let Some(feature) = self.system.sparse_feature(&name) {
                sparse.insert(self.number(feature), weight);
            }
        }
        Weights {
            dense: weights.dense,
            sparse,
        }
    }

    /// Weights as the system knows them.
    pub fn named(&self, weights: &Weights) -> chiasm_decode::Weights {
        let name = |id: u32| self.sparse_names[id as usize].clone();
        let sparse = weights.sparse.iter();
        chiasm_decode::Weights {
            dense: weights.dense.clone(),
            sparse: sparse.map(|(&id, &weight)| (name(id), weight)).collect(),
        }
    }

    fn number(&mut self, feature: SparseFeature) -> u32 {
        let next = self.sparse_names.len() as u32;
        let number = *self.sparse.entry(feature).or_insert(next);
        if number == next {
            self.sparse_names.push(self.system.sparse_name(feature));
        }
        number
    }

    fn entry(&mut self, translation: Translation) -> Entry {
        let target = translation
            .words
            .iter()
            .map(|word| self.words.intern(word))
            .collect();
        let mut sparse = Vec::with_capacity(translation.sparse.len());
        for (feature, value) in translation.sparse {
            sparse.push((self.number(feature), value));
        }
        Entry {
            target,
            dense: translation.features,
            sparse,
        }
    }
}

/// The references of each sentence, from sets of tokenised lines, their words numbered by `words`.
pub fn references(sets: &[Vec<String>], words: &mut Vocabulary) -> Vec<SentenceReferences> {
    let sentences = sets.iter().map(Vec::len).min().unwrap_or(0);
    let mut number = |line: &String| -> Vec<u32> {
        chiasm_text::tokens(line)
            .map(|word| words.intern(word))
            .collect()
    };
    (0..sentences)
        .map(|i| {
            let numbered: Vec<Vec<u32>> = sets.iter().map(|set| number(&set[i])).collect();
            SentenceReferences::new(&numbered)
        })
        .collect()
}

impl NbestDecoder for SystemDecoder {
    fn decode(
        &mut self,
        weights: &Weights,
        size: usize,
    ) -> Result<Vec<Vec<Entry>>, Box<dyn std::error::Error + Send + Sync>> {
        let (system, settings) = (self.system.clone(), self.settings.clone());
        let decoder = Decoder::with_weights(system, &self.named(weights), settings)?;
        let wanted = Wanted {
            count: size,
            distinct: true,
        };
        let inputs = std::mem::take(&mut self.inputs);
        let mut lists = Vec::with_capacity(inputs.len());
        let outcome = decoder.translate_each(&inputs, wanted, self.threads, |list| {
            let entries = list.into_iter().map(|translation| self.entry(translation));
            lists.push(entries.collect());
        });
        self.inputs = inputs;
        outcome?;
        Ok(lists)
    }

    fn penalties(&self) -> Vec<usize> {
        self.system.configuration().penalties()
    }

    fn sparse_names(&self) -> Vec<String> {
        self.sparse_names.clone()
    }

    fn restore_sparse_names(&mut self, names: Vec<String>) {
        for name in names {
            if let Some(feature) = self.system.sparse_feature(&name) {
                self.number(feature);
            }
        }
    }
}
