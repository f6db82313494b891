//! Multinomial logistic regression by exponentiated gradient on the dual, with shrinking
//! (MLR Algorithm 1).
//!
//! Primal: P(w) = 1/(2σ²) Σ_k ‖w_k‖² - Σ_i log p(o_i|x_i). Dual, α_i on the simplex:
//! D(α) = 1/(2σ²) Σ_k ‖w_k(α)‖² + Σ_i Σ_k α_ik log α_ik, w_k(α) = σ² Σ_i (p̃_ik - α_ik) x_i.
//! With ∇_ik = 1 + log α_ik - w_kᵀx_i a step is α'_ik ∝ α_ik exp(-η∇_ik); η starts at 0.5 and halves
//! until D does not increase. That is `paper` (module `printed`); the rest is about `exact` and `off`.
//!
//! A row x that stands for n_k examples of class k, n in all, has p̃_k = n_k / n and one α for all of
//! them, which at the optimum they share anyway. Its entropy counts n times and its weights are
//! σ² n (p̃_k - α_k) x, so that, divided by n,
//! D(α')-D(α) = Σ_k (α'_k log α'_k - α_k log α_k) - Σ_k (α'_k-α_k) w_kᵀx + q/2 Σ_k (α'_k-α_k)²
//! with q = σ² n ‖x‖²; for n = 1 this is the paper's. Inserting w_k(α) shows that the gap is a sum
//! over the rows, P + D = Σ_i n_i KL(α_i ‖ p(·|x_i)).
//!
//! A step of η = 1/(1+q) never increases D (the quadratic term is q-smooth relative to the entropy),
//! so it is what remains when the halvings are used up. The first step is a better one than the
//! printed: Newton's method for log α gives each class an η of its own, 1/(1+qα_k), and
//! near the optimum one such step solves the block.

use crate::active::Shrinking;
use crate::ascent::{self, DualProblem, Finding, Settings, setters_of_settings};
use crate::elementary;
use crate::kernels::{self, larger, smaller, with_stride};
use crate::learner::{Trained, at_least_one, positive};
use crate::printed::{self, PrintedDual};
use crate::report::Stopwatch;
use crate::shards::ShardProblem;
use crate::{Examples, Learner, Report, Result};
use chiasm_work::Progress;
use std::rc::Rc;
use zerocopy::IntoBytes;

/// ε₀: what the wrong classes share at the start.
pub(crate) const START: f64 = 0.01;
/// The first η.
pub(crate) const FIRST_STEP: f64 = 0.5;
/// How far log α moves in one step at most, so that exponentials stay in their range.
const FARTHEST: f64 = 300.0;
/// An increase of D that is no more than rounding.
const ROUNDING: f64 = 1e-13;
/// α below this is as good as zero; its logarithm stays finite.
pub(crate) const SMALLEST: f64 = 1e-300;

/// Parameters, unchecked.
#[derive(Clone, Debug)]
pub struct DualParameters {
    sigma2: f64,
    max_trials: u32,
    settings: Settings,
}

impl Default for DualParameters {
    fn default() -> Self {
        DualParameters {
            sigma2: 1.0,
            max_trials: 10,
            settings: Settings::default(),
        }
    }
}

impl DualParameters {
    /// σ² = 1, a relative gap of 0.001, ε = 0.1, 10 trials, exact shrinking.
    pub fn new() -> Self {
        Self::default()
    }

    /// σ²: the variance of the weights' Gaussian prior.
    pub fn sigma2(mut self, sigma2: f64) -> Self {
        self.sigma2 = sigma2;
        self
    }

    /// The most trials of one step, η halved after each that increases D. Where none succeeds,
    /// [`Shrinking::Paper`] leaves the example as it is.
    pub fn max_trials(mut self, max_trials: u32) -> Self {
        self.max_trials = max_trials;
        self
    }

    setters_of_settings!();

    /// A learner with these parameters, if they make sense.
    pub fn check(self) -> Result<Dual> {
        positive("sigma2", self.sigma2)?;
        at_least_one("max-trials", u64::from(self.max_trials))?;
        self.settings.check()?;
        Ok(Dual(self))
    }
}

/// The dual method.
#[derive(Clone, Debug)]
pub struct Dual(DualParameters);

impl Learner for Dual {
    fn name(&self) -> &'static str {
        "dual"
    }

    fn train(&self, examples: &Examples, progress: &dyn Progress) -> Result<Trained> {
        examples.check_learnable()?;
        with_stride!(examples.classes(), STRIDE => {
            if self.0.settings.shrinking == Shrinking::Paper {
                self.train_as_printed::<STRIDE>(examples, progress)
            } else {
                Ok(Solver::<STRIDE>::new(examples, &self.0).train(progress))
            }
        })
    }
}

