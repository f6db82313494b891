//! The one trait that all learners answer to.

use crate::report::Stopwatch;
use crate::{Examples, LinearModel, Model, Report, Result};
use chiasm_work::Progress;

/// A model and how it came about.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The model, its weights in full precision.
    pub model: Model,
    /// How training went.
    pub report: Report,
}

impl Trained {
    /// A linear model of padded weights, its report completed.
    pub(crate) fn linear<const S: usize>(
        examples: &Examples,
        weights: &[[f64; S]],
        mut report: Report,
        watch: Stopwatch,
    ) -> Self {
        let model = LinearModel::new(examples, weights.as_flattened(), S);
        report.parameters = model.parameters();
        watch.stop(&mut report);
        let model = Model::linear(examples.class_names().to_vec(), model);
        Trained {
            model: model.with_report(report.clone()),
            report,
        }
    }
}

impl Trained {
    /// The same with a score for each class that does not depend on the features.
    pub(crate) fn with_bias(self, bias: Vec<f64>) -> Self {
        let crate::model::Form::Linear(linear) = self.model.form() else {
            return self;
        };
        let model = Model::linear(
            self.model.class_names().to_vec(),
            linear.clone().with_bias(bias),
        );
        Trained {
            model: model.with_report(self.report.clone()),
            report: self.report,
        }
    }
}

/// Examples in, a model out. Parameters were checked when the learner was made.
pub trait Learner {
    /// The name by which the command line knows the method.
    fn name(&self) -> &'static str;

    /// Trains; `progress` advances by one each iteration.
    fn train(&self, examples: &Examples, progress: &dyn Progress) -> Result<Trained>;
}

/// Squares and products of what lies between stay far from the limits of a double.
const USABLE: std::ops::RangeInclusive<f64> = 1e-30..=1e30;

/// A parameter that must be a positive number, neither tiny nor huge.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<f64> {
    if USABLE.contains(&value) {
        return Ok(value);
    }
    let reason = if value > 0.0 && value.is_finite() {
        format!("a number from 1e-30 to 1e30 expected, {value:e} found")
    } else {
        format!("a positive number expected, {value} found")
    };
    Err(crate::Error::parameter(name, reason))
}

/// A parameter that must be a finite number, zero or above.
pub(crate) fn not_negative(name: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() && value >= 0.0 {
        return Ok(value);
    }
    let reason = format!("a number not below zero expected, {value} found");
    Err(crate::Error::parameter(name, reason))
}

/// A parameter that must be at least one.
pub(crate) fn at_least_one(name: &'static str, value: u64) -> Result<u64> {
    if value >= 1 {
        return Ok(value);
    }
    Err(crate::Error::parameter(
        name,
        "at least 1 expected, 0 found",
    ))
}

/// The parameters that learners in passes have, for the `impl` of their parameters.
macro_rules! setters_of_passes {
    () => {
        /// Passes over the examples, at most.
        pub fn iterations(mut self, iterations: u64) -> Self {
            self.iterations = iterations;
            self
        }

        /// The seed of the random order.
        pub fn seed(mut self, seed: u64) -> Self {
            self.seed = seed;
            self
        }
    };
}
pub(crate) use setters_of_passes;
