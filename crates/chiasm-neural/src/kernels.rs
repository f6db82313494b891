//! What is done number by number: written so that the compiler turns it into vector instructions, and so that the
//! same numbers come out on every machine.

use crate::product::{Matrix, Target, multiply};
use crate::shape::{Linear, Norm};

const LANES: usize = 8;

/// Runs `work` with the widest vector instructions that the processor has, if `work` is inlined. Nothing is joined into one
/// rounding, so the bits are those of any other processor.
#[inline]
pub(crate) fn widest<T>(work: impl FnOnce() -> T) -> T {
    pulp::Arch::new().dispatch(work)
}

/// The sum of products, in an order that vector instructions can keep.
#[inline(always)]
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = a_chunks.remainder().iter().zip(b_chunks.remainder());
    let rest: f32 = rest.map(|(x, y)| x * y).sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..LANES {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    lanes.iter().sum::<f32>() + rest
}

/// The sum, in the same order.
#[inline(always)]
pub(crate) fn sum(values: &[f32]) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest: f32 = chunks.remainder().iter().sum();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] += chunk[lane];
        }
    }
    lanes.iter().sum::<f32>() + rest
}

#[inline(always)]
fn largest(values: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder().iter().copied();
    let rest = rest.fold(f32::NEG_INFINITY, f32::max);
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = if chunk[lane] > lanes[lane] {
                chunk[lane]
            } else {
                lanes[lane]
            };
        }
    }
    lanes.into_iter().fold(rest, f32::max)
}

/// `to += from`
pub(crate) fn add(to: &mut [f32], from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}

/// The exponential of a number that is not above 0, to a relative error of 2e-7: e^x = 2^n e^r with |r| at most
/// half of ln 2, and the series of e^r (Cephes' coefficients).
#[inline(always)]
pub(crate) fn exponential(x: f32) -> f32 {
    // Adding this moves the digits before the point to the end of the mantissa.
    const SHIFT: f32 = 12_582_912.0;
    let x = if x < -87.0 { -87.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + SHIFT;
    let n = shifted - SHIFT;
    let r = x - n * 0.693_359_4 + n * 2.121_944_4e-4;
    let mut series = 1.987_569_1e-4;
    for coefficient in [
        1.398_199_9e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        5e-1,
    ] {
        series = series * r + coefficient;
    }
    let series = series * r * r + r + 1.0;
    let power = (shifted.to_bits() << 23).wrapping_add(127 << 23);
    series * f32::from_bits(power)
}

/// Makes a row of scores probabilities, and returns the logarithm of the sum that they were divided by.
pub(crate) fn softmax(row: &mut [f32]) -> f32 {
    widest(
        #[inline(always)]
        || shares(row),
    )
}

/// [`softmax`] for those who have the widest instructions already.
#[inline(always)]
pub(crate) fn shares(row: &mut [f32]) -> f32 {
    let most = largest(row);
    for value in row.iter_mut() {
        *value = exponential(*value - most);
    }
    let total = sum(row);
    let scale = 1.0 / total;
    for value in row.iter_mut() {
        *value *= scale;
    }
    most + total.ln()
}

/// The logarithm of the sum of exponentials, with the bits that [`softmax`] returns.
pub(crate) fn log_of_sum(row: &[f32]) -> f32 {
    widest(
        #[inline(always)]
        || log_of_exponentials(row),
    )
}

#[inline(always)]
fn log_of_exponentials(row: &[f32]) -> f32 {
    let most = largest(row);
    let mut lanes = [0.0f32; LANES];
    let chunks = row.chunks_exact(LANES);
    let rest = chunks.remainder().iter();
    let rest: f32 = rest.map(|&value| exponential(value - most)).sum();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] += exponential(chunk[lane] - most);
        }
    }
    most + (lanes.iter().sum::<f32>() + rest).ln()
}

/// What the way back through a normalisation needs.
#[derive(Default)]
pub(crate) struct NormTape {
    standard: Vec<f32>,
    inverse: Vec<f32>,
}

/// Layer normalisation (Ba et al. 2016) of each row.
pub(crate) fn normalise(parameters: &[f32], norm: &Norm, x: &[f32]) -> (Vec<f32>, NormTape) {
    let width = norm.width;
    let (gain, bias) = (
        &parameters[norm.gain..norm.gain + width],
        &parameters[norm.bias..norm.bias + width],
    );
    let mut tape = NormTape {
        standard: vec![0.0; x.len()],
        inverse: Vec::with_capacity(x.len() / width),
    };
    let mut out = vec![0.0; x.len()];
    let rows = x.chunks_exact(width).zip(out.chunks_exact_mut(width));
    for ((x, out), standard) in rows.zip(tape.standard.chunks_exact_mut(width)) {
        let mean = sum(x) / width as f32;
        for (standard, x) in standard.iter_mut().zip(x) {
            *standard = x - mean;
        }
        let variance = dot(standard, standard) / width as f32;
        let inverse = 1.0 / (variance + 1e-5).sqrt();
        for i in 0..width {
            standard[i] *= inverse;
            out[i] = standard[i] * gain[i] + bias[i];
        }
        tape.inverse.push(inverse);
    }
    (out, tape)
}

