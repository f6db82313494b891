//! Building examples that do not fit into memory: the same arrays, byte for byte, in a mapped file.
//!
//! The [`Builder`] merges in memory until its share of the budget is used up; then its rows go to disk and
//! it begins anew. Equal rows of different rounds meet again because they go to the same of some files,
//! chosen by a hash of the row; at the end each file is merged by itself, in memory, by comparing rows
//! and not only hashes. (Rows have any length, so [`chiasm_store::Sorter`], which has fixed-size
//! records, does not serve.) Rows are numbered as they first came, so that their order, and from there
//! the order in which merged rows are shuffled, is that of a builder that never spilled. The shuffle
//! itself is a distribution: rows go to files by where they will stand, and each file is put in order
//! in memory.
//!
//! Beside the budget a merged row takes 8 bytes while its final place is computed, and a feature about 50
//! while features are numbered: no more than a learner needs for them afterwards.

mod arrays;
mod order;
mod rows;

pub(crate) use rows::NumberedRow;

use crate::builder::{Builder, shuffled_order};
use crate::examples::Storage;
use crate::{Error, Examples, Result, Row};
use arrays::ArrayFiles;
use order::{Marks, inverse};
use rows::{RowReader, RowWriter};
use rustc_hash::{FxHashMap, FxHasher};
use std::cmp::Reverse;
use std::hash::Hasher;
use std::ops::Range;

/// Files among which rows are shared out by their hash.
const PARTS: usize = 64;
/// How often a file may be shared out again that is too large to be merged in memory.
const DEEPEST: u32 = 4;
/// The most files among which rows are shared out by their place.
const MOST_BUCKETS: u64 = 512;
/// Rows in memory may take one part in so many of the budget: a vector that grows has room for twice
/// its contents.
const SHARE: usize = 3;

/// Rows that did not fit into memory.
#[derive(Debug)]
pub(crate) struct Spill {
    pub storage: Storage,
    /// By hash; one file if rows are not merged.
    parts: Vec<RowWriter>,
    rows: u64,
}

/// What is to be known of the examples beside their rows.
pub(crate) struct Description {
    pub class_names: Vec<String>,
    pub featureless: Vec<f64>,
    /// Do features have values?
    pub explicit: bool,
    /// Identities of the features; without them, features are numbered by frequency.
    pub ids: Option<Vec<u32>>,
}

impl Spill {
    pub fn new(storage: Storage) -> Self {
        Spill {
            storage,
            parts: Vec::new(),
            rows: 0,
        }
    }

    /// Bytes that rows in memory may take.
    pub fn limit(&self) -> usize {
        self.storage.budget / SHARE
    }

    /// Was nothing spilled?
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Takes the next row; one that is equal to an earlier one may follow if rows are merged.
    pub fn push(&mut self, row: &mut NumberedRow, merging: bool) -> Result<()> {
        if self.parts.is_empty() {
            self.parts = self.files(if merging { PARTS } else { 1 });
        }
        row.number = self.rows;
        self.rows += 1;
        let part = if merging { part_of(row.row(), 0) } else { 0 };
        self.parts[part].push(row)
    }

    fn files(&self, count: usize) -> Vec<RowWriter> {
        let buffer = (self.storage.budget / 8 / count).clamp(1 << 10, 1 << 16);
        let new = |_| RowWriter::new(&self.storage.folder, buffer);
        (0..count).map(new).collect()
    }

    /// The examples, mapped.
    pub fn finish(mut self, merging: bool, about: Description) -> Result<Examples> {
        let parts = std::mem::take(&mut self.parts);
        let mut arrays = ArrayFiles::create(&self.storage.folder)?;
        let ids = if merging {
            self.merge_and_shuffle(parts, &about, &mut arrays)?
        } else {
            self.keep_order(parts, &about, &mut arrays)?
        };
        let mut examples = arrays.finish(&about.class_names, &ids, &about.featureless)?;
        examples.storage = Some(self.storage);
        Ok(examples)
    }

