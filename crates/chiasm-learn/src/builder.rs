//! From examples one at a time to flat arrays, equal rows merged on the way.

use crate::examples::{Examples, MOST_CLASSES};
use crate::{Error, Result};
use chiasm_store::Array;
use hashbrown::HashTable;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Counts up to this stand as repeated features; a larger or a broken value makes all explicit.
const MOST_REPEATS: f64 = 64.0;
const NONE: u32 = u32::MAX;
const SHUFFLE_SEED: u64 = 0x000c_41a5;

/// Gathers examples. Merged rows end up in an order that is random and always the same; rows that
/// are not merged keep theirs.
#[derive(Debug)]
pub struct Builder {
    class_names: Vec<String>,
    merging: bool,
    table: HashTable<u32>,
    offsets: Vec<u64>,
    features: Vec<u32>,
    /// As long as `features` once a value was seen that repeats cannot express; until then empty.
    values: Vec<f64>,
    explicit: bool,
    /// The pairs of a row are a linked list until all are known.
    first_pair: Vec<u32>,
    pairs: Vec<Pair>,
    featureless: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    weight: f64,
    next: u32,
    class: u8,
}

impl Builder {
    /// A builder for examples of these classes.
    pub fn new(class_names: Vec<String>) -> Result<Self> {
        if class_names.len() > MOST_CLASSES {
            let reason = format!(
                "{} classes; at most {MOST_CLASSES} are supported",
                class_names.len()
            );
            return Err(Error::Examples(reason));
        }
        let featureless = vec![0.0; class_names.len()];
        Ok(Builder {
            class_names,
            merging: true,
            table: HashTable::new(),
            offsets: vec![0],
            features: Vec::new(),
            values: Vec::new(),
            explicit: false,
            first_pair: Vec::new(),
            pairs: Vec::new(),
            featureless,
        })
    }

    /// Whether rows with equal features become one (the default).
    pub fn merging(mut self, merging: bool) -> Self {
        self.merging = merging;
        self
    }

    /// Adds a class that was not known at the start; returns its number.
    pub fn add_class(&mut self, name: &str) -> Result<usize> {
        if self.class_names.len() == MOST_CLASSES {
            let reason = format!("more than {MOST_CLASSES} classes, which is the most supported");
            return Err(Error::Examples(reason));
        }
        self.class_names.push(name.to_string());
        self.featureless.push(0.0);
        Ok(self.class_names.len() - 1)
    }

    /// Takes one example: features with their values in any order. `entries` is left sorted, with
    /// equal features added up and zeros removed.
    pub fn push(&mut self, entries: &mut Vec<(u32, f64)>, class: usize, weight: f64) -> Result<()> {
        self.push_row(entries, std::iter::once((class, weight)))
    }

    /// Takes one row with the weight of each class it was seen with.
    pub fn push_row(
        &mut self,
        entries: &mut Vec<(u32, f64)>,
        pairs: impl IntoIterator<Item = (usize, f64)>,
    ) -> Result<()> {
        normalise(entries)?;
        let row = if entries.is_empty() {
            None
        } else {
            Some(self.row_for(entries)?)
        };
        for (class, weight) in pairs {
            if class >= self.class_names.len() {
                let reason = format!("class number {class}; {} known", self.class_names.len());
                return Err(Error::Examples(reason));
            }
            if !weight.is_finite() || weight < 0.0 {
                let reason = format!("an example weighs {weight}; a positive number expected");
                return Err(Error::Examples(reason));
            }
            match row {
                None => self.featureless[class] += weight,
                Some(row) => self.add_pair(row, class as u8, weight)?,
            }
        }
        Ok(())
    }

    fn add_pair(&mut self, row: usize, class: u8, weight: f64) -> Result<()> {
        let mut at = self.first_pair[row];
        while at != NONE {
            let pair = &mut self.pairs[at as usize];
            if pair.class == class {
                pair.weight += weight;
                return Ok(());
            }
            at = pair.next;
        }
        let number = u32::try_from(self.pairs.len()).ok().filter(|&n| n != NONE);
        let Some(number) = number else {
            return Err(Error::Examples("more than four billion examples".into()));
        };
        let next = self.first_pair[row];
        self.pairs.push(Pair {
            weight,
            next,
            class,
        });
        self.first_pair[row] = number;
        Ok(())
    }

