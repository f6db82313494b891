//! Which features are frequent enough, and their numbers, the most frequent first (SPEC section 2).
//!
//! How often a feature was seen is the sum of its values. A product with base feature i was seen at
//! most Σ φ_i max_j φ_j times (of three factors: Σ φ_i (max_j φ_j)²), so this bound is summed up beside the counts of
//! base features, and only products of base features whose bound is large enough are looked at. Most of those are
//! rare: a sieve tells in a first pass which cannot be frequent, and only the others are counted exactly, by
//! sorting within a budget. Products of three are looked at where all three products of two have a bound that is
//! large enough.

use crate::corpus_view::{CorpusWords, HeldOut, PhraseFinder, base_features};
use crate::features::FeatureSet;
use crate::hashing::{pair_hash, triple_hash};
use crate::kept::Kept;
use crate::settings::Task;
use crate::sieve::Sieve;
use crate::{Error, Result};
use chiasm_phrases::{IndexedCorpus, IndexedPair};
use chiasm_store::{Record, Sorter};
use chiasm_work::Progress;
use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use std::cmp::{Ordering, Reverse};
use std::path::Path;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

const NONE: u32 = u32::MAX;
/// Counters for each sentence pair.
const COUNTERS_A_PAIR: usize = 4096;
type Map = HashMap<u64, u32, FxBuildHasher>;

/// What is counted, and how.
pub struct Counting<'a> {
    /// What orientation is.
    pub task: &'a Task,
    /// The features.
    pub set: &'a FeatureSet,
    /// Words of the corpus.
    pub words: &'a CorpusWords,
    /// Sentence pairs that are not looked at.
    pub held_out: HeldOut,
    /// The phrase pairs that are examples; none is all.
    pub kept: Option<&'a Kept>,
    /// Features seen less often are dropped.
    pub min_count: u64,
    /// Features seen in fewer sentence pairs are dropped.
    pub min_sentences: u64,
    /// Memory for counting.
    pub budget: usize,
    /// Where the rest goes.
    pub folder: &'a Path,
}

impl Counting<'_> {
    fn keeps(&self, count: &KeyCount) -> bool {
        count.count >= self.min_count && count.sentences >= self.min_sentences
    }

    /// May a product with this base feature be kept?
    fn keeps_products(&self, count: &KeyCount) -> bool {
        count.bound >= self.min_count && count.sentences >= self.min_sentences
    }
}

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

fn numbers(map: &Map, base: &[(u64, u32)], known: &mut Vec<(u32, u32)>) {
    known.clear();
    for &(key, times) in base {
        if let Some(&number) = map.get(&key) {
            known.push((number, times));
        }
    }
}

#[inline]
fn pair_key(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

#[inline]
fn for_each_pair(known: &[(u32, u32)], mut found: impl FnMut(u64, u32)) {
    for (at, &(first, first_times)) in known.iter().enumerate() {
        for &(second, second_times) in &known[at + 1..] {
            found(pair_key(first, second), first_times * second_times);
        }
    }
}

#[inline]
fn triple_key(parent: u32, third: u32) -> u64 {
    u64::from(parent) << 32 | u64::from(third)
}

/// Calls `found` with every product of three of features in increasing order whose first two are a known pair: its
/// key, the numbers of the three, and its value.
#[inline]
fn for_each_triple(
    known: &[(u32, u32)],
    pair: impl Fn(u64) -> Option<u32>,
    mut found: impl FnMut(u64, [u32; 3], u32),
) {
    for (at, &(first, first_times)) in known.iter().enumerate() {
        for (next, &(second, second_times)) in known.iter().enumerate().skip(at + 1) {
            let Some(parent) = pair(pair_key(first, second)) else {
                continue;
            };
            for &(third, third_times) in &known[next + 1..] {
                let times = first_times * second_times * third_times;
                found(triple_key(parent, third), [first, second, third], times);
            }
        }
    }
}

/// A key, how often it was seen, how often a product with it can have been seen, and in how many
/// sentence pairs it was seen.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct KeyCount {
    pub key: u64,
    pub count: u64,
    pub bound: u64,
    pub sentences: u64,
}

