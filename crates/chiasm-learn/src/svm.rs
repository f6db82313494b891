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
//!
//! `paper` is the method as printed, in doubles and nothing else (module `printed`). `exact` and `off`
//! relax: they minimise over a block as if its curvature were xᵀx / ω. That goes
//! beyond the block's minimum where the constraints allow it, and still D decreases for any ω below
//! 2: with d the change and g the gradient, gᵀd ≤ -xᵀx ‖d‖² / ω, so that D changes by
//! xᵀx ‖d‖² (½ - 1/ω) at most.

use crate::active::Shrinking;
use crate::ascent::{self, DualProblem, Finding, Settings, setters_of_settings};
use crate::kernels::{self, larger, smaller, with_stride};
use crate::learner::{Trained, positive};
use crate::printed::{self, PrintedSvm};
use crate::report::Stopwatch;
use crate::shards::ShardProblem;
use crate::{Examples, Learner, Report, Result};
use chiasm_work::Progress;
use zerocopy::IntoBytes;

/// Parameters, unchecked.
#[derive(Clone, Debug)]
pub struct SvmParameters {
    c: f64,
    settings: Settings,
}

impl Default for SvmParameters {
    fn default() -> Self {
        SvmParameters {
            c: 0.1,
            settings: Settings::default(),
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

    setters_of_settings!();

    /// A learner with these parameters, if they make sense.
    pub fn check(self) -> Result<Svm> {
        positive("c", self.c)?;
        self.settings.check()?;
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
            if self.0.settings.shrinking == Shrinking::Paper {
                self.train_as_printed::<STRIDE>(examples, progress)
            } else {
                Solver::<STRIDE>::new(examples, &self.0).train(progress)
            }
        })
    }
}

impl Svm {
    fn train_as_printed<const S: usize>(
        &self,
        examples: &Examples,
        progress: &dyn Progress,
    ) -> Result<Trained> {
        let watch = Stopwatch::start();
        let mut report = Report::of("svm", examples);
        let settings = &self.0.settings;
        let problem = PrintedSvm::<S>::new(examples, self.0.c, settings.single_examples)?;
        let count = problem.examples();
        let weights = printed::solve(problem, count, settings, &mut report, progress);
        Ok(Trained::linear(examples, &weights, report, watch))
    }
}

/// ω.
const RELAXATION: f64 = 1.4;
/// The whole box of an example: a share of 1.
const FULL: u32 = 1 << 31;
/// What the gradient of a class that only pads the lanes is: never the largest.
const NEVER: f64 = -1e100;
/// A number between 0 and 2³² added to this stands in the lowest bits, rounded.
const ROUNDER: f64 = (1u64 << 52) as f64;

pub(crate) struct Solver<'a, const S: usize> {
    all: &'a Examples,
    /// All examples, or those that are packed.
    examples: Examples,
    /// xᵀx of each of these.
    norms: Vec<f64>,
    parameters: &'a SvmParameters,
    weights: Vec<[f64; S]>,
    /// For each pair |α_ik| / (C n) in units of 1 / FULL: those of the wrong classes, and their sum
    /// in the place of the right one.
    shares: Vec<[u32; S]>,
    /// What belongs to all rows, while some are packed.
    unpacked: Option<Unpacked<S>>,
    /// Σ_i Σ_k (1-δ_ik) α_ik.
    linear: f64,
    /// Both the curvature of the examples and what a change adds to the weights are so many times as large; see `shards`.
    scale: f64,
}

struct Unpacked<const S: usize> {
    /// The rows that are packed.
    rows: Vec<u32>,
    shares: Vec<[u32; S]>,
    norms: Vec<f64>,
}

/// One block of the dual, the variables of one pair of row and class, with a lane for each class:
/// every operation is the same in all lanes, so that it is one or two vector instructions.
struct Block<const S: usize> {
    /// δ_ik.
    right: [f64; S],
    /// C n.
    bound: f64,
    alpha: [f64; S],
    /// G_ik.
    gradient: [f64; S],
    /// How far α_ik may still grow, in units of the shares.
    room: [f64; S],
}