    fn row_for(&mut self, entries: &[(u32, f64)]) -> Result<usize> {
        let repeats = |&(_, value): &(u32, f64)| {
            (1.0..=MOST_REPEATS).contains(&value) && value.fract() == 0.0
        };
        if !self.explicit && !entries.iter().all(repeats) {
            self.make_explicit();
        }
        let start = self.features.len();
        if self.explicit {
            self.features.extend(entries.iter().map(|e| e.0));
            self.values.extend(entries.iter().map(|e| e.1));
        } else {
            for &(feature, value) in entries {
                self.features
                    .extend(std::iter::repeat_n(feature, value as usize));
            }
        }
        if self.merging
            && let Some(row) = self.find_or_insert(start)
        {
            self.features.truncate(start);
            self.values.truncate(start);
            return Ok(row);
        }
        if self.first_pair.len() >= NONE as usize {
            return Err(Error::Examples("more than four billion examples".into()));
        }
        self.offsets.push(self.features.len() as u64);
        self.first_pair.push(NONE);
        Ok(self.first_pair.len() - 1)
    }

    /// The row equal to what stands from `start`, or `None` after noting it as a new row.
    fn find_or_insert(&mut self, start: usize) -> Option<usize> {
        let (features, values, offsets) = (&self.features, &self.values, &self.offsets);
        let range = |row: u32| {
            let end = offsets
                .get(row as usize + 1)
                .map_or(features.len(), |&o| o as usize);
            offsets[row as usize] as usize..end
        };
        let hash = |range: std::ops::Range<usize>| {
            hash_row(&features[range.clone()], values.get(range).unwrap_or(&[]))
        };
        let equal = |row: u32| {
            let old = range(row);
            features[old.clone()] == features[start..]
                && (values.is_empty() || values[old] == values[start..])
        };
        let key = hash(start..features.len());
        if let Some(&row) = self.table.find(key, |&row| equal(row)) {
            return Some(row as usize);
        }
        let new = (offsets.len() - 1) as u32;
        self.table.insert_unique(key, new, |&row| hash(range(row)));
        None
    }

    /// From repeated features to a value a feature, once, when the first broken value comes.
    fn make_explicit(&mut self) {
        let mut features: Vec<u32> = Vec::with_capacity(self.features.len());
        let mut values: Vec<f64> = Vec::with_capacity(self.features.len());
        let mut offsets = Vec::with_capacity(self.offsets.len());
        offsets.push(0);
        for bounds in self.offsets.windows(2) {
            let start = features.len();
            for &feature in &self.features[bounds[0] as usize..bounds[1] as usize] {
                match values.last_mut() {
                    Some(value) if features.len() > start && features.last() == Some(&feature) => {
                        *value += 1.0;
                    }
                    _ => {
                        features.push(feature);
                        values.push(1.0);
                    }
                }
            }
            offsets.push(features.len() as u64);
        }
        (self.features, self.values, self.offsets) = (features, values, offsets);
        self.explicit = true;
        self.table.clear();
        if self.merging {
            let (features, values, offsets) = (&self.features, &self.values, &self.offsets);
            let hash = |row: u32| {
                let row = row as usize;
                let range = offsets[row] as usize..offsets[row + 1] as usize;
                hash_row(&features[range.clone()], &values[range])
            };
            for row in 0..offsets.len() as u32 - 1 {
                self.table.insert_unique(hash(row), row, |&row| hash(row));
            }
        }
    }

    /// The examples, with the features numbered from the most frequent to the least and the ones
    /// never seen left out; [`Examples::feature_ids`] says which is which.
    pub fn finish(mut self) -> Result<Examples> {
        let ids = self.number_by_frequency();
        self.assemble(ids)
    }

    /// The examples with the features numbered as they were pushed; `ids` gives their identities.
    pub fn finish_with_ids(self, ids: Vec<u32>) -> Result<Examples> {
        if let Some(&feature) = self.features.iter().find(|&&f| f as usize >= ids.len()) {
            let reason = format!("feature {feature} in the examples; {} expected", ids.len());
            return Err(Error::Examples(reason));
        }
        self.assemble(ids)
    }

    fn number_by_frequency(&mut self) -> Vec<u32> {
        let mut ids = self.features.clone();
        ids.sort_unstable();
        let mut counted: Vec<(u64, u32)> = Vec::new();
        for id in ids {
            match counted.last_mut() {
                Some((count, last)) if *last == id => *count += 1,
                _ => counted.push((1, id)),
            }
        }
        let known: Vec<u32> = counted.iter().map(|&(_, id)| id).collect();
        counted.sort_by_key(|&(count, id)| (std::cmp::Reverse(count), id));
        let mut number = vec![0u32; known.len()];
        for (new, (_, id)) in counted.iter().enumerate() {
            if let Ok(old) = known.binary_search(id) {
                number[old] = new as u32;
            }
        }
        let direct = direct_table(&known, &number);
        for feature in &mut self.features {
            *feature = match &direct {
                Some(table) => table[*feature as usize],
                None => known.binary_search(feature).map_or(0, |old| number[old]),
            };
        }
        self.sort_rows();
        counted.into_iter().map(|(_, id)| id).collect()
    }

