//! Pairwise ranking optimisation (Hopkins & May 2011): of many random pairs of translations of a
//! sentence, those that differ most in BLEU become examples for a binary classifier: the difference
//! of their features, and which of the two is better. Its weights are the new ones.
//!
//! The classifier is the project's own logistic regression, on features scaled by how much they vary
//! in the examples, so that one regularisation fits language model scores and penalties alike. Two
//! things differ from the paper, for reliability:
//! - The quality of a translation is not its own smoothed BLEU, which favours short ones (Nakov et
//!   al. 2012), but what it does for the BLEU of the whole set, all other sentences being
//!   translated with the old weights: when the whole is too short, longer translations gain.
//! - How far to go from the old weights to the new is not a constant (Ψ = 0.1) but found on the
//!   lists by exact line search, and then each dense weight is searched once, as in MERT. Ranking
//!   pairs alone leaves the output of short sentences a tenth too short, with two BLEU less.
//!
//! [`Settings::published`] is the paper's own method (module `published`).

mod published;

use crate::interpolate::{best_step, between, scaled_like};
use crate::mert::calibrate;
use crate::mira::difference;
use crate::pool::{add, gain};
use crate::random::{Random, random};
use crate::{Error, Pool, Result, SentencePool, Weights};
use chiasm_learn::lbfgs::LbfgsParameters;
use chiasm_learn::model::Form;
use chiasm_learn::{Builder, Learner, Model, Trained};
use chiasm_metrics::bleu::WIDTH;
use rand::RngExt;
use rayon::prelude::*;

/// How PRO samples and learns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Pairs drawn for a sentence (Γ).
    pub samples: usize,
    /// Pairs kept of them (Ξ), those that differ most.
    pub kept: usize,
    /// Pairs that differ less in quality (words of gain a word) are not drawn (α).
    pub threshold: f64,
    /// The variance of the prior of a scaled feature's weight.
    pub sigma2: f64,
    /// The same of a sparse feature. There are thousands of them, each seen in a few sentences only.
    pub sparse_sigma2: f64,
    /// The least part of the way to the new weights that is gone (Ψ).
    pub least_step: f64,
    /// As published, in every point.
    pub as_published: bool,
}

impl Settings {
    /// Hopkins & May (2011): Γ = 5000, α = 0.05, Ξ = 50, Ψ = 0.1.
    pub fn published() -> Self {
        Settings {
            sigma2: 0.5,
            sparse_sigma2: 0.5,
            as_published: true,
            ..Settings::default()
        }
    }

    /// What sparse features are multiplied with, so that one prior serves both kinds.
    fn sparse_factor(&self) -> f64 {
        (self.sparse_sigma2 / self.sigma2).sqrt()
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            samples: 5000,
            kept: 50,
            threshold: 0.05,
            sigma2: 1.0,
            sparse_sigma2: 0.001,
            least_step: 0.1,
            as_published: false,
        }
    }
}

/// A better and a worse entry of a sentence.
type Pair = (u32, u32);

/// New weights and their BLEU on the lists.
pub fn optimise(
    pool: &Pool,
    old: &Weights,
    settings: &Settings,
    seed: u64,
    round: usize,
) -> Result<(Weights, f64)> {
    if settings.as_published {
        return published::optimise(pool, old, settings, seed, round);
    }
    let (sum, rows) = background(pool, old);
    let pairs: Vec<Vec<Pair>> = pool
        .sentences()
        .par_iter()
        .enumerate()
        .map(|(index, sentence)| {
            let mut others = sum;
            add(&mut others, &rows[index], -1.0);
            let mut random = random(seed, "pro", round, index);
            sample(sentence, &others, settings, &mut random)
        })
        .collect();
    if pairs.iter().all(Vec::is_empty) {
        return Ok((old.clone(), pool.bleu(old)));
    }
    let scales = scales(pool, &pairs);
    let learned = learn(pool, &pairs, &scales, settings)?;
    let new = scaled_like(&learned, old);
    if !new.is_finite() || new.dense.iter().all(|&weight| weight == 0.0) {
        return Ok((old.clone(), pool.bleu(old)));
    }
    let step = best_step(pool, old, &new);
    let gamma = step.gamma.max(settings.least_step);
    let weights = between(old, &new, gamma);
    Ok(calibrate(pool, &weights, seed, round))
}

