//! The options of the learners, for every command that trains one.

use super::strength::{self, Choice, Strength};
use crate::context::Context;
use chiasm_learn::dual::DualParameters;
use chiasm_learn::lbfgs::LbfgsParameters;
use chiasm_learn::naive_bayes::{NaiveBayesParameters, Variant};
use chiasm_learn::sgd::SgdParameters;
use chiasm_learn::svm::SvmParameters;
use chiasm_learn::{Bits, Examples, Learner, Model, Report, Shrinking};
use chiasm_learn::{calibration, quantisation, selection};
use chiasm_work::Progress;
use clap::{Args, ValueEnum};

/// The methods of `chiasm-learn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LearnerKind {
    /// Multiclass support vector machine (Crammer & Singer), dual method.
    Svm,
    /// MaxEnt by exponentiated gradient on the dual, with shrinking.
    Dual,
    /// MaxEnt by L-BFGS, with --l1 by OWL-QN.
    Lbfgs,
    /// MaxEnt by stochastic gradient descent.
    Sgd,
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

const DEFAULT_C: f64 = 0.1;
const DEFAULT_SIGMA2: f64 = 1.0;

/// The learners' parameters.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Learner")]
pub struct LearnerOptions {
    /// Cost of a unit of slack, or auto: the smallest of 0.0001 to 1 that is as good as the best on
    /// held-out examples [svm] [default: 0.1; reorder train: auto from 1000 sentence pairs on].
    #[arg(long, value_name = "C", allow_negative_numbers = true)]
    pub c: Option<Strength>,
    /// Variance of the weights' Gaussian prior, or auto [dual, lbfgs, sgd] [default: 1; reorder train:
    /// auto from 1000 sentence pairs on].
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub sigma2: Option<Strength>,
    /// L1 penalty in place of the Gaussian prior [lbfgs].
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub l1: Option<f64>,
    /// Dirichlet prior [nb-map, nb-bayes].
    #[arg(
        long,
        value_name = "A",
        default_value_t = 1.1,
        allow_negative_numbers = true
    )]
    pub alpha: f64,
    /// Relative duality gap at which training ends [svm, dual, lbfgs].
    #[arg(
        long,
        value_name = "G",
        default_value_t = 1e-3,
        allow_negative_numbers = true
    )]
    pub gap: f64,
    /// Violation of optimality up to which an example leaves the active set [svm, dual].
    #[arg(
        long,
        value_name = "E",
        default_value_t = 0.1,
        allow_negative_numbers = true
    )]
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
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub select: Option<f64>,
    /// Seed of the random order [svm, dual, sgd].
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

impl LearnerOptions {
    /// How strongly this learner is to believe the examples; none for naive Bayes, and with --l1.
    pub fn strength(&self, kind: LearnerKind) -> Option<Strength> {
        match kind {
            LearnerKind::Svm => Some(self.c.unwrap_or(Strength::Fixed(DEFAULT_C))),
            LearnerKind::Lbfgs if self.l1.is_some() => None,
            LearnerKind::Dual | LearnerKind::Lbfgs | LearnerKind::Sgd => {
                Some(self.sigma2.unwrap_or(Strength::Fixed(DEFAULT_SIGMA2)))
            }
            LearnerKind::NbMap | LearnerKind::NbBayes => None,
        }
    }

    /// The same with `auto` where no strength was typed.
    pub fn or_auto(&self) -> Self {
        LearnerOptions {
            c: self.c.or(Some(Strength::Auto)),
            sigma2: self.sigma2.or(Some(Strength::Auto)),
            ..self.clone()
        }
    }

    /// The same with this strength.
    pub fn with_strength(&self, strength: f64) -> Self {
        let strength = Some(Strength::Fixed(strength));
        LearnerOptions {
            c: strength,
            sigma2: strength,
            ..self.clone()
        }
    }

