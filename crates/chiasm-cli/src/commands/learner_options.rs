//! The options of the learners, for every command that trains one: as typed, they become a recipe.

use chiasm_learn::{Calibration, Loss, Method, Recipe, SelectMethod, Shrinking, Strength};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::str::FromStr;
use std::sync::LazyLock;

/// One of some names.
pub fn one_of<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = String> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names.into_iter().collect::<Vec<_>>())
        .try_map(|name| name.parse::<T>())
}

/// The names of a list of named values.
pub fn names<T>(list: &'static [(&'static str, T)]) -> impl Iterator<Item = &'static str> {
    list.iter().map(|(name, _)| *name)
}

static USUAL: LazyLock<Recipe> = LazyLock::new(Recipe::default);

/// The learners' parameters.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Learner")]
pub struct LearnerOptions {
    /// Cost of a unit of slack, or auto: the smallest of 0.0001 to 1 that is as good as the best on
    /// held-out examples [svm] [default: 0.1; reorder train: auto from 1000 sentence pairs on].
    #[arg(long, value_name = "C", allow_negative_numbers = true)]
    c: Option<Strength>,
    /// Variance of the weights' Gaussian prior, or auto [dual, lbfgs, sgd] [default: 1; reorder train:
    /// auto from 1000 sentence pairs on].
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    sigma2: Option<Strength>,
    /// L1 penalty in place of the Gaussian prior [lbfgs].
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    l1: Option<f64>,
    /// Dirichlet prior, or auto: of those that are as accurate as the best on held-out examples the one with the least
    /// log loss [nb-map, nb-bayes].
    #[arg(long, value_name = "A", default_value_t = USUAL.alpha, allow_negative_numbers = true)]
    alpha: Strength,
    /// Relative duality gap at which training ends [svm, dual, lbfgs].
    #[arg(long, value_name = "G", default_value_t = USUAL.gap, allow_negative_numbers = true)]
    gap: f64,
    /// Violation of optimality up to which an example leaves the active set [svm, dual].
    #[arg(long, value_name = "E", default_value_t = USUAL.epsilon, allow_negative_numbers = true)]
    epsilon: f64,
    /// The most iterations [default: 100 for sgd, 10 for perceptron, 10000 for the others].
    #[arg(long, value_name = "N")]
    iterations: Option<u64>,
    /// How the active set shrinks [svm, dual]: examples leave and come back if they must, until the duality gap
    /// is small (exact); leave for good, as the papers print it (paper); or stay (off).
    #[arg(long, default_value_t = USUAL.shrink, value_parser = one_of::<Shrinking>(names(Shrinking::NAMES)))]
    shrink: Shrinking,
    /// Whether --shrink paper visits single examples, as printed, or takes equal ones as one weighted example.
    #[arg(long, value_parser = ["on", "off"], default_value = "on")]
    single_examples: String,
    /// The rate of the first step [sgd] [default: 0.1].
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    rate: Option<f64>,
    /// The most halvings of a step [dual].
    #[arg(long, value_name = "N", default_value_t = USUAL.max_trials)]
    max_trials: u32,
    /// How scores become probabilities: softmax of the scores (none), or over a temperature fitted on held-out
    /// examples.
    #[arg(long, default_value_t = USUAL.calibrate, value_parser = one_of::<Calibration>(names(Calibration::NAMES)))]
    calibrate: Calibration,
    /// Bits a weight in the model file: 64, 32, 16 or 8.
    #[arg(long, value_name = "N", default_value_t = USUAL.bits)]
    bits: u32,
    /// Drop features whose normalised mutual information with the class is below this.
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    select: Option<f64>,
    /// Of the features that --select leaves keep all (univariate) or N, half by default, that say what the others do
    /// not, of the 30,000 most informative ones (nmifs, nmifs=N).
    #[arg(long, value_name = "METHOD", default_value_t = USUAL.select_method)]
    select_method: SelectMethod,
    /// Share of the class prior in a prior of phrase pairs, 0 to 1 [lbfgs, reorder train].
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    prior_lambda: Option<f64>,
    /// Are some mistakes worse than others? [perceptron] [default: distance where classes are distances].
    #[arg(long, value_parser = one_of::<Loss>(names(Loss::NAMES)))]
    loss: Option<Loss>,
    /// Seed of the random order [svm, dual, sgd, perceptron] [default: 1].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

impl LearnerOptions {
    /// What was asked for.
    pub fn recipe(&self, learner: Method) -> Recipe {
        Recipe {
            learner,
            c: self.c,
            sigma2: self.sigma2,
            l1: self.l1,
            alpha: self.alpha,
            gap: self.gap,
            epsilon: self.epsilon,
            iterations: self.iterations,
            shrink: self.shrink,
            single_examples: self.single_examples == "on",
            rate: self.rate,
            max_trials: self.max_trials,
            calibrate: self.calibrate,
            bits: self.bits,
            select: self.select,
            select_method: self.select_method,
            prior_lambda: self.prior_lambda,
            loss: self.loss,
            seed: self.seed,
        }
    }
}
