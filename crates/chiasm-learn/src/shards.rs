//! Learning from examples that lie in several places.
//!
//! The dual methods go as CoCoA+ does (Ma, Smith, Jaggi, Jordan, Richtárik & Takáč 2015, with γ = 1 and σ' = K): each of K shards
//! improves its own dual variables against weights that are the same for all, as if every example curved K times as much, and
//! what all shards change is added up. With u = w + K Σ_i Δα_i x_i in place of the weights that is a shard's own problem, on
//! which the solver of one machine works; w changes by (u - w) / K. The duality gap is a sum over the examples, so the sum of
//! the shards' parts certifies the whole.
//!
//! Such a round is a proximal step of the dual, so momentum saves most rounds (Ma, Jaggi, Curtis, Srebro & Takáč 2017; the
//! sequence of Beck & Teboulle 2009, begun anew as O'Donoghue & Candès 2015 say): the step is made not from α but from
//! α + β δ, where δ is what the round before changed. That point need not be feasible and is never made: with δ_k for what a
//! shard's last round added to the weights, its problem begins at u = w + β Σ_k δ_k - K β δ_k, and all else is as before.
//!
//! L-BFGS needs nothing but the sums of losses and gradients. Sums over shards are made by whoever has them, in the order of
//! the shards, so that results do not depend on which shard is ready first.

use crate::active::Shrinking;
use crate::ascent::{self, DualProblem, Settings};
use crate::dual::{self, Dual};
use crate::kernels::with_stride;
use crate::lbfgs::{Lbfgs, Problem, minimise_problem};
use crate::objective::{LogisticLoss, feature_curvature};
use crate::report::Stopwatch;
use crate::svm::{self, Svm};
use crate::{Bits, Error, Examples, LinearModel, Model, Report, Result, quantisation};
use chiasm_work::Progress;

/// The most passes of a shard between two sums.
const PASSES: u64 = 5;
/// The part of its gap that a shard leaves over: momentum wants rounds that are nearly solved.
const LEFT_OVER: f64 = 0.05;

/// The solver of a dual method, with variables that stay when it goes.
pub(crate) trait ShardProblem<'a, const S: usize>: DualProblem<S> + Sized {
    /// Which method.
    type Learner;
    /// With the variables of an earlier round, or as a method begins; the weights are those of this shard's variables alone.
    /// None if the variables are not those of the examples.
    fn begin(
        examples: &'a Examples,
        learner: &'a Self::Learner,
        state: Option<&[u8]>,
    ) -> Option<Self>;
    /// The variables.
    fn state(&self) -> Vec<u8>;
    /// The weights that steps are made against.
    fn weights_mut(&mut self) -> &mut Vec<[f64; S]>;
    /// Every example curves so many times as much.
    fn scale_by(&mut self, scale: f64);
}

/// A method that can learn in shards, checked.
#[derive(Clone, Debug)]
pub enum ShardLearner {
    /// The multiclass SVM.
    Svm(Svm),
    /// MaxEnt by exponentiated gradient on the dual.
    Dual(Dual),
    /// MaxEnt by L-BFGS.
    Lbfgs(Lbfgs),
}

/// What a shard is told at the beginning of a round: arrays are `[feature * stride + class]`.
#[derive(Clone, Copy, Debug)]
pub struct RoundStart<'a> {
    /// w, of all shards' variables: the certificate is theirs.
    pub weights: &'a [f64],
    /// Other weights whose loss is asked for.
    pub average: &'a [f64],
    /// Σ_k δ_k: what the round before added to the weights.
    pub change: &'a [f64],
    /// δ_k: the shard's own part of that.
    pub own_change: &'a [f64],
    /// β, from [`Momentum`].
    pub momentum: f64,
    /// K.
    pub shards: usize,
    /// Of the order of visits.
    pub seed: u64,
}

/// How far ahead rounds begin.
#[derive(Clone, Copy, Debug)]
pub struct Momentum {
    step: f64,
    share: f64,
}

impl Default for Momentum {
    fn default() -> Self {
        Momentum {
            step: 1.0,
            share: 0.0,
        }
    }
}