impl Dual {
    fn train_as_printed<const S: usize>(
        &self,
        examples: &Examples,
        progress: &dyn Progress,
    ) -> Result<Trained> {
        let watch = Stopwatch::start();
        let mut report = Report::of("dual", examples);
        let settings = &self.0.settings;
        let (sigma2, max_trials) = (self.0.sigma2, self.0.max_trials);
        let apart = settings.single_examples;
        let problem = PrintedDual::<S>::new(examples, sigma2, max_trials, apart)?;
        let count = problem.examples();
        let weights = printed::solve(problem, count, settings, &mut report, progress);
        Ok(Trained::linear(examples, &weights, report, watch))
    }
}

pub(crate) struct Solver<'a, const S: usize> {
    all: &'a Examples,
    /// All examples, or those that are packed.
    examples: Rc<Examples>,
    parameters: &'a DualParameters,
    weights: Vec<[f64; S]>,
    /// α_ik at `row * classes + class`.
    alpha: Vec<f64>,
    /// The packed rows and the α of all rows, while rows are packed.
    unpacked: Option<(Vec<u32>, Vec<f64>)>,
    /// Σ_i n_i Σ_k α_ik log α_ik.
    entropy: f64,
    /// Both the curvature of the examples and what a change adds to the weights are so many times as large; see `shards`.
    scale: f64,
}

/// The variables of one row with a lane for each class. Lanes of classes that only pad have α = 0.
struct Block<const S: usize> {
    alpha: [f64; S],
    logarithms: [f64; S],
    /// ∇_k - 1 = log α_k - w_kᵀx.
    gradient: [f64; S],
}

impl<'a, const S: usize> Solver<'a, S> {
    fn new(examples: &'a Examples, parameters: &'a DualParameters) -> Self {
        let mut solver = Self::bare(examples, parameters);
        for row in examples.scan() {
            solver.start(row);
        }
        solver
    }

    /// All variables are zero, which no start is.
    fn bare(examples: &'a Examples, parameters: &'a DualParameters) -> Self {
        Solver {
            all: examples,
            examples: Rc::new(examples.clone()),
            parameters,
            weights: vec![[0.0; S]; examples.features()],
            alpha: vec![0.0; examples.rows() * examples.classes()],
            unpacked: None,
            entropy: 0.0,
            scale: 1.0,
        }
    }

    /// α_iy = 1-ε₀, the others ε₀/(K-1); a merged row has the mean of its examples.
    fn start(&mut self, index: usize) {
        let classes = self.examples.classes();
        let (weight, truth) = self.class_shares(index);
        let other = START / (classes - 1) as f64;
        for k in 0..classes {
            let alpha = truth[k] * (1.0 - START) + (1.0 - truth[k]) * other;
            self.alpha[index * classes + k] = alpha;
        }
        self.take_in(index, weight, &truth);
    }

    /// Adds what the variables of a row add to weights and entropy.
    fn take_in(&mut self, index: usize, weight: f64, truth: &[f64; S]) {
        let classes = self.examples.classes();
        let mut change = [0.0; S];
        let mut entropy = 0.0;
        for k in 0..classes {
            let alpha = self.alpha[index * classes + k];
            change[k] = self.parameters.sigma2 * weight * (truth[k] - alpha);
            entropy += alpha * alpha.ln();
        }
        self.entropy += weight * entropy;
        let row = self.all.row(index);
        kernels::add(&mut self.weights, row, &change);
    }

    /// n and p̃ of a row.
    #[inline(always)]
    fn class_shares(&self, index: usize) -> (f64, [f64; S]) {
        let mut shares = [0.0; S];
        let mut total = 0.0;
        for pair in self.examples.pairs_of(index) {
            let weight = self.examples.pair_weight(pair);
            shares[self.examples.pair_class(pair)] += weight;
            total += weight;
        }
        for share in &mut shares {
            *share /= f64::max(total, SMALLEST);
        }
        (total, shares)
    }

    #[inline(always)]
    fn weight_of(&self, index: usize) -> f64 {
        let pairs = self.examples.pairs_of(index);
        pairs.map(|pair| self.examples.pair_weight(pair)).sum()
    }

    fn train(mut self, progress: &dyn Progress) -> Trained {
        let watch = Stopwatch::start();
        let settings = self.parameters.settings.clone();
        let mut report = Report::of("dual", self.all);
        let weights = ascent::solve(&mut self, &settings, &mut report, progress);
        Trained::linear(self.all, &weights, report, watch)
    }

