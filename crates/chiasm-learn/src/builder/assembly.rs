//! The last steps in memory: features numbered, rows shuffled, lists of pairs made flat.

use super::Builder;
use crate::schedule::shuffle;
use crate::{Examples, Result};
use chiasm_store::Array;
use chiasm_work::cancel;
use hashbrown::HashTable;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

const SHUFFLE_SEED: u64 = 0x000c_41a5;

impl Builder {
    pub(super) fn number_by_frequency(&mut self) -> Vec<u32> {
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
        let order = shuffled_order(self.rows());
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

    pub(super) fn assemble(mut self, ids: Vec<u32>) -> Result<Examples> {
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
        for row in 0..rows {
            cancel::tick();
            of_row.clear();
            of_row.extend(self.pairs_of(row));
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
            storage: self.spill.map(|spill| spill.storage),
        })
    }
}

/// In which order merged rows stand: random, and always the same.
pub(crate) fn shuffled_order(rows: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SHUFFLE_SEED);
    shuffle(&mut order, &mut random);
    order
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
