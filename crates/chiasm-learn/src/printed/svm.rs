//! SVM Algorithm 2, the shrinking method, with Algorithm 1 for the sub-problem of one example.

use super::{PrintedProblem, Singles, Visit};
use crate::kernels::{self, larger, smaller};
use crate::{Examples, Result};

/// α_k so near to its bound, relative to what it is computed from, is at it: v asks whether it is, and
/// rounding must not answer.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// α = 0 and w = 0 at the start.
pub(crate) struct PrintedSvm<'a, const S: usize> {
    singles: Singles<'a>,
    c: f64,
    weights: Vec<[f64; S]>,
    /// α_ik at `example * classes + class`.
    alpha: Vec<f64>,
}

impl<'a, const S: usize> PrintedSvm<'a, S> {
    pub fn new(examples: &'a Examples, c: f64, apart: bool) -> Result<Self> {
        let singles = Singles::new(examples, apart)?;
        let alpha = vec![0.0; singles.len() * examples.classes()];
        Ok(PrintedSvm {
            singles,
            c,
            weights: vec![[0.0; S]; examples.features()],
            alpha,
        })
    }

    /// How many examples there are.
    pub fn examples(&self) -> usize {
        self.singles.len()
    }
}

impl<const S: usize> PrintedProblem<S> for PrintedSvm<'_, S> {
    fn visited(&self, number: usize) {
        self.singles.examples.visited(number, false);
    }

    fn visit(&mut self, number: usize, epsilon: f64) -> Visit {
        let examples = self.singles.examples;
        let single = self.singles.get(number);
        let row = examples.row(single.row);
        let classes = examples.classes();
        let alpha = &mut self.alpha[number * classes..(number + 1) * classes];
        let mut gradient = kernels::scores(&self.weights, row);
        add_margin(&mut gradient, single.class);
        let bound = self.c * single.weight;
        let norm = row.squared_norm();
        // A row so small that its square is nothing moves no weight.
        if violation(&gradient, alpha, single.class, bound) <= epsilon || norm == 0.0 {
            return Visit::Left;
        }
        let new = sub_problem(&gradient, alpha, single.class, bound, norm);
        let mut change = [0.0; S];
        for (k, old) in alpha.iter_mut().enumerate() {
            change[k] = new[k] - *old;
            *old = new[k];
        }
        kernels::add(&mut self.weights, row, &change);
        Visit::Updated
    }

    /// P(w) = ½ Σ_k ‖w_k‖² + C Σ_i (max_k G_ik - G_iy), D(α) = ½ Σ_k ‖w_k‖² + Σ_i Σ_k (1-δ_ik) α_ik.
    fn objectives(&self) -> (f64, f64) {
        let examples = self.singles.examples;
        let classes = examples.classes();
        let mut loss = 0.0;
        let mut linear = 0.0;
        for (number, alpha) in self.alpha.chunks_exact(classes).enumerate() {
            examples.visited(number, true);
            let single = self.singles.get(number);
            let mut gradient = kernels::scores(&self.weights, examples.row(single.row));
            add_margin(&mut gradient, single.class);
            let largest = gradient[..classes].iter().copied().fold(f64::MIN, larger);
            loss += self.c * single.weight * (largest - gradient[single.class]);
            linear += alpha.iter().sum::<f64>() - alpha[single.class];
        }
        let penalty = kernels::squared_norm(&self.weights) / 2.0;
        (penalty + loss, penalty + linear)
    }

    fn into_weights(self) -> Vec<[f64; S]> {
        self.weights
    }
}

/// From w_kᵀx to G_k = w_kᵀx + 1 - δ_k.
#[inline(always)]
fn add_margin<const S: usize>(scores: &mut [f64; S], class: usize) {
    for (k, score) in scores.iter_mut().enumerate() {
        *score += if k == class { 0.0 } else { 1.0 };
    }
}

/// v = max_k G_k - min_{k: α_k < Cδ_k} G_k.
#[inline(always)]
fn violation<const S: usize>(gradient: &[f64; S], alpha: &[f64], class: usize, bound: f64) -> f64 {
    let mut largest = f64::NEG_INFINITY;
    let mut smallest = f64::INFINITY;
    for (k, &alpha) in alpha.iter().enumerate() {
        largest = larger(largest, gradient[k]);
        let upper = if k == class { bound } else { 0.0 };
        if alpha < upper {
            smallest = smaller(smallest, gradient[k]);
        }
    }
    largest - smallest
}

/// SVM Algorithm 1: α'_k = min(Cδ_k, (β - B_k)/A) with β such that Σ_k α'_k = 0.
#[inline(always)]
fn sub_problem<const S: usize>(
    gradient: &[f64; S],
    alpha: &[f64],
    class: usize,
    bound: f64,
    norm: f64,
) -> [f64; S] {
    let classes = alpha.len();
    let mut b = [0.0; S];
    let mut largest = f64::NEG_INFINITY;
    for k in 0..classes {
        b[k] = gradient[k] - norm * alpha[k];
        largest = larger(largest, b[k]);
    }
    // The same taken from every B_k, and so from β, changes nothing; but where A is tiny, AC would be
    // lost beside a B_k far from zero.
    for value in &mut b[..classes] {
        *value -= largest;
    }
    let mut sorted = b;
    sorted[class] += norm * bound;
    sorted[..classes].sort_unstable_by(|x, y| y.total_cmp(x));
    let mut beta = sorted[0] - norm * bound;
    let mut r = 1;
    while r < classes && beta / (r as f64) < sorted[r] {
        beta += sorted[r];
        r += 1;
    }
    beta /= r as f64;
    let mut new = [0.0; S];
    for k in 0..classes {
        let upper = if k == class { bound } else { 0.0 };
        let wanted = (beta - b[k]) / norm;
        let at_bound = wanted >= upper - ROUNDING * (bound + b[k].abs() / norm);
        new[k] = if at_bound { upper } else { wanted };
    }
    new
}