/// The counts of all sentences as the weights would translate them, and of each alone. One is added
/// to each of the sums, as a sentence by itself would need it.
fn background(pool: &Pool, weights: &Weights) -> ([f64; WIDTH], Vec<[f64; WIDTH]>) {
    let rows: Vec<[f64; WIDTH]> = pool
        .sentences()
        .par_iter()
        .map(|sentence| match sentence.best(weights) {
            Some(entry) => sentence.counts(entry).row(),
            None => [0.0; WIDTH],
        })
        .collect();
    let mut sum = [1.0; WIDTH];
    for row in &rows {
        add(&mut sum, row, 1.0);
    }
    (sum, rows)
}

fn sample(
    sentence: &SentencePool,
    others: &[f64; WIDTH],
    settings: &Settings,
    random: &mut Random,
) -> Vec<Pair> {
    let quality: Vec<f64> = (0..sentence.len())
        .map(|entry| {
            let counts = sentence.counts(entry);
            // Per word of the reference, so that long sentences do not count more than they should.
            gain(others, counts) / f64::from(counts.reference_length.max(1))
        })
        .collect();
    draw(&quality, settings, random)
}

/// Of random pairs those that differ most.
fn draw(quality: &[f64], settings: &Settings, random: &mut Random) -> Vec<Pair> {
    let entries = quality.len() as u32;
    if entries < 2 {
        return Vec::new();
    }
    let mut drawn: Vec<(f64, Pair)> = Vec::new();
    for _ in 0..settings.samples {
        let (a, b) = (
            random.random_range(0..entries),
            random.random_range(0..entries),
        );
        let gain = quality[a as usize] - quality[b as usize];
        if gain.abs() >= settings.threshold {
            drawn.push((gain.abs(), if gain > 0.0 { (a, b) } else { (b, a) }));
        }
    }
    let order = |x: &(f64, Pair), y: &(f64, Pair)| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1));
    // A few of thousands: the others need no order.
    if drawn.len() > settings.kept {
        drawn.select_nth_unstable_by(settings.kept, order);
        drawn.truncate(settings.kept);
    }
    drawn.sort_unstable_by(order);
    drawn.into_iter().map(|(_, pair)| pair).collect()
}

/// How much each dense feature varies in the pairs: the root of its mean square.
fn scales(pool: &Pool, pairs: &[Vec<Pair>]) -> Vec<f64> {
    let mut squares = vec![0.0; pool.dense_features()];
    let mut count = 0.0f64;
    for (sentence, pairs) in pool.sentences().iter().zip(pairs) {
        for &(better, worse) in pairs {
            let values = sentence
                .dense(better as usize)
                .iter()
                .zip(sentence.dense(worse as usize));
            for (square, (a, b)) in squares.iter_mut().zip(values) {
                *square += (f64::from(*a) - f64::from(*b)).powi(2);
            }
            count += 1.0;
        }
    }
    squares
        .iter()
        .map(|square| (square / count.max(1.0)).sqrt())
        .collect()
}

