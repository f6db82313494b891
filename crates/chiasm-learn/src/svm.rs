//! Multiclass support vector machine (Crammer & Singer) by the sequential dual method with
//! shrinking (SVM Algorithms 1 and 2).
//!
//! Primal: P(w) = ½ Σ_k ‖w_k‖² + C Σ_i ξ_i, ξ_i = max_k (w_kᵀx_i + 1 - δ_ik) - w_yᵀx_i.
//! Dual: min D(α) = ½ Σ_k ‖w_k‖² + Σ_i Σ_k (1-δ_ik) α_ik, w_k = Σ_i α_ik x_i, with Σ_k α_ik = 0 and
//! α_ik ≤ C δ_ik. With G_ik = w_kᵀx_i + 1 - δ_ik the gap is a sum over the examples,
//! P + D = Σ_i [C (max_k G_ik - G_iy) + Σ_k α_ik G_ik], each term at least zero; so every pass
//! knows the gap nearly, for nothing, and only the last one has to be checked.
//!
//! An example that stands for n equal ones has the box C n: the sum of n blocks with the same
//! gradient. The α of an example are stored as shares of its box in units of 2⁻³¹, so that the
//! constraints hold exactly, not nearly, in half the memory of doubles.

use crate::active::Shrinking;
use crate::ascent::{self, DualProblem, Finding, Settings};
use crate::kernels::{self, with_stride};
use crate::learner::{Trained, at_least_one, not_negative, positive};
use crate::report::Stopwatch;
use crate::{Examples, Learner, Report, Result};
use chiasm_store::Progress;
use std::rc::Rc;

/// Parameters, unchecked.
#[derive(Clone, Debug)]
pub struct SvmParameters {
    c: f64,
    gap: f64,
    epsilon: f64,
    iterations: u64,
    shrinking: Shrinking,
    seed: u64,
}

impl Default for SvmParameters {
    fn default() -> Self {
        SvmParameters {
            c: 0.1,
            gap: 1e-3,
            epsilon: 0.1,
            iterations: 10_000,
            shrinking: Shrinking::Exact,
            seed: 1,
        }
    }
}

impl SvmParameters {
    /// C = 0.1, a relative gap of 0.001, ε = 0.1, exact shrinking.
    pub fn new() -> Self {
        Self::default()
    }

    /// C: the cost of a unit of slack.
    pub fn c(mut self, c: f64) -> Self {
        self.c = c;
        self
    }

    /// The relative duality gap at which training is done.
    pub fn gap(mut self, gap: f64) -> Self {
        self.gap = gap;
        self
    }

    /// ε: an example that violates optimality by no more leaves the active set.
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.epsilon = epsilon;
        self
    }

    /// The most passes.
    pub fn iterations(mut self, iterations: u64) -> Self {
        self.iterations = iterations;
        self
    }

    /// Whether and how examples leave the active set.
    pub fn shrinking(mut self, shrinking: Shrinking) -> Self {
        self.shrinking = shrinking;
        self
    }

    /// The seed of the random order.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// A learner with these parameters, if they make sense.
    pub fn check(self) -> Result<Svm> {
        positive("c", self.c)?;
        positive("gap", self.gap)?;
        not_negative("epsilon", self.epsilon)?;
        at_least_one("iterations", self.iterations)?;
        Ok(Svm(self))
    }
}

/// The multiclass SVM.
#[derive(Clone, Debug)]
pub struct Svm(SvmParameters);

impl Learner for Svm {
    fn name(&self) -> &'static str {
        "svm"
    }

    fn train(&self, examples: &Examples, progress: &dyn Progress) -> Result<Trained> {
        examples.check_learnable()?;
        with_stride!(examples.classes(), STRIDE => {
            Solver::<STRIDE>::new(examples, &self.0).train(progress)
        })
    }
}

/// The whole box of an example: a share of 1.
const FULL: u32 = 1 << 31;

struct Solver<'a, const S: usize> {
    all: &'a Examples,
    /// All examples, or those that are packed.
    examples: Rc<Examples>,
    parameters: &'a SvmParameters,
    weights: Vec<[f64; S]>,
    /// For each pair -α_ik / (C n) of the K-1 wrong classes, in units of 1 / FULL.
    shares: Vec<u32>,
    /// The packed rows and the shares of all pairs, while rows are packed.
    unpacked: Option<(Vec<u32>, Vec<u32>)>,
    /// Σ_i Σ_k (1-δ_ik) α_ik.
    linear: f64,
}

/// One block of the dual: the variables of one pair of row and class.
struct Block<const S: usize> {
    class: usize,
    /// C n.
    bound: f64,
    alpha: [f64; S],
    at_bound: bool,
}