    fn keep_order(
        &self,
        parts: Vec<RowWriter>,
        about: &Description,
        arrays: &mut ArrayFiles,
    ) -> Result<Vec<u32>> {
        check_rows(self.rows)?;
        let mut row = NumberedRow::default();
        let mut counts = Counts::default();
        let mut readers = Vec::new();
        for part in parts {
            let mut reader = part.read()?;
            while about.ids.is_none() && reader.next_of(about, &mut row)? {
                counts.add(&row.features);
            }
            readers.push(reader.again()?);
        }
        let numbers = Numbers::new(about, counts);
        for mut reader in readers {
            while reader.next_of(about, &mut row)? {
                numbers.apply(&mut row)?;
                arrays.push(&row)?;
            }
        }
        Ok(numbers.ids)
    }

    fn merge_and_shuffle(
        &self,
        parts: Vec<RowWriter>,
        about: &Description,
        arrays: &mut ArrayFiles,
    ) -> Result<Vec<u32>> {
        let mut merger = Merger {
            spill: self,
            about,
            merged: RowWriter::new(&self.storage.folder, 1 << 16),
            first: Marks::new(self.rows),
            counts: Counts::default(),
        };
        for part in parts {
            merger.merge(part, 0)?;
        }
        let Merger {
            merged,
            mut first,
            counts,
            ..
        } = merger;
        let rows = first.count();
        check_rows(rows)?;
        let places = inverse(&shuffled_order(rows as usize));
        let numbers = Numbers::new(about, counts);
        // A bucket is read into vectors that grow, beside the places of all rows.
        let share = (self.limit() / 2).max(1) as u64;
        let count = (merged.bytes() / share + 1).min(MOST_BUCKETS);
        let mut buckets = self.files(count as usize);
        let mut reader = merged.read()?;
        let mut row = NumberedRow::default();
        while reader.next(&mut row)? {
            numbers.apply(&mut row)?;
            row.number = u64::from(places[first.rank(row.number) as usize]);
            buckets[(row.number * count / rows) as usize].push(&row)?;
        }
        // What is copied need not take up the disk any more.
        drop((places, first, reader));
        for bucket in buckets {
            Bucket::read(bucket.read()?)?.write(arrays)?;
        }
        Ok(numbers.ids)
    }
}

fn check_rows(rows: u64) -> Result<()> {
    if rows >= u64::from(u32::MAX) {
        return Err(Error::Examples("more than four billion examples".into()));
    }
    Ok(())
}

/// Where a row goes at some depth. Equal rows go together, whether their counts stand as repeats or as
/// values.
fn part_of(row: Row, depth: u32) -> usize {
    let mut hasher = FxHasher::default();
    for (feature, value) in row.entries() {
        hasher.write_u32(feature);
        hasher.write_u64(value.to_bits());
    }
    let mixed = hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (58 - 6 * depth)) as usize % PARTS
}

impl RowReader {
    /// The next row in the form that the examples will have.
    fn next_of(&mut self, about: &Description, row: &mut NumberedRow) -> Result<bool> {
        let found = self.next(row)?;
        if found && about.explicit {
            row.make_explicit();
        }
        Ok(found)
    }
}

/// Merges the rows of one file at a time.
struct Merger<'a> {
    spill: &'a Spill,
    about: &'a Description,
    merged: RowWriter,
    /// The rows that came before all that are equal to them.
    first: Marks,
    counts: Counts,
}

impl Merger<'_> {
    fn merge(&mut self, part: RowWriter, depth: u32) -> Result<()> {
        if part.bytes() > self.spill.limit() as u64 && depth < DEEPEST {
            return self.divide(part, depth + 1);
        }
        let mut builder = Builder::new(self.about.class_names.clone())?;
        builder.set_explicit(self.about.explicit);
        let mut numbers = Vec::new();
        let mut entries = Vec::new();
        let mut row = NumberedRow::default();
        let mut reader = part.read()?;
        while reader.next(&mut row)? {
            entries.clear();
            entries.extend(row.row().entries());
            let classes = row.classes.iter().map(|&class| usize::from(class));
            builder.push_row(&mut entries, classes.zip(row.weights.iter().copied()))?;
            if builder.rows() > numbers.len() {
                numbers.push(row.number);
            }
        }
        for (index, &number) in numbers.iter().enumerate() {
            builder.copy_row(index, &mut row);
            row.number = number;
            self.first.set(number);
            self.counts.add(&row.features);
            self.merged.push(&row)?;
        }
        Ok(())
    }

    fn divide(&mut self, part: RowWriter, depth: u32) -> Result<()> {
        let mut parts = self.spill.files(PARTS);
        let mut row = NumberedRow::default();
        let mut reader = part.read()?;
        while reader.next(&mut row)? {
            parts[part_of(row.row(), depth)].push(&row)?;
        }
        parts
            .into_iter()
            .try_for_each(|part| self.merge(part, depth))
    }
}