    /// The learner with these parameters, checked; `strength` is used where the learner has one.
    fn learner(&self, kind: LearnerKind, strength: f64) -> anyhow::Result<Box<dyn Learner>> {
        let most = self.iterations.unwrap_or(10_000);
        Ok(match kind {
            LearnerKind::Svm => Box::new(
                SvmParameters::new()
                    .c(strength)
                    .gap(self.gap)
                    .epsilon(self.epsilon)
                    .iterations(most)
                    .shrinking(self.shrinking())
                    .seed(self.seed)
                    .check()?,
            ),
            LearnerKind::Dual => Box::new(
                DualParameters::new()
                    .sigma2(strength)
                    .gap(self.gap)
                    .epsilon(self.epsilon)
                    .iterations(most)
                    .max_trials(self.max_trials)
                    .shrinking(self.shrinking())
                    .seed(self.seed)
                    .check()?,
            ),
            LearnerKind::Lbfgs => Box::new(
                LbfgsParameters::new()
                    .sigma2(strength)
                    .l1(self.l1)
                    .gap(self.gap)
                    .iterations(most)
                    .check()?,
            ),
            LearnerKind::Sgd => Box::new(
                SgdParameters::new()
                    .sigma2(strength)
                    .iterations(self.iterations.unwrap_or(100))
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

    /// Are these options usable with this learner? Says what it would not use.
    pub fn check(&self, kind: LearnerKind, context: &Context) -> anyhow::Result<()> {
        Bits::from_number(self.bits)?;
        if let Some(threshold) = self.select
            && !(threshold.is_finite() && threshold >= 0.0)
        {
            anyhow::bail!("select: a number not below zero expected, {threshold} found");
        }
        let takes_sigma2 = matches!(
            kind,
            LearnerKind::Dual | LearnerKind::Lbfgs | LearnerKind::Sgd
        );
        if self.l1.is_some() && kind != LearnerKind::Lbfgs {
            context.say("note: --l1 is used by lbfgs only");
        }
        if self.c.is_some() && kind != LearnerKind::Svm {
            context.say("note: --c is used by svm only");
        }
        if self.sigma2.is_some() && !takes_sigma2 {
            context.say("note: --sigma2 is used by dual, lbfgs and sgd only");
        }
        if self.sigma2.is_some() && self.strength(kind).is_none() && takes_sigma2 {
            context.say("note: --sigma2 is not used beside --l1");
        }
        let strength = match self.strength(kind) {
            Some(Strength::Fixed(strength)) => strength,
            _ => 1.0,
        };
        self.learner(kind, strength).map(|_| ())
    }

    /// The strength that `auto` takes. L-BFGS and SGD have the objective of the dual method, which is the
    /// fastest of the three and chooses for them.
    pub fn choose_strength(
        &self,
        kind: LearnerKind,
        examples: &Examples,
        held_out: &Examples,
        progress: &dyn Progress,
    ) -> anyhow::Result<Choice> {
        let examples = self.selected(examples.clone())?;
        let quickest = match kind {
            LearnerKind::Lbfgs | LearnerKind::Sgd => LearnerKind::Dual,
            other => other,
        };
        let coarse = LearnerOptions {
            gap: self.gap.max(strength::GAP),
            iterations: self.iterations.filter(|_| quickest == kind),
            ..self.clone()
        };
        let learner = |strength| coarse.learner(quickest, strength);
        let otherwise = match kind {
            LearnerKind::Svm => DEFAULT_C,
            _ => DEFAULT_SIGMA2,
        };
        strength::choose(learner, &examples, held_out, otherwise, progress)
    }

    /// The examples with the features that `--select` leaves.
    fn selected(&self, examples: Examples) -> anyhow::Result<Examples> {
        Ok(match self.select {
            Some(threshold) => selection::select(&examples, threshold)?,
            None => examples,
        })
    }

    /// The strength to train with; `auto` looks at `held_out`, or, without it, at every tenth row.
    fn strength_for(
        &self,
        kind: LearnerKind,
        examples: &Examples,
        held_out: Option<&Examples>,
        progress: &dyn Progress,
    ) -> anyhow::Result<f64> {
        let choice = match (self.strength(kind), held_out) {
            (Some(Strength::Fixed(strength)), _) => return Ok(strength),
            (None, _) => return Ok(1.0),
            (Some(Strength::Auto), Some(held_out)) => {
                self.choose_strength(kind, examples, held_out, progress)
            }
            (Some(Strength::Auto), None) => {
                let (held_out, rest) = calibration::split(examples, 10)?;
                self.choose_strength(kind, &rest, &held_out, progress)
            }
        };
        Ok(choice?.strength)
    }

    /// Selects features, trains, calibrates and stores in the bits asked for. The temperature is fitted
    /// on `held_out`, or, without it, by a model that did not see every tenth row.
    pub fn train(
        &self,
        kind: LearnerKind,
        examples: Examples,
        held_out: Option<&Examples>,
        progress: &dyn Progress,
    ) -> anyhow::Result<(Model, Report)> {
        let examples = self.selected(examples)?;
        let strength = self.strength_for(kind, &examples, held_out, progress)?;
        let learner = self.learner(kind, strength)?;
        let trained = learner.train(&examples, progress)?;
        let (mut model, mut report) = (trained.model, trained.report);
        let finite = |number: Option<f64>| number.is_none_or(f64::is_finite);
        anyhow::ensure!(
            finite(report.primal_objective) && finite(report.relative_gap),
            "training went beyond what numbers can hold; are values in the examples too large?"
        );
        report.strength = self.strength(kind).map(|_| strength);
        if self.calibrate == CalibrateOption::Temperature {
            let temperature = match held_out {
                Some(held_out) => calibration::fit_temperature(&model, held_out)?,
                None => {
                    let (held_out, rest) = calibration::split(&examples, 10)?;
                    let partial = learner.train(&rest, progress)?;
                    calibration::fit_temperature(&partial.model, &held_out)?
                }
            };
            model = model.with_temperature(temperature)?;
            report.temperature = Some(temperature);
        }
        let bits = Bits::from_number(self.bits)?;
        let (model, loss) = quantisation::quantise(model, bits, &examples)?;
        report.quantisation = loss;
        report.peak_memory_bytes = chiasm_work::peak_memory_bytes();
        Ok((model.with_report(report.clone()), report))
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
    let strength = report.strength.map_or(String::new(), |strength| {
        let name = if report.learner == "svm" {
            "c"
        } else {
            "sigma2"
        };
        format!(" ({name} {strength})")
    });
    context.say(format!(
        "{}{strength}: {} examples in {} rows, {} features, {} iterations{objective}{gap}, {:.2} s",
        report.learner,
        report.examples,
        report.rows,
        report.features,
        report.iterations,
        report.seconds,
    ));
    if let Some(loss) = &report.quantisation {
        context.say(format!(
            "{} bits a weight: accuracy {:+.5}, log loss {:+.5} nats on the training examples",
            loss.bits, -loss.accuracy_loss, loss.log_loss_increase,
        ));
    }
    if let Some(temperature) = report.temperature {
        context.say(format!("temperature {temperature:.4}"));
    }
    if !report.converged {
        context.say("note: training ended before the gap that was asked for");
    }
}