    fn sort_rows(&mut self) {
        let mut entries: Vec<(u32, f64)> = Vec::new();
        for bounds in self.offsets.windows(2) {
            let range = bounds[0] as usize..bounds[1] as usize;
            if self.features[range.clone()].is_sorted() {
                continue;
            }
            if !self.explicit {
                self.features[range].sort_unstable();
                continue;
            }
            entries.clear();
            let features = self.features[range.clone()].iter().copied();
            entries.extend(features.zip(self.values[range.clone()].iter().copied()));
            entries.sort_unstable_by_key(|&(feature, _)| feature);
            for (position, &(feature, value)) in range.zip(&entries) {
                self.features[position] = feature;
                self.values[position] = value;
            }
        }
    }

    /// Neighbours in a corpus are alike, and a method that goes from one example to the next learns
    /// faster when they are not. Merged rows have no order of their own to lose.
    fn shuffle_rows(&mut self) {
        let mut order: Vec<u32> = (0..self.first_pair.len() as u32).collect();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(SHUFFLE_SEED);
        for end in (1..order.len()).rev() {
            order.swap(end, random.random_range(0..=end));
        }
        let mut features = Vec::with_capacity(self.features.len());
        let mut values = Vec::with_capacity(self.values.len());
        let mut offsets = Vec::with_capacity(self.offsets.len());
        offsets.push(0);
        for &row in &order {
            let row = row as usize;
            let range = self.offsets[row] as usize..self.offsets[row + 1] as usize;
            features.extend_from_slice(&self.features[range.clone()]);
            values.extend_from_slice(self.values.get(range).unwrap_or(&[]));
            offsets.push(features.len() as u64);
        }
        let first_pair = order.iter().map(|&row| self.first_pair[row as usize]);
        self.first_pair = first_pair.collect();
        (self.features, self.values, self.offsets) = (features, values, offsets);
    }

    fn assemble(mut self, ids: Vec<u32>) -> Result<Examples> {
        self.table = HashTable::new();
        if self.merging {
            self.shuffle_rows();
        }
        let rows = self.first_pair.len();
        let mut pair_offsets = Vec::with_capacity(rows + 1);
        let mut classes = Vec::with_capacity(self.pairs.len());
        let mut weights = Vec::with_capacity(self.pairs.len());
        pair_offsets.push(0u32);
        let mut of_row: Vec<(u8, f64)> = Vec::new();
        for &first in &self.first_pair {
            of_row.clear();
            let mut at = first;
            while at != NONE {
                let pair = self.pairs[at as usize];
                of_row.push((pair.class, pair.weight));
                at = pair.next;
            }
            of_row.sort_unstable_by_key(|pair| pair.0);
            classes.extend(of_row.iter().map(|pair| pair.0));
            weights.extend(of_row.iter().map(|pair| pair.1));
            pair_offsets.push(classes.len() as u32);
        }
        if classes.len() == rows && pair_offsets.windows(2).all(|w| w[1] == w[0] + 1) {
            pair_offsets.clear();
        }
        if weights.iter().all(|&weight| weight == 1.0) {
            weights.clear();
        }
        self.pairs = Vec::new();
        self.first_pair = Vec::new();
        Ok(Examples {
            class_names: self.class_names,
            feature_ids: Array::from_vec(ids),
            offsets: Array::from_vec(self.offsets),
            features: Array::from_vec(self.features),
            values: Array::from_vec(self.values),
            pair_offsets: Array::from_vec(pair_offsets),
            pair_classes: Array::from_vec(classes),
            pair_weights: Array::from_vec(weights),
            featureless: Array::from_vec(self.featureless),
        })
    }
}

/// A table from identity to number where identities are not much sparser than numbers.
fn direct_table(known: &[u32], number: &[u32]) -> Option<Vec<u32>> {
    let largest = *known.last()? as usize;
    if largest > 16 * known.len() + 1024 {
        return None;
    }
    let mut table = vec![0; largest + 1];
    for (&id, &number) in known.iter().zip(number) {
        table[id as usize] = number;
    }
    Some(table)
}

fn hash_row(features: &[u32], values: &[f64]) -> u64 {
    let mut hasher = FxHasher::default();
    for &feature in features {
        hasher.write_u32(feature);
    }
    for &value in values {
        hasher.write_u64(value.to_bits());
    }
    hasher.finish()
}

/// Sorts by feature, adds up equal ones, removes zeros, refuses what is not a number.
fn normalise(entries: &mut Vec<(u32, f64)>) -> Result<()> {
    if !entries.windows(2).all(|pair| pair[0].0 < pair[1].0) {
        entries.sort_by_key(|&(feature, _)| feature);
        entries.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
    }
    if let Some((feature, value)) = entries.iter().find(|(_, value)| !value.is_finite()) {
        let reason = format!("feature {feature} has the value {value}; a finite number expected");
        return Err(Error::Examples(reason));
    }
    entries.retain(|&(_, value)| value != 0.0);
    Ok(())
}
