//! Paired bootstrap resampling (Koehn 2004): would the better system still be the better one on
//! another test set of the same kind?
//!
//! A sample is as many sentences as there are, drawn with replacement, the same ones for all
//! systems. The p-value is the share of samples in which the system that is better on the whole
//! set is *not* better (samples with a tie included, and one added above and below, so that it
//! is never 0). Equal systems get 1. It is one-sided in the direction seen, which is also what
//! sacreBLEU's `--paired-bs` estimates.
//!
//! The confidence interval has the 2.5 % and 97.5 % quantiles of the sampled scores.

use crate::statistics::add;
use crate::{Error, Metric, Result, Statistics};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

/// The scores of systems on the same samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// By system, then by sample.
    scores: Vec<Vec<f64>>,
    higher_is_better: bool,
}

/// Where a score lies in 95 % of the samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// 2.5 % of the samples are below.
    pub low: f64,
    /// 2.5 % of the samples are above.
    pub high: f64,
    /// The mean of the samples.
    pub mean: f64,
}

/// A system beside the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// System minus baseline on the whole set.
    pub difference: f64,
    /// Where the difference lies in 95 % of the samples.
    pub interval: Interval,
    /// The share of samples in which what is better on the whole set is not.
    pub p_value: f64,
    /// The share of samples in which the system is better than the baseline.
    pub wins: f64,
}

/// Draws `samples` samples and scores every system on each. Sample `i` depends on `seed` and `i`
/// alone, so the number of threads does not matter.
pub fn resample<M: Metric + ?Sized>(
    metric: &M,
    systems: &[&Statistics],
    samples: usize,
    seed: u64,
) -> Result<Samples> {
    if samples == 0 {
        return Err(Error::NoSamples);
    }
    for system in systems {
        check_paired(system, systems[0])?;
    }
    let by_sample: Vec<Vec<f64>> = (0..samples as u64)
        .into_par_iter()
        .map(|sample| one_sample(metric, systems, seed, sample))
        .collect();
    let scores = (0..systems.len())
        .map(|system| by_sample.iter().map(|scores| scores[system]).collect())
        .collect();
    Ok(Samples {
        scores,
        higher_is_better: metric.higher_is_better(),
    })
}

pub(crate) fn check_paired(system: &Statistics, expected: &Statistics) -> Result<()> {
    if (system.sentences(), system.width()) == (expected.sentences(), expected.width()) {
        return Ok(());
    }
    Err(Error::NotPaired {
        found: system.sentences(),
        found_width: system.width(),
        expected: expected.sentences(),
        expected_width: expected.width(),
    })
}

fn one_sample<M: Metric + ?Sized>(
    metric: &M,
    systems: &[&Statistics],
    seed: u64,
    sample: u64,
) -> Vec<f64> {
    let Some(first) = systems.first() else {
        return Vec::new();
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(mix(seed, sample));
    let sentences = first.sentences();
    let drawn: Vec<u32> = (0..sentences)
        .map(|_| random.random_range(0..sentences as u32))
        .collect();
    let score = |system: &&Statistics| {
        let mut sum = vec![0.0; system.width()];
        for &sentence in &drawn {
            add(&mut sum, system.row(sentence as usize));
        }
        metric.score(&sum)
    };
    systems.iter().map(score).collect()
}

/// A seed for each sample that has nothing to do with its neighbours' (SplitMix64).
pub(crate) fn mix(seed: u64, sample: u64) -> u64 {
    let mut z = seed.wrapping_add(sample.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Samples {
    /// Systems that are one but for chance (other seeds of tuning) as one: on every sample, the
    /// mean of the group's scores.
    pub fn means(&self, groups: &[Vec<usize>]) -> Samples {
        let mean = |group: &Vec<usize>| -> Vec<f64> {
            let samples = self.scores.first().map_or(0, Vec::len);
            let of_sample = |sample: usize| {
                let scores = group.iter().map(|&system| self.scores[system][sample]);
                scores.sum::<f64>() / group.len().max(1) as f64
            };
            (0..samples).map(of_sample).collect()
        };
        Samples {
            scores: groups.iter().map(mean).collect(),
            higher_is_better: self.higher_is_better,
        }
    }

    /// The scores of a system, by sample.
    pub fn scores(&self, system: usize) -> &[f64] {
        &self.scores[system]
    }

    /// The confidence interval of a system's score.
    pub fn interval(&self, system: usize) -> Interval {
        interval(self.scores[system].clone())
    }

    /// Compares a system with the baseline; `difference` is theirs on the whole set.
    pub fn compare(&self, system: usize, baseline: usize, difference: f64) -> Comparison {
        let pairs = self.scores[system].iter().zip(&self.scores[baseline]);
        let differences: Vec<f64> = pairs.map(|(system, baseline)| system - baseline).collect();
        let direction = if self.higher_is_better { 1.0 } else { -1.0 };
        let samples = differences.len() as f64;
        let count = |holds: &dyn Fn(f64) -> bool| {
            differences
                .iter()
                .filter(|&&difference| holds(difference))
                .count() as f64
        };
        let not_confirmed = count(&|sampled| sampled * difference.signum() <= 0.0);
        let p_value = if difference == 0.0 {
            1.0
        } else {
            (not_confirmed + 1.0) / (samples + 1.0)
        };
        Comparison {
            difference,
            p_value,
            wins: count(&|sampled| sampled * direction > 0.0) / samples,
            interval: interval(differences),
        }
    }
}

fn interval(mut values: Vec<f64>) -> Interval {
    values.sort_by(f64::total_cmp);
    let cut = values.len() / 40;
    Interval {
        low: values[cut],
        high: values[values.len() - cut - 1],
        mean: values.iter().sum::<f64>() / values.len() as f64,
    }
}