/// Adds to `dx` what a gradient behind the normalisation means before it.
pub(crate) fn normalise_back(
    parameters: &[f32],
    gradient: &mut [f32],
    norm: &Norm,
    tape: &NormTape,
    dy: &[f32],
    dx: &mut [f32],
) {
    let width = norm.width;
    let gain = &parameters[norm.gain..norm.gain + width];
    let mut inside = vec![0.0; width];
    let rows = dy.chunks_exact(width).zip(dx.chunks_exact_mut(width));
    let standard = tape.standard.chunks_exact(width).zip(&tape.inverse);
    for ((dy, dx), (standard, &inverse)) in rows.zip(standard) {
        add(&mut gradient[norm.bias..norm.bias + width], dy);
        let gains = &mut gradient[norm.gain..norm.gain + width];
        for i in 0..width {
            gains[i] += dy[i] * standard[i];
            inside[i] = dy[i] * gain[i];
        }
        let mean = sum(&inside) / width as f32;
        let slope = dot(&inside, standard) / width as f32;
        for i in 0..width {
            dx[i] += inverse * (inside[i] - mean - standard[i] * slope);
        }
    }
}

/// x W + b for each row.
pub(crate) fn linear(parameters: &[f32], layer: &Linear, x: &[f32], threads: usize) -> Vec<f32> {
    let rows = x.len() / layer.inputs;
    let bias = &parameters[layer.bias..layer.bias + layer.outputs];
    let mut out = Vec::with_capacity(rows * layer.outputs);
    for _ in 0..rows {
        out.extend_from_slice(bias);
    }
    let weight = Matrix::new(&parameters[layer.weight..], layer.inputs, layer.outputs);
    let x = Matrix::new(x, rows, layer.inputs);
    multiply(x, weight, &mut out, layer.outputs, Target::Add, threads);
    out
}

/// The gradient before a linear layer; that of its weights is added to `gradient`.
pub(crate) fn linear_back(
    parameters: &[f32],
    gradient: &mut [f32],
    layer: &Linear,
    x: &[f32],
    dy: &[f32],
    threads: usize,
) -> Vec<f32> {
    let (inputs, outputs) = (layer.inputs, layer.outputs);
    let rows = dy.len() / outputs;
    for row in dy.chunks_exact(outputs) {
        add(&mut gradient[layer.bias..layer.bias + outputs], row);
    }
    let dy = Matrix::new(dy, rows, outputs);
    let weights = &mut gradient[layer.weight..layer.weight + inputs * outputs];
    let x = Matrix::new(x, rows, inputs).transposed();
    multiply(x, dy, weights, outputs, Target::Add, threads);
    let weight = Matrix::new(&parameters[layer.weight..], inputs, outputs);
    let mut dx = vec![0.0; rows * inputs];
    multiply(
        dy,
        weight.transposed(),
        &mut dx,
        inputs,
        Target::Replace,
        threads,
    );
    dx
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_one() {
        for step in 0..=87_000 {
            let x = -step as f32 / 1000.0;
            let exact = f64::from(x).exp();
            let error = (f64::from(exponential(x)) - exact).abs() / exact;
            assert!(error < 3e-7, "{x}: {error}");
        }
        assert_eq!(exponential(0.0), 1.0);
        assert!(exponential(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn wider_instructions_give_the_same_bits() {
        for length in [1, 7, 8, 37, 1000] {
            let numbers = |a: f32| (0..length).map(move |i| (i as f32 * a).sin() * 9.0);
            let (row, other): (Vec<f32>, Vec<f32>) =
                (numbers(0.7).collect(), numbers(1.3).collect());
            let (mut wide, mut narrow) = (row.clone(), row.clone());
            assert_eq!(softmax(&mut wide).to_bits(), shares(&mut narrow).to_bits());
            assert_eq!(wide, narrow);
            let (wide, narrow) = (log_of_sum(&row), log_of_exponentials(&row));
            assert_eq!(wide.to_bits(), narrow.to_bits());
            let wide = widest(
                #[inline(always)]
                || dot(&row, &other),
            );
            assert_eq!(wide.to_bits(), dot(&row, &other).to_bits());
        }
    }

    #[test]
    fn a_softmax_sums_to_one_and_knows_its_sum() {
        let mut row: Vec<f32> = (0..37).map(|i| (i as f32 * 0.7).sin() * 5.0).collect();
        let exact: f64 = row.iter().map(|&x| f64::from(x).exp()).sum();
        let without_shares = log_of_sum(&row);
        let logarithm = softmax(&mut row);
        assert_eq!(logarithm.to_bits(), without_shares.to_bits());
        assert!((f64::from(logarithm) - exact.ln()).abs() < 1e-5);
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
}
