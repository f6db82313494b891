//! From a recipe and examples to a classifier.

use super::names::{Calibration, Method};
use super::{DEFAULT_ALPHA, DEFAULT_C, DEFAULT_SIGMA2, Recipe};
use crate::dual::{Dual, DualParameters};
use crate::lbfgs::{Lbfgs, LbfgsParameters};
use crate::naive_bayes::{NaiveBayesParameters, choose_alpha};
use crate::perceptron::PerceptronParameters;
use crate::selection::SelectMethod;
use crate::sgd::SgdParameters;
use crate::shards::ShardLearner;
use crate::strength::{self, Choice, Strength};
use crate::svm::{Svm, SvmParameters};
use crate::{Bits, Error, Examples, Learner, Model, Prior, Report, Result};
use crate::{calibration, nmifs, quantisation, selection};
use chiasm_work::Progress;

impl Recipe {
    /// The learner, checked; `strength` is used where the method has one, `conditions` of a prior.
    pub(super) fn learner(&self, strength: f64, conditions: &[u32]) -> Result<Box<dyn Learner>> {
        let seed = self.seed.unwrap_or(1);
        Ok(match self.learner {
            Method::Svm => Box::new(self.svm(strength)?),
            Method::Dual => Box::new(self.dual(strength)?),
            Method::Lbfgs => Box::new(self.lbfgs(strength, conditions)?),
            Method::Sgd => {
                let mut parameters = SgdParameters::new()
                    .sigma2(strength)
                    .iterations(self.iterations.unwrap_or(100))
                    .seed(seed);
                if let Some(rate) = self.rate {
                    parameters = parameters.rate(rate);
                }
                Box::new(parameters.check()?)
            }
            Method::NbMap | Method::NbBayes => {
                let parameters = NaiveBayesParameters::new(self.variant()).alpha(strength);
                Box::new(parameters.check()?)
            }
            Method::Perceptron => Box::new(
                PerceptronParameters::new()
                    .loss(self.loss.unwrap_or_default())
                    .iterations(self.iterations.unwrap_or(10))
                    .seed(seed)
                    .check()?,
            ),
        })
    }

    fn most(&self) -> u64 {
        self.iterations.unwrap_or(10_000)
    }

    fn svm(&self, c: f64) -> Result<Svm> {
        SvmParameters::new()
            .c(c)
            .gap(self.gap)
            .epsilon(self.epsilon)
            .iterations(self.most())
            .shrinking(self.shrink)
            .single_examples(self.single_examples)
            .seed(self.seed.unwrap_or(1))
            .check()
    }

    fn dual(&self, sigma2: f64) -> Result<Dual> {
        DualParameters::new()
            .sigma2(sigma2)
            .gap(self.gap)
            .epsilon(self.epsilon)
            .iterations(self.most())
            .max_trials(self.max_trials)
            .shrinking(self.shrink)
            .single_examples(self.single_examples)
            .seed(self.seed.unwrap_or(1))
            .check()
    }

    fn lbfgs(&self, sigma2: f64, conditions: &[u32]) -> Result<Lbfgs> {
        LbfgsParameters::new()
            .sigma2(sigma2)
            .l1(self.l1)
            .prior(self.prior(conditions)?)
            .gap(self.gap)
            .iterations(self.most())
            .check()
    }

    /// The learner for examples that lie in several places. What needs all examples at once is refused: `auto`, calibration,
    /// selection, an L1 penalty, a conditioned prior.
    pub fn shard_learner(&self) -> Result<ShardLearner> {
        let whole = |name, reason: &str| Err(Error::parameter(name, format!("{reason} in shards")));
        if self.calibrate != Calibration::None {
            return whole("calibrate", "no calibration");
        }
        if self.selects() {
            return whole("select", "features are not selected while learning");
        }
        if self.l1.is_some() || self.prior_lambda.is_some() {
            return whole("l1", "neither an L1 penalty nor a conditioned prior");
        }
        let strength = match self.strength() {
            Some(Strength::Fixed(strength)) => strength,
            _ => return whole("c", "a number expected, nothing is chosen"),
        };
        match self.learner {
            Method::Svm => Ok(ShardLearner::Svm(self.svm(strength)?)),
            Method::Dual => Ok(ShardLearner::Dual(self.dual(strength)?)),
            Method::Lbfgs => Ok(ShardLearner::Lbfgs(self.lbfgs(strength, &[])?)),
            other => {
                let reason = format!("svm, dual or lbfgs expected, {other} found");
                Err(Error::parameter("learner", reason))
            }
        }
    }

