//! How often features are seen, within a budget of memory.
//!
//! How often a feature was seen is the sum of its values. A product with base feature i was seen at
//! most Σ φ_i max_j φ_j times (of three factors: Σ φ_i (max_j φ_j)²), so this bound is summed up beside the counts of
//! base features, and only products of base features whose bound is large enough are looked at. Most of those are
//! rare: a sieve tells in a first pass which cannot be frequent, and only the others are counted exactly, by
//! sorting within a budget. Products of three are looked at where all three products of two have a bound that is
//! large enough.

use crate::corpus_view::{CorpusWords, HeldOut, PhraseFinder, base_features};
use crate::features::FeatureSet;
use crate::kept::Kept;
use crate::settings::Task;
use crate::sieve::Sieve;
use crate::{Error, Result};
use chiasm_phrases::{IndexedCorpus, IndexedPair};
use chiasm_store::{Record, Sorter};
use chiasm_work::Progress;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::cmp::{Ordering, Reverse};
use std::path::Path;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Counters for each sentence pair.
const COUNTERS_A_PAIR: usize = 4096;
/// Numbers of keys.
pub(crate) type Map = HashMap<u64, u32, FxBuildHasher>;

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
    pub(crate) fn keeps(&self, count: &KeyCount) -> bool {
        count.count >= self.min_count && count.sentences >= self.min_sentences
    }

    /// May a product with this base feature be kept?
    pub(crate) fn keeps_products(&self, count: &KeyCount) -> bool {
        count.bound >= self.min_count && count.sentences >= self.min_sentences
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
pub(crate) fn count_base(
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
    if kept.len() >= u32::MAX as usize {
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
pub(crate) fn count_pairs(
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
pub(crate) fn count_triples(
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

pub(crate) fn numbers(map: &Map, base: &[(u64, u32)], known: &mut Vec<(u32, u32)>) {
    known.clear();
    for &(key, times) in base {
        if let Some(&number) = map.get(&key) {
            known.push((number, times));
        }
    }
}

#[inline]
pub(crate) fn pair_key(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

#[inline]
pub(crate) fn for_each_pair(known: &[(u32, u32)], mut found: impl FnMut(u64, u32)) {
    for (at, &(first, first_times)) in known.iter().enumerate() {
        for &(second, second_times) in &known[at + 1..] {
            found(pair_key(first, second), first_times * second_times);
        }
    }
}

#[inline]
pub(crate) fn triple_key(parent: u32, third: u32) -> u64 {
    u64::from(parent) << 32 | u64::from(third)
}

/// Calls `found` with every product of three of features in increasing order whose first two are a known pair: its
/// key, the numbers of the three, and its value.
#[inline]
pub(crate) fn for_each_triple(
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