impl<'a, const S: usize> Solver<'a, S> {
    fn new(examples: &'a Examples, parameters: &'a SvmParameters) -> Self {
        Solver {
            all: examples,
            examples: examples.clone(),
            norms: norms(examples),
            parameters,
            weights: vec![[0.0; S]; examples.features()],
            shares: vec![[0; S]; examples.pairs()],
            unpacked: None,
            linear: 0.0,
            scale: 1.0,
        }
    }

    fn train(mut self, progress: &dyn Progress) -> Result<Trained> {
        let watch = Stopwatch::start();
        let mut report = Report::of("svm", self.all);
        let settings = self.parameters.settings.clone();
        let weights = ascent::solve(&mut self, &settings, &mut report, progress);
        Ok(Trained::linear(self.all, &weights, report, watch))
    }

    /// δ and C n of a pair.
    #[inline(always)]
    fn truth(&self, pair: usize) -> ([f64; S], f64) {
        let class = self.examples.pair_class(pair);
        let mut right = [0.0; S];
        for k in 0..S {
            right[k] = if k == class { 1.0 } else { 0.0 };
        }
        (right, self.parameters.c * self.examples.pair_weight(pair))
    }

    #[inline(always)]
    fn block(&self, pair: usize, scores: &[f64; S]) -> Block<S> {
        let (right, bound) = self.truth(pair);
        let shares = &self.shares[pair];
        let unit = bound / f64::from(FULL);
        let mut block = Block {
            right,
            bound,
            alpha: [0.0; S],
            gradient: self.margins(&right, scores),
            room: [0.0; S],
        };
        for k in 0..S {
            let share = number(shares[k]);
            block.alpha[k] = (2.0 * right[k] - 1.0) * share * unit;
            block.room[k] = right[k] * f64::from(FULL) - (2.0 * right[k] - 1.0) * share;
        }
        block
    }

    /// w_kᵀx + 1 - δ_k.
    #[inline(always)]
    fn margins(&self, right: &[f64; S], scores: &[f64; S]) -> [f64; S] {
        let classes = self.examples.classes();
        let mut margins = [0.0; S];
        for k in 0..S {
            let margin = scores[k] + 1.0 - right[k];
            margins[k] = if k < classes { margin } else { NEVER };
        }
        margins
    }

    /// The block's minimum with all else fixed (SVM Algorithm 2), if its curvature is `norm`; returns
    /// the change of α.
    #[inline(always)]
    fn solve(&mut self, pair: usize, block: &Block<S>, norm: f64) -> [f64; S] {
        let full = norm * block.bound;
        let mut b = [0.0; S];
        let mut sorted = [0.0; S];
        for k in 0..S {
            b[k] = block.gradient[k] - norm * block.alpha[k];
            sorted[k] = b[k] + block.right[k] * full;
        }
        sort_decreasing(&mut sorted);
        // The mean of the r largest, less AC, grows as long as the next one is above it: Algorithm
        // 2 stops at the largest of these means.
        let mut sum = -full;
        let mut beta = f64::NEG_INFINITY;
        for r in 0..S {
            sum += sorted[r];
            beta = larger(beta, sum * (1.0 / (r + 1) as f64));
        }
        self.store(pair, block, &b, beta, norm)
    }