impl<'a, const S: usize> Solver<'a, S> {
    fn new(examples: &'a Examples, parameters: &'a SvmParameters) -> Self {
        Solver {
            all: examples,
            examples: Rc::new(examples.clone()),
            parameters,
            weights: vec![[0.0; S]; examples.features()],
            shares: vec![0; examples.pairs() * (examples.classes() - 1)],
            unpacked: None,
            linear: 0.0,
        }
    }

    fn train(mut self, progress: &dyn Progress) -> Result<Trained> {
        let watch = Stopwatch::start();
        let parameters = self.parameters;
        let settings = Settings {
            gap: parameters.gap,
            epsilon: parameters.epsilon,
            iterations: parameters.iterations,
            shrinking: parameters.shrinking,
            seed: parameters.seed,
        };
        let mut report = Report::of("svm", self.all);
        let weights = ascent::solve(&mut self, &settings, &mut report, progress);
        Ok(Trained::linear(self.all, &weights, report, watch))
    }

    #[inline(always)]
    fn block(&self, pair: usize) -> Block<S> {
        let wrong = self.examples.classes() - 1;
        let class = self.examples.pair_class(pair);
        let bound = self.parameters.c * self.examples.pair_weight(pair);
        let unit = bound / f64::from(FULL);
        let mut alpha = [0.0; S];
        let mut sum = 0;
        for (at, &share) in self.shares[pair * wrong..(pair + 1) * wrong]
            .iter()
            .enumerate()
        {
            alpha[at + usize::from(at >= class)] = -f64::from(share) * unit;
            sum += share;
        }
        alpha[class] = f64::from(sum) * unit;
        Block {
            class,
            bound,
            alpha,
            at_bound: sum == FULL,
        }
    }

    #[inline(always)]
    fn look_at(&self, block: &Block<S>, scores: &[f64; S]) -> Finding {
        let mut largest = f64::NEG_INFINITY;
        let mut smallest = f64::INFINITY;
        let mut product = 0.0;
        for k in 0..self.examples.classes() {
            let wrong = k != block.class;
            let gradient = scores[k] + if wrong { 1.0 } else { 0.0 };
            largest = largest.max(gradient);
            let movable = if wrong {
                block.alpha[k] < 0.0
            } else {
                !block.at_bound
            };
            if movable {
                smallest = smallest.min(gradient);
            }
            product += block.alpha[k] * gradient;
        }
        Finding {
            gap: block.bound * (largest - scores[block.class]) + product,
            violation: largest - smallest,
        }
    }

    /// The block's minimum with all else fixed (SVM Algorithm 2); returns the change of α.
    #[inline(always)]
    fn solve(&mut self, pair: usize, block: &Block<S>, scores: &[f64; S], norm: f64) -> [f64; S] {
        let classes = self.examples.classes();
        let mut b = [0.0; S];
        let mut sorted = [f64::NEG_INFINITY; S];
        for k in 0..classes {
            let right = k == block.class;
            b[k] = scores[k] + if right { 0.0 } else { 1.0 } - norm * block.alpha[k];
            sorted[k] = b[k] + if right { norm * block.bound } else { 0.0 };
        }
        sort_decreasing(&mut sorted[..classes]);
        let mut beta = sorted[0] - norm * block.bound;
        let mut count = 1;
        while count < classes && beta < sorted[count] * count as f64 {
            beta += sorted[count];
            count += 1;
        }
        beta /= count as f64;
        self.store(pair, block, |k| (b[k] - beta) / norm)
    }

    /// Rounds the new α to shares of the box such that the constraints hold exactly; `wanted` is
    /// -α' before its bound is applied.
    #[inline(always)]
    fn store(&mut self, pair: usize, block: &Block<S>, wanted: impl Fn(usize) -> f64) -> [f64; S] {
        let classes = self.examples.classes();
        let at_bound = -wanted(block.class) >= block.bound * (1.0 - 1e-9);
        let shares = &mut self.shares[pair * (classes - 1)..(pair + 1) * (classes - 1)];
        let scale = f64::from(FULL) / block.bound;
        let mut sum: i64 = 0;
        let mut largest = 0;
        for at in 0..classes - 1 {
            let k = at + usize::from(at >= block.class);
            // Saturating, so that what lies below zero becomes zero.
            let share = (wanted(k) * scale + 0.5) as u32;
            shares[at] = share.min(FULL);
            sum += i64::from(shares[at]);
            if shares[at] > shares[largest] {
                largest = at;
            }
        }
        let excess = sum - i64::from(FULL);
        if excess > 0 || at_bound {
            shares[largest] = (i64::from(shares[largest]) - excess) as u32;
            sum = i64::from(FULL);
        }
        let unit = block.bound / f64::from(FULL);
        let mut change = [0.0; S];
        for at in 0..classes - 1 {
            let k = at + usize::from(at >= block.class);
            change[k] = -f64::from(shares[at]) * unit - block.alpha[k];
        }
        change[block.class] = sum as f64 * unit - block.alpha[block.class];
        self.linear -= change[block.class];
        change
    }
}