    #[inline(always)]
    fn block(&self, index: usize) -> Block<S> {
        let classes = self.examples.classes();
        let stored = &self.alpha[index * classes..(index + 1) * classes];
        let mut alpha = [1.0; S];
        for (k, &value) in stored.iter().enumerate() {
            alpha[k] = value;
        }
        let logarithms = elementary::ln(&alpha);
        let scores = kernels::scores(&self.weights, self.examples.row(index));
        let mut gradient = [0.0; S];
        for k in 0..S {
            alpha[k] = if k < classes { alpha[k] } else { 0.0 };
            gradient[k] = logarithms[k] - scores[k];
        }
        Block {
            alpha,
            logarithms,
            gradient,
        }
    }

    /// KL(α ‖ p) and v.
    #[inline(always)]
    fn look_at(&self, block: &Block<S>) -> Finding {
        let (smallest, largest) = block.extremes(self.examples.classes());
        // KL = Σ α (log α - wᵀx) + log Σ exp wᵀx, and exp wᵀx = α exp(-gradient).
        let mut below = [0.0; S];
        for k in 0..S {
            below[k] = smallest - block.gradient[k];
        }
        let ratios = elementary::exp(&below);
        let mut sum = 0.0;
        let mut mean = 0.0;
        for k in 0..S {
            sum += block.alpha[k] * ratios[k];
            mean -= block.alpha[k] * below[k];
        }
        let [normaliser] = elementary::ln(&[sum]);
        Finding {
            gap: larger(mean + normaliser, 0.0),
            violation: largest - smallest,
        }
    }

    /// As `look_at`, with ½ Var_α(∇) for the gap, to which it tends and which costs nothing.
    #[inline(always)]
    fn glance_at(&self, block: &Block<S>) -> Finding {
        let (smallest, largest) = block.extremes(self.examples.classes());
        let mut mean = 0.0;
        let mut square = 0.0;
        for k in 0..S {
            let above = block.gradient[k] - smallest;
            mean += block.alpha[k] * above;
            square += block.alpha[k] * above * above;
        }
        Finding {
            gap: larger(square - mean * mean, 0.0) / 2.0,
            violation: largest - smallest,
        }
    }

    /// One step; nothing happens if none is found that does not increase D.
    #[inline(always)]
    fn step(&self, block: &mut Block<S>, curvature: f64) {
        let (mut rate, direction) = (1.0, block.direction(curvature));
        for _ in 0..self.parameters.max_trials {
            if block.try_step(&direction, rate, curvature) {
                return;
            }
            rate /= 2.0;
        }
        let rate = smaller(rate, 1.0 / (1.0 + curvature));
        block.try_step(&block.direction(0.0), rate, curvature);
    }
}

impl<const S: usize> Block<S> {
    /// The smallest and the largest gradient.
    #[inline(always)]
    fn extremes(&self, classes: usize) -> (f64, f64) {
        let (mut least, mut most) = (self.gradient[0], self.gradient[0]);
        for k in 1..S {
            let gradient = if k < classes { self.gradient[k] } else { most };
            least = smaller(least, gradient);
            most = larger(most, gradient);
        }
        (least, most)
    }

    /// -η∇ but for what all classes share; η_k = 1/(1+qα_k).
    #[inline(always)]
    fn direction(&self, curvature: f64) -> [f64; S] {
        let mut rates = [0.0; S];
        let mut sum = 0.0;
        let mut mean = 0.0;
        for k in 0..S {
            rates[k] = 1.0 / (1.0 + curvature * self.alpha[k]);
            sum += self.alpha[k] * rates[k];
            mean += self.alpha[k] * rates[k] * self.gradient[k];
        }
        mean /= sum;
        let mut direction = [0.0; S];
        for k in 0..S {
            direction[k] = rates[k] * (mean - self.gradient[k]);
        }
        direction
    }

    /// α'_k ∝ α_k exp(rate · direction_k), unless D increases.
    #[inline(always)]
    fn try_step(&mut self, direction: &[f64; S], rate: f64, curvature: f64) -> bool {
        let mut change = [0.0; S];
        for k in 0..S {
            change[k] = smaller(larger(rate * direction[k], -FARTHEST), FARTHEST);
        }
        let ratios = elementary::exp(&change);
        let mut sum = 0.0;
        for k in 0..S {
            sum += self.alpha[k] * ratios[k];
        }
        let [normaliser] = elementary::ln(&[sum]);
        let mut alpha = [0.0; S];
        let mut difference = 0.0;
        for k in 0..S {
            alpha[k] = self.alpha[k] * ratios[k] / sum;
            change[k] -= normaliser;
            let moved = alpha[k] - self.alpha[k];
            difference +=
                alpha[k] * change[k] + moved * (self.gradient[k] + curvature / 2.0 * moved);
        }
        let accepted = difference <= ROUNDING;
        if accepted {
            for k in 0..S {
                self.logarithms[k] += change[k];
            }
            self.alpha = alpha;
        }
        accepted
    }
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

