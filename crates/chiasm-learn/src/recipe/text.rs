//! Recipes as they are typed.

use super::Recipe;
use crate::options::TypedOption;
use crate::{Error, Result};
use std::fmt;
use std::str::FromStr;

impl Recipe {
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