    fn prior(&self, conditions: &[u32]) -> Result<Option<Prior>> {
        let prior = |lambda| Prior::new(lambda, conditions.to_vec());
        self.prior_lambda.map(prior).transpose()
    }

    /// The strength that `auto` takes. L-BFGS and SGD have the objective of the dual method, which is the
    /// fastest of the three and chooses for them.
    pub fn choose_strength(
        &self,
        examples: &Examples,
        held_out: &Examples,
        progress: &dyn Progress,
    ) -> Result<Choice> {
        let examples = self.selected(examples.clone())?;
        if self.learner.is_naive_bayes() {
            let (variant, usual) = (self.variant(), DEFAULT_ALPHA);
            let choice = choose_alpha(variant, &examples, held_out, usual, progress)?;
            let tried = choice.tried.iter();
            return Ok(Choice {
                strength: choice.alpha,
                tried: tried.map(|trial| (trial.alpha, trial.accuracy)).collect(),
            });
        }
        let quickest = match self.learner {
            Method::Lbfgs | Method::Sgd => Method::Dual,
            other => other,
        };
        let coarse = Recipe {
            learner: quickest,
            gap: self.gap.max(strength::GAP),
            iterations: self.iterations.filter(|_| quickest == self.learner),
            prior_lambda: None,
            ..self.clone()
        };
        let otherwise = match self.learner {
            Method::Svm => DEFAULT_C,
            _ => DEFAULT_SIGMA2,
        };
        let learner = |strength| coarse.learner(strength, &[]);
        strength::choose(learner, &examples, held_out, otherwise, progress)
    }

    /// The examples with the features that selection leaves.
    fn selected(&self, examples: Examples) -> Result<Examples> {
        match (self.select_method, self.select) {
            (SelectMethod::Nmifs(count), threshold) => {
                nmifs::select(&examples, threshold.unwrap_or(0.0), count)
            }
            (SelectMethod::Univariate, Some(threshold)) => selection::select(&examples, threshold),
            (SelectMethod::Univariate, None) => Ok(examples),
        }
    }

    /// The strength to train with; `auto` looks at `held_out`, or, without it, at every tenth row.
    fn strength_for(
        &self,
        examples: &Examples,
        held_out: Option<&Examples>,
        progress: &dyn Progress,
    ) -> Result<f64> {
        let choice = match (self.strength(), held_out) {
            (Some(Strength::Fixed(strength)), _) => return Ok(strength),
            (None, _) => return Ok(1.0),
            (Some(Strength::Auto), Some(held_out)) => {
                self.choose_strength(examples, held_out, progress)
            }
            (Some(Strength::Auto), None) => {
                let (held_out, rest) = calibration::split(examples, 10)?;
                self.choose_strength(&rest, &held_out, progress)
            }
        };
        Ok(choice?.strength)
    }

    /// Selects features, trains, calibrates and stores in the bits asked for. The temperature is fitted
    /// on `held_out`, or, without it, by a model that did not see every tenth row.
    pub fn train(
        &self,
        examples: Examples,
        held_out: Option<&Examples>,
        progress: &dyn Progress,
    ) -> Result<(Model, Report)> {
        self.train_conditioned(examples, held_out, &[], progress)
    }

    /// The same with the identities of the features that a prior is conditioned on, which are not learned.
    pub fn train_conditioned(
        &self,
        examples: Examples,
        held_out: Option<&Examples>,
        conditions: &[u32],
        progress: &dyn Progress,
    ) -> Result<(Model, Report)> {
        let bits = Bits::from_number(self.bits)?;
        if self.prior_lambda.is_some() && conditions.is_empty() {
            let reason = "the examples have no features that it could be conditioned on";
            return Err(Error::parameter("prior-lambda", reason));
        }
        let examples = self.selected(examples)?;
        let strength = self.strength_for(&examples, held_out, progress)?;
        let learner = self.learner(strength, conditions)?;
        let trained = learner.train(&examples, progress)?;
        let (mut model, mut report) = (trained.model, trained.report);
        let finite = |number: Option<f64>| number.is_none_or(f64::is_finite);
        if !finite(report.primal_objective) || !finite(report.relative_gap) {
            return Err(Error::Diverged);
        }
        // A naive Bayes model knows its α itself.
        report.strength = self
            .strength()
            .filter(|_| !self.learner.is_naive_bayes())
            .map(|_| strength);
        if self.calibrate == Calibration::Temperature {
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
        let (model, loss) = quantisation::quantise(model, bits, &examples)?;
        report.quantisation = loss;
        report.peak_memory_bytes = chiasm_work::peak_memory_bytes();
        Ok((model.with_report(report.clone()), report))
    }
}