    /// α'_k = min(C δ_k, (β - B_k)/A), rounded to shares of the box such that the constraints hold
    /// exactly.
    #[inline(always)]
    fn store(
        &mut self,
        pair: usize,
        block: &Block<S>,
        b: &[f64; S],
        beta: f64,
        norm: f64,
    ) -> [f64; S] {
        let full = f64::from(FULL);
        let scale = full / (block.bound * norm);
        let mut shares = [0.0; S];
        let mut sum = 0.0;
        let mut of_right = 0.0;
        for k in 0..S {
            let wanted = (b[k] - beta) * scale;
            of_right -= block.right[k] * wanted;
            let clamped = smaller(larger(wanted, 0.0), full) * (1.0 - block.right[k]);
            shares[k] = (clamped + ROUNDER) - ROUNDER;
            sum += shares[k];
        }
        let at_bound = of_right >= full * (1.0 - 1e-9);
        if sum > full || (at_bound && sum != full) {
            level(&mut shares, full - sum);
            sum = full;
        }
        let unit = block.bound / full;
        let mut change = [0.0; S];
        for k in 0..S {
            let share = shares[k] + block.right[k] * sum;
            let alpha = (2.0 * block.right[k] - 1.0) * share * unit;
            change[k] = alpha - block.alpha[k];
            self.linear -= block.right[k] * change[k];
            self.shares[pair][k] = (share + ROUNDER).to_bits() as u32;
        }
        change
    }
}

impl<const S: usize> Block<S> {
    /// The block's part of the gap, and v.
    #[inline(always)]
    fn finding(&self) -> Finding {
        let mut largest = f64::NEG_INFINITY;
        let mut smallest = f64::INFINITY;
        let mut of_right = 0.0;
        let mut product = 0.0;
        for k in 0..S {
            largest = larger(largest, self.gradient[k]);
            let below = if self.room[k] > 0.0 {
                self.gradient[k]
            } else {
                f64::INFINITY
            };
            smallest = smaller(smallest, below);
            of_right += self.right[k] * self.gradient[k];
            product += self.alpha[k] * self.gradient[k];
        }
        Finding {
            gap: self.bound * (largest - of_right) + product,
            violation: largest - smallest,
        }
    }
}

fn norms(examples: &Examples) -> Vec<f64> {
    let rows = examples.scan();
    rows.map(|row| examples.row(row).squared_norm()).collect()
}

