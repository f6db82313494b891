//! A smoothed prior of MaxEnt (Xiang et al. 2011): p(o|x) ∝ p₀(o) exp(w_oᵀx) with
//! p₀(o) = λ p(o) + (1-λ) p(o|f), where f is the one feature of the example, among those that the caller names, that
//! the prior is conditioned on (a phrase pair) and p are shares of the training examples. An example without such a
//! feature has p₀ = p(o).
//!
//! Since log p₀ is a score that depends on one feature, it is a weight of that feature which is not learned: the
//! model is a linear one like any other, with bias log p(o) and weights log p₀(o) - log p(o) of these features.

use crate::kernels;
use crate::{Error, Examples, Result, Row};

/// Shares below this count as this, so that logarithms are numbers.
const LEAST_SHARE: f64 = 1e-10;

/// λ, and the identities, in increasing order, of the features that the prior is conditioned on.
#[derive(Clone, Debug, PartialEq)]
pub struct Prior {
    lambda: f64,
    conditions: Vec<u32>,
}

impl Prior {
    /// A prior of these features.
    pub fn new(lambda: f64, mut conditions: Vec<u32>) -> Result<Self> {
        check_lambda(lambda)?;
        conditions.sort_unstable();
        conditions.dedup();
        Ok(Prior { lambda, conditions })
    }
}

/// λ is a share.
pub(crate) fn check_lambda(lambda: f64) -> Result<()> {
    if (0.0..=1.0).contains(&lambda) {
        return Ok(());
    }
    let reason = format!("a number from 0 to 1 expected, {lambda} found");
    Err(Error::parameter("prior-lambda", reason))
}

/// The prior as scores of rows.
pub(crate) struct PriorScores<const S: usize> {
    /// log p(o).
    pub bias: [f64; S],
    /// log p₀(o) - log p(o); all zero for features that are learned.
    pub weights: Vec<[f64; S]>,
    /// Which features are not learned.
    pub fixed: Vec<bool>,
}

impl<const S: usize> PriorScores<S> {
    pub fn new(prior: &Prior, examples: &Examples) -> Self {
        let ids = examples.feature_ids();
        let is_condition = |id: &u32| prior.conditions.binary_search(id).is_ok();
        let fixed: Vec<bool> = ids.iter().map(is_condition).collect();
        let mut counts = vec![[0.0; S]; examples.features()];
        for index in examples.scan() {
            for (feature, _) in examples.row(index).entries() {
                if fixed[feature as usize] {
                    for pair in examples.pairs_of(index) {
                        let class = examples.pair_class(pair);
                        counts[feature as usize][class] += examples.pair_weight(pair);
                    }
                }
            }
        }
        let total = examples.weight();
        let mut shares = [0.0; S];
        for (share, weight) in shares.iter_mut().zip(examples.class_weights()) {
            *share = weight / total;
        }
        let classes = examples.classes();
        let mut weights = counts;
        for (row, _) in weights.iter_mut().zip(&fixed).filter(|(_, fixed)| **fixed) {
            let seen: f64 = row.iter().sum();
            for class in 0..classes {
                let own = if seen > 0.0 {
                    row[class] / seen
                } else {
                    shares[class]
                };
                let smoothed = prior.lambda * shares[class] + (1.0 - prior.lambda) * own;
                row[class] = logarithm(smoothed) - logarithm(shares[class]);
            }
        }
        let mut bias = [0.0; S];
        for class in 0..classes {
            bias[class] = logarithm(shares[class]);
        }
        PriorScores {
            bias,
            weights,
            fixed,
        }
    }

    /// log p₀ of a row.
    #[inline(always)]
    pub fn of(&self, row: Row) -> [f64; S] {
        let mut scores = kernels::scores(&self.weights, row);
        for k in 0..S {
            scores[k] += self.bias[k];
        }
        scores
    }
}

fn logarithm(share: f64) -> f64 {
    share.max(LEAST_SHARE).ln()
}
