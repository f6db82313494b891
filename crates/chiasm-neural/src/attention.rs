//! Scaled dot-product attention of several heads (Vaswani et al. 2017, eq. 1) over sentences that lie one after
//! another, so that no time goes into padding.

use crate::kernels::{dot, softmax};
use crate::product::{Matrix, Target, multiply};
use std::ops::Range;

/// Which rows of queries look at which rows of keys: a sentence.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub queries: Range<usize>,
    pub keys: Range<usize>,
}

/// How it is looked.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    pub heads: usize,
    pub width: usize,
    /// A query sees no key behind it.
    pub causal: bool,
}

impl Look {
    fn head(&self) -> usize {
        self.width / self.heads
    }

    fn scale(&self) -> f32 {
        1.0 / (self.head() as f32).sqrt()
    }
}

/// What each query gathers, and the probabilities that it gathered with: sentence by sentence, head by head.
/// `keys` holds keys, then values, in each row.
pub(crate) fn attend(
    look: Look,
    queries: &[f32],
    keys: &[f32],
    blocks: &[Block],
) -> (Vec<f32>, Vec<f32>) {
    let (width, head) = (look.width, look.head());
    let mut gathered = vec![0.0; queries.len()];
    let sizes = blocks
        .iter()
        .map(|block| block.queries.len() * block.keys.len());
    let mut probabilities = vec![0.0; sizes.sum::<usize>() * look.heads];
    let mut rest = probabilities.as_mut_slice();
    for block in blocks {
        let (rows, columns) = (block.queries.len(), block.keys.len());
        for number in 0..look.heads {
            let (scores, after) = rest.split_at_mut(rows * columns);
            rest = after;
            let first = block.queries.start * width + number * head;
            let query = Matrix::part(&queries[first..], rows, head, width);
            let key = &keys[block.keys.start * 2 * width + number * head..];
            let value = Matrix::part(&key[width..], columns, head, 2 * width);
            let key = Matrix::part(key, columns, head, 2 * width).transposed();
            multiply(query, key, scores, columns, Target::Replace, 1);
            for (row, scores) in scores.chunks_exact_mut(columns).enumerate() {
                let seen = if look.causal { row + 1 } else { columns };
                let (seen, hidden) = scores.split_at_mut(seen);
                for score in seen.iter_mut() {
                    *score *= look.scale();
                }
                softmax(seen);
                hidden.fill(0.0);
            }
            let scores = Matrix::new(scores, rows, columns);
            multiply(
                scores,
                value,
                &mut gathered[first..],
                width,
                Target::Replace,
                1,
            );
        }
    }
    (gathered, probabilities)
}

/// The gradients of queries and of keys with values.
pub(crate) fn attend_back(
    look: Look,
    queries: &[f32],
    keys: &[f32],
    blocks: &[Block],
    probabilities: &[f32],
    gradient: &[f32],
) -> (Vec<f32>, Vec<f32>) {
    let (width, head) = (look.width, look.head());
    let (mut dqueries, mut dkeys) = (vec![0.0; queries.len()], vec![0.0; keys.len()]);
    let mut rest = probabilities;
    let mut slopes = Vec::new();
    for block in blocks {
        let (rows, columns) = (block.queries.len(), block.keys.len());
        for number in 0..look.heads {
            let (found, after) = rest.split_at(rows * columns);
            rest = after;
            let first = block.queries.start * width + number * head;
            let first_key = block.keys.start * 2 * width + number * head;
            let query = Matrix::part(&queries[first..], rows, head, width);
            let out = Matrix::part(&gradient[first..], rows, head, width);
            let key = Matrix::part(&keys[first_key..], columns, head, 2 * width);
            let value = Matrix::part(&keys[first_key + width..], columns, head, 2 * width);
            slopes.clear();
            slopes.resize(rows * columns, 0.0);
            multiply(
                out,
                value.transposed(),
                &mut slopes,
                columns,
                Target::Replace,
                1,
            );
            let each = slopes.chunks_exact_mut(columns);
            for (slopes, found) in each.zip(found.chunks_exact(columns)) {
                let mean = dot(slopes, found);
                for (slope, probability) in slopes.iter_mut().zip(found) {
                    *slope = probability * (*slope - mean) * look.scale();
                }
            }
            let (slopes, found) = (
                Matrix::new(&slopes, rows, columns),
                Matrix::new(found, rows, columns),
            );
            multiply(
                slopes,
                key,
                &mut dqueries[first..],
                width,
                Target::Replace,
                1,
            );
            let into = &mut dkeys[first_key..];
            multiply(
                slopes.transposed(),
                query,
                into,
                2 * width,
                Target::Replace,
                1,
            );
            let into = &mut dkeys[first_key + width..];
            multiply(found.transposed(), out, into, 2 * width, Target::Replace, 1);
        }
    }
    (dqueries, dkeys)
}
