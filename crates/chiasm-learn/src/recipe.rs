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

pub(crate) mod names;
mod text;
mod training;

use names::{Calibration, Method};

use crate::naive_bayes::Variant;
use crate::perceptron::Loss;
use crate::selection::SelectMethod;
use crate::strength::Strength;
use crate::{Bits, Error, Result, Shrinking};
use serde::{Deserialize, Serialize};

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
