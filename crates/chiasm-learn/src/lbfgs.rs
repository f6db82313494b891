//! MaxEnt by limited-memory BFGS (Liu & Nocedal 1989) with L2:
//! P(w) = 1/(2σ²) Σ_k ‖w_k‖² - Σ_i log p(o_i|x_i) (MLR eq. 3).
//!
//! The certificate comes with the gradient: taking the model's own probabilities as dual variables
//! gives w(α) = w - σ²∇P(w), and inserting that into the dual shows that the duality gap is exactly
//! σ²/2 ‖∇P(w)‖². Training ends when it is small enough relative to P.
//!
//! The first approximation of the inverse Hessian is diagonal, from how often a feature occurs:
//! frequencies span five orders of magnitude, and a multiple of the identity would have to learn
//! that from the steps alone. With L1 see the module `owlqn`.

use crate::kernels::{self, with_stride};
use crate::learner::{Trained, at_least_one, positive};
use crate::objective::{LogisticLoss, feature_curvature};
use crate::prior::{Prior, PriorScores};
use crate::report::Stopwatch;
use crate::{Examples, Learner, Report, Result, owlqn};
use chiasm_work::Progress;
use std::collections::VecDeque;

/// Steps that the approximation remembers.
const MEMORY: usize = 8;
/// Armijo's constant.
const SUFFICIENT: f64 = 1e-4;
/// The most evaluations along one direction.
const MOST_TRIALS: usize = 40;
/// p(1-p), on average, in the first guess of the curvature.
const TYPICAL_VARIANCE: f64 = 0.15;

/// Parameters, unchecked.
#[derive(Clone, Debug)]
pub struct LbfgsParameters {
    sigma2: f64,
    l1: Option<f64>,
    gap: f64,
    iterations: u64,
    prior: Option<Prior>,
}

impl Default for LbfgsParameters {
    fn default() -> Self {
        LbfgsParameters {
            sigma2: 1.0,
            l1: None,
            gap: 1e-3,
            iterations: 10_000,
            prior: None,
        }
    }
}

impl LbfgsParameters {
    /// σ² = 1, no L1, a relative gap of 0.001.
    pub fn new() -> Self {
        Self::default()
    }

    /// σ²: the variance of the weights' Gaussian prior.
    pub fn sigma2(mut self, sigma2: f64) -> Self {
        self.sigma2 = sigma2;
        self
    }

    /// λ of an L1 penalty, which takes the place of the Gaussian prior.
    pub fn l1(mut self, l1: Option<f64>) -> Self {
        self.l1 = l1;
        self
    }

    /// A prior of the classes that some features are the condition of.
    pub fn prior(mut self, prior: Option<Prior>) -> Self {
        self.prior = prior;
        self
    }

    /// The relative duality gap at which training is done.
    pub fn gap(mut self, gap: f64) -> Self {
        self.gap = gap;
        self
    }

    /// The most steps.
    pub fn iterations(mut self, iterations: u64) -> Self {
        self.iterations = iterations;
        self
    }

    /// A learner with these parameters, if they make sense.
    pub fn check(self) -> Result<Lbfgs> {
        positive("sigma2", self.sigma2)?;
        if let Some(l1) = self.l1 {
            positive("l1", l1)?;
        }
        if self.l1.is_some() && self.prior.is_some() {
            let reason = "not with an L1 penalty";
            return Err(crate::Error::parameter("prior-lambda", reason));
        }
        positive("gap", self.gap)?;
        at_least_one("iterations", self.iterations)?;
        Ok(Lbfgs(self))
    }
}

/// L-BFGS with L2, OWL-QN with L1.
#[derive(Clone, Debug)]
pub struct Lbfgs(LbfgsParameters);

impl Lbfgs {
    pub(crate) fn parameters(&self) -> &LbfgsParameters {
        &self.0
    }

    pub(crate) fn sigma2(&self) -> f64 {
        self.0.sigma2
    }
}

