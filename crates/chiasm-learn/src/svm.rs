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

use crate::active::{ActiveSet, Shrinking};
use crate::kernels::{self, with_stride};
use crate::learner::{Trained, at_least_one, not_negative, positive};
use crate::report::Stopwatch;
use crate::{Examples, Learner, LinearModel, Model, Report, Result};
use chiasm_store::Progress;

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
    examples: &'a Examples,
    parameters: &'a SvmParameters,
    weights: Vec<[f64; S]>,
    /// For each pair -α_ik / (C n) of the K-1 wrong classes, in units of 1 / FULL.
    shares: Vec<u32>,
}

/// What a look at one row or at all rows found.
#[derive(Clone, Copy, Default)]
struct Finding {
    /// Σ of the examples' parts of the duality gap.
    gap: f64,
    /// The largest v_i = max_k G_ik - min_{k: α_ik < C δ_ik} G_ik.
    violation: f64,
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
            examples,
            parameters,
            weights: vec![[0.0; S]; examples.features()],
            shares: vec![0; examples.pairs() * (examples.classes() - 1)],
        }
    }

    fn train(mut self, progress: &dyn Progress) -> Result<Trained> {
        let watch = Stopwatch::start();
        let parameters = self.parameters;
        let mut active = ActiveSet::new(self.examples.rows(), parameters.shrinking)
            .epsilon(parameters.epsilon)
            .seed(parameters.seed);
        let mut report = Report::default();
        let mut certificate = None;
        while report.iterations < parameters.iterations && !active.is_empty() {
            report.active_share.push(active.share());
            let gap = active.pass(|row| {
                let finding = self.visit(row);
                (finding.violation, finding.gap)
            });
            report.iterations += 1;
            progress.advance(1);
            certificate = None;
            let dual = self.dual_objective();
            if active.wants_check(gap <= parameters.gap * (gap - dual)) {
                let (gap, violations) = self.look_at_all(active.threshold());
                certificate = Some((gap, dual));
                report.converged = gap <= parameters.gap * (gap - dual);
                if report.converged {
                    break;
                }
                active.restart(violations);
            }
        }
        let (gap, dual) = certificate
            .unwrap_or_else(|| (self.look_at_all(f64::INFINITY).0, self.dual_objective()));
        report.converged |= gap <= parameters.gap * (gap - dual);
        self.conclude(report, gap, dual, watch)
    }

    fn conclude(
        self,
        mut report: Report,
        gap: f64,
        dual: f64,
        watch: Stopwatch,
    ) -> Result<Trained> {
        let examples = self.examples;
        let model = LinearModel::new(examples, self.weights.as_flattened(), S);
        report.learner = "svm".into();
        report.examples = examples.weight();
        report.rows = examples.rows() as u64;
        report.features = examples.features() as u64;
        report.parameters = model.parameters();
        report.primal_objective = Some(gap - dual);
        report.dual_objective = Some(dual);
        report.relative_gap = Some(gap / (gap - dual));
        watch.stop(&mut report);
        let model = Model::linear(examples.class_names().to_vec(), model);
        let model = model.with_report(report.clone());
        Ok(Trained { model, report })
    }

    /// D(α).
    fn dual_objective(&self) -> f64 {
        let wrong = self.examples.classes() - 1;
        let mut linear = 0.0;
        for (pair, shares) in self.shares.chunks_exact(wrong).enumerate() {
            let sum: u64 = shares.iter().map(|&share| u64::from(share)).sum();
            linear -= sum as f64 * self.examples.pair_weight(pair);
        }
        let unit = self.parameters.c / f64::from(FULL);
        kernels::squared_norm(&self.weights) / 2.0 + linear * unit
    }

    /// The gap of the whole, and the rows that violate optimality by more than `threshold`.
    fn look_at_all(&self, threshold: f64) -> (f64, Vec<u32>) {
        let mut gap = 0.0;
        let mut violating = Vec::new();
        for index in 0..self.examples.rows() {
            let scores = kernels::scores(&self.weights, self.examples.row(index));
            let mut violation = 0.0f64;
            for pair in self.examples.pairs_of(index) {
                let finding = self.look(&self.block(pair), &scores);
                gap += finding.gap;
                violation = violation.max(finding.violation);
            }
            if violation > threshold {
                violating.push(index as u32);
            }
        }
        (gap, violating)
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
    fn look(&self, block: &Block<S>, scores: &[f64; S]) -> Finding {
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

    /// Solves the blocks of one row, one after the other (SVM Algorithm 1, lines 4-10).
    #[inline(always)]
    fn visit(&mut self, index: usize) -> Finding {
        let examples = self.examples;
        let row = examples.row(index);
        let norm = row.squared_norm();
        let mut scores = kernels::scores(&self.weights, row);
        let mut total = [0.0; S];
        let mut found = Finding::default();
        for pair in examples.pairs_of(index) {
            let block = self.block(pair);
            let finding = self.look(&block, &scores);
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
        change
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
