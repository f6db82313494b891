//! How often features were seen with each class: all that naive Bayes needs (NB eq. 5 to 13), in memory for the
//! features alone, never for the examples. Features that are no products take one pass over the corpus;
//! products are looked for first, and their classes counted in one more.

use crate::Result;
use crate::corpus_view::{PhraseFinder, base_features};
use crate::counting::{Counting, KeyCount, Tally, frequent_base};
use crate::index::FeatureIndex;
use chiasm_phrases::IndexedCorpus;
use chiasm_store::{Record, Sorter};
use chiasm_work::Progress;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::cmp::Ordering;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Counts of the features of an index, a row a feature: the classes of each direction.
#[derive(Debug)]
pub(crate) struct ClassCounts {
    /// Sums of values.
    pub counts: Vec<u64>,
    /// Examples that have the feature.
    pub present: Vec<u64>,
    /// Examples of each class of each direction, those without features included.
    pub class_weights: Vec<u64>,
}

/// A column of a feature.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct ClassCount {
    key: u64,
    column: u64,
    count: u64,
    present: u64,
}

impl ClassCount {
    fn sort_key(&self) -> (u64, u64) {
        (self.key, self.column)
    }
}

impl Ord for ClassCount {
    fn cmp(&self, other: &Self) -> Ordering {
        self.sort_key().cmp(&other.sort_key())
    }
}

impl PartialOrd for ClassCount {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ClassCount {
    fn eq(&self, other: &Self) -> bool {
        self.sort_key() == other.sort_key()
    }
}

impl Eq for ClassCount {}

impl Record for ClassCount {
    fn absorb(&mut self, other: &Self) {
        self.count += other.count;
        self.present += other.present;
    }
}

/// What was seen of base features, in parts that add up.
pub(crate) struct Tallies {
    sums: Sorter<KeyCount>,
    classes: Sorter<ClassCount>,
    class_weights: Vec<u64>,
}

impl Tallies {
    /// Nothing yet.
    pub fn new(counting: &Counting) -> Self {
        Tallies {
            sums: Sorter::new(counting.budget / 4, counting.folder),
            classes: Sorter::new(counting.budget / 4, counting.folder),
            class_weights: vec![0; columns(counting)],
        }
    }

    /// Of all examples of a corpus.
    pub fn of_corpus(
        corpus: &mut IndexedCorpus,
        counting: &Counting,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let Tallies {
            mut sums,
            mut classes,
            mut class_weights,
        } = Tallies::new(counting);
        corpus.for_each_in_order(
            |pair, work: &mut Work| {
                work.each_example(pair, counting, |work, column_of| {
                    let Work {
                        base,
                        tallies,
                        classes,
                        ..
                    } = work;
                    for &(key, times) in base.iter() {
                        tallies.entry(key).or_default().add(times, 0, pair.index);
                        for &column in column_of {
                            let sums = classes.entry((key, column)).or_default();
                            sums.0 += times;
                            sums.1 += 1;
                        }
                    }
                });
            },
            |work, pairs| {
                progress.advance(pairs);
                add(&mut class_weights, &mut work.class_weights);
                work.drain(&mut sums, &mut classes)
            },
        )?;
        Ok(Tallies {
            sums,
            classes,
            class_weights,
        })
    }

    /// Adds what [`Tallies::give`] gave away.
    pub fn add(&mut self, seen: Seen) -> Result<()> {
        let [count, present, sentences] = seen.sums;
        match usize::try_from(seen.column) {
            Err(_) => self.sums.push(KeyCount {
                key: seen.key,
                count,
                bound: present,
                sentences,
            })?,
            Ok(column) if seen.key == ALL_FEATURES => {
                if let Some(weight) = self.class_weights.get_mut(column) {
                    *weight += count;
                }
            }
            Ok(column) => self.classes.push(ClassCount {
                key: seen.key,
                column: column as u64,
                count,
                present,
            })?,
        }
        Ok(())
    }

    /// Gives everything away, one after the other.
    pub fn give(self, mut each: impl FnMut(Seen)) -> Result<()> {
        for (column, &weight) in self.class_weights.iter().enumerate() {
            each(Seen {
                key: ALL_FEATURES,
                column: column as i32,
                sums: [weight, 0, 0],
            });
        }
        for record in self.sums.finish()? {
            let record = record?;
            each(Seen {
                key: record.key,
                column: -1,
                sums: [record.count, record.bound, record.sentences],
            });
        }
        for record in self.classes.finish()? {
            let record = record?;
            each(Seen {
                key: record.key,
                column: record.column as i32,
                sums: [record.count, record.present, 0],
            });
        }
        Ok(())
    }
}

/// No feature has this key: examples as a whole.
const ALL_FEATURES: u64 = u64::MAX;

/// How often a base feature was seen: with a class, or, in column -1, at all. Equal keys and columns add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The feature, or all ones for examples as a whole.
    pub key: u64,
    /// The class, those of all directions numbered together; -1 for any.
    pub column: i32,
    /// Sum of values; examples that have it; sentence pairs that have it.
    pub sums: [u64; 3],
}

/// The scratch memory of one stretch of the corpus.
#[derive(Default)]
struct Work {
    finder: PhraseFinder,
    base: Vec<(u64, u32)>,
    known: Vec<(u32, u32)>,
    features: Vec<u32>,
    tallies: HashMap<u64, Tally, FxBuildHasher>,
    /// By key and column: sum of values, and examples.
    classes: HashMap<(u64, u8), (u32, u32), FxBuildHasher>,
    class_weights: Vec<u64>,
}

