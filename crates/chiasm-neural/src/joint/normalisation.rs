//! Sums over all words that are nearly 1 although nobody makes them.
//!
//! Noise contrastive estimation leaves log Z, the logarithm of the sum over all words, near 0 in the mean, but off by half a nat
//! here and there, and the search would take that for judgement. With h for the hidden layer, log Z is nearly a + b·h, by
//! least squares over examples. Every score is w·h + c, so taking b from every w and a from every c takes a + b·h from every score
//! and from log Z, and questions cost what they did.

use super::network::{Judged, Network};

/// Beside the mean square of a number of the hidden layer, so that numbers that are always 0 do no harm.
const RIDGE: f64 = 1e-3;

/// Takes from all scores what the hidden layer says of log Z.
pub(super) fn normalise(network: &mut Network, judged: &Judged) {
    let hidden = network.shape.hidden;
    let solution = least_squares(&judged.rows, &judged.sums, hidden);
    let Some((&constant, factors)) = solution.split_last() else {
        return;
    };
    for row in network.output.values.chunks_exact_mut(hidden) {
        for (weight, factor) in row.iter_mut().zip(factors) {
            *weight -= *factor as f32;
        }
    }
    for bias in &mut network.output_bias.values {
        *bias -= constant as f32;
    }
}

/// The factors of each column of `rows`, and a constant at the end, with which they come nearest to `wanted`: the normal equations,
/// by conjugate gradients.
fn least_squares(rows: &[f32], wanted: &[f64], width: usize) -> Vec<f64> {
    let examples = || rows.chunks_exact(width).zip(wanted);
    let count = wanted.len().max(1) as f64;
    // (XᵀX / n + ridge) v
    let times = |vector: &[f64]| {
        let mut result: Vec<f64> = vector.iter().map(|value| RIDGE * value).collect();
        for (row, _) in examples() {
            let along = product(row, vector) / count;
            add_scaled(&mut result, row, along);
        }
        result
    };
    let mut solution = vec![0.0; width + 1];
    let mut residual = vec![0.0; width + 1];
    for (row, wanted) in examples() {
        add_scaled(&mut residual, row, wanted / count);
    }
    let mut direction = residual.clone();
    let mut length = square(&residual);
    let enough = length * 1e-10;
    for _ in 0..=width {
        if length <= enough {
            break;
        }
        let image = times(&direction);
        let curvature: f64 = direction.iter().zip(&image).map(|(a, b)| a * b).sum();
        let step = length / curvature;
        for (at, image) in image.iter().enumerate() {
            solution[at] += step * direction[at];
            residual[at] -= step * image;
        }
        let next = square(&residual);
        for (direction, residual) in direction.iter_mut().zip(&residual) {
            *direction = residual + next / length * *direction;
        }
        length = next;
    }
    solution
}

fn square(vector: &[f64]) -> f64 {
    vector.iter().map(|value| value * value).sum()
}

/// A row with a 1 behind it, times a vector.
fn product(row: &[f32], vector: &[f64]) -> f64 {
    let sum: f64 = row.iter().zip(vector).map(|(a, b)| f64::from(*a) * b).sum();
    sum + vector[row.len()]
}

/// Adds a row with a 1 behind it, so many times.
fn add_scaled(into: &mut [f64], row: &[f32], times: f64) {
    for (into, value) in into.iter_mut().zip(row) {
        *into += times * f64::from(*value);
    }
    into[row.len()] += times;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::INPUTS;
    use crate::joint::network::{Batch, JointShape};
    use rand::RngExt;

    #[test]
    fn finds_the_factors_of_a_plane_though_a_column_is_empty() {
        let mut random = crate::random::random(1, "test", 0);
        let rows: Vec<f32> = (0..400)
            .flat_map(|_| [random.random::<f32>(), 0.0, 4.0 * random.random::<f32>()])
            .collect();
        let wanted: Vec<f64> = (rows.chunks_exact(3))
            .map(|row| 2.0 - 3.0 * f64::from(row[0]) + 0.5 * f64::from(row[2]))
            .collect();
        let found = least_squares(&rows, &wanted, 3);
        for (found, expected) in found.iter().zip([-3.0, 0.0, 0.5, 2.0]) {
            assert!((found - expected).abs() < 0.1, "{found} {expected}");
        }
        let off = |row: &[f32], wanted: f64| (product(row, &found) - wanted).abs();
        let all = rows.chunks_exact(3).zip(&wanted);
        assert!(all.map(|(row, &wanted)| off(row, wanted)).sum::<f64>() / 400.0 < 0.02);
    }

    #[test]
    fn sums_come_nearer_to_one_and_probabilities_stay() {
        let shape = JointShape {
            embedding: 4,
            hidden: 12,
            words: [20, 30],
            rare: 0,
        };
        let mut network = Network::new(shape, &[-1.0; 30], 7);
        let mut random = crate::random::random(2, "test", 0);
        for weight in &mut network.output.values {
            *weight = random.random::<f32>() - 0.3;
        }
        let mut batch = Batch::default();
        for _ in 0..500 {
            let words = (0..INPUTS).map(|_| random.random_range(0..20));
            batch.inputs.extend(words.collect::<Vec<u32>>());
            batch.words.push(random.random_range(0..30));
        }
        let before = network.judge(&batch, 1);
        normalise(&mut network, &before);
        let after = network.judge(&batch, 1);
        assert!(
            after.off() < 0.1 * before.off(),
            "{} {}",
            before.off(),
            after.off()
        );
        assert!((before.likelihood() - after.likelihood()).abs() < 1e-4);
    }
}
