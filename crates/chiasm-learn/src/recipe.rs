//! How a classifier is made: the method, how strongly it believes the examples, which features it keeps,
//! how scores become probabilities, in how many bits weights are stored. One value says it all, for the
//! library, the command line and configurations alike; the defaults stand here and nowhere else.
//!
//! ```
//! use chiasm_learn::{Builder, Recipe};
//!
//! let mut builder = Builder::new(vec!["stays".into(), "moves".into()])?;
//! for example in 0..40u32 {
//!     let moves = example % 2;
//!     builder.push(&mut vec![(moves, 1.0), (2 + example % 3, 1.0)], moves as usize, 1.0)?;
//! }
//! let recipe: Recipe = "--learner svm --c 1 --gap 0.0001".parse()?;
//! let examples = builder.finish()?;
//! let (model, report) = recipe.train(examples.clone(), None, &())?;
//! assert_eq!(chiasm_learn::evaluate(&model, &examples)?.accuracy(), 1.0);
//! assert!(report.relative_gap.unwrap() <= 1e-4);
//! # Ok::<(), chiasm_learn::Error>(())
//! ```

use crate::dual::DualParameters;
use crate::lbfgs::LbfgsParameters;
use crate::naive_bayes::{NaiveBayesParameters, Variant, choose_alpha};
use crate::options::TypedOption;
use crate::perceptron::{Loss, PerceptronParameters};
use crate::selection::SelectMethod;
use crate::sgd::SgdParameters;
use crate::strength::{self, Choice, Strength};
use crate::svm::SvmParameters;
use crate::{Bits, Error, Examples, Learner, Model, Prior, Report, Result, Shrinking};
use crate::{calibration, nmifs, quantisation, selection};
use chiasm_work::Progress;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Implements `FromStr` and `Display` of an enum whose variants have one name each.
macro_rules! named {
    ($type:ty, $what:literal, $($variant:path => $name:literal),+ $(,)?) => {
        impl $type {
            /// All of them with their names.
            pub const NAMES: &'static [(&'static str, $type)] = &[$(($name, $variant)),+];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $($variant => $name),+ }
            }
        }

        impl FromStr for $type {
            type Err = String;

            fn from_str(text: &str) -> std::result::Result<Self, String> {
                let found = Self::NAMES.iter().find(|(name, _)| *name == text);
                found.map(|&(_, value)| value).ok_or_else(|| {
                    let names: Vec<&str> = Self::NAMES.iter().map(|&(name, _)| name).collect();
                    format!(concat!("'{}' is no ", $what, ": one of {} expected"), text, names.join(", "))
                })
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

/// The methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Multiclass support vector machine (Crammer & Singer), dual method.
    Svm,
    /// MaxEnt by exponentiated gradient on the dual, with shrinking.
    Dual,
    /// MaxEnt by L-BFGS, with an L1 penalty by OWL-QN.
    Lbfgs,
    /// MaxEnt by stochastic gradient descent.
    Sgd,
    /// Naive Bayes, the most probable parameters.
    NbMap,
    /// Naive Bayes, averaged over all parameters.
    NbBayes,
    /// The averaged perceptron with a margin.
    Perceptron,
}

named!(
    Method, "learner",
    Method::Svm => "svm",
    Method::Dual => "dual",
    Method::Lbfgs => "lbfgs",
    Method::Sgd => "sgd",
    Method::NbMap => "nb-map",
    Method::NbBayes => "nb-bayes",
    Method::Perceptron => "perceptron",
);

impl Method {
    /// Is it one of the two naive Bayes?
    pub fn is_naive_bayes(self) -> bool {
        matches!(self, Method::NbMap | Method::NbBayes)
    }
}

/// How scores become probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Calibration {
    /// Softmax of the scores.
    None,
    /// Softmax of the scores over a temperature fitted on held-out examples.
    Temperature,
}

named!(
    Calibration, "calibration",
    Calibration::None => "none",
    Calibration::Temperature => "temperature",
);

named!(
    Loss, "loss",
    Loss::ZeroOne => "zero-one",
    Loss::Distance => "distance",
);

named!(
    Shrinking, "way of shrinking",
    Shrinking::Exact => "exact",
    Shrinking::Paper => "paper",
    Shrinking::Off => "off",
);

/// C of the SVM where none is given.
pub const DEFAULT_C: f64 = 0.1;
/// σ² of MaxEnt where none is given.
pub const DEFAULT_SIGMA2: f64 = 1.0;

/// α of naive Bayes where none is given.
pub const DEFAULT_ALPHA: f64 = 1.1;

