//! Pairwise ranking optimisation (Hopkins & May 2011): of many random pairs of translations of a
//! sentence, those that differ most in BLEU become examples for a binary classifier: the difference
//! of their features, and which of the two is better. Its weights are the new ones.
//!
//! The classifier is the project's own support vector machine, on features scaled by how much they
//! vary in the examples, so that one regularisation fits language model scores and penalties alike.
//! How far to go from the old weights to the new is not a constant (the paper's Ψ = 0.1) but
//! found on the lists by exact line search.

use crate::interpolate::{best_step, between, scaled_like};
use crate::mira::difference;
use crate::random::random;
use crate::{Error, Pool, Result, SentencePool, Weights};
use chiasm_learn::{Builder, Learner, Model, Trained, model::Form};
use chiasm_metrics::bleu::{Counts, ORDER};
use rand::RngExt;
use rayon::prelude::*;

/// How PRO samples and learns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Pairs drawn for a sentence (Γ).
    pub samples: usize,
    /// Pairs kept of them (Ξ), those that differ most.
    pub kept: usize,
    /// Pairs that differ less in sentence BLEU (0 to 1) are not drawn (α).
    pub threshold: f64,
    /// The cost of a unit of slack.
    pub c: f64,
    /// The least part of the way to the new weights that is gone (Ψ).
    pub least_step: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            samples: 5000,
            kept: 50,
            threshold: 0.05,
            c: 0.01,
            least_step: 0.1,
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
    let pairs: Vec<Vec<Pair>> = pool
        .sentences()
        .par_iter()
        .enumerate()
        .map(|(index, sentence)| sample(sentence, settings, seed, round, index))
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
    let bleu = pool.bleu(&weights);
    Ok((weights, bleu))
}

/// BLEU of a sentence with one added to matches and n-grams of every order above one, and to both
/// lengths: without the latter, short translations look better than they are (Nakov et al. 2012).
fn sentence_bleu(counts: &Counts) -> f64 {
    let mut logarithm = 0.0;
    for n in 0..ORDER {
        let added = if n == 0 { 0.0 } else { 1.0 };
        let correct = f64::from(counts.correct[n]) + added;
        let total = f64::from(counts.total[n]) + added;
        if correct == 0.0 || total == 0.0 {
            return 0.0;
        }
        logarithm += (correct / total).ln();
    }
    let lengths = (
        f64::from(counts.reference_length) + 1.0,
        f64::from(counts.hypothesis_length) + 1.0,
    );
    let brevity = (1.0 - lengths.0 / lengths.1).min(0.0);
    (logarithm / ORDER as f64 + brevity).exp()
}

fn sample(
    sentence: &SentencePool,
    settings: &Settings,
    seed: u64,
    round: usize,
    index: usize,
) -> Vec<Pair> {
    let entries = sentence.len() as u32;
    if entries < 2 {
        return Vec::new();
    }
    let quality: Vec<f64> = (0..entries as usize)
        .map(|entry| sentence_bleu(sentence.counts(entry)))
        .collect();
    let mut random = random(seed, "pro", round, index);
    let mut drawn: Vec<(f64, Pair)> = Vec::new();
    for _ in 0..settings.samples {
        let (a, b) = (
            random.random_range(0..entries),
            random.random_range(0..entries),
        );
        let gain = quality[a as usize] - quality[b as usize];
        if gain.abs() > settings.threshold {
            drawn.push((gain.abs(), if gain > 0.0 { (a, b) } else { (b, a) }));
        }
    }
    drawn.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
    drawn.truncate(settings.kept);
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
            // Half of the pairs are turned round, so that both classes have examples.
            turned = !turned;
            let sign = if turned { -1.0 } else { 1.0 };
            entries.clear();
            let values = sentence.dense(better).iter().zip(sentence.dense(worse));
            for (feature, ((a, b), &scale)) in values.zip(scales).enumerate() {
                if scale > 0.0 {
                    let value = (f64::from(*a) - f64::from(*b)) / scale;
                    entries.push((feature as u32, sign * value));
                }
            }
            for (id, value) in difference(sentence.sparse(better), sentence.sparse(worse)) {
                entries.push((dense + id, sign * value));
            }
            builder
                .push(&mut entries, usize::from(!turned), 1.0)
                .map_err(failed)?;
        }
    }
    let examples = builder.finish().map_err(failed)?;
    let learner = learner(settings).map_err(failed)?;
    let Trained { model, .. } = learner.train(&examples, &()).map_err(failed)?;
    Ok(read_weights(&model, pool, scales))
}

fn learner(settings: &Settings) -> chiasm_learn::Result<impl Learner> {
    chiasm_learn::svm::SvmParameters::new()
        .c(settings.c)
        .gap(1e-3)
        .check()
}

fn read_weights(model: &Model, pool: &Pool, scales: &[f64]) -> Weights {
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
            weights.sparse.insert(id - dense, weight as f32);
        }
    }
    weights
}
