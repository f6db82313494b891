//! The translations of a source phrase, scored with everything that does not depend on the
//! sentence around it, and the cache of them.

use super::operations::{DELETED, PhraseOperations, Worded, spelled};
use crate::language_model::{LanguageModel, is_within};
use crate::model::LogLinear;
use crate::system::WordKeys;
use crate::table::{NodeNumber, TableOption};
use crate::weights::ChannelSource;
use crate::{Error, Result};
use chiasm_lm::State;
use chiasm_phrases::PhraseLink;
use chiasm_reorder::WordKey;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::sync::{Arc, Mutex};

/// Target words with the language models' view of them, for a list of options.
#[derive(Default)]
pub(crate) struct PhraseWords {
    /// Where each option's words end.
    pub ends: Vec<u32>,
    /// Words of the target vocabulary.
    pub words: Vec<u32>,
    /// The same words for each language model: word `w` of model `l` of `m` stands at `w * m + l`.
    pub language_ids: Vec<u32>,
    /// Weighted score of a word and those after it in the phrase, if nothing before the phrase
    /// matters; indexed as `language_ids`.
    pub inside: Vec<f32>,
    /// The state after the phrase under the same condition: option `o` of model `l` at `o * m + l`.
    pub final_states: Vec<State>,
}

impl PhraseWords {
    pub fn clear(&mut self) {
        self.ends.clear();
        self.words.clear();
        self.language_ids.clear();
        self.inside.clear();
        self.final_states.clear();
    }

    pub fn range(&self, option: usize) -> std::ops::Range<usize> {
        let start = if option == 0 {
            0
        } else {
            self.ends[option - 1]
        };
        start as usize..self.ends[option] as usize
    }

    /// Adds an option's words; the result is their weighted language model score in isolation.
    pub fn push(
        &mut self,
        models: &[LanguageModel],
        weights: &[f32],
        words: &[u32],
        spelling: impl Fn(u32) -> String,
    ) -> f32 {
        let (first, count) = (self.words.len(), models.len());
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len() as u32);
        for &word in words {
            for model in models {
                let id = model.id(word);
                let id = id.unwrap_or_else(|| model.id_of(&spelling(word)));
                self.language_ids.push(id);
            }
        }
        self.inside.resize(self.language_ids.len(), 0.0);
        let mut total = 0.0;
        for (number, (model, weight)) in models.iter().zip(weights).enumerate() {
            let (mut state, mut next) = (model.nothing(), model.nothing());
            for position in first..self.words.len() {
                let at = position * count + number;
                self.inside[at] = weight * model.score(&state, self.language_ids[at], &mut next);
                std::mem::swap(&mut state, &mut next);
            }
            for position in (first + 1..self.words.len()).rev() {
                self.inside[(position - 1) * count + number] +=
                    self.inside[position * count + number];
            }
            if !words.is_empty() {
                total += self.inside[first * count + number];
            }
            self.final_states.push(state);
        }
        total
    }

    /// Appends an option of `other`.
    pub fn copy(&mut self, other: &PhraseWords, option: usize, models: usize) {
        let range = other.range(option);
        let ids = range.start * models..range.end * models;
        self.words.extend_from_slice(&other.words[range]);
        self.ends.push(self.words.len() as u32);
        self.language_ids
            .extend_from_slice(&other.language_ids[ids.clone()]);
        self.inside.extend_from_slice(&other.inside[ids]);
        let states = option * models..(option + 1) * models;
        self.final_states
            .extend_from_slice(&other.final_states[states]);
    }

    /// The weighted language model score of an option after `states`, which become the states
    /// after it, added to `total`; by the models from `first` on. Stops as soon as what stood before the phrase no longer
    /// matters.
    #[inline]
    pub fn score(
        &self,
        models: &[LanguageModel],
        weights: &[f32],
        option: usize,
        (first, mut total): (usize, f32),
        states: &mut [State],
    ) -> f32 {
        let count = models.len();
        let range = self.range(option);
        for number in first..count {
            let (model, weight, state) = (&models[number], weights[number], &mut states[number]);
            let mut next = *state;
            for position in range.clone() {
                let at = position * count + number;
                total += weight * model.score(state, self.language_ids[at], &mut next);
                std::mem::swap(state, &mut next);
                let seen = position + 1 - range.start;
                if position + 1 < range.end && is_within(state, seen) {
                    total += self.inside[at + count];
                    *state = self.final_states[option * count + number];
                    break;
                }
            }
        }
        total
    }
}

/// The best translations of a source phrase, best first.
#[derive(Default)]
pub(crate) struct PreparedPhrase {
    pub words: PhraseWords,
    /// What models of operation sequences see; nothing without them.
    pub operations: PhraseOperations,
    /// The option's number in the phrase table.
    pub origin: Vec<u32>,
    /// Weighted phrase scores and penalties.
    pub score: Vec<f32>,
    /// Weighted score of language models and models of operations in isolation.
    pub language: Vec<f32>,
    /// Unweighted orientation scores that come from tables; 0 for models.
    pub orientation: Vec<f32>,
    /// The words as each reordering model sees them, option by option and there model by model.
    keys: Vec<WordKey>,
    links: Vec<PhraseLink>,
    /// Where each option's keys and links end.
    ends: Vec<(u32, u32)>,
}

/// What reordering models are asked about an option, beside its span.
#[derive(Clone, Copy, Default)]
pub(crate) struct Question<'a> {
    /// The target words as each model sees them, model by model.
    pub keys: &'a [WordKey],
    pub links: &'a [PhraseLink],
}

impl PreparedPhrase {
    pub fn len(&self) -> usize {
        self.origin.len()
    }