/// How a classifier is made. Fields that a method does not use are left alone by it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Recipe {
    /// The method.
    pub learner: Method,
    /// Cost of a unit of slack (SVM); none is [`DEFAULT_C`].
    pub c: Option<Strength>,
    /// Variance of the weights' Gaussian prior (MaxEnt); none is [`DEFAULT_SIGMA2`].
    pub sigma2: Option<Strength>,
    /// L1 penalty in place of the Gaussian prior (L-BFGS).
    pub l1: Option<f64>,
    /// Dirichlet prior (naive Bayes).
    pub alpha: Strength,
    /// Relative duality gap at which training ends.
    pub gap: f64,
    /// Violation of optimality up to which an example leaves the active set.
    pub epsilon: f64,
    /// The most iterations; none is 100 for SGD and 10,000 for the others.
    pub iterations: Option<u64>,
    /// How the active set shrinks.
    pub shrink: Shrinking,
    /// Does shrinking as printed visit single examples, also where equal ones were merged? Otherwise it takes merged
    /// ones as one weighted example.
    pub single_examples: bool,
    /// The most halvings of a step (dual).
    pub max_trials: u32,
    /// The rate of the first step (SGD); none is its default.
    pub rate: Option<f64>,
    /// How scores become probabilities.
    pub calibrate: Calibration,
    /// Bits a weight in the model file: 64, 32, 16 or 8.
    pub bits: u32,
    /// Features whose normalised mutual information with the class is below this are dropped.
    pub select: Option<f64>,
    /// Which of the others are kept.
    pub select_method: SelectMethod,
    /// λ of a prior that is conditioned on some features (L-BFGS).
    pub prior_lambda: Option<f64>,
    /// The loss of taking one class for another (perceptron); none is the same for all, or what the classes suggest.
    pub loss: Option<Loss>,
    /// Seed of the random order; none is the seed of whatever the classifier is a part of, or 1.
    pub seed: Option<u64>,
}

impl Default for Recipe {
    fn default() -> Self {
        Recipe {
            learner: Method::Svm,
            c: None,
            sigma2: None,
            l1: None,
            alpha: Strength::Fixed(DEFAULT_ALPHA),
            gap: 1e-3,
            epsilon: 0.1,
            iterations: None,
            shrink: Shrinking::Exact,
            single_examples: true,
            max_trials: 10,
            rate: None,
            calibrate: Calibration::None,
            bits: 32,
            select: None,
            select_method: SelectMethod::Univariate,
            prior_lambda: None,
            loss: None,
            seed: None,
        }
    }
}

impl Recipe {
    /// The method with its defaults.
    pub fn new(learner: Method) -> Self {
        Recipe {
            learner,
            ..Recipe::default()
        }
    }