impl Momentum {
    /// β of the next round.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// After a round: `overlap` is Σ_k δ_k·δ'_k of the changes of the round before and of this one, `length` is Σ_k ‖δ'_k‖².
    /// Where the round went back from where momentum had led, it begins anew.
    pub fn after(&mut self, overlap: f64, length: f64) {
        if self.share * overlap > length {
            *self = Momentum::default();
            return;
        }
        let next = (1.0 + (1.0 + 4.0 * self.step * self.step).sqrt()) / 2.0;
        self.share = (self.step - 1.0) / next;
        self.step = next;
    }
}

/// What a shard found and did.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardRound {
    /// Its variables after the round.
    pub state: Vec<u8>,
    /// What they add to the weights: `change[feature * stride + class]`.
    pub change: Vec<f64>,
    /// The shard's part of the duality gap before the round.
    pub gap: f64,
    /// The shard's part of D(α), without the penalty of the weights, before the round.
    pub linear: f64,
    /// The shard's loss under the average of the weights of earlier rounds, whose primal objective is usually the lower one.
    pub average_loss: f64,
}

/// Weights have so many columns a feature; those behind the classes are zero.
pub fn stride(classes: usize) -> usize {
    with_stride!(classes, STRIDE => STRIDE)
}

impl ShardLearner {
    /// What ½ Σ‖w_k‖² is multiplied by in the objectives.
    pub fn penalty(&self) -> f64 {
        match self {
            ShardLearner::Svm(_) => 1.0,
            ShardLearner::Dual(learner) => 1.0 / learner.sigma2(),
            ShardLearner::Lbfgs(learner) => 1.0 / learner.sigma2(),
        }
    }

    /// A shard's variables at the beginning, or those of an earlier training to go on from (with another C as well), and what
    /// they add to the weights.
    pub fn begin(&self, examples: &Examples, state: Option<&[u8]>) -> Result<ShardRound> {
        with_stride!(examples.classes(), STRIDE => match self {
            ShardLearner::Svm(learner) => {
                begin::<STRIDE, svm::Solver<STRIDE>>(examples, learner, state)
            }
            ShardLearner::Dual(learner) => {
                begin::<STRIDE, dual::Solver<STRIDE>>(examples, learner, state)
            }
            ShardLearner::Lbfgs(_) => Err(no_variables()),
        })
    }

    /// Looks at the gap, and at the loss under the average, then improves the variables.
    pub fn round(
        &self,
        examples: &Examples,
        state: &[u8],
        start: RoundStart,
    ) -> Result<ShardRound> {
        with_stride!(examples.classes(), STRIDE => match self {
            ShardLearner::Svm(learner) => {
                let settings = of_round(learner.settings(), start.seed);
                let problem = restored::<STRIDE, svm::Solver<STRIDE>>(examples, learner, state)?;
                round(problem, &settings, start)
            }
            ShardLearner::Dual(learner) => {
                let settings = of_round(learner.settings(), start.seed);
                let problem = restored::<STRIDE, dual::Solver<STRIDE>>(examples, learner, state)?;
                round(problem, &settings, start)
            }
            ShardLearner::Lbfgs(_) => Err(no_variables()),
        })
    }
}

fn no_variables() -> Error {
    Error::parameter("learner", "L-BFGS has gradients, not dual variables")
}

fn of_round(settings: &Settings, seed: u64) -> Settings {
    Settings {
        seed: settings.seed ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        // What is printed in the papers is not for shards.
        shrinking: match settings.shrinking {
            Shrinking::Paper => Shrinking::Exact,
            other => other,
        },
        ..settings.clone()
    }
}

fn restored<'a, const S: usize, P: ShardProblem<'a, S>>(
    examples: &'a Examples,
    learner: &'a P::Learner,
    state: &[u8],
) -> Result<P> {
    P::begin(examples, learner, Some(state)).ok_or_else(foreign)
}

fn foreign() -> Error {
    Error::Examples("the dual variables are those of other examples".into())
}

fn begin<'a, const S: usize, P: ShardProblem<'a, S>>(
    examples: &'a Examples,
    learner: &'a P::Learner,
    state: Option<&[u8]>,
) -> Result<ShardRound> {
    let problem = P::begin(examples, learner, state).ok_or_else(foreign)?;
    Ok(ShardRound {
        state: problem.state(),
        change: problem.weights().as_flattened().to_vec(),
        gap: f64::INFINITY,
        linear: problem.linear_objective(),
        average_loss: f64::INFINITY,
    })
}