impl<const S: usize> DualProblem<S> for Solver<'_, S> {
    fn rows(&self) -> usize {
        self.examples.rows()
    }

    fn is_mapped(&self) -> bool {
        self.all.is_mapped()
    }

    fn visited(&self, number: usize) {
        self.examples.visited(number, true);
    }

    fn scan(&self) -> impl Iterator<Item = usize> + '_ {
        self.examples.scan()
    }

    /// An example's part of the gap is at most C n v.
    fn tolerable_violation(&self, gap: f64) -> f64 {
        gap / (self.parameters.c * self.all.weight())
    }

    fn pack(&mut self, rows: &[u32]) {
        let pairs = rows.iter().flat_map(|&row| self.all.pairs_of(row as usize));
        let shares = pairs.map(|pair| self.shares[pair]).collect();
        let norms = rows.iter().map(|&row| self.norms[row as usize]).collect();
        self.examples = self.all.gather(rows);
        self.unpacked = Some(Unpacked {
            rows: rows.to_vec(),
            shares: std::mem::replace(&mut self.shares, shares),
            norms: std::mem::replace(&mut self.norms, norms),
        });
    }

    fn unpack(&mut self) {
        let Some(mut all) = self.unpacked.take() else {
            return;
        };
        let rows = all.rows.iter();
        let pairs = rows.flat_map(|&row| self.all.pairs_of(row as usize));
        for (pair, &packed) in pairs.zip(&self.shares) {
            all.shares[pair] = packed;
        }
        self.shares = all.shares;
        self.norms = all.norms;
        self.examples = self.all.clone();
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
        let norm = self.norms[index];
        let mut scores = kernels::scores(&self.weights, self.examples.row(index));
        let mut total = [0.0; S];
        let mut found = Finding::default();
        for pair in self.examples.pairs_of(index) {
            let block = self.block(pair, &scores);
            let finding = block.finding();
            found.gap += finding.gap;
            found.violation = larger(found.violation, finding.violation);
            if finding.violation <= 1e-12 {
                continue;
            }
            let change = self.solve(pair, &block, norm / RELAXATION);
            for k in 0..S {
                total[k] += change[k];
                scores[k] += norm * change[k];
            }
        }
        if total != [0.0; S] {
            total.iter_mut().for_each(|change| *change *= self.scale);
            kernels::add(&mut self.weights, self.examples.row(index), &total);
        }
        found
    }

    #[inline(always)]
    fn look(&self, index: usize) -> Finding {
        let scores = kernels::scores(&self.weights, self.examples.row(index));
        let mut found = Finding::default();
        for pair in self.examples.pairs_of(index) {
            let finding = self.block(pair, &scores).finding();
            found.gap += finding.gap;
            found.violation = larger(found.violation, finding.violation);
        }
        found
    }

    #[inline(always)]
    fn loss(&self, index: usize, weights: &[[f64; S]]) -> f64 {
        let scores = kernels::scores(weights, self.examples.row(index));
        let mut loss = 0.0;
        for pair in self.examples.pairs_of(index) {
            let (right, bound) = self.truth(pair);
            let margins = self.margins(&right, &scores);
            let mut largest = f64::NEG_INFINITY;
            let mut of_right = 0.0;
            for k in 0..S {
                largest = larger(largest, margins[k]);
                of_right += right[k] * margins[k];
            }
            loss += bound * (largest - of_right);
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

impl Svm {
    /// How training goes on and ends.
    pub(crate) fn settings(&self) -> &Settings {
        &self.0.settings
    }
}

impl<'a, const S: usize> ShardProblem<'a, S> for Solver<'a, S> {
    type Learner = Svm;

    fn begin(examples: &'a Examples, learner: &'a Svm, state: Option<&[u8]>) -> Option<Self> {
        let mut solver = Solver::new(examples, &learner.0);
        if let Some(state) = state {
            if state.len() != size_of_val(solver.shares.as_slice()) {
                return None;
            }
            solver.shares.as_mut_bytes().copy_from_slice(state);
        }
        for row in examples.scan() {
            let mut total = [0.0; S];
            for pair in examples.pairs_of(row) {
                let block = solver.block(pair, &[0.0; S]);
                for (sum, alpha) in total.iter_mut().zip(block.alpha) {
                    *sum += alpha;
                }
                let right = examples.pair_class(pair);
                solver.linear -= block.alpha[right];
            }
            if total != [0.0; S] {
                kernels::add(&mut solver.weights, examples.row(row), &total);
            }
        }
        Some(solver)
    }

    fn state(&self) -> Vec<u8> {
        self.shares.as_bytes().to_vec()
    }

    fn weights_mut(&mut self) -> &mut Vec<[f64; S]> {
        &mut self.weights
    }

    fn scale_by(&mut self, scale: f64) {
        self.scale = scale;
        self.norms.iter_mut().for_each(|norm| *norm *= scale);
    }
}

/// A share as a number; conversions of the processor's own take one lane at a time.
#[inline(always)]
fn number(share: u32) -> f64 {
    f64::from_bits(ROUNDER.to_bits() | u64::from(share)) - ROUNDER
}

/// Adds to the largest share what the sum has too little, or takes from it what it has too much.
#[inline(never)]
fn level(shares: &mut [f64], missing: f64) {
    if let Some(largest) = shares.iter_mut().max_by(|a, b| a.total_cmp(b)) {
        *largest += missing;
    }
}

/// Networks without branches where classes are few.
#[inline(always)]
fn sort_decreasing<const S: usize>(values: &mut [f64; S]) {
    let mut order = |a: usize, b: usize| {
        let pair = (values[a], values[b]);
        values[a] = larger(pair.0, pair.1);
        values[b] = smaller(pair.0, pair.1);
    };
    match S {
        4 => {
            for (a, b) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
                order(a, b);
            }
        }
        8 => {
            for end in (1..S).rev() {
                for at in 0..end {
                    order(at, at + 1);
                }
            }
        }
        _ => values.sort_unstable_by(|a, b| b.total_cmp(a)),
    }
}