fn learn(pool: &Pool, pairs: &[Vec<Pair>], scales: &[f64], settings: &Settings) -> Result<Weights> {
    let failed = |error: chiasm_learn::Error| Error::Input(format!("ranking pairs: {error}"));
    let classes = vec!["worse".to_string(), "better".to_string()];
    let mut builder = Builder::new(classes).map_err(failed)?.merging(false);
    let dense = scales.len() as u32;
    let mut entries = Vec::new();
    let mut turned = false;
    for (sentence, pairs) in pool.sentences().iter().zip(pairs) {
        for &(better, worse) in pairs {
            let (better, worse) = (better as usize, worse as usize);
            turned = !turned;
            let signs: &[f64] = match (settings.as_published, turned) {
                (true, _) => &[1.0, -1.0],
                // Half of the pairs are turned round, so that both classes have examples.
                (false, true) => &[-1.0],
                (false, false) => &[1.0],
            };
            for &sign in signs {
                entries.clear();
                let values = sentence.dense(better).iter().zip(sentence.dense(worse));
                for (feature, ((a, b), &scale)) in values.zip(scales).enumerate() {
                    if scale > 0.0 {
                        let value = (f64::from(*a) - f64::from(*b)) / scale;
                        entries.push((feature as u32, sign * value));
                    }
                }
                for (id, value) in difference(sentence.sparse(better), sentence.sparse(worse)) {
                    entries.push((dense + id, sign * value * settings.sparse_factor()));
                }
                let class = usize::from(sign > 0.0);
                builder.push(&mut entries, class, 1.0).map_err(failed)?;
            }
        }
    }
    let examples = builder.finish().map_err(failed)?;
    let learner = learner(settings).map_err(failed)?;
    let Trained { model, .. } = learner.train(&examples, &()).map_err(failed)?;
    Ok(read_weights(&model, pool, scales, settings.sparse_factor()))
}

fn learner(settings: &Settings) -> chiasm_learn::Result<impl Learner> {
    LbfgsParameters::new().sigma2(settings.sigma2).check()
}

fn read_weights(model: &Model, pool: &Pool, scales: &[f64], sparse_factor: f64) -> Weights {
    let mut weights = Weights::of_dense(vec![0.0; pool.dense_features()]);
    let Form::Linear(linear) = model.form() else {
        return weights;
    };
    let dense = scales.len() as u32;
    for (number, &id) in model.feature_ids().iter().enumerate() {
        let weight = linear.weight(number as u32, 1) - linear.weight(number as u32, 0);
        if id < dense {
            weights.dense[id as usize] = (weight / scales[id as usize]) as f32;
        } else if weight != 0.0 {
            let weight = weight * sparse_factor;
            weights.sparse.insert(id - dense, weight as f32);
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Entry;
    use chiasm_metrics::bleu::SentenceReferences;

    /// The weights of a sparse feature of good translations and of one of bad ones.
    fn learned(sparse_sigma2: f64) -> [f32; 2] {
        let reference: Vec<u32> = (0..8).collect();
        let references = vec![SentenceReferences::new(&[&reference]); 30];
        let entry = |target: Vec<u32>, feature| Entry {
            target,
            dense: vec![0.5],
            sparse: vec![(feature, 1.0)],
        };
        let list = vec![entry(vec![9, 9, 3, 4, 9], 6), entry(reference.clone(), 5)];
        let mut pool = Pool::new(30, 1);
        pool.merge(&vec![list; 30], &references).unwrap();
        let settings = Settings {
            sparse_sigma2,
            ..Settings::default()
        };
        let pairs = vec![vec![(1, 0)]; 30];
        let weights = learn(&pool, &pairs, &[0.0], &settings).unwrap();
        [5, 6].map(|feature| weights.sparse[&feature])
    }

    #[test]
    fn those_that_differ_most_are_kept() {
        let quality: Vec<f64> = (0..40)
            .map(|entry| f64::from(entry * 7 % 40) / 40.0)
            .collect();
        let draw = |kept| {
            let settings = Settings {
                kept,
                ..Settings::default()
            };
            draw(&quality, &settings, &mut random(1, "pro", 0, 0))
        };
        // All of them in their order, and the first of them.
        let (all, some) = (draw(5000), draw(50));
        assert!(all.len() > 1000);
        assert_eq!(some, all[..50]);
        let gain = |&(better, worse): &Pair| quality[better as usize] - quality[worse as usize];
        assert!(all.windows(2).all(|two| gain(&two[0]) >= gain(&two[1])));
        assert_eq!(draw(0), []);
    }

    #[test]
    fn sparse_features_have_a_prior_of_their_own() {
        let (wide, narrow) = (learned(1.0), learned(0.001));
        for [good, bad] in [wide, narrow] {
            assert!(good > 0.0 && bad < 0.0);
        }
        assert!(narrow[0] < 0.1 * wide[0] && narrow[1] > 0.1 * wide[1]);
    }
}