/// How often each feature stands in the rows.
#[derive(Default)]
struct Counts(FxHashMap<u32, u64>);

impl Counts {
    fn add(&mut self, features: &[u32]) {
        for &feature in features {
            *self.0.entry(feature).or_insert(0) += 1;
        }
    }
}

/// The features' final numbers.
struct Numbers {
    ids: Vec<u32>,
    /// None if features keep theirs.
    of: Option<FxHashMap<u32, u32>>,
}

impl Numbers {
    /// From the most frequent to the least, unless identities are given.
    fn new(about: &Description, counts: Counts) -> Self {
        if let Some(ids) = about.ids.clone() {
            return Numbers { ids, of: None };
        }
        let mut counted: Vec<(u32, u64)> = counts.0.into_iter().collect();
        counted.sort_unstable_by_key(|&(id, count)| (Reverse(count), id));
        let ids: Vec<u32> = counted.into_iter().map(|(id, _)| id).collect();
        let of = ids
            .iter()
            .enumerate()
            .map(|(number, &id)| (id, number as u32));
        let of = Some(of.collect());
        Numbers { ids, of }
    }

    fn apply(&self, row: &mut NumberedRow) -> Result<()> {
        if let Some(of) = &self.of {
            row.renumber(|id| of.get(&id).copied().unwrap_or(0));
            return Ok(());
        }
        match row.features.last() {
            Some(&feature) if feature as usize >= self.ids.len() => {
                Err(Error::unknown_feature(feature, self.ids.len()))
            }
            _ => Ok(()),
        }
    }
}

/// The rows of some stretch of places, in memory.
#[derive(Default)]
struct Bucket {
    features: Vec<u32>,
    values: Vec<f64>,
    classes: Vec<u8>,
    weights: Vec<f64>,
    rows: Vec<Place>,
}

struct Place {
    number: u64,
    entries: Range<usize>,
    pairs: Range<usize>,
}

impl Bucket {
    fn read(mut reader: RowReader) -> Result<Self> {
        let mut bucket = Bucket::default();
        let mut row = NumberedRow::default();
        while reader.next(&mut row)? {
            let (entry, pair) = (bucket.features.len(), bucket.classes.len());
            bucket.features.extend_from_slice(&row.features);
            bucket.values.extend_from_slice(&row.values);
            bucket.classes.extend_from_slice(&row.classes);
            bucket.weights.extend_from_slice(&row.weights);
            bucket.rows.push(Place {
                number: row.number,
                entries: entry..bucket.features.len(),
                pairs: pair..bucket.classes.len(),
            });
        }
        bucket.rows.sort_unstable_by_key(|place| place.number);
        Ok(bucket)
    }

    fn write(&self, arrays: &mut ArrayFiles) -> Result<()> {
        let mut row = NumberedRow::default();
        for place in &self.rows {
            let (entries, pairs) = (place.entries.clone(), place.pairs.clone());
            replace(&mut row.features, &self.features[entries.clone()]);
            replace(&mut row.values, self.values.get(entries).unwrap_or(&[]));
            replace(&mut row.classes, &self.classes[pairs.clone()]);
            replace(&mut row.weights, &self.weights[pairs]);
            arrays.push(&row)?;
        }
        Ok(())
    }
}

fn replace<T: Copy>(values: &mut Vec<T>, by: &[T]) {
    values.clear();
    values.extend_from_slice(by);
}
