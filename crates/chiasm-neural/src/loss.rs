//! The output: probabilities of the next subword, and how surprising the right one is.

use crate::kernels::{add, log_of_sum, softmax, sum};
use crate::product::{Matrix, Target, multiply};
use crate::shape::Layout;
use crate::sublayers::Pass;

/// Rows whose scores are held at once: few enough for the cache, many enough for the products.
const ROWS: usize = 128;

/// Scores of all subwords for some rows.
fn scores(layout: &Layout, pass: Pass<'_>, rows: &[f32], into: &mut Vec<f32>) {
    let (width, pieces) = (layout.shape.width, layout.shape.target_pieces);
    let count = rows.len() / width;
    let bias = &pass.parameters[layout.output_bias..layout.output_bias + pieces];
    into.clear();
    for _ in 0..count {
        into.extend_from_slice(bias);
    }
    let embedding = Matrix::new(&pass.parameters[layout.target_embedding..], pieces, width);
    let rows = Matrix::new(rows, count, width);
    multiply(
        rows,
        embedding.transposed(),
        into,
        pieces,
        Target::Add,
        pass.threads,
    );
}

/// For each row, the log probabilities of some subwords, in the order in which `wanted` names row and subword;
/// rows in ascending order.
pub(crate) fn log_probabilities(
    layout: &Layout,
    pass: Pass<'_>,
    out: &[f32],
    wanted: impl Iterator<Item = (usize, u16)>,
) -> Vec<f32> {
    let (width, pieces) = (layout.shape.width, layout.shape.target_pieces);
    let mut wanted = wanted.peekable();
    let mut found = Vec::new();
    let mut block = Vec::new();
    for (number, rows) in out.chunks(ROWS * width).enumerate() {
        scores(layout, pass, rows, &mut block);
        for (row, scores) in block.chunks_exact(pieces).enumerate() {
            let row = number * ROWS + row;
            let first = found.len();
            while let Some((_, piece)) = wanted.next_if(|&(of, _)| of == row) {
                found.push(scores[usize::from(piece)]);
            }
            if found.len() > first {
                let total = log_of_sum(scores);
                found[first..].iter_mut().for_each(|score| *score -= total);
            }
        }
    }
    found
}

/// The log probabilities of all subwords for each of a few rows.
pub(crate) fn all_log_probabilities(layout: &Layout, pass: Pass<'_>, rows: &[f32]) -> Vec<f32> {
    let mut found = Vec::new();
    scores(layout, pass, rows, &mut found);
    for row in found.chunks_exact_mut(layout.shape.target_pieces) {
        let total = log_of_sum(row);
        row.iter_mut().for_each(|score| *score -= total);
    }
    found
}

/// Minus the log probability of the right subwords.
pub(crate) fn loss(layout: &Layout, pass: Pass<'_>, out: &[f32], right: &[u16]) -> f64 {
    let wanted = right.iter().copied().enumerate();
    let found = log_probabilities(layout, pass, out, wanted);
    found.iter().map(|&value| -f64::from(value)).sum()
}

/// The loss with label smoothing (Szegedy et al. 2016): the right subword is wanted with probability
/// 1 - `smoothing`, all of them share the rest. Gradients are multiplied by `scale`.
pub(crate) fn loss_with_gradient(
    layout: &Layout,
    pass: Pass<'_>,
    gradient: &mut [f32],
    out: &[f32],
    right: &[u16],
    smoothing: f32,
    scale: f32,
    dout: &mut [f32],
) -> f64 {
    let (width, pieces) = (layout.shape.width, layout.shape.target_pieces);
    let embedding = &pass.parameters[layout.target_embedding..];
    let shared = smoothing / pieces as f32;
    let mut loss = 0.0;
    let mut block = Vec::new();
    let chunks = out.chunks(ROWS * width).zip(dout.chunks_mut(ROWS * width));
    for ((rows, dout), right) in chunks.zip(right.chunks(ROWS)) {
        scores(layout, pass, rows, &mut block);
        for (row, &right) in block.chunks_exact_mut(pieces).zip(right) {
            let right = usize::from(right);
            let (chosen, all) = (row[right], sum(row));
            let total = softmax(row);
            let smooth = f64::from(total) - f64::from(all) / pieces as f64;
            loss += f64::from(1.0 - smoothing) * f64::from(total - chosen)
                + f64::from(smoothing) * smooth;
            for value in row.iter_mut() {
                *value = (*value - shared) * scale;
            }
            row[right] -= (1.0 - smoothing) * scale;
            add(
                &mut gradient[layout.output_bias..layout.output_bias + pieces],
                row,
            );
        }
        let slopes = Matrix::new(&block, right.len(), pieces);
        let weights = Matrix::new(embedding, pieces, width);
        multiply(slopes, weights, dout, width, Target::Replace, pass.threads);
        let place = layout.target_embedding;
        let into = &mut gradient[place..place + pieces * width];
        let rows = Matrix::new(rows, right.len(), width);
        multiply(
            slopes.transposed(),
            rows,
            into,
            width,
            Target::Add,
            pass.threads,
        );
    }
    loss
}
