//! Which features are frequent enough, and their numbers, the most frequent first (SPEC section 2).

use crate::corpus_view::CorpusWords;
use crate::counting::{
    Counting, KeyCount, Map, count_base, count_pairs, count_triples, for_each_pair,
    for_each_triple, numbers, pair_key, triple_key,
};
use crate::features::FeatureSet;
use crate::hashing::{pair_hash, triple_hash};
use crate::{Error, Result};
use chiasm_phrases::IndexedCorpus;
use chiasm_work::Progress;
use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use std::cmp::Reverse;

const NONE: u32 = u32::MAX;

/// The features that were kept, by number.
#[derive(Clone, Debug)]
pub struct FeatureIndex {
    set: FeatureSet,
    base: Map,
    base_keys: Vec<u64>,
    /// The feature that a base feature is by itself.
    single: Vec<u32>,
    pairs: Map,
    /// Pairs of base features, numbered, that are part of a product of three.
    parents: Map,
    /// Products of three, by the pair with the two smaller numbers and the third.
    triples: Map,
    /// The base features that make up each feature; `NONE` where it has fewer than three.
    features: Vec<[u32; 3]>,
    /// How many different features were dropped, as far as they were counted.
    pub dropped: u64,
}

impl FeatureIndex {
    /// Counts the features of a corpus and keeps the frequent ones.
    pub fn count(
        corpus: &mut IndexedCorpus,
        counting: &Counting,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let (base_counts, dropped) = count_base(corpus, counting, progress)?;
        Self::of_base(corpus, counting, base_counts, dropped, progress)
    }

    /// The same with base features that have been counted.
    pub(crate) fn of_base(
        corpus: &mut IndexedCorpus,
        counting: &Counting,
        base_counts: Vec<KeyCount>,
        mut dropped: u64,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let base_keys: Vec<u64> = base_counts.iter().map(|count| count.key).collect();
        let mut base = Map::with_capacity_and_hasher(base_keys.len(), FxBuildHasher);
        for (number, &key) in base_keys.iter().enumerate() {
            base.insert(key, number as u32);
        }
        let set = *counting.set;
        let mut all: Vec<(u64, [u32; 3])> = Vec::new();
        if set.anova.has_single() {
            let counts = base_counts.iter().enumerate();
            let frequent = counts.filter(|(_, count)| counting.keeps(count));
            all.extend(frequent.map(|(number, count)| (count.count, [number as u32, NONE, NONE])));
        }
        drop(base_counts);
        let mut parents = Map::default();
        if set.anova.degree() > 1 {
            let (kept, rare) = count_pairs(corpus, counting, &base, progress)?;
            dropped += rare;
            let pairs = kept.iter().filter(|count| counting.keeps(count));
            if set.anova.has_pairs() {
                all.extend(pairs.map(|c| (c.count, [(c.key >> 32) as u32, c.key as u32, NONE])));
            }
            if set.anova.has_triples() {
                let promising = kept.iter().filter(|count| counting.keeps_products(count));
                let numbered = promising.enumerate();
                parents.extend(numbered.map(|(number, count)| (count.key, number as u32)));
            }
        }
        let mut triples = Map::default();
        if set.anova.has_triples() {
            let (kept, rare) = count_triples(corpus, counting, &base, &parents, progress)?;
            dropped += rare;
            let used: HashSet<u32, FxBuildHasher> =
                kept.iter().map(|c| (c.key >> 32) as u32).collect();
            parents.retain(|_, number| used.contains(number));
            let pairs: HashMap<u32, u64, FxBuildHasher> = parents
                .iter()
                .map(|(&pair, &number)| (number, pair))
                .collect();
            all.extend(kept.iter().map(|c| {
                let pair = pairs[&((c.key >> 32) as u32)];
                (c.count, [(pair >> 32) as u32, pair as u32, c.key as u32])
            }));
        }
        if all.len() >= NONE as usize {
            return Err(Error::Request("more than four billion features".into()));
        }
        // The most frequent first; among equals base features first, then by their parts.
        all.sort_unstable_by_key(|&(count, parts)| {
            (Reverse(count), parts[1] != NONE, parts[2] != NONE, parts)
        });
        let mut single = vec![NONE; base_keys.len()];
        let mut pairs = Map::default();
        for (number, (_, parts)) in all.iter().enumerate() {
            let number = number as u32;
            match *parts {
                [first, NONE, _] => single[first as usize] = number,
                [first, second, NONE] => {
                    pairs.insert(pair_key(first, second), number);
                }
                [first, second, third] => {
                    let parent = parents[&pair_key(first, second)];
                    triples.insert(triple_key(parent, third), number);
                }
            }
        }
        Ok(FeatureIndex {
            set,
            base,
            single,
            base_keys,
            pairs,
            parents,
            triples,
            features: all.into_iter().map(|(_, parts)| parts).collect(),
            dropped,
        })
    }

    /// The number of the feature that a base feature is by itself.
    pub(crate) fn single(&self, key: u64) -> Option<u32> {
        let number = *self.base.get(&key)?;
        Some(self.single[number as usize]).filter(|&feature| feature != NONE)
    }

    /// How many features.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// None left?
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// The numbers of the features of a phrase, given its base features; one that counts twice
    /// stands twice.
    pub(crate) fn features_of(
        &self,
        base: &[(u64, u32)],
        known: &mut Vec<(u32, u32)>,
        into: &mut Vec<u32>,
    ) {
        self.known(base, known);
        for &(number, times) in known.iter() {
            let feature = self.single[number as usize];
            if feature != NONE {
                into.extend(std::iter::repeat_n(feature, times as usize));
            }
        }
        let mut take = |feature: Option<&u32>, times: u32| {
            into.extend(std::iter::repeat_n(feature, times as usize).flatten());
        };
        if self.set.anova.has_pairs() {
            for_each_pair(known, |key, times| take(self.pairs.get(&key), times));
        }
        if self.set.anova.has_triples() {
            known.sort_unstable_by_key(|feature| feature.0);
            let pair = |key| self.parents.get(&key).copied();
            for_each_triple(known, pair, |key, _, times| {
                take(self.triples.get(&key), times);
            });
        }
    }

    fn known(&self, base: &[(u64, u32)], known: &mut Vec<(u32, u32)>) {
        numbers(&self.base, base, known);
    }

    /// The hash by which models know a feature.
    pub fn hash(&self, feature: u32, words: &CorpusWords) -> u64 {
        let part = |number: u32| words.hash(self.base_keys[number as usize]);
        match self.features[feature as usize] {
            [first, NONE, _] => part(first),
            [first, second, NONE] => pair_hash(part(first), part(second)),
            [first, second, third] => triple_hash(part(first), part(second), part(third)),
        }
    }

    /// The features that are phrase pairs as a whole.
    pub fn whole_pairs(&self) -> Vec<u32> {
        let is_pair = |&feature: &u32| {
            let keys: Vec<u64> = self.keys(feature).collect();
            matches!(keys[..], [key] if crate::corpus_view::is_hashed(key))
        };
        (0..self.len() as u32).filter(is_pair).collect()
    }

    /// The keys of the base features that make up a feature.
    pub(crate) fn keys(&self, feature: u32) -> impl Iterator<Item = u64> {
        let parts = self.features[feature as usize].into_iter();
        parts
            .filter(|&part| part != NONE)
            .map(|part| self.base_keys[part as usize])
    }
}