impl Learner for Lbfgs {
    fn name(&self) -> &'static str {
        "lbfgs"
    }

    fn train(&self, examples: &Examples, progress: &dyn Progress) -> Result<Trained> {
        examples.check_learnable()?;
        let watch = Stopwatch::start();
        let mut report = Report::of("lbfgs", examples);
        with_stride!(examples.classes(), STRIDE => {
            let prior = self.0.prior.as_ref();
            let prior = prior.map(|prior| PriorScores::<STRIDE>::new(prior, examples));
            let mut weights = match self.0.l1 {
                None => minimise(examples, &self.0, prior.as_ref(), &mut report, progress),
                Some(l1) => {
                    let settings = owlqn::Settings {
                        l1,
                        gap: self.0.gap,
                        iterations: self.0.iterations,
                    };
                    owlqn::minimise::<STRIDE>(examples, &settings, &mut report, progress)
                }
            };
            let Some(prior) = prior else {
                return Ok(Trained::linear(examples, &weights, report, watch));
            };
            // What was not learned is zero so far.
            add_multiple(&mut weights, 1.0, &prior.weights);
            let bias = prior.bias[..examples.classes()].to_vec();
            Ok(Trained::linear(examples, &weights, report, watch).with_bias(bias))
        })
    }
}

/// Where the loss and its gradient come from: `evaluate` writes the gradient under some weights and returns the loss.
pub(crate) struct Problem<F> {
    /// How many features there are, and how much the loss curves along each.
    pub curvature: Vec<f64>,
    pub evaluate: F,
}

fn minimise<const S: usize>(
    examples: &Examples,
    parameters: &LbfgsParameters,
    prior: Option<&PriorScores<S>>,
    report: &mut Report,
    progress: &dyn Progress,
) -> Vec<[f64; S]> {
    let mut loss = LogisticLoss::<S>::new(examples).with_prior(prior);
    let problem = Problem {
        curvature: feature_curvature(examples),
        evaluate: |weights: &[[f64; S]],
                   gradient: &mut [[f64; S]]|
         -> std::result::Result<f64, Never> {
            Ok(loss.evaluate(weights, gradient))
        },
    };
    match minimise_problem(problem, parameters, report, progress) {
        Ok(weights) => weights,
        Err(never) => match never {},
    }
}

/// What cannot happen.
enum Never {}

pub(crate) fn minimise_problem<const S: usize, E>(
    mut problem: Problem<impl FnMut(&[[f64; S]], &mut [[f64; S]]) -> std::result::Result<f64, E>>,
    parameters: &LbfgsParameters,
    report: &mut Report,
    progress: &dyn Progress,
) -> std::result::Result<Vec<[f64; S]>, E> {
    let penalty = 1.0 / parameters.sigma2;
    let mut history = History::of_curvature(&problem.curvature, penalty);
    let mut weights = vec![[0.0; S]; problem.curvature.len()];
    let mut gradient = weights.clone();
    let mut objective = evaluate(&mut problem.evaluate, penalty, &weights, &mut gradient)?;
    let mut trial = weights.clone();
    let mut trial_gradient = weights.clone();
    loop {
        let gap = parameters.sigma2 * kernels::squared_norm(&gradient) / 2.0;
        report.primal_objective = Some(objective);
        report.dual_objective = Some(gap - objective);
        report.relative_gap = Some(gap / objective);
        report.converged = gap <= parameters.gap * objective;
        if report.converged || report.iterations == parameters.iterations {
            return Ok(weights);
        }
        let direction = history.direction(&gradient);
        let slope = dot(&direction, &gradient);
        let mut step = 1.0;
        let mut accepted = false;
        for _ in 0..MOST_TRIALS {
            move_along(&mut trial, &weights, &direction, step);
            let value = evaluate(&mut problem.evaluate, penalty, &trial, &mut trial_gradient)?;
            if value <= objective + SUFFICIENT * step * slope {
                objective = value;
                accepted = true;
                break;
            }
            // The minimum of the parabola through value, slope and new value, within bounds.
            let best = -slope * step * step / (2.0 * (value - objective - slope * step));
            let best = if best.is_finite() { best } else { 0.0 };
            step = best.clamp(0.1 * step, 0.5 * step);
        }
        if !accepted {
            // Rounding hides any further decrease.
            return Ok(weights);
        }
        history.remember(&weights, &trial, &gradient, &trial_gradient);
        std::mem::swap(&mut weights, &mut trial);
        std::mem::swap(&mut gradient, &mut trial_gradient);
        report.iterations += 1;
        report.active_share.push(1.0);
        progress.advance(1);
    }
}