impl ClassCounts {
    /// The frequent features of a corpus with their counts.
    pub fn count(
        corpus: &mut IndexedCorpus,
        counting: &Counting,
        progress: &dyn Progress,
    ) -> Result<(FeatureIndex, Self)> {
        if counting.set.anova.degree() > 1 {
            let index = FeatureIndex::count(corpus, counting, progress)?;
            let counts = Self::of_index(corpus, counting, &index, progress)?;
            return Ok((index, counts));
        }
        let tallies = Tallies::of_corpus(corpus, counting, progress)?;
        Self::of_tallies(tallies, corpus, counting, progress)
    }

    /// The frequent features of tallies with their counts; features are not multiplied.
    pub fn of_tallies(
        tallies: Tallies,
        corpus: &mut IndexedCorpus,
        counting: &Counting,
        progress: &dyn Progress,
    ) -> Result<(FeatureIndex, Self)> {
        let Tallies {
            sums,
            classes,
            class_weights,
        } = tallies;
        let (kept, rare) = frequent_base(sums, counting)?;
        let index = FeatureIndex::of_base(corpus, counting, kept, rare, progress)?;
        let mut all = ClassCounts::zero(index.len(), class_weights);
        for record in classes.finish()? {
            let record = record?;
            if let Some(feature) = index.single(record.key) {
                all.add(
                    feature,
                    record.column as usize,
                    record.count,
                    record.present,
                );
            }
        }
        Ok((index, all))
    }

    fn of_index(
        corpus: &mut IndexedCorpus,
        counting: &Counting,
        index: &FeatureIndex,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let mut all = ClassCounts::zero(index.len(), vec![0; columns(counting)]);
        let mut class_weights = vec![0; columns(counting)];
        corpus.for_each_in_order(
            |pair, work: &mut Work| {
                work.each_example(pair, counting, |work, column_of| {
                    let Work {
                        base,
                        known,
                        features,
                        classes,
                        ..
                    } = work;
                    features.clear();
                    index.features_of(base, known, features);
                    features.sort_unstable();
                    for same in features.chunk_by(|a, b| a == b) {
                        for &column in column_of {
                            let sums = classes.entry((u64::from(same[0]), column)).or_default();
                            sums.0 += same.len() as u32;
                            sums.1 += 1;
                        }
                    }
                });
            },
            |work, pairs| {
                progress.advance(pairs);
                add(&mut class_weights, &mut work.class_weights);
                for ((feature, column), (count, present)) in work.classes.drain() {
                    let (count, present) = (u64::from(count), u64::from(present));
                    all.add(feature as u32, usize::from(column), count, present);
                }
                Ok(())
            },
        )?;
        all.class_weights = class_weights;
        Ok(all)
    }

    fn zero(features: usize, class_weights: Vec<u64>) -> Self {
        let cells = features * class_weights.len();
        ClassCounts {
            counts: vec![0; cells],
            present: vec![0; cells],
            class_weights,
        }
    }

    fn add(&mut self, feature: u32, column: usize, count: u64, present: u64) {
        let at = feature as usize * self.class_weights.len() + column;
        self.counts[at] += count;
        self.present[at] += present;
    }

    /// Some columns of all features.
    pub fn columns_of(&self, values: &[u64], columns: std::ops::Range<usize>) -> Vec<f64> {
        let rows = values.chunks_exact(self.class_weights.len().max(1));
        let cells = rows.flat_map(|row| &row[columns.clone()]);
        cells.map(|&value| value as f64).collect()
    }
}

fn columns(counting: &Counting) -> usize {
    counting.task.directions.len() * counting.task.classes.len()
}

fn add(sums: &mut [u64], part: &mut Vec<u64>) {
    for (sum, part) in sums.iter_mut().zip(part.drain(..)) {
        *sum += part;
    }
}

impl Work {
    /// Calls `each` with every phrase pair of a sentence pair that is not kept aside, its base features in
    /// `base`, and the columns of its classes.
    fn each_example(
        &mut self,
        pair: &chiasm_phrases::IndexedPair,
        counting: &Counting,
        mut each: impl FnMut(&mut Work, &[u8]),
    ) {
        if counting.held_out.contains(pair.index) {
            return;
        }
        let task = counting.task;
        let width = task.classes.len();
        self.class_weights.resize(columns(counting), 0);
        let mut finder = std::mem::take(&mut self.finder);
        let mut column_of = Vec::new();
        finder.find_kept(task, pair, counting.kept, |phrase| {
            base_features(counting.set, pair, phrase, counting.words, &mut self.base);
            column_of.clear();
            for (number, direction) in task.directions.iter().enumerate() {
                let class = phrase.class(task.classes, direction);
                let column = number * width + class.unwrap_or_default();
                self.class_weights[column] += 1;
                column_of.push(column as u8);
            }
            each(self, &column_of);
        });
        self.finder = finder;
    }

    fn drain(
        &mut self,
        sums: &mut Sorter<KeyCount>,
        classes: &mut Sorter<ClassCount>,
    ) -> chiasm_phrases::Result<()> {
        let records: Vec<KeyCount> = self
            .tallies
            .drain()
            .map(|(key, tally)| KeyCount {
                key,
                count: tally.count.into(),
                bound: tally.bound.into(),
                sentences: tally.sentences.into(),
            })
            .collect();
        sums.extend(&records)?;
        let records: Vec<ClassCount> = self
            .classes
            .drain()
            .map(|((key, column), (count, present))| ClassCount {
                key,
                column: column.into(),
                count: count.into(),
                present: present.into(),
            })
            .collect();
        Ok(classes.extend(&records)?)
    }
}