    fn push_question(&mut self, models: &[WordKeys], option: TableOption<'_>) {
        for model in models {
            let words = option.target.iter();
            self.keys
                .extend(words.map(|&word| model.target[word as usize]));
        }
        self.links.extend_from_slice(option.links);
        self.ends
            .push((self.keys.len() as u32, self.links.len() as u32));
    }

    /// Adds the operations of the option that was added last.
    fn push_operations(&mut self, model: &LogLinear, source: &[(u32, &str)], links: &[PhraseLink]) {
        if !model.uses.operations {
            return;
        }
        let (system, weights) = (model.system(), &model.weights);
        let last = self.score.len() - 1;
        let vocabulary = system.target_words();
        let target = spelled(&self.words, last, |word| vocabulary.word(word));
        let pair = Worded {
            source,
            target: &target,
            links,
        };
        let models = system.operation_models();
        let (alone, deleted) = (self.operations).push(models, &weights.operation_models, &pair);
        self.language[last] += alone;
        self.score[last] -= weights.operation_support[DELETED] * deleted as f32;
    }

    /// What models are asked about an option.
    pub fn question(&self, option: usize) -> Question<'_> {
        let (keys, links) = match option.checked_sub(1) {
            Some(previous) => self.ends[previous],
            None => (0, 0),
        };
        let (keys_end, links_end) = self.ends[option];
        Question {
            keys: &self.keys[keys as usize..keys_end as usize],
            links: &self.links[links as usize..links_end as usize],
        }
    }

    /// Reads the options of a node, whose words are `source`, and keeps the best `limit` (0: all) that `wanted` accepts.
    pub fn new(
        model: &LogLinear,
        node: NodeNumber,
        source: &[(u32, &str)],
        limit: usize,
        wanted: impl Fn(&[u32]) -> bool,
    ) -> Result<Self> {
        let (system, weights, layout) = (model.system(), &model.weights, model.layout());
        let table = system.phrase_table();
        let models = system.language_models();
        let known = system.target_words().len() as u32;
        let mut row = vec![0.0; layout.table_columns];
        let phrase_scores = layout.phrase_scores.clone();
        let mut scratch = PhraseWords::default();
        let mut ranked = Vec::new();
        for option in table.options(node)? {
            let words = table.option(option)?.target;
            if words.iter().any(|&word| word >= known) {
                return Err(system.corrupt("table/target-words", "names words that are not there"));
            }
            if !wanted(words) {
                continue;
            }
            table.scores(option, &mut row[..phrase_scores.len()])?;
            let mut score = weights.phrase_penalty - weights.word_penalty * words.len() as f32;
            for (value, weight) in row.iter().zip(&weights.dense[phrase_scores.clone()]) {
                score += value * weight;
            }
            if !score.is_finite() {
                return Err(system.corrupt("table/codebook", "holds what is not a number"));
            }
            scratch.clear();
            let language = scratch.push(models, &weights.language_models, words, |_| String::new());
            ranked.push((option, score, language));
        }
        let better = |a: &(usize, f32, f32), b: &(usize, f32, f32)| {
            (b.1 + b.2).total_cmp(&(a.1 + a.2)).then(a.0.cmp(&b.0))
        };
        if limit > 0 && ranked.len() > limit {
            ranked.select_nth_unstable_by(limit, better);
            ranked.truncate(limit);
        }
        ranked.sort_unstable_by(better);
        let mut prepared = PreparedPhrase::default();
        for &(option, score, language) in &ranked {
            let words = table.option(option)?.target;
            prepared
                .words
                .push(models, &weights.language_models, words, |_| String::new());
            prepared.push_question(system.word_keys(), table.option(option)?);
            prepared.origin.push(option as u32);
            prepared.score.push(score);
            prepared.language.push(language);
            prepared.push_operations(model, source, table.option(option)?.links);
            table.scores(option, &mut row)?;
            for channel in &layout.channels {
                let classes = channel.classes.len();
                match channel.source {
                    ChannelSource::Table(column) => {
                        let scores = &row[column..column + classes];
                        if scores.iter().any(|score| !score.is_finite()) {
                            return Err(
                                system.corrupt("table/codebook", "holds what is not a number")
                            );
                        }
                        prepared.orientation.extend_from_slice(scores);
                    }
                    ChannelSource::Model { .. } => {
                        let filled = prepared.orientation.len() + classes;
                        prepared.orientation.resize(filled, 0.0);
                    }
                }
            }
        }
        Ok(prepared)
    }
}

const SHARDS: usize = 16;

/// Prepared phrases that were needed before. They depend on the weights alone, so it does not
/// matter which thread prepared them.
pub(crate) struct PhraseCache {
    shards: Vec<Mutex<HashMap<NodeNumber, Arc<PreparedPhrase>, FxBuildHasher>>>,
    capacity: usize,
}

impl PhraseCache {
    /// At most `phrases` source phrases are remembered.
    pub fn new(phrases: usize) -> Self {
        PhraseCache {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            capacity: phrases.div_ceil(SHARDS),
        }
    }

    pub fn get(
        &self,
        node: NodeNumber,
        prepare: impl FnOnce() -> Result<PreparedPhrase>,
    ) -> Result<Arc<PreparedPhrase>> {
        let shard = &self.shards[node as usize % SHARDS];
        let poisoned = |_| Error::Input("a worker stopped while preparing phrases".into());
        if let Some(found) = shard.lock().map_err(poisoned)?.get(&node) {
            return Ok(found.clone());
        }
        let prepared = Arc::new(prepare()?);
        let mut map = shard.lock().map_err(poisoned)?;
        if map.len() >= self.capacity {
            map.clear();
        }
        map.insert(node, prepared.clone());
        Ok(prepared)
    }
}