fn evaluate<const S: usize, E>(
    loss: &mut impl FnMut(&[[f64; S]], &mut [[f64; S]]) -> std::result::Result<f64, E>,
    penalty: f64,
    weights: &[[f64; S]],
    gradient: &mut [[f64; S]],
) -> std::result::Result<f64, E> {
    let value = loss(weights, gradient)?;
    for (slope, weight) in gradient.iter_mut().flatten().zip(weights.iter().flatten()) {
        *slope += penalty * weight;
    }
    Ok(value + penalty * kernels::squared_norm(weights) / 2.0)
}

/// The product of two vectors.
pub(crate) fn dot<const S: usize>(a: &[[f64; S]], b: &[[f64; S]]) -> f64 {
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    pairs.map(|(a, b)| a * b).sum()
}

fn move_along<const S: usize>(
    trial: &mut [[f64; S]],
    weights: &[[f64; S]],
    direction: &[[f64; S]],
    step: f64,
) {
    let from = weights.iter().flatten().zip(direction.iter().flatten());
    for (new, (weight, direction)) in trial.iter_mut().flatten().zip(from) {
        *new = weight + step * direction;
    }
}

/// The last steps and changes of the gradient, from which the inverse Hessian is approximated.
pub(crate) struct History<const S: usize> {
    /// The first approximation: 1 / curvature, a feature.
    diagonal: Vec<f64>,
    scale: f64,
    pairs: VecDeque<Pair<S>>,
}

struct Pair<const S: usize> {
    step: Vec<[f64; S]>,
    change: Vec<[f64; S]>,
    /// 1 / stepᵀchange.
    rho: f64,
}

impl<const S: usize> History<S> {
    /// Nothing remembered yet; `penalty` is the curvature that the regulariser adds.
    pub fn new(examples: &Examples, penalty: f64) -> Self {
        Self::of_curvature(&feature_curvature(examples), penalty)
    }

    fn of_curvature(curvature: &[f64], penalty: f64) -> Self {
        let inverse = |c: &f64| 1.0 / (penalty + TYPICAL_VARIANCE * c).max(1e-12);
        History {
            diagonal: curvature.iter().map(inverse).collect(),
            scale: 1.0,
            pairs: VecDeque::new(),
        }
    }

    /// -H∇ by the two loops.
    pub fn direction(&self, gradient: &[[f64; S]]) -> Vec<[f64; S]> {
        let mut direction = gradient.to_vec();
        let mut factors = Vec::with_capacity(self.pairs.len());
        for pair in &self.pairs {
            let factor = pair.rho * dot(&pair.step, &direction);
            add_multiple(&mut direction, -factor, &pair.change);
            factors.push(factor);
        }
        for (row, inverse) in direction.iter_mut().zip(&self.diagonal) {
            for value in row {
                *value *= -inverse * self.scale;
            }
        }
        for (pair, factor) in self.pairs.iter().zip(&factors).rev() {
            let other = pair.rho * dot(&pair.change, &direction);
            add_multiple(&mut direction, -factor - other, &pair.step);
        }
        direction
    }

    /// Takes in a step, unless it says nothing about the curvature.
    pub fn remember(
        &mut self,
        old: &[[f64; S]],
        new: &[[f64; S]],
        old_gradient: &[[f64; S]],
        new_gradient: &[[f64; S]],
    ) {
        let mut pair = match self.pairs.len() {
            MEMORY => self.pairs.pop_back(),
            _ => None,
        }
        .unwrap_or_else(|| Pair {
            step: old.to_vec(),
            change: old.to_vec(),
            rho: 0.0,
        });
        subtract(&mut pair.step, new, old);
        subtract(&mut pair.change, new_gradient, old_gradient);
        let product = dot(&pair.step, &pair.change);
        let mut weighted = 0.0;
        for (row, inverse) in pair.change.iter().zip(&self.diagonal) {
            weighted += inverse * row.iter().map(|value| value * value).sum::<f64>();
        }
        if product <= 1e-14 * weighted || !product.is_finite() {
            return;
        }
        self.scale = product / weighted;
        pair.rho = 1.0 / product;
        self.pairs.push_front(pair);
    }
}

fn subtract<const S: usize>(out: &mut [[f64; S]], a: &[[f64; S]], b: &[[f64; S]]) {
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    for (out, (a, b)) in out.iter_mut().flatten().zip(pairs) {
        *out = a - b;
    }
}

fn add_multiple<const S: usize>(out: &mut [[f64; S]], factor: f64, vector: &[[f64; S]]) {
    for (out, value) in out.iter_mut().flatten().zip(vector.iter().flatten()) {
        *out += factor * value;
    }
}
