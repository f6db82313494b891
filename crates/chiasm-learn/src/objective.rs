//! The logistic loss of all examples and its gradient: Σ_i -log p(o_i|x_i).
//!
//! Rows are cut into chunks whose number depends on the data alone; each chunk sums into a gradient
//! of its own, and those are added in the order of the chunks. So the result is the same, bit for
//! bit, on any number of threads.

use crate::prior::PriorScores;
use crate::{Examples, kernels};
use chiasm_work::cancel;
use rayon::prelude::*;
use std::ops::Range;

const MOST_CHUNKS: usize = 8;
const REDUCTION_BLOCK: usize = 1024;

/// Sums loss and gradient over all examples.
pub(crate) struct LogisticLoss<'a, const S: usize> {
    examples: &'a Examples,
    prior: Option<&'a PriorScores<S>>,
    chunks: Vec<Chunk<S>>,
}

struct Chunk<const S: usize> {
    rows: Range<usize>,
    gradient: Vec<[f64; S]>,
}

impl<'a, const S: usize> LogisticLoss<'a, S> {
    pub fn new(examples: &'a Examples) -> Self {
        let (rows, features) = (examples.rows(), examples.features());
        // A chunk costs one walk over the features, so it should hold several times as many entries.
        let count = (examples.entries() / (4 * features).max(1)).clamp(1, MOST_CHUNKS);
        let chunk = |at: usize| Chunk {
            rows: rows * at / count..rows * (at + 1) / count,
            gradient: vec![[0.0; S]; features],
        };
        LogisticLoss {
            examples,
            prior: None,
            chunks: (0..count).map(chunk).collect(),
        }
    }

    /// The same with a prior of the classes: its features are not learned, so they have no gradient.
    pub fn with_prior(mut self, prior: Option<&'a PriorScores<S>>) -> Self {
        self.prior = prior;
        self
    }

    /// The loss under `weights`; its gradient goes to `gradient`.
    pub fn evaluate(&mut self, weights: &[[f64; S]], gradient: &mut [[f64; S]]) -> f64 {
        let (examples, prior) = (self.examples, self.prior);
        let losses: Vec<f64> = self
            .chunks
            .par_iter_mut()
            .map(|chunk| sum_chunk(examples, weights, prior, chunk))
            .collect();
        let chunks = &self.chunks;
        gradient
            .par_chunks_mut(REDUCTION_BLOCK)
            .enumerate()
            .for_each(|(block, out)| {
                let start = block * REDUCTION_BLOCK;
                out.fill([0.0; S]);
                for chunk in chunks {
                    let part = &chunk.gradient[start..start + out.len()];
                    for (sum, part) in out.iter_mut().zip(part) {
                        for k in 0..S {
                            sum[k] += part[k];
                        }
                    }
                }
            });
        if let Some(prior) = prior {
            let fixed = gradient.iter_mut().zip(&prior.fixed);
            fixed
                .filter(|(_, fixed)| **fixed)
                .for_each(|(slope, _)| *slope = [0.0; S]);
        }
        losses.iter().sum()
    }

    /// Σ_i n_i H(α_i) for α_i = p̃_i + t (p_i - p̃_i): the dual objective of the L1 problem.
    pub fn entropy_between(&self, weights: &[[f64; S]], t: f64) -> f64 {
        let examples = self.examples;
        let classes = examples.classes();
        let sums: Vec<f64> = self
            .chunks
            .par_iter()
            .map(|chunk| {
                let mut sum = 0.0;
                for index in examples.scan_part(chunk.rows.clone()) {
                    let scores = kernels::scores(weights, examples.row(index));
                    let normaliser = kernels::log_sum_exp(&scores[..classes]);
                    let (total, counts) = class_counts::<S>(examples, index);
                    for k in 0..classes {
                        let truth = counts[k] / total;
                        let alpha = truth + t * ((scores[k] - normaliser).exp() - truth);
                        if alpha > 0.0 {
                            sum -= total * alpha * alpha.ln();
                        }
                    }
                }
                sum
            })
            .collect();
        sums.iter().sum()
    }
}

/// n and n_k of a row.
#[inline(always)]
pub(crate) fn class_counts<const S: usize>(examples: &Examples, index: usize) -> (f64, [f64; S]) {
    let mut counts = [0.0; S];
    let mut total = 0.0;
    for pair in examples.pairs_of(index) {
        let weight = examples.pair_weight(pair);
        counts[examples.pair_class(pair)] += weight;
        total += weight;
    }
    (total, counts)
}

fn sum_chunk<const S: usize>(
    examples: &Examples,
    weights: &[[f64; S]],
    prior: Option<&PriorScores<S>>,
    chunk: &mut Chunk<S>,
) -> f64 {
    chunk.gradient.fill([0.0; S]);
    let classes = examples.classes();
    let mut loss = 0.0;
    for index in examples.scan_part(chunk.rows.clone()) {
        cancel::check();
        let row = examples.row(index);
        let mut scores = kernels::scores(weights, row);
        if let Some(prior) = prior {
            let known = prior.of(row);
            for k in 0..S {
                scores[k] += known[k];
            }
        }
        let (total, counts) = class_counts::<S>(examples, index);
        let mut largest = scores[0];
        for k in 1..classes {
            largest = largest.max(scores[k]);
        }
        let mut residual = [0.0; S];
        let mut sum = 0.0;
        for k in 0..classes {
            residual[k] = (scores[k] - largest).exp();
            sum += residual[k];
        }
        loss += total * (largest + sum.ln());
        for k in 0..classes {
            loss -= counts[k] * scores[k];
            residual[k] = total * residual[k] / sum - counts[k];
        }
        kernels::add(&mut chunk.gradient, row, &residual);
    }
    loss
}

/// Σ_i n_i x_im² a feature: the scale of the loss's curvature.
pub(crate) fn feature_curvature(examples: &Examples) -> Vec<f64> {
    let mut sums = vec![0.0; examples.features()];
    for index in examples.scan() {
        let weight: f64 = examples
            .pairs_of(index)
            .map(|p| examples.pair_weight(p))
            .sum();
        for (feature, value) in examples.row(index).entries() {
            sums[feature as usize] += weight * value * value;
        }
    }
    sums
}
