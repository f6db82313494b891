//! The two operations that all linear learners spend their time in: scores of a row, and adding a
//! multiple of a row to the weights.
//!
//! Weights are interleaved by class and padded (`weights[feature][class]`, a multiple of four
//! classes), so that a feature is one or two cache lines and the loop over classes is one or two
//! vector instructions. The padded number of classes is a constant of each instance.

use crate::Row;

/// Runs `$body` with the constant `$stride`: the padded number of classes.
macro_rules! with_stride {
    ($classes:expr, $stride:ident => $body:expr) => {
        match $classes {
            0..=4 => {
                const $stride: usize = 4;
                $body
            }
            5..=8 => {
                const $stride: usize = 8;
                $body
            }
            9..=16 => {
                const $stride: usize = 16;
                $body
            }
            17..=64 => {
                const $stride: usize = 64;
                $body
            }
            _ => {
                const $stride: usize = 256;
                $body
            }
        }
    };
}
pub(crate) use with_stride;

/// w_kᵀx for every class.
#[inline(always)]
pub fn scores<const S: usize>(weights: &[[f64; S]], row: Row) -> [f64; S] {
    let mut scores = [0.0; S];
    if row.values.is_empty() {
        for &feature in row.features {
            let weight = &weights[feature as usize];
            for k in 0..S {
                scores[k] += weight[k];
            }
        }
    } else {
        for (&feature, &value) in row.features.iter().zip(row.values) {
            let weight = &weights[feature as usize];
            for k in 0..S {
                scores[k] += weight[k] * value;
            }
        }
    }
    scores
}

/// w_k += c_k x for every class.
#[inline(always)]
pub fn add<const S: usize>(weights: &mut [[f64; S]], row: Row, change: &[f64; S]) {
    if row.values.is_empty() {
        for &feature in row.features {
            let weight = &mut weights[feature as usize];
            for k in 0..S {
                weight[k] += change[k];
            }
        }
    } else {
        for (&feature, &value) in row.features.iter().zip(row.values) {
            let weight = &mut weights[feature as usize];
            for k in 0..S {
                weight[k] += change[k] * value;
            }
        }
    }
}

/// Σ_k ‖w_k‖².
pub fn squared_norm<const S: usize>(weights: &[[f64; S]]) -> f64 {
    weights.iter().flatten().map(|weight| weight * weight).sum()
}

/// log Σ_k exp(s_k).
#[inline]
pub fn log_sum_exp(scores: &[f64]) -> f64 {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !largest.is_finite() {
        return largest;
    }
    let sum: f64 = scores.iter().map(|score| (score - largest).exp()).sum();
    largest + sum.ln()
}

/// One instruction, where `f64::max` has to think of what is not a number.
#[inline(always)]
pub fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// As `larger`.
#[inline(always)]
pub fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}
