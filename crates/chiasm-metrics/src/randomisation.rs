//! Approximate randomisation over sentences and runs (Clark, Dyer, Lavie & Smith 2011): could the difference between two
//! systems, each tuned several times, have come about by chance in the sentences or in the tuning?
//!
//! If the systems do not differ, then of a sentence's translations by all runs of both any could be any system's. So each
//! sentence's translations are dealt out anew, as many to each run as before, and the difference between the means of the
//! two systems' scores is taken. The p-value is the share of such deals in which it is at least as large as the one
//! seen, in either direction (one added above and below, so that it is never 0).

use crate::bootstrap::mix;
use crate::statistics::add;
use crate::{Error, Metric, Result, Statistics};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

/// The p-value of the difference between two systems with one or more runs each, from `shuffles` deals. Deal `i` depends
/// on `seed` and `i` alone.
pub fn p_value<M: Metric + ?Sized>(
    metric: &M,
    system: &[&Statistics],
    baseline: &[&Statistics],
    shuffles: usize,
    seed: u64,
) -> Result<f64> {
    if shuffles == 0 || system.is_empty() || baseline.is_empty() {
        return Err(Error::NoSamples);
    }
    let runs: Vec<&Statistics> = system.iter().chain(baseline).copied().collect();
    for run in &runs {
        crate::bootstrap::check_paired(run, runs[0])?;
    }
    let plain: Vec<Vec<f64>> = runs.iter().map(|run| run.sum()).collect();
    let seen = difference(metric, &plain, system.len()).abs();
    // A deal that changes nothing must count, whatever the order in which it is added up.
    let least = seen - 1e-9 * seen.max(1.0);
    let as_large = (0..shuffles as u64).into_par_iter().filter(|&deal| {
        let sums = dealt(&runs, mix(seed, deal));
        difference(metric, &sums, system.len()).abs() >= least
    });
    Ok((as_large.count() as f64 + 1.0) / (shuffles as f64 + 1.0))
}

/// The sums of rows of each run after the translations of each sentence were dealt out anew.
fn dealt(runs: &[&Statistics], seed: u64) -> Vec<Vec<f64>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut sums = vec![vec![0.0; runs[0].width()]; runs.len()];
    let mut order: Vec<usize> = (0..runs.len()).collect();
    for sentence in 0..runs[0].sentences() {
        for last in (1..order.len()).rev() {
            order.swap(last, random.random_range(0..=last));
        }
        for (sum, &run) in sums.iter_mut().zip(&order) {
            add(sum, runs[run].row(sentence));
        }
    }
    sums
}

/// The mean score of the first runs minus that of the rest.
fn difference<M: Metric + ?Sized>(metric: &M, sums: &[Vec<f64>], first: usize) -> f64 {
    let (system, baseline) = sums.split_at(first);
    let mean = |sums: &[Vec<f64>]| {
        let scores = sums.iter().map(|sum| metric.score(sum));
        scores.sum::<f64>() / sums.len() as f64
    };
    mean(system) - mean(baseline)
}

/// p-values corrected for their number (Holm 1979): the chance that any of those at or below a level is an accident is at
/// most that level.
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut corrected = vec![0.0; values.len()];
    let mut most = 0.0_f64;
    for (rank, &number) in order.iter().enumerate() {
        let value = (values[number] * (values.len() - rank) as f64).min(1.0);
        most = most.max(value);
        corrected[number] = most;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bleu, References};

    fn statistics(lines: &[&str], references: &References) -> Statistics {
        let lines: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
        Statistics::collect(&Bleu::default(), &lines, references).unwrap()
    }

    /// Every deal of three sentences to one run each, by hand.
    #[test]
    fn is_the_share_of_all_deals() {
        let right = ["a b c d e", "f g h i j", "k l m n o"];
        let references = References::new(vec![right.map(String::from).to_vec()]).unwrap();
        let good = ["a b c d e", "f g h i x", "k l m n o"];
        let poor = ["a b c d x", "f g h x j", "k l m n o"];
        let (good, poor) = (
            statistics(&good, &references),
            statistics(&poor, &references),
        );
        let bleu = Bleu::default();
        let score_of = |swapped: usize| {
            let pick = |first: bool| {
                let mut sum = vec![0.0; good.width()];
                for sentence in 0..3 {
                    let from_good = (swapped >> sentence & 1 == 0) == first;
                    let rows = if from_good { &good } else { &poor };
                    add(&mut sum, rows.row(sentence));
                }
                Metric::score(&bleu, &sum)
            };
            (pick(true) - pick(false)).abs()
        };
        let seen = score_of(0);
        let all = (0..8).filter(|&swapped| score_of(swapped) >= seen - 1e-9);
        let exact = all.count() as f64 / 8.0;
        let found = p_value(&bleu, &[&good], &[&poor], 20_000, 1).unwrap();
        assert!((found - exact).abs() < 0.02, "{found} {exact}");
    }

    #[test]
    fn runs_of_one_system_do_not_differ_and_better_ones_do() {
        let right: Vec<String> = (0..60)
            .map(|i| format!("a{i} b{i} c{i} d{i} e{i} f{i}"))
            .collect();
        let references = References::new(vec![right.clone()]).unwrap();
        let run = |errors: usize, seed: usize| {
            let lines: Vec<String> = right
                .iter()
                .enumerate()
                .map(|(i, line)| {
                    let wrong = (i * 7 + seed * 13) % 10 < errors;
                    if wrong {
                        line.replace('d', "x")
                    } else {
                        line.clone()
                    }
                })
                .collect();
            Statistics::collect(&Bleu::default(), &lines, &references).unwrap()
        };
        let (same, others): (Vec<_>, Vec<_>) = (0..3).map(|i| (run(5, i), run(5, i + 3))).unzip();
        let better: Vec<_> = (0..3).map(|i| run(2, i)).collect();
        let of = |runs: &[Statistics], others: &[Statistics]| {
            let (runs, others): (Vec<_>, Vec<_>) = (runs.iter().collect(), others.iter().collect());
            p_value(&Bleu::default(), &runs, &others, 500, 1).unwrap()
        };
        assert!(of(&same, &others) > 0.2);
        assert!(of(&better, &others) < 0.01);
        // One thread or many, the same.
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        assert_eq!(
            pool.install(|| of(&better, &same)).to_bits(),
            of(&better, &same).to_bits()
        );
    }

    #[test]
    fn holm_is_as_published() {
        assert_eq!(holm(&[0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02]);
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