    /// Takes one option as it is typed; `false` if it is none of a recipe's.
    pub fn take(&mut self, option: &TypedOption) -> Result<bool> {
        match option.name.as_str() {
            "learner" => self.learner = option.read()?,
            "c" => self.c = Some(option.read()?),
            "sigma2" => self.sigma2 = Some(option.read()?),
            "l1" => self.l1 = Some(option.read()?),
            "alpha" => self.alpha = option.read()?,
            "gap" => self.gap = option.read()?,
            "epsilon" => self.epsilon = option.read()?,
            "iterations" => self.iterations = Some(option.read()?),
            "shrink" => self.shrink = option.read()?,
            "single-examples" => self.single_examples = option.switch()?,
            "max-trials" => self.max_trials = option.read()?,
            "rate" => self.rate = Some(option.read()?),
            "calibrate" => self.calibrate = option.read()?,
            "bits" => self.bits = option.read()?,
            "select" => self.select = Some(option.read()?),
            "select-method" => self.select_method = option.read()?,
            "prior-lambda" => self.prior_lambda = Some(option.read()?),
            "loss" => self.loss = Some(option.read()?),
            "seed" => self.seed = Some(option.read()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// How strongly the method is to believe the examples against the prior: C, σ² or α; none with an L1 penalty and
    /// for the perceptron.
    pub fn strength(&self) -> Option<Strength> {
        match self.learner {
            Method::Svm => Some(self.c.unwrap_or(Strength::Fixed(DEFAULT_C))),
            Method::Lbfgs if self.l1.is_some() => None,
            Method::Perceptron => None,
            Method::Dual | Method::Lbfgs | Method::Sgd => {
                Some(self.sigma2.unwrap_or(Strength::Fixed(DEFAULT_SIGMA2)))
            }
            Method::NbMap | Method::NbBayes => Some(self.alpha),
        }
    }

    /// The same with `auto` where no strength was given; α has a default that the papers print.
    pub fn or_auto(&self) -> Self {
        Recipe {
            c: self.c.or(Some(Strength::Auto)),
            sigma2: self.sigma2.or(Some(Strength::Auto)),
            ..self.clone()
        }
    }

    /// The same with this strength.
    pub fn with_strength(&self, strength: f64) -> Self {
        let alpha = Strength::Fixed(strength);
        Recipe {
            c: Some(alpha),
            sigma2: Some(alpha),
            alpha,
            ..self.clone()
        }
    }

    /// The same with this seed where none was given.
    pub fn or_seed(&self, seed: u64) -> Self {
        Recipe {
            seed: self.seed.or(Some(seed)),
            ..self.clone()
        }
    }

    /// Are any features left out for what they say?
    pub fn selects(&self) -> bool {
        self.select.is_some() || self.select_method != SelectMethod::Univariate
    }

    /// The learner, checked; `strength` is used where the method has one, `conditions` of a prior.
    fn learner(&self, strength: f64, conditions: &[u32]) -> Result<Box<dyn Learner>> {
        let most = self.iterations.unwrap_or(10_000);
        let seed = self.seed.unwrap_or(1);
        Ok(match self.learner {
            Method::Svm => Box::new(
                SvmParameters::new()
                    .c(strength)
                    .gap(self.gap)
                    .epsilon(self.epsilon)
                    .iterations(most)
                    .shrinking(self.shrink)
                    .single_examples(self.single_examples)
                    .seed(seed)
                    .check()?,
            ),
            Method::Dual => Box::new(
                DualParameters::new()
                    .sigma2(strength)
                    .gap(self.gap)
                    .epsilon(self.epsilon)
                    .iterations(most)
                    .max_trials(self.max_trials)
                    .shrinking(self.shrink)
                    .single_examples(self.single_examples)
                    .seed(seed)
                    .check()?,
            ),
            Method::Lbfgs => Box::new(
                LbfgsParameters::new()
                    .sigma2(strength)
                    .l1(self.l1)
                    .prior(self.prior(conditions)?)
                    .gap(self.gap)
                    .iterations(most)
                    .check()?,
            ),
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

    fn prior(&self, conditions: &[u32]) -> Result<Option<Prior>> {
        let prior = |lambda| Prior::new(lambda, conditions.to_vec());
        self.prior_lambda.map(prior).transpose()
    }

    /// Which of the two naive Bayes.
    pub fn variant(&self) -> Variant {
        match self.learner {
            Method::NbBayes => Variant::Bayesian,
            _ => Variant::Map,
        }
    }

    /// The α that is taken where too little is kept aside to choose one.
    pub fn usual_alpha(&self) -> f64 {
        DEFAULT_ALPHA
    }

    /// Can this be done?
    pub fn check(&self) -> Result<()> {
        Bits::from_number(self.bits)?;
        if let Some(threshold) = self.select {
            crate::learner::not_negative("select", threshold)?;
        }
        if let Some(lambda) = self.prior_lambda {
            crate::prior::check_lambda(lambda)?;
            if self.learner != Method::Lbfgs {
                let reason = format!("for lbfgs only, not for {}", self.learner);
                return Err(Error::parameter("prior-lambda", reason));
            }
        }
        let strength = match self.strength() {
            Some(Strength::Fixed(strength)) => strength,
            _ if self.learner.is_naive_bayes() => DEFAULT_ALPHA,
            _ => 1.0,
        };
        self.learner(strength, &[]).map(|_| ())
    }

    /// What is said here and used by nobody.
    pub fn remarks(&self) -> Vec<&'static str> {
        let takes_sigma2 = matches!(self.learner, Method::Dual | Method::Lbfgs | Method::Sgd);
        let said = [
            (
                self.l1.is_some() && self.learner != Method::Lbfgs,
                "--l1 is used by lbfgs only",
            ),
            (
                self.c.is_some() && self.learner != Method::Svm,
                "--c is used by svm only",
            ),
            (
                self.loss.is_some() && self.learner != Method::Perceptron,
                "--loss is used by perceptron only",
            ),
            (
                self.rate.is_some() && self.learner != Method::Sgd,
                "--rate is used by sgd only",
            ),
            (
                self.sigma2.is_some() && !takes_sigma2,
                "--sigma2 is used by dual, lbfgs and sgd only",
            ),
            (
                self.sigma2.is_some() && takes_sigma2 && self.strength().is_none(),
                "--sigma2 is not used beside --l1",
            ),
        ];
        said.iter()
            .filter(|(wrong, _)| *wrong)
            .map(|(_, remark)| *remark)
            .collect()
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

impl FromStr for Recipe {
    type Err = Error;

    /// Options as they are typed: `--learner svm --c 0.01`.
    fn from_str(text: &str) -> Result<Self> {
        let mut recipe = Recipe::default();
        for option in TypedOption::all(text)? {
            if !recipe.take(&option)? {
                return Err(option.unexpected());
            }
        }
        recipe.check()?;
        Ok(recipe)
    }
}

impl fmt::Display for Recipe {
    /// As it would be typed; what is the default is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = Recipe::default();
        write!(f, "--learner {}", self.learner)?;
        let mut option = |name: &str, value: Option<String>| match value {
            Some(value) => write!(f, " --{name} {value}"),
            None => Ok(()),
        };
        let unusual = |value: String, usual: String| (value != usual).then_some(value);
        option("c", self.c.map(|c| c.to_string()))?;
        option("sigma2", self.sigma2.map(|s| s.to_string()))?;
        option("l1", self.l1.map(|l| l.to_string()))?;
        option(
            "alpha",
            unusual(self.alpha.to_string(), usual.alpha.to_string()),
        )?;
        option("gap", unusual(self.gap.to_string(), usual.gap.to_string()))?;
        option(
            "epsilon",
            unusual(self.epsilon.to_string(), usual.epsilon.to_string()),
        )?;
        option("iterations", self.iterations.map(|n| n.to_string()))?;
        option(
            "shrink",
            unusual(self.shrink.to_string(), usual.shrink.to_string()),
        )?;
        option(
            "single-examples",
            (!self.single_examples).then(|| "off".to_string()),
        )?;
        option("rate", self.rate.map(|rate| rate.to_string()))?;
        option(
            "max-trials",
            unusual(self.max_trials.to_string(), usual.max_trials.to_string()),
        )?;
        option(
            "calibrate",
            unusual(self.calibrate.to_string(), usual.calibrate.to_string()),
        )?;
        option(
            "bits",
            unusual(self.bits.to_string(), usual.bits.to_string()),
        )?;
        option("select", self.select.map(|t| t.to_string()))?;
        option(
            "select-method",
            unusual(
                self.select_method.to_string(),
                usual.select_method.to_string(),
            ),
        )?;
        option("prior-lambda", self.prior_lambda.map(|l| l.to_string()))?;
        option("loss", self.loss.map(|loss| loss.to_string()))?;
        option("seed", self.seed.map(|s| s.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_is_read_as_it_is_typed_and_written_back() {
        let all = "--learner nb-map --alpha auto --single-examples off --rate 0.5";
        assert_eq!(all.parse::<Recipe>().unwrap().to_string(), all);
        let more = "--learner perceptron --select-method nmifs=50 --loss distance";
        assert_eq!(more.parse::<Recipe>().unwrap().to_string(), more);
        let text = "--learner dual --sigma2 auto --gap 0.02 --select 0.001 --seed 7";
        let recipe: Recipe = text.parse().unwrap();
        assert_eq!(recipe.sigma2, Some(Strength::Auto));
        assert_eq!(recipe.to_string(), text);
        let json = serde_json::to_string(&recipe).unwrap();
        assert_eq!(serde_json::from_str::<Recipe>(&json).unwrap(), recipe);
        assert_eq!(
            "--c=3"
                .parse::<Recipe>()
                .unwrap()
                .to_string()
                .parse::<Recipe>()
                .unwrap()
                .c,
            Some(Strength::Fixed(3.0))
        );
    }

    #[test]
    fn what_cannot_be_done_is_refused_and_says_why() {
        for (text, part) in [
            ("--learner magic", "svm, dual, lbfgs"),
            ("--learner", "value is required"),
            ("--colour red", "--colour"),
            ("svm", "'svm'"),
            ("--c -1", "c: a positive number"),
            ("--bits 7", "64, 32, 16 or 8"),
            ("--select nan", "select"),
            ("--select-method nmifs=0", "nmifs=N"),
            ("--learner lbfgs --prior-lambda 1.5", "a number from 0 to 1"),
            ("--learner lbfgs --prior-lambda nan", "a number from 0 to 1"),
            ("--learner svm --prior-lambda 0.5", "for lbfgs only"),
            ("--learner lbfgs --prior-lambda 0.5 --l1 1", "L1"),
            ("--learner perceptron --loss huge", "zero-one, distance"),
            ("--gap x", "'x'"),
        ] {
            let error = text.parse::<Recipe>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
