//! Which α suits the data: chosen on examples that were not learned from.
//!
//! The counts do not depend on α, so they are taken once and every α is only asked for its answers.
//!
//! The rule: among those whose accuracy is within one standard error of the best, the one with the least
//! log loss. Log loss alone will not do. Naive Bayes counts what its features share once for each of
//! them, so its probabilities are far too sure, and each wrong answer costs dearly; the way out that α
//! offers is to drown the likelihood until little but the class prior is left. Accuracy does not care how
//! sure an answer is, but it is flat and noisy near its best, where the smooth log loss tells apart what
//! is equal by count. To take the smallest or the largest of the equals would ignore that, and either
//! end of the plateau is the point from which a step to the side costs most.

use super::{NaiveBayes, NaiveBayesParameters, Variant};
use crate::{Examples, Model, Result, evaluate};
use chiasm_work::Progress;
use serde::Serialize;

/// What is added to each count under the α that are tried, on a logarithmic scale.
const PSEUDO_COUNTS: [f64; 11] = [
    0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0,
];

/// With fewer held-out examples the accuracies say nothing.
const FEWEST: f64 = 100.0;

/// What was chosen, and what was seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AlphaChoice {
    /// The α to learn with.
    pub alpha: f64,
    /// What was tried, α increasing; nothing if the examples did not let one choose.
    pub tried: Vec<AlphaTrial>,
}

/// How one α did on the held-out examples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AlphaTrial {
    /// α.
    pub alpha: f64,
    /// The share of right answers.
    pub accuracy: f64,
    /// The mean of -log p(truth) in nats.
    pub log_loss: f64,
}

/// The α with which naive Bayes, learning from `examples`, does best on `held_out`; `otherwise` if there are too
/// few to say, or nothing can be learned. `progress` advances by one for each α that was tried, at most
/// [`alphas_tried`] times.
pub fn choose_alpha(
    variant: Variant,
    examples: &Examples,
    held_out: &Examples,
    otherwise: f64,
    progress: &dyn Progress,
) -> Result<AlphaChoice> {
    NaiveBayesParameters::new(variant)
        .alpha(otherwise)
        .check()?;
    if held_out.weight() < FEWEST || examples.check_learnable().is_err() {
        let (alpha, tried) = (otherwise, Vec::new());
        return Ok(AlphaChoice { alpha, tried });
    }
    let counts = NaiveBayes::count(examples, variant, otherwise)?;
    counts.choose_alpha(examples.class_names(), held_out, progress)
}

impl NaiveBayes {
    /// The α with which these counts do best on `held_out`; the one they have if there are too few to say.
    pub fn choose_alpha(
        &self,
        class_names: &[String],
        held_out: &Examples,
        progress: &dyn Progress,
    ) -> Result<AlphaChoice> {
        let mut tried = Vec::new();
        if held_out.weight() < FEWEST {
            let alpha = self.alpha;
            return Ok(AlphaChoice { alpha, tried });
        }
        for alpha in alphas(self.variant) {
            let counts = NaiveBayes {
                alpha,
                ..self.clone()
            };
            let model = Model::naive_bayes(class_names.to_vec(), counts);
            let evaluation = evaluate(&model, held_out)?;
            tried.push(AlphaTrial {
                alpha,
                accuracy: evaluation.accuracy(),
                log_loss: evaluation.log_loss(),
            });
            progress.advance(1);
        }
        let best = best(&tried, held_out.weight());
        let alpha = best.map_or(self.alpha, |trial| trial.alpha);
        Ok(AlphaChoice { alpha, tried })
    }
}

/// How many α [`choose_alpha`] tries.
pub fn alphas_tried() -> usize {
    PSEUDO_COUNTS.len()
}

/// MAP adds α-1 to each count (NB eq. 9), the Bayesian posterior α (NB eq. 13): both try the same
/// smoothing, so that neither is favoured.
fn alphas(variant: Variant) -> impl Iterator<Item = f64> {
    let least = variant.least_alpha();
    PSEUDO_COUNTS.into_iter().map(move |count| least + count)
}

/// The least log loss among those as accurate as the best; the first of equals.
fn best(tried: &[AlphaTrial], examples: f64) -> Option<&AlphaTrial> {
    let highest = tried.iter().map(|trial| trial.accuracy).fold(0.0, f64::max);
    let error = (highest * (1.0 - highest) / examples).sqrt();
    let good = |trial: &&AlphaTrial| trial.accuracy >= highest - error;
    let by_loss = |a: &&AlphaTrial, b: &&AlphaTrial| a.log_loss.total_cmp(&b.log_loss);
    tried.iter().filter(good).min_by(by_loss)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_loss_decides_only_among_the_most_accurate() {
        let trial = |alpha: f64, accuracy: f64, log_loss: f64| AlphaTrial {
            alpha,
            accuracy,
            log_loss,
        };
        let tried = [
            trial(1.0, 0.80, 1.0),
            trial(3.0, 0.79, 0.8),
            trial(10.0, 0.70, 0.5),
        ];
        let chosen = |examples: f64| best(&tried, examples).unwrap().alpha;
        // The standard error of 0.8 is 0.04, 0.013 and 0.004.
        assert_eq!(chosen(100.0), 3.0);
        assert_eq!(chosen(1000.0), 3.0);
        assert_eq!(chosen(10_000.0), 1.0);
        assert!(best(&[], 100.0).is_none());
    }
}