impl<const S: usize> DualProblem<S> for Solver<'_, S> {
    fn rows(&self) -> usize {
        self.examples.rows()
    }

    /// An example's part of the gap is at most C n v.
    fn tolerable_violation(&self, gap: f64) -> f64 {
        gap / (self.parameters.c * self.all.weight())
    }

    fn pack(&mut self, rows: &[u32]) {
        let wrong = self.all.classes() - 1;
        let pairs = rows.iter().flat_map(|&row| self.all.pairs_of(row as usize));
        let shares = pairs.flat_map(|pair| &self.shares[pair * wrong..(pair + 1) * wrong]);
        let shares: Vec<u32> = shares.copied().collect();
        self.examples = Rc::new(self.all.gather(rows));
        let all = std::mem::replace(&mut self.shares, shares);
        self.unpacked = Some((rows.to_vec(), all));
    }

    fn unpack(&mut self) {
        let Some((rows, mut all)) = self.unpacked.take() else {
            return;
        };
        let wrong = self.all.classes() - 1;
        let pairs = rows.iter().flat_map(|&row| self.all.pairs_of(row as usize));
        for (pair, packed) in pairs.zip(self.shares.chunks_exact(wrong)) {
            all[pair * wrong..(pair + 1) * wrong].copy_from_slice(packed);
        }
        self.shares = all;
        self.examples = Rc::new(self.all.clone());
    }

    fn weights(&self) -> &[[f64; S]] {
        &self.weights
    }

    #[inline(always)]
    fn row_weight(&self, index: usize) -> f64 {
        let pairs = self.examples.pairs_of(index);
        pairs.map(|pair| self.examples.pair_weight(pair)).sum()
    }

    /// Solves the blocks of one row, one after the other (SVM Algorithm 1, lines 4-10).
    #[inline(always)]
    fn visit(&mut self, index: usize) -> Finding {
        let examples = Rc::clone(&self.examples);
        let row = examples.row(index);
        let norm = row.squared_norm();
        let mut scores = kernels::scores(&self.weights, row);
        let mut total = [0.0; S];
        let mut found = Finding::default();
        for pair in examples.pairs_of(index) {
            let block = self.block(pair);
            let finding = self.look_at(&block, &scores);
            found.gap += finding.gap;
            found.violation = found.violation.max(finding.violation);
            if finding.violation <= 1e-12 {
                continue;
            }
            let change = self.solve(pair, &block, &scores, norm);
            for k in 0..S {
                total[k] += change[k];
                scores[k] += norm * change[k];
            }
        }
        if total != [0.0; S] {
            kernels::add(&mut self.weights, row, &total);
        }
        found
    }

    #[inline(always)]
    fn look(&self, index: usize) -> Finding {
        let scores = kernels::scores(&self.weights, self.examples.row(index));
        let mut found = Finding::default();
        for pair in self.examples.pairs_of(index) {
            let finding = self.look_at(&self.block(pair), &scores);
            found.gap += finding.gap;
            found.violation = found.violation.max(finding.violation);
        }
        found
    }

    #[inline(always)]
    fn loss(&self, index: usize, weights: &[[f64; S]]) -> f64 {
        let scores = kernels::scores(weights, self.examples.row(index));
        let mut loss = 0.0;
        for pair in self.examples.pairs_of(index) {
            let class = self.examples.pair_class(pair);
            let mut largest = scores[class];
            for k in 0..self.examples.classes() {
                if k != class {
                    largest = largest.max(scores[k] + 1.0);
                }
            }
            let slack = largest - scores[class];
            loss += self.parameters.c * self.examples.pair_weight(pair) * slack;
        }
        loss
    }

    fn penalty(&self) -> f64 {
        1.0
    }

    fn linear_objective(&self) -> f64 {
        self.linear
    }
}

/// Insertion sort: there are few classes.
#[inline(always)]
fn sort_decreasing(values: &mut [f64]) {
    for end in 1..values.len() {
        let mut at = end;
        while at > 0 && values[at - 1] < values[at] {
            values.swap(at - 1, at);
            at -= 1;
        }
    }
}