fn round<'a, const S: usize, P: ShardProblem<'a, S>>(
    mut problem: P,
    settings: &Settings,
    start: RoundStart,
) -> Result<ShardRound> {
    let features = problem.weights().len();
    let rows = |weights: &[f64]| match weights.as_chunks::<S>() {
        (rows, []) if rows.len() == features => Ok(rows.to_vec()),
        _ => {
            let reason = format!("{} weights for {features} features", weights.len());
            Err(Error::Examples(reason))
        }
    };
    let average = rows(start.average)?;
    let losses = problem.scan().map(|row| problem.loss(row, &average));
    let average_loss = losses.sum();
    *problem.weights_mut() = rows(start.weights)?;
    let gap = problem.scan().map(|row| problem.look(row).gap).sum();
    let linear = problem.linear_objective();
    let scale = start.shards.max(1) as f64;
    let ahead = ahead(rows(start.weights)?, &start, scale)?;
    *problem.weights_mut() = ahead.clone();
    problem.scale_by(scale);
    ascent::improve(&mut problem, settings, LEFT_OVER, PASSES);
    let changed = problem.weights().as_flattened().iter();
    let changed = changed.zip(ahead.as_flattened());
    Ok(ShardRound {
        change: changed.map(|(new, old)| (new - old) / scale).collect(),
        state: problem.state(),
        gap,
        linear,
        average_loss,
    })
}

/// Where a shard's own problem begins: w + β Σ_k δ_k - K β δ_k.
fn ahead<const S: usize>(
    mut weights: Vec<[f64; S]>,
    start: &RoundStart,
    scale: f64,
) -> Result<Vec<[f64; S]>> {
    let flat = weights.as_flattened_mut();
    if start.change.len() != flat.len() || start.own_change.len() != flat.len() {
        let reason = "changes of other weights than those of the round";
        return Err(Error::Examples(reason.into()));
    }
    let changes = start.change.iter().zip(start.own_change);
    for (weight, (all, own)) in flat.iter_mut().zip(changes) {
        *weight += start.momentum * (all - scale * own);
    }
    Ok(weights)
}

/// The logistic loss of a shard under `weights`, and its gradient.
pub fn gradient(examples: &Examples, weights: &[f64]) -> Result<(f64, Vec<f64>)> {
    with_stride!(examples.classes(), STRIDE => {
        let (rows, _) = weights.as_chunks::<STRIDE>();
        if rows.len() != examples.features() {
            return Err(Error::Examples(format!("{} weights for {} features", weights.len(), examples.features())));
        }
        let mut gradient = vec![[0.0; STRIDE]; rows.len()];
        let loss = LogisticLoss::<STRIDE>::new(examples).evaluate(rows, &mut gradient);
        Ok((loss, gradient.into_flattened()))
    })
}

/// How much the loss of a shard curves along each feature; sums over shards begin L-BFGS.
pub fn curvature(examples: &Examples) -> Vec<f64> {
    feature_curvature(examples)
}

impl Lbfgs {
    /// Minimises a loss that is a sum over shards: `evaluate` gets weights, writes the gradient and returns the loss.
    pub fn minimise_shards<E>(
        &self,
        classes: usize,
        curvature: Vec<f64>,
        mut evaluate: impl FnMut(&[f64], &mut [f64]) -> std::result::Result<f64, E>,
        report: &mut Report,
        progress: &dyn Progress,
    ) -> std::result::Result<Vec<f64>, E> {
        with_stride!(classes, STRIDE => {
            let problem = Problem {
                curvature,
                evaluate: |weights: &[[f64; STRIDE]], gradient: &mut [[f64; STRIDE]]| {
                    evaluate(weights.as_flattened(), gradient.as_flattened_mut())
                },
            };
            let weights = minimise_problem(problem, self.parameters(), report, progress)?;
            Ok(weights.into_flattened())
        })
    }
}

/// The model of weights; `examples` are those of any shard, for the names of classes and features.
pub fn model(
    examples: &Examples,
    weights: &[f64],
    mut report: Report,
    bits: u32,
) -> Result<(Model, Report)> {
    let linear = LinearModel::new(examples, weights, stride(examples.classes()));
    report.parameters = linear.parameters();
    Stopwatch::start().stop(&mut report);
    let model = Model::linear(examples.class_names().to_vec(), linear);
    let (model, loss) = quantisation::quantise(model, Bits::from_number(bits)?, examples)?;
    report.quantisation = loss;
    Ok((model.with_report(report.clone()), report))
}

#[cfg(test)]
mod tests;
