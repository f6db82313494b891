//! The options of the learners, for every command that trains one.

use crate::context::Context;
use chiasm_learn::naive_bayes::{NaiveBayesParameters, Variant};
use chiasm_learn::svm::SvmParameters;
use chiasm_learn::{Bits, Learner, Shrinking};
use clap::{Args, ValueEnum};

/// The methods of `chiasm-learn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LearnerKind {
    /// Multiclass support vector machine (Crammer & Singer), dual method.
    Svm,
    /// Naive Bayes, the most probable parameters.
    NbMap,
    /// Naive Bayes, averaged over all parameters.
    NbBayes,
}

/// How active sets shrink.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShrinkOption {
    /// Examples leave and come back if they must, until the duality gap is small.
    Exact,
    /// Examples leave for good once they violate optimality by at most epsilon.
    Paper,
    /// Examples stay.
    Off,
}

/// How scores become probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CalibrateOption {
    /// Softmax of the scores.
    None,
    /// Softmax of the scores over a temperature fitted on held-out examples.
    Temperature,
}

/// The learners' parameters.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Learner")]
pub struct LearnerOptions {
    /// Cost of a unit of slack [svm].
    #[arg(long, value_name = "C", default_value_t = 0.1)]
    pub c: f64,
    /// Variance of the weights' Gaussian prior [dual, lbfgs, sgd].
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    pub sigma2: f64,
    /// L1 penalty in place of the Gaussian prior [lbfgs].
    #[arg(long, value_name = "L")]
    pub l1: Option<f64>,
    /// Dirichlet prior [nb-map, nb-bayes].
    #[arg(long, value_name = "A", default_value_t = 1.1)]
    pub alpha: f64,
    /// Relative duality gap at which training ends [svm, dual, lbfgs].
    #[arg(long, value_name = "G", default_value_t = 1e-3)]
    pub gap: f64,
    /// Violation of optimality up to which an example leaves the active set [svm, dual].
    #[arg(long, value_name = "E", default_value_t = 0.1)]
    pub epsilon: f64,
    /// The most iterations [default: 100 for sgd, 10000 for the others].
    #[arg(long, value_name = "N")]
    pub iterations: Option<u64>,
    /// How the active set shrinks [svm, dual].
    #[arg(long, value_enum, default_value_t = ShrinkOption::Exact)]
    pub shrink: ShrinkOption,
    /// The most halvings of a step [dual].
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub max_trials: u32,
    /// How scores become probabilities.
    #[arg(long, value_enum, default_value_t = CalibrateOption::None)]
    pub calibrate: CalibrateOption,
    /// Bits a weight in the model file: 64, 32, 16 or 8.
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub bits: u32,
    /// Drop features whose normalised mutual information with the class is below this.
    #[arg(long, value_name = "T")]
    pub select: Option<f64>,
    /// Seed of the random order [svm, dual, sgd].
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

impl LearnerOptions {
    /// The learner with these parameters, checked.
    pub fn learner(&self, kind: LearnerKind) -> anyhow::Result<Box<dyn Learner>> {
        let most = self.iterations.unwrap_or(10_000);
        Ok(match kind {
            LearnerKind::Svm => Box::new(
                SvmParameters::new()
                    .c(self.c)
                    .gap(self.gap)
                    .epsilon(self.epsilon)
                    .iterations(most)
                    .shrinking(self.shrinking())
                    .seed(self.seed)
                    .check()?,
            ),
            LearnerKind::NbMap => self.naive_bayes(Variant::Map)?,
            LearnerKind::NbBayes => self.naive_bayes(Variant::Bayesian)?,
        })
    }

    fn naive_bayes(&self, variant: Variant) -> anyhow::Result<Box<dyn Learner>> {
        let parameters = NaiveBayesParameters::new(variant).alpha(self.alpha);
        Ok(Box::new(parameters.check()?))
    }

    fn shrinking(&self) -> Shrinking {
        match self.shrink {
            ShrinkOption::Exact => Shrinking::Exact,
            ShrinkOption::Paper => Shrinking::Paper,
            ShrinkOption::Off => Shrinking::Off,
        }
    }

    /// How weights are stored, checked.
    pub fn bits(&self) -> anyhow::Result<Bits> {
        Ok(Bits::from_number(self.bits)?)
    }
}

/// One line about how training went.
pub fn summary(report: &chiasm_learn::Report, context: &Context) {
    let objective = report
        .primal_objective
        .map_or(String::new(), |p| format!(", objective {p:.4}"));
    let gap = report
        .relative_gap
        .map_or(String::new(), |g| format!(", relative gap {g:.2e}"));
    context.say(format!(
        "{}: {} examples in {} rows, {} features, {} iterations{objective}{gap}, {:.2} s",
        report.learner,
        report.examples,
        report.rows,
        report.features,
        report.iterations,
        report.seconds,
    ));
    if !report.converged {
        context.say("note: the limit of iterations came before the gap that was asked for");
    }
}
