//! A temperature that makes probabilities honest: scores are divided by it before the softmax.
//!
//! An SVM's scores, or those of naive Bayes, are no log probabilities; the temperature T > 0 that
//! minimises the log loss of held-out examples, Σ_i -log softmax(s_i / T), makes the best of them
//! without changing any answer. In 1/T the log loss is convex, so that bisection of its slope finds
//! the minimum.

use crate::evaluation::class_numbers;
use crate::{Examples, Model, Result, kernels};

/// Temperatures between 1/RANGE and RANGE are looked at.
const RANGE: f64 = 1e4;
const BISECTIONS: usize = 100;

/// The temperature with the least log loss on examples that the model was not trained on.
pub fn fit_temperature(model: &Model, held_out: &Examples) -> Result<f64> {
    let numbers = class_numbers(model, held_out)?;
    let classes = model.class_names().len();
    let mut predictor = model.predictor(held_out);
    let mut scores = vec![0.0; held_out.rows() * classes];
    for (index, row) in scores.chunks_exact_mut(classes).enumerate() {
        predictor.scores(held_out.row(index), row);
    }
    let slope = |inverse: f64| -> f64 {
        let rows = scores.chunks_exact(classes).enumerate();
        rows.map(|(index, row)| row_slope(held_out, index, row, &numbers, inverse))
            .sum()
    };
    let (mut low, mut high) = ((1.0 / RANGE).ln(), RANGE.ln());
    for _ in 0..BISECTIONS {
        let middle = (low + high) / 2.0;
        if slope(middle.exp()) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok((-(low + high) / 2.0).exp())
}

/// d/d(1/T) of a row's log loss: Σ n (E_p[s] - s_y).
fn row_slope(
    examples: &Examples,
    index: usize,
    scores: &[f64],
    numbers: &[usize],
    inverse: f64,
) -> f64 {
    let scaled: Vec<f64> = scores.iter().map(|score| score * inverse).collect();
    let normaliser = kernels::log_sum_exp(&scaled);
    let mean: f64 = scores
        .iter()
        .zip(&scaled)
        .map(|(score, scaled)| score * (scaled - normaliser).exp())
        .sum();
    let one = |pair: usize| {
        let truth = scores[numbers[examples.pair_class(pair)]];
        examples.pair_weight(pair) * (mean - truth)
    };
    examples.pairs_of(index).map(one).sum()
}

/// Two parts of the examples: every `every`-th row, and the others. For calibration where no
/// examples were held out on purpose.
pub fn split(examples: &Examples, every: usize) -> Result<(Examples, Examples)> {
    let held_out = examples.with_rows(|row| row % every == every - 1)?;
    let rest = examples.with_rows(|row| row % every != every - 1)?;
    Ok((held_out, rest))
}
