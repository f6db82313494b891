//! What recipes choose among, by name.

use crate::Shrinking;
use crate::perceptron::Loss;
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
