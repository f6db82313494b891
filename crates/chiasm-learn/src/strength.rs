//! How strongly the examples are believed against the prior (C of the SVM, σ² of MaxEnt): a number, or
//! `auto`, chosen on held-out examples: the smallest whose accuracy is within one standard error of the
//! best (Breiman et al. 1984). Held-out sentences are often like those that were learned from, and
//! neighbouring phrases are like each other, so the best alone would trust the examples too much.

use crate::{Examples, Learner, Result, evaluate};
use chiasm_work::Progress;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// What `auto` tries, in this order: small values are learned fastest.
const TRIED: [f64; 9] = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0];

/// The gap at which `auto` compares, if a smaller one is asked for: on ja-en 0.005 and 0.05 led to the same
/// choice but once in six, the latter in half the time.
pub(crate) const GAP: f64 = 0.05;

/// A number or `auto`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strength {
    /// This number.
    Fixed(f64),
    /// The best on held-out examples.
    Auto,
}

impl FromStr for Strength {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text == "auto" {
            return Ok(Strength::Auto);
        }
        let number = text.parse().map(Strength::Fixed);
        number.map_err(|_| format!("'{text}' is neither a number nor auto"))
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strength::Fixed(number) => number.fmt(f),
            Strength::Auto => f.write_str("auto"),
        }
    }
}

impl Serialize for Strength {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Strength::Fixed(number) => serializer.serialize_f64(*number),
            Strength::Auto => serializer.serialize_str("auto"),
        }
    }
}

impl<'de> Deserialize<'de> for Strength {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Word(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(number) => Ok(Strength::Fixed(number)),
            Written::Word(word) => word.parse().map_err(serde::de::Error::custom),
        }
    }
}

/// What `auto` took, and what it saw.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The strength to learn with.
    pub strength: f64,
    /// Strengths and their accuracies on the held-out examples.
    pub tried: Vec<(f64, f64)>,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.tried.is_empty() {
            return write!(f, "{} (too few examples to choose)", self.strength);
        }
        write!(f, "{} (", self.strength)?;
        for (index, (strength, accuracy)) in self.tried.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{strength}: {:.2} %", 100.0 * accuracy)?;
        }
        f.write_str(" on held-out examples)")
    }
}

/// With fewer held-out examples the accuracies say nothing.
const FEWEST: f64 = 100.0;

/// The strength to learn with, `otherwise` if the examples do not let one choose. Ends when one is worse
/// than the best so far by more than a standard error, or two in a row are worse; equal ones are not,
/// for little is learned from few examples until the strength is large enough.
pub(crate) fn choose(
    learner: impl Fn(f64) -> Result<Box<dyn Learner>>,
    examples: &Examples,
    held_out: &Examples,
    otherwise: f64,
    progress: &dyn Progress,
) -> Result<Choice> {
    let mut tried: Vec<(f64, f64)> = Vec::new();
    if held_out.weight() < FEWEST || examples.check_learnable().is_err() {
        let strength = otherwise;
        return Ok(Choice { strength, tried });
    }
    // As good as the best: within one standard error of it.
    let enough = |best: f64| best - (best * (1.0 - best) / held_out.weight()).sqrt();
    let mut best: f64 = 0.0;
    let mut worse = 0;
    for strength in TRIED {
        let trained = learner(strength)?.train(examples, progress)?;
        let accuracy = evaluate(&trained.model, held_out)?.accuracy();
        tried.push((strength, accuracy));
        worse = if accuracy < best { worse + 1 } else { 0 };
        best = best.max(accuracy);
        if worse == 2 || accuracy < enough(best) {
            break;
        }
    }
    let good = |&&(_, accuracy): &&(f64, f64)| accuracy >= enough(best);
    let smallest = tried.iter().find(good);
    let strength = smallest.map_or(TRIED[0], |&(strength, _)| strength);
    Ok(Choice { strength, tried })
}
