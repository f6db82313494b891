//! Posterior probabilities of links, summed over samples and samplers.
//!
//! Sums are kept in 16 bits a cell and added atomically: integers add up to the same whatever
//! the order, so several samplers can write at once and the result does not depend on threads.

use std::sync::atomic::{AtomicU16, Ordering};

/// The sums of one direction.
pub struct Marginals {
    sums: Vec<AtomicU16>,
    /// One sample's certainty.
    scale: f32,
    samples: u32,
}

impl Marginals {
    /// For so many cells and so many samples in all.
    pub fn new(cells: usize, samples: u32) -> Self {
        let samples = samples.max(1);
        Marginals {
            sums: (0..cells).map(|_| AtomicU16::new(0)).collect(),
            // Rounding must not carry a sum past 16 bits.
            scale: (60_000 / samples) as f32,
            samples,
        }
    }

    /// Adds one sample's probability of a cell. Most are next to nothing and write nothing.
    #[inline]
    pub fn add(&self, cell: usize, probability: f32) {
        let amount = (probability * self.scale + 0.5) as u16;
        if amount != 0 {
            self.sums[cell].fetch_add(amount, Ordering::Relaxed);
        }
    }

    /// The mean over the samples.
    #[inline]
    pub fn get(&self, cell: usize) -> f32 {
        f32::from(self.sums[cell].load(Ordering::Relaxed)) / (self.scale * self.samples as f32)
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
            assert!((marginals.get(0) - 1.0).abs() < 1e-3);
            assert!(
                (marginals.get(1) - 0.3).abs() < 4e-3,
                "{}",
                marginals.get(1)
            );
        }
    }
}
