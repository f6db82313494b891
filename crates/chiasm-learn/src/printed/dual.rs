//! MLR Algorithm 1: exponentiated gradient on the dual of MaxEnt.

use super::{PrintedProblem, Singles, Visit};
use crate::dual::{FIRST_STEP, SMALLEST, START};
use crate::elementary;
use crate::kernels::{self, larger, smaller};
use crate::{Examples, Result};

/// α_iy = 1-ε₀ and α_ik = ε₀/(K-1) at the start, w = w(α).
pub(crate) struct PrintedDual<'a, const S: usize> {
    singles: Singles<'a>,
    sigma2: f64,
    max_trials: u32,
    weights: Vec<[f64; S]>,
    /// α_ik at `example * classes + class`.
    alpha: Vec<f64>,
}

/// What D(α')-D(α) of one example depends on.
struct Block<const S: usize> {
    classes: usize,
    scores: [f64; S],
    alpha: [f64; S],
    logarithms: [f64; S],
    /// ∇_k = 1 + log α_k - w_kᵀx.
    gradient: [f64; S],
    /// σ² n xᵀx.
    curvature: f64,
}

/// Variables that may take the place of a block's.
struct Trial<const S: usize> {
    alpha: [f64; S],
    logarithms: [f64; S],
}

impl<'a, const S: usize> PrintedDual<'a, S> {
    pub fn new(examples: &'a Examples, sigma2: f64, max_trials: u32, apart: bool) -> Result<Self> {
        let singles = Singles::new(examples, apart)?;
        let classes = examples.classes();
        let mut alpha = vec![START / (classes - 1) as f64; singles.len() * classes];
        let mut weights = vec![[0.0; S]; examples.features()];
        for (number, alpha) in alpha.chunks_exact_mut(classes).enumerate() {
            examples.visited(number, true);
            let single = singles.get(number);
            alpha[single.class] = 1.0 - START;
            let mut change = [0.0; S];
            for (k, alpha) in alpha.iter().enumerate() {
                let truth = if k == single.class { 1.0 } else { 0.0 };
                change[k] = sigma2 * single.weight * (truth - alpha);
            }
            kernels::add(&mut weights, examples.row(single.row), &change);
        }
        Ok(PrintedDual {
            singles,
            sigma2,
            max_trials,
            weights,
            alpha,
        })
    }

    /// How many examples there are.
    pub fn examples(&self) -> usize {
        self.singles.len()
    }

    #[inline(always)]
    fn block(&self, number: usize) -> Block<S> {
        let examples = self.singles.examples;
        let classes = examples.classes();
        let single = self.singles.get(number);
        let row = examples.row(single.row);
        let mut alpha = [1.0; S];
        alpha[..classes].copy_from_slice(&self.alpha[number * classes..(number + 1) * classes]);
        let mut block = Block {
            classes,
            scores: kernels::scores(&self.weights, row),
            alpha,
            logarithms: elementary::ln(&alpha),
            gradient: [0.0; S],
            curvature: self.sigma2 * single.weight * row.squared_norm(),
        };
        for k in 0..S {
            block.gradient[k] = 1.0 + block.logarithms[k] - block.scores[k];
        }
        block
    }
}

impl<const S: usize> Block<S> {
    /// v = max_k ∇_k - min_k ∇_k.
    #[inline(always)]
    fn violation(&self) -> f64 {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for &gradient in &self.gradient[..self.classes] {
            least = smaller(least, gradient);
            most = larger(most, gradient);
        }
        most - least
    }

    /// α'_k ∝ α_k exp(-η∇_k), and log α'_k.
    #[inline(always)]
    fn trial(&self, rate: f64) -> Trial<S> {
        let mut exponents = [0.0; S];
        let mut largest = f64::NEG_INFINITY;
        for k in 0..self.classes {
            exponents[k] = self.logarithms[k] - rate * self.gradient[k];
            largest = larger(largest, exponents[k]);
        }
        for exponent in &mut exponents {
            *exponent -= largest;
        }
        let ratios = elementary::exp(&exponents);
        let sum: f64 = ratios[..self.classes].iter().sum();
        let [normaliser, least] = elementary::ln(&[sum, SMALLEST]);
        let mut trial = Trial {
            alpha: [0.0; S],
            logarithms: [0.0; S],
        };
        for k in 0..self.classes {
            // The next logarithm has to be a number.
            trial.alpha[k] = larger(ratios[k] / sum, SMALLEST);
            trial.logarithms[k] = larger(exponents[k] - normaliser, least);
        }
        trial
    }

    /// D(α')-D(α), divided by n.
    #[inline(always)]
    fn increase(&self, new: &Trial<S>) -> f64 {
        let mut increase = 0.0;
        for k in 0..self.classes {
            let moved = new.alpha[k] - self.alpha[k];
            increase += new.alpha[k] * new.logarithms[k] - self.alpha[k] * self.logarithms[k];
            increase += moved * (self.curvature / 2.0 * moved - self.scores[k]);
        }
        increase
    }
}

impl<const S: usize> PrintedProblem<S> for PrintedDual<'_, S> {
    fn visited(&self, number: usize) {
        self.singles.examples.visited(number, false);
    }

    fn visit(&mut self, number: usize, epsilon: f64) -> Visit {
        let block = self.block(number);
        if block.violation() <= epsilon {
            return Visit::Left;
        }
        let mut rate = FIRST_STEP;
        for _ in 0..self.max_trials {
            let new = block.trial(rate);
            if block.increase(&new) <= 0.0 {
                self.update(number, &block, &new.alpha);
                return Visit::Updated;
            }
            rate /= 2.0;
        }
        Visit::Kept
    }

    /// P(w) = 1/(2σ²) Σ_k ‖w_k‖² - Σ_i log p(o_i|x_i), D(α) = 1/(2σ²) Σ_k ‖w_k‖² + Σ_i Σ_k α_ik log α_ik.
    fn objectives(&self) -> (f64, f64) {
        let examples = self.singles.examples;
        let classes = examples.classes();
        let mut loss = 0.0;
        let mut entropy = 0.0;
        for (number, alpha) in self.alpha.chunks_exact(classes).enumerate() {
            examples.visited(number, true);
            let single = self.singles.get(number);
            let scores = kernels::scores(&self.weights, examples.row(single.row));
            let normaliser = kernels::log_sum_exp(&scores[..classes]);
            loss += single.weight * (normaliser - scores[single.class]);
            entropy += single.weight * alpha.iter().map(|a| a * a.ln()).sum::<f64>();
        }
        let penalty = kernels::squared_norm(&self.weights) / (2.0 * self.sigma2);
        (penalty + loss, penalty + entropy)
    }

    fn into_weights(self) -> Vec<[f64; S]> {
        self.weights
    }
}

impl<const S: usize> PrintedDual<'_, S> {
    /// Stores α' and moves w to w(α').
    #[inline(always)]
    fn update(&mut self, number: usize, block: &Block<S>, new: &[f64; S]) {
        let single = self.singles.get(number);
        let mut change = [0.0; S];
        for k in 0..block.classes {
            change[k] = self.sigma2 * single.weight * (block.alpha[k] - new[k]);
            self.alpha[number * block.classes + k] = new[k];
        }
        let row = self.singles.examples.row(single.row);
        kernels::add(&mut self.weights, row, &change);
    }
}
