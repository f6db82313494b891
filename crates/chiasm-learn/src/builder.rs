//! From examples one at a time to flat arrays, equal rows merged on the way.

mod assembly;

pub(crate) use assembly::shuffled_order;

use crate::examples::{Examples, MOST_CLASSES, Storage};
use crate::spill::{Description, NumberedRow, Spill};
use crate::{Error, Result};
use chiasm_work::cancel;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::path::Path;

/// Counts up to this stand as repeated features; a larger or a broken value makes all explicit.
const MOST_REPEATS: f64 = 64.0;
/// Billions of whole weights up to this add up exactly.
const LARGEST_WHOLE: f64 = (1u64 << 20) as f64;
const NONE: u32 = u32::MAX;

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
    /// Where rows go that do not fit.
    spill: Option<Spill>,
    /// Was a weight seen that is not whole, so that it matters in which order weights are added?
    broken_weights: bool,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    weight: f64,
    next: u32,
    class: u8,
}

/// Whether examples went to disk.
enum Spilled {
    Examples(Examples),
    /// All is in memory: the builder and the identities, to be assembled there.
    Nothing(Builder, Option<Vec<u32>>),
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
            spill: None,
            broken_weights: false,
        })
    }

    /// Takes about `budget` bytes of memory at most: rows beyond that go to unnamed files in `folder`,
    /// and the examples are then mapped from a file there that goes when they do. They are the same, byte
    /// for byte, for any budget. Copies of them stay [within](Examples::within) it as well.
    pub fn within(mut self, budget: usize, folder: impl AsRef<Path>) -> Self {
        let folder = folder.as_ref().to_path_buf();
        self.spill = Some(Spill::new(Storage { budget, folder }));
        self
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
        cancel::tick();
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
        self.spill_if_full()
    }

    /// How many rows are in memory.
    pub(crate) fn rows(&self) -> usize {
        self.first_pair.len()
    }

    /// For a builder that is empty: whether features have values whatever comes.
    pub(crate) fn set_explicit(&mut self, explicit: bool) {
        self.explicit = explicit;
    }

    /// A row with its pairs in increasing order of their classes, those of a class as they came.
    pub(crate) fn copy_row(&self, index: usize, row: &mut NumberedRow) {
        let range = self.offsets[index] as usize..self.offsets[index + 1] as usize;
        row.features.clear();
        row.features
            .extend_from_slice(&self.features[range.clone()]);
        row.values.clear();
        let values = self.values.get(range).unwrap_or(&[]);
        row.values.extend_from_slice(values);
        let mut pairs: Vec<(u8, f64)> = self.pairs_of(index).collect();
        // The list has the newest first.
        pairs.reverse();
        pairs.sort_by_key(|pair| pair.0);
        row.classes.clear();
        row.classes.extend(pairs.iter().map(|pair| pair.0));
        row.weights.clear();
        row.weights.extend(pairs.iter().map(|pair| pair.1));
    }

    fn pairs_of(&self, row: usize) -> impl Iterator<Item = (u8, f64)> + '_ {
        let mut at = self.first_pair[row];
        std::iter::from_fn(move || {
            let pair = self.pairs.get(at as usize)?;
            at = pair.next;
            Some((pair.class, pair.weight))
        })
    }

    /// Bytes that the rows in memory take.
    fn bytes(&self) -> usize {
        size_of_val(&self.features[..])
            + size_of_val(&self.values[..])
            + size_of_val(&self.offsets[..])
            + size_of_val(&self.first_pair[..])
            + size_of_val(&self.pairs[..])
            + self.table.len() * (size_of::<u32>() + 2)
    }

    fn spill_if_full(&mut self) -> Result<()> {
        match &self.spill {
            Some(spill) if self.bytes() > spill.limit() => self.spill_rows(),
            _ => Ok(()),
        }
    }

    fn spill_rows(&mut self) -> Result<()> {
        let Some(mut spill) = self.spill.take() else {
            return Ok(());
        };
        let mut row = NumberedRow::default();
        for index in 0..self.rows() {
            cancel::tick();
            self.copy_row(index, &mut row);
            spill.push(&mut row, self.merging)?;
        }
        self.spill = Some(spill);
        self.table.clear();
        self.offsets.truncate(1);
        self.features.clear();
        self.values.clear();
        self.first_pair.clear();
        self.pairs.clear();
        Ok(())
    }

    /// The examples from disk, if some of them are there.
    fn finish_spilled(mut self, ids: Option<Vec<u32>>) -> Result<Spilled> {
        let fits = |spill: &Spill| spill.is_empty() && !self.broken_weights;
        if self.spill.as_ref().is_none_or(fits) {
            return Ok(Spilled::Nothing(self, ids));
        }
        self.spill_rows()?;
        let about = Description {
            class_names: self.class_names,
            featureless: self.featureless,
            explicit: self.explicit,
            ids,
        };
        let merging = self.merging;
        match self.spill {
            Some(spill) => Ok(Spilled::Examples(spill.finish(merging, about)?)),
            None => Err(Error::Examples("no rows were spilled".into())),
        }
    }

    fn add_pair(&mut self, row: usize, class: u8, weight: f64) -> Result<()> {
        self.broken_weights |= weight.fract() != 0.0 || weight > LARGEST_WHOLE;
        // Sums of whole numbers are exact and may be added up in any order; with others among them
        // those that go to disk have to wait for those that came before.
        let apart = self.broken_weights && self.merging && self.spill.is_some();
        let mut at = if apart { NONE } else { self.first_pair[row] };
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
    pub fn finish(self) -> Result<Examples> {
        match self.finish_spilled(None)? {
            Spilled::Examples(examples) => Ok(examples),
            Spilled::Nothing(mut builder, _) => {
                let ids = builder.number_by_frequency();
                builder.assemble(ids)
            }
        }
    }

    /// The examples with the features numbered as they were pushed; `ids` gives their identities.
    pub fn finish_with_ids(self, ids: Vec<u32>) -> Result<Examples> {
        match self.finish_spilled(Some(ids))? {
            Spilled::Examples(examples) => Ok(examples),
            Spilled::Nothing(builder, ids) => {
                let ids = ids.unwrap_or_default();
                let unknown = |&&feature: &&u32| feature as usize >= ids.len();
                if let Some(&feature) = builder.features.iter().find(unknown) {
                    return Err(Error::unknown_feature(feature, ids.len()));
                }
                builder.assemble(ids)
            }
        }
    }
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
