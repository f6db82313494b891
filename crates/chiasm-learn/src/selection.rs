//! Feature selection by mutual information of a feature's presence and the class (NB eq. 14-16):
//! I(X;Y) = Σ_x Σ_y p(x,y) log p(x,y) / (p(x) p(y)) in nats, and I_norm = I / min(H(X), H(Y)).

use crate::learner::not_negative;
use crate::{Examples, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What a feature says about the class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Information {
    /// I(X;Y) in nats.
    pub mutual: f64,
    /// I / min(H(X), H(Y)), between 0 and 1.
    pub normalised: f64,
}

/// How features are selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum SelectMethod {
    /// Each by itself: those whose normalised information reaches the threshold.
    #[default]
    Univariate,
    /// Of those so many, or half, that say what the others do not ([`nmifs`](crate::nmifs)).
    Nmifs(Option<usize>),
}

impl FromStr for SelectMethod {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let complaint = || format!("'{text}' is none of univariate, nmifs, nmifs=N");
        match (text, text.strip_prefix("nmifs=")) {
            ("univariate", _) => Ok(SelectMethod::Univariate),
            ("nmifs", _) => Ok(SelectMethod::Nmifs(None)),
            (_, Some(count)) => {
                let count = count.parse().ok().filter(|&count| count > 0);
                Ok(SelectMethod::Nmifs(Some(count.ok_or_else(complaint)?)))
            }
            _ => Err(complaint()),
        }
    }
}

impl fmt::Display for SelectMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SelectMethod::Univariate => f.write_str("univariate"),
            SelectMethod::Nmifs(None) => f.write_str("nmifs"),
            SelectMethod::Nmifs(Some(count)) => write!(f, "nmifs={count}"),
        }
    }
}

impl From<SelectMethod> for String {
    fn from(method: SelectMethod) -> Self {
        method.to_string()
    }
}

impl TryFrom<String> for SelectMethod {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        text.parse()
    }
}

/// One row of a threshold sweep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SweepPoint {
    /// The threshold of the normalised information.
    pub threshold: f64,
    /// Features that reach it.
    pub features: usize,
}

/// What each feature says about the class; examples without features count as well.
pub fn mutual_information(examples: &Examples) -> Vec<Information> {
    let classes = examples.classes();
    let mut present = vec![0.0; examples.features() * classes];
    for index in examples.scan() {
        for pair in examples.pairs_of(index) {
            let (class, weight) = (examples.pair_class(pair), examples.pair_weight(pair));
            for (feature, _) in examples.row(index).entries() {
                present[feature as usize * classes + class] += weight;
            }
        }
    }
    information_of_counts(&present, &examples.class_weights())
}

/// The same from counts: in how many examples of each class each feature is present, a row a feature, and how many
/// examples of each class there are.
pub fn information_of_counts(present: &[f64], class_weights: &[f64]) -> Vec<Information> {
    let rows = present.chunks_exact(class_weights.len().max(1));
    rows.map(|row| information(row, class_weights)).collect()
}

fn information(present: &[f64], class_weights: &[f64]) -> Information {
    let total: f64 = class_weights.iter().sum();
    let seen: f64 = present.iter().sum();
    let mut mutual = 0.0;
    for (&with, &of_class) in present.iter().zip(class_weights) {
        for (joint, margin) in [(with, seen), (of_class - with, total - seen)] {
            if joint > 0.0 {
                mutual += joint / total * (joint * total / (margin * of_class)).ln();
            }
        }
    }
    let mutual = mutual.max(0.0);
    let of_feature = entropy(&[seen, total - seen], total);
    let least = of_feature.min(entropy(class_weights, total));
    Information {
        mutual,
        normalised: if least > 0.0 { mutual / least } else { 0.0 },
    }
}

/// What the presence of two features says about each other: in how many examples both are, and each.
pub(crate) fn binary_information(both: f64, first: f64, second: f64, total: f64) -> Information {
    information(&[both, first - both], &[second, total - second])
}

fn entropy(weights: &[f64], total: f64) -> f64 {
    let shares = weights.iter().map(|weight| weight / total);
    shares.filter(|&p| p > 0.0).map(|p| -p * p.ln()).sum()
}

/// The examples with only the features whose normalised information reaches `threshold`.
pub fn select(examples: &Examples, threshold: f64) -> Result<Examples> {
    not_negative("select", threshold)?;
    let information = mutual_information(examples);
    examples.with_features(|feature| information[feature as usize].normalised >= threshold)
}

/// The normalised information of all features from the lowest to the highest, at `count` + 1 ranks evenly spread.
pub fn ranked(examples: &Examples, count: usize) -> Vec<f64> {
    let information = mutual_information(examples);
    let mut values: Vec<f64> = information.iter().map(|i| i.normalised).collect();
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else {
        return Vec::new();
    };
    let count = count.max(1);
    (0..=count).map(|at| values[at * last / count]).collect()
}

/// How many features each threshold would leave.
pub fn sweep(information: &[Information], thresholds: &[f64]) -> Vec<SweepPoint> {
    let count = |threshold: f64| {
        let reach = information.iter().filter(|i| i.normalised >= threshold);
        reach.count()
    };
    let point = |&threshold: &f64| SweepPoint {
        threshold,
        features: count(threshold),
    };
    thresholds.iter().map(point).collect()
}