impl Ord for KeyCount {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

impl PartialOrd for KeyCount {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for KeyCount {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for KeyCount {}

impl Record for KeyCount {
    fn absorb(&mut self, other: &Self) {
        self.count += other.count;
        self.bound += other.bound;
        self.sentences += other.sentences;
    }
}

/// What a stretch of the corpus says about a key. A stretch has whole sentence pairs.
#[derive(Default)]
pub(crate) struct Tally {
    pub count: u32,
    pub bound: u32,
    pub sentences: u32,
    /// The last sentence pair with this key, counted from 1.
    last: u64,
}

impl Tally {
    pub fn add(&mut self, times: u32, bound: u32, sentence: u64) {
        self.count += times;
        self.bound += bound;
        self.sentences += u32::from(self.last != sentence + 1);
        self.last = sentence + 1;
    }
}

/// The scratch memory of one stretch of the corpus.
#[derive(Default)]
struct Work {
    finder: PhraseFinder,
    base: Vec<(u64, u32)>,
    tallies: Tallies,
}

#[derive(Default)]
struct Tallies {
    known: Vec<(u32, u32)>,
    counts: HashMap<u64, Tally, FxBuildHasher>,
    records: Vec<KeyCount>,
}

impl Work {
    /// Calls `each` with the base features of every phrase of a sentence pair that is not kept aside.
    fn each_phrase(
        &mut self,
        pair: &IndexedPair,
        counting: &Counting,
        mut each: impl FnMut(&[(u64, u32)], &mut Tallies),
    ) {
        if counting.held_out.contains(pair.index) {
            return;
        }
        let Counting { task, kept, .. } = counting;
        self.finder.find_kept(task, pair, *kept, |phrase| {
            base_features(counting.set, pair, phrase, counting.words, &mut self.base);
            each(&self.base, &mut self.tallies);
        });
    }
}

impl Tallies {
    fn drain(&mut self, sorter: &mut Sorter<KeyCount>) -> chiasm_phrases::Result<()> {
        self.records.clear();
        let counts = self.counts.drain().map(|(key, tally)| KeyCount {
            key,
            count: tally.count.into(),
            bound: tally.bound.into(),
            sentences: tally.sentences.into(),
        });
        self.records.extend(counts);
        Ok(sorter.extend(&self.records)?)
    }
}

/// Frequent base features, the most frequent first, and how many were not.
fn count_base(
    corpus: &mut IndexedCorpus,
    counting: &Counting,
    progress: &dyn Progress,
) -> Result<(Vec<KeyCount>, u64)> {
    let mut sorter = Sorter::new(counting.budget / 2, counting.folder);
    corpus.for_each_in_order(
        |pair, work: &mut Work| {
            work.each_phrase(pair, counting, |base, tallies| {
                let others = largest(base).pow(counting.set.anova.degree() - 1);
                for &(key, times) in base {
                    let tally = tallies.counts.entry(key).or_default();
                    tally.add(times, times * others, pair.index);
                }
            });
        },
        |work, pairs| {
            progress.advance(pairs);
            work.tallies.drain(&mut sorter)
        },
    )?;
    frequent_base(sorter, counting)
}

fn largest(base: &[(u64, u32)]) -> u32 {
    base.iter().map(|feature| feature.1).max().unwrap_or(0)
}

/// The frequent ones of counted base features, the most frequent first, and how many were not.
pub(crate) fn frequent_base(
    sorter: Sorter<KeyCount>,
    counting: &Counting,
) -> Result<(Vec<KeyCount>, u64)> {
    let multiplied = counting.set.anova.degree() > 1;
    let (mut kept, rare) = frequent(sorter, |count| {
        if multiplied {
            counting.keeps_products(count)
        } else {
            counting.keeps(count)
        }
    })?;
    kept.sort_unstable_by_key(|count| (Reverse(count.count), count.key));
    if kept.len() >= NONE as usize {
        return Err(Error::Request(
            "more than four billion base features".into(),
        ));
    }
    Ok((kept, rare))
}

fn frequent(
    sorter: Sorter<KeyCount>,
    keep: impl Fn(&KeyCount) -> bool,
) -> Result<(Vec<KeyCount>, u64)> {
    let (mut kept, mut rare) = (Vec::new(), 0);
    for record in sorter.finish()? {
        let record = record?;
        if keep(&record) {
            kept.push(record);
        } else {
            rare += 1;
        }
    }
    Ok((kept, rare))
}

/// Pairs of frequent base features that are frequent, or may be part of a frequent product, and how many of the
/// counted ones are not.
fn count_pairs(
    corpus: &mut IndexedCorpus,
    counting: &Counting,
    base_numbers: &Map,
    progress: &dyn Progress,
) -> Result<(Vec<KeyCount>, u64)> {
    let triples = counting.set.anova.has_triples();
    let counted = count_products(corpus, counting, progress, |base, known, found| {
        numbers(base_numbers, base, known);
        // A bound is never less than what it bounds.
        let third = if triples { largest(base) } else { 1 };
        for_each_pair(known, |key, times| found(key, times, times * third));
    })?;
    frequent(counted, |count| match triples {
        true => counting.keeps_products(count),
        false => counting.keeps(count),
    })
}

/// Frequent products of three base features, each two of which are promising, and how many of the counted ones are not.
fn count_triples(
    corpus: &mut IndexedCorpus,
    counting: &Counting,
    base_numbers: &Map,
    pairs: &Map,
    progress: &dyn Progress,
) -> Result<(Vec<KeyCount>, u64)> {
    let counted = count_products(corpus, counting, progress, |base, known, found| {
        numbers(base_numbers, base, known);
        known.sort_unstable_by_key(|feature| feature.0);
        let pair = |key| pairs.get(&key).copied();
        for_each_triple(known, pair, |key, [first, second, third], times| {
            let others = [pair_key(first, third), pair_key(second, third)];
            if others.iter().all(|other| pairs.contains_key(other)) {
                found(key, times, times);
            }
        });
    })?;
    frequent(counted, |count| counting.keeps(count))
}

/// Counts products that may be frequent. `products` finds those of a phrase: key, value, and a bound of the value of
/// all larger products with it.
fn count_products(
    corpus: &mut IndexedCorpus,
    counting: &Counting,
    progress: &dyn Progress,
    products: impl Fn(&[(u64, u32)], &mut Vec<(u32, u32)>, &mut dyn FnMut(u64, u32, u32)) + Sync,
) -> Result<Sorter<KeyCount>> {
    // A small corpus has few products; a large table would only cost time to clear.
    let enough = (corpus.passed.sentence_pairs as usize).saturating_mul(COUNTERS_A_PAIR);
    let sieve = Sieve::new(enough.min(counting.budget / 4), counting.min_count);
    if sieve.is_useful() {
        corpus.for_each_in_order(
            |pair, work: &mut Work| {
                work.each_phrase(pair, counting, |base, tallies| {
                    products(base, &mut tallies.known, &mut |key, _, bound| {
                        sieve.add(key, bound);
                    });
                });
            },
            |_, pairs| {
                progress.advance(pairs);
                Ok(())
            },
        )?;
    }
    let mut sorter = Sorter::new(counting.budget / 2, counting.folder);
    corpus.for_each_in_order(
        |pair, work: &mut Work| {
            work.each_phrase(pair, counting, |base, tallies| {
                let Tallies { known, counts, .. } = tallies;
                products(base, known, &mut |key, times, bound| {
                    if sieve.may_be_frequent(key) {
                        let tally = counts.entry(key).or_default();
                        tally.add(times, bound, pair.index);
                    }
                });
            });
        },
        |work, pairs| {
            progress.advance(pairs);
            work.tallies.drain(&mut sorter)
        },
    )?;
    Ok(sorter)
}
