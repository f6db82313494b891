//! MaxEnt by stochastic gradient descent (MLR eq. 7-8): shuffled passes over the examples, each one
//! moving the weights by w_k ← w_k - η (w_k / (σ²N) + (p(k|x_i) - p̃_ik) x_i) with a decaying rate η.
//!
//! The penalty shrinks all weights at every example; they are stored as a scale times a vector, so
//! that this costs one multiplication. A row that stands for n examples moves n times as far, but
//! never farther than to where its own loss would be least.

use crate::kernels::{self, with_stride};
use crate::learner::{Trained, at_least_one, positive, setters_of_passes};
use crate::objective::{LogisticLoss, class_counts};
use crate::report::Stopwatch;
use crate::{Examples, Learner, Report, Result};
use chiasm_work::{Progress, cancel};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Parameters, unchecked.
#[derive(Clone, Debug)]
pub struct SgdParameters {
    sigma2: f64,
    rate: f64,
    iterations: u64,
    seed: u64,
}

impl Default for SgdParameters {
    fn default() -> Self {
        SgdParameters {
            sigma2: 1.0,
            rate: 0.1,
            iterations: 100,
            seed: 1,
        }
    }
}

impl SgdParameters {
    /// σ² = 1, a rate of 0.1, 100 passes.
    pub fn new() -> Self {
        Self::default()
    }

    /// σ²: the variance of the weights' Gaussian prior.
    pub fn sigma2(mut self, sigma2: f64) -> Self {
        self.sigma2 = sigma2;
        self
    }

    /// η₀, the rate of the first example (0.1). After t of N examples, counted on over all passes, it has
    /// fallen to η₀ / (1 + η₀ t / (σ²N)) (Bottou 2012): to a half after σ²/η₀ passes, and in the long run
    /// as σ²N / t, which is what the penalty's curvature 1 / (σ²N) asks for. MLR eq. 7-8 leave η open.
    pub fn rate(mut self, rate: f64) -> Self {
        self.rate = rate;
        self
    }

    setters_of_passes!();

    /// A learner with these parameters, if they make sense.
    pub fn check(self) -> Result<Sgd> {
        positive("sigma2", self.sigma2)?;
        positive("rate", self.rate)?;
        at_least_one("iterations", self.iterations)?;
        Ok(Sgd(self))
    }
}

/// Stochastic gradient descent.
#[derive(Clone, Debug)]
pub struct Sgd(SgdParameters);

impl Learner for Sgd {
    fn name(&self) -> &'static str {
        "sgd"
    }

    fn train(&self, examples: &Examples, progress: &dyn Progress) -> Result<Trained> {
        examples.check_learnable()?;
        with_stride!(examples.classes(), STRIDE => {
            Ok(descend::<STRIDE>(examples, &self.0, progress))
        })
    }
}

fn descend<const S: usize>(
    examples: &Examples,
    parameters: &SgdParameters,
    progress: &dyn Progress,
) -> Trained {
    let watch = Stopwatch::start();
    let mut report = Report::of("sgd", examples);
    let mut weights = vec![[0.0; S]; examples.features()];
    let mut scale = 1.0;
    let total = examples.weight();
    let mut seen = 0.0;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(parameters.seed);
    let mut order: Vec<u32> = (0..examples.rows() as u32).collect();
    for _ in 0..parameters.iterations {
        for end in (1..order.len()).rev() {
            order.swap(end, random.random_range(0..=end));
        }
        for (visit, &index) in order.iter().enumerate() {
            cancel::check();
            examples.visited(visit, false);
            let index = index as usize;
            let passes = seen / total;
            let rate = parameters.rate / (1.0 + parameters.rate * passes / parameters.sigma2);
            let (count, counts) = class_counts::<S>(examples, index);
            seen += count;
            let row = examples.row(index);
            let residual = residual(&weights, scale, row, examples.classes(), count, &counts);
            // MLR eq. 7: the penalty of this example's share.
            scale *= (1.0 - rate * count / (parameters.sigma2 * total)).max(0.5);
            let farthest = 1.0 / row.squared_norm();
            let step = (rate * count).min(farthest.max(rate));
            let change = residual.map(|r| -step * r / scale);
            kernels::add(&mut weights, row, &change);
            if scale < 1e-6 {
                fold(&mut weights, &mut scale);
            }
        }
        report.iterations += 1;
        report.active_share.push(1.0);
        progress.advance(1);
    }
    fold(&mut weights, &mut scale);
    certify(examples, parameters.sigma2, &weights, &mut report);
    report.converged = true;
    Trained::linear(examples, &weights, report, watch)
}

/// p(k|x) - p̃_k.
#[inline(always)]
fn residual<const S: usize>(
    weights: &[[f64; S]],
    scale: f64,
    row: crate::Row,
    classes: usize,
    count: f64,
    counts: &[f64; S],
) -> [f64; S] {
    let scores = kernels::scores(weights, row).map(|score| score * scale);
    let normaliser = kernels::log_sum_exp(&scores[..classes]);
    let mut residual = [0.0; S];
    for k in 0..classes {
        residual[k] = (scores[k] - normaliser).exp() - counts[k] / count;
    }
    residual
}

fn fold<const S: usize>(weights: &mut [[f64; S]], scale: &mut f64) {
    weights.iter_mut().flatten().for_each(|w| *w *= *scale);
    *scale = 1.0;
}

/// Objective and gap, σ²/2 ‖∇P‖² (see the module `lbfgs`), of what was reached.
fn certify<const S: usize>(
    examples: &Examples,
    sigma2: f64,
    weights: &[[f64; S]],
    report: &mut Report,
) {
    let mut gradient = vec![[0.0; S]; weights.len()];
    let loss = LogisticLoss::<S>::new(examples).evaluate(weights, &mut gradient);
    for (slope, weight) in gradient.iter_mut().flatten().zip(weights.iter().flatten()) {
        *slope += weight / sigma2;
    }
    let primal = loss + kernels::squared_norm(weights) / (2.0 * sigma2);
    let gap = sigma2 * kernels::squared_norm(&gradient) / 2.0;
    report.primal_objective = Some(primal);
    report.dual_objective = Some(gap - primal);
    report.relative_gap = Some(gap / primal);
}