    /// KL(α ‖ p) ≤ v²/8 (Hoeffding), so an example's part of the gap is at most n v²/8.
    fn tolerable_violation(&self, gap: f64) -> f64 {
        (8.0 * gap / self.all.weight()).sqrt()
    }

    fn pack(&mut self, rows: &[u32]) {
        let classes = self.all.classes();
        let of_row = |&row: &u32| &self.alpha[row as usize * classes..][..classes];
        let alpha: Vec<f64> = rows.iter().flat_map(of_row).copied().collect();
        self.examples = Rc::new(self.all.gather(rows));
        let all = std::mem::replace(&mut self.alpha, alpha);
        self.unpacked = Some((rows.to_vec(), all));
    }

    fn unpack(&mut self) {
        let Some((rows, mut all)) = self.unpacked.take() else {
            return;
        };
        let classes = self.all.classes();
        for (&row, packed) in rows.iter().zip(self.alpha.chunks_exact(classes)) {
            all[row as usize * classes..][..classes].copy_from_slice(packed);
        }
        self.alpha = all;
        self.examples = Rc::new(self.all.clone());
    }

    fn weights(&self) -> &[[f64; S]] {
        &self.weights
    }

    fn row_weight(&self, index: usize) -> f64 {
        self.weight_of(index)
    }

    fn visit(&mut self, index: usize) -> Finding {
        let examples = Rc::clone(&self.examples);
        let classes = examples.classes();
        let row = examples.row(index);
        let weight = self.weight_of(index);
        let curvature = self.scale * self.parameters.sigma2 * weight * row.squared_norm();
        let mut block = self.block(index);
        let found = self.glance_at(&block);
        let old = block.alpha;
        let old_logarithms = block.logarithms;
        self.step(&mut block, curvature);
        let mut change = [0.0; S];
        let mut entropy = 0.0;
        for k in 0..S {
            change[k] = self.parameters.sigma2 * weight * (old[k] - block.alpha[k]);
            entropy += block.alpha[k] * block.logarithms[k] - old[k] * old_logarithms[k];
        }
        let stored = &mut self.alpha[index * classes..(index + 1) * classes];
        for (k, value) in stored.iter_mut().enumerate() {
            *value = larger(block.alpha[k], SMALLEST);
        }
        self.entropy += weight * entropy;
        change.iter_mut().for_each(|change| *change *= self.scale);
        kernels::add(&mut self.weights, row, &change);
        Finding {
            gap: weight * found.gap,
            ..found
        }
    }

    fn look(&self, index: usize) -> Finding {
        let found = self.look_at(&self.block(index));
        Finding {
            gap: self.weight_of(index) * found.gap,
            ..found
        }
    }

    fn loss(&self, index: usize, weights: &[[f64; S]]) -> f64 {
        let scores = kernels::scores(weights, self.examples.row(index));
        let normaliser = kernels::log_sum_exp(&scores[..self.examples.classes()]);
        let one = |pair| {
            let score = scores[self.examples.pair_class(pair)];
            self.examples.pair_weight(pair) * (normaliser - score)
        };
        self.examples.pairs_of(index).map(one).sum()
    }

    fn penalty(&self) -> f64 {
        1.0 / self.parameters.sigma2
    }

    fn linear_objective(&self) -> f64 {
        self.entropy
    }
}

impl Dual {
    pub(crate) fn sigma2(&self) -> f64 {
        self.0.sigma2
    }

    /// How training goes on and ends.
    pub(crate) fn settings(&self) -> &Settings {
        &self.0.settings
    }
}

impl<'a, const S: usize> ShardProblem<'a, S> for Solver<'a, S> {
    type Learner = Dual;

    fn begin(examples: &'a Examples, learner: &'a Dual, state: Option<&[u8]>) -> Option<Self> {
        let Some(state) = state else {
            return Some(Solver::new(examples, &learner.0));
        };
        let mut solver = Solver::bare(examples, &learner.0);
        if state.len() != size_of_val(solver.alpha.as_slice()) {
            return None;
        }
        solver.alpha.as_mut_bytes().copy_from_slice(state);
        for row in examples.scan() {
            let (weight, truth) = solver.class_shares(row);
            solver.take_in(row, weight, &truth);
        }
        Some(solver)
    }

    fn state(&self) -> Vec<u8> {
        self.alpha.as_bytes().to_vec()
    }

    fn weights_mut(&mut self) -> &mut Vec<[f64; S]> {
        &mut self.weights
    }

    fn scale_by(&mut self, scale: f64) {
        self.scale = scale;
    }
}
