//! Posterior probabilities of links, summed over samples and samplers.
//!
//! Sums are kept in 16 bits a cell and added atomically: integers add up to the same whatever
//! the order, so several samplers can write at once and the result does not depend on threads.
//! Most cells are never written: once all is summed, only the others are kept.

use std::sync::atomic::{AtomicU16, Ordering};

/// The sums of one direction while they grow.
pub struct Marginals {
    sums: Vec<AtomicU16>,
    scale: Scale,
}

/// The sums of one direction, without the many that are zero.
pub struct PackedMarginals {
    /// A bit for each cell that is not zero.
    present: Vec<u64>,
    /// How many are before each of these words.
    before: Vec<u32>,
    sums: Vec<u16>,
    scale: Scale,
}

#[derive(Clone, Copy)]
struct Scale {
    /// One sample's certainty.
    one: f32,
    samples: u32,
}

impl Marginals {
    /// For so many cells and so many samples in all.
    pub fn new(cells: usize, samples: u32) -> Self {
        let samples = samples.max(1);
        Marginals {
            sums: (0..cells).map(|_| AtomicU16::new(0)).collect(),
            // Rounding must not carry a sum past 16 bits.
            scale: Scale {
                one: (60_000 / samples) as f32,
                samples,
            },
        }
    }

    /// Adds one sample's probability of a cell. Most are next to nothing and write nothing.
    #[inline]
    pub fn add(&self, cell: usize, probability: f32) {
        let amount = (probability * self.scale.one + 0.5) as u16;
        if amount != 0 {
            self.sums[cell].fetch_add(amount, Ordering::Relaxed);
        }
    }

    /// All that was summed.
    pub fn packed(self) -> PackedMarginals {
        let sums = || self.sums.iter().map(|sum| sum.load(Ordering::Relaxed));
        let mut present = vec![0u64; self.sums.len().div_ceil(64)];
        for (cell, sum) in sums().enumerate() {
            present[cell / 64] |= u64::from(sum != 0) << (cell % 64);
        }
        let mut before = Vec::with_capacity(present.len());
        let mut count = 0;
        for word in &present {
            before.push(count);
            count += word.count_ones();
        }
        let mut kept = Vec::with_capacity(count as usize);
        kept.extend(sums().filter(|&sum| sum != 0));
        PackedMarginals {
            present,
            before,
            sums: kept,
            scale: self.scale,
        }
    }
}

impl PackedMarginals {
    /// The mean over the samples.
    #[inline]
    pub fn get(&self, cell: usize) -> f32 {
        let (word, bit) = (self.present[cell / 64], cell % 64);
        if word >> bit & 1 == 0 {
            return 0.0;
        }
        let earlier = (word & ((1 << bit) - 1)).count_ones();
        let sum = self.sums[(self.before[cell / 64] + earlier) as usize];
        f32::from(sum) / (self.scale.one * self.scale.samples as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_come_back_and_nothing_overflows() {
        for samples in [1, 7, 400] {
            let marginals = Marginals::new(2, samples);
            for _ in 0..samples {
                marginals.add(0, 1.0);
                marginals.add(1, 0.3);
            }
            let marginals = marginals.packed();
            assert!((marginals.get(0) - 1.0).abs() < 1e-3);
            assert!(
                (marginals.get(1) - 0.3).abs() < 4e-3,
                "{}",
                marginals.get(1)
            );
        }
    }
    #[test]
    fn what_was_never_added_is_zero_and_the_rest_in_its_place() {
        let marginals = Marginals::new(300, 1);
        let added = |cell: usize| cell.is_multiple_of(7) || (128..140).contains(&cell);
        for cell in (0..300).filter(|&cell| added(cell)) {
            marginals.add(cell, cell as f32 / 300.0);
        }
        let packed = marginals.packed();
        for cell in 0..300 {
            let expected = if added(cell) {
                cell as f32 / 300.0
            } else {
                0.0
            };
            assert!((packed.get(cell) - expected).abs() < 1e-4, "{cell}");
        }
    }
}
