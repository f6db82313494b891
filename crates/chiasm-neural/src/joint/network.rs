//! The layers, forwards and backwards.

use super::HISTORY;
use super::INPUTS;
use super::table::Table;
use crate::kernels::{add, dot, exponential};
use crate::product::{Matrix, Target, multiply};
use crate::random::random;
use serde::{Deserialize, Serialize};

/// How large a model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JointShape {
    /// Numbers that stand for a word.
    pub embedding: usize,
    /// Numbers of the hidden layer.
    pub hidden: usize,
    /// Numbers that source and target words may have.
    pub words: [usize; 2],
    /// Distinct target words that are too rare to have a number.
    pub rare: usize,
}

/// More than anybody trains on a processor; a damaged file asks for no more memory than this.
const MOST: usize = 1 << 16;

impl JointShape {
    /// Can there be such a model?
    pub fn check(&self) -> Result<(), String> {
        for size in [self.embedding, self.hidden, self.words[0], self.words[1]] {
            if !(1..=MOST).contains(&size) {
                return Err(format!("{size} is not between 1 and {MOST}"));
            }
        }
        Ok(())
    }

    /// The lengths of the parts of a model, in their order in a file: source words, target words, layer, its bias, output,
    /// its bias.
    pub fn parts(&self) -> [usize; 6] {
        let [source, target] = self.words;
        [
            source * self.embedding,
            target * self.embedding,
            INPUTS * self.embedding * self.hidden,
            self.hidden,
            target * self.hidden,
            target,
        ]
    }
}

/// The parameters while they are learned.
#[derive(Clone)]
pub(crate) struct Network {
    pub shape: JointShape,
    pub source: Table,
    pub target: Table,
    pub layer: Table,
    pub bias: Table,
    pub output: Table,
    pub output_bias: Table,
}

/// Examples to learn from at once.
#[derive(Default)]
pub(crate) struct Batch {
    /// All inputs of the first example, then those of the second.
    pub inputs: Vec<u32>,
    pub words: Vec<u32>,
    /// One factor a number of the hidden layer: 0 for what is dropped.
    pub kept: Vec<f32>,
}

/// Words that are told from the true ones.
pub(crate) struct Noise<'a> {
    /// The same for all examples of a batch.
    pub words: &'a [u32],
    /// For every word, the logarithm of how often it is expected among them.
    pub expected: &'a [f32],
}

impl Network {
    /// Parameters to begin with; words are as probable as in `unigrams`, whatever stands around them.
    pub fn new(shape: JointShape, unigrams: &[f32], seed: u64) -> Self {
        let JointShape {
            embedding, hidden, ..
        } = shape;
        let mut random = random(seed, "first parameters of a joint model", 0);
        let inputs = INPUTS * embedding;
        let wide = (6.0 / (inputs + hidden) as f32).sqrt();
        let mut table = |rows, width, size| Table::new(rows, width, size, &mut random);
        let mut network = Network {
            source: table(shape.words[0], embedding, 0.5),
            target: table(shape.words[1], embedding, 0.5),
            layer: table(inputs, hidden, wide),
            bias: table(1, hidden, 0.0),
            output: table(shape.words[1], hidden, 0.05),
            output_bias: table(shape.words[1], 1, 0.0),
            shape,
        };
        network.output_bias.values.copy_from_slice(unigrams);
        network
    }

    /// The embeddings of all inputs, an example a row.
    fn embed(&self, inputs: &[u32]) -> Vec<f32> {
        let mut rows = Vec::with_capacity(inputs.len() * self.shape.embedding);
        for (place, &word) in inputs.iter().enumerate() {
            let table = match place % INPUTS < HISTORY {
                true => &self.target,
                false => &self.source,
            };
            rows.extend_from_slice(table.row(word));
        }
        rows
    }

    /// The hidden layer of each example.
    fn hidden(&self, embedded: &[f32], threads: usize) -> Vec<f32> {
        let (inputs, hidden) = (INPUTS * self.shape.embedding, self.shape.hidden);
        let count = embedded.len() / inputs;
        let mut rows = self.bias.values.repeat(count);
        let left = Matrix::new(embedded, count, inputs);
        let right = Matrix::new(&self.layer.values, inputs, hidden);
        multiply(left, right, &mut rows, hidden, Target::Add, threads);
        rows.iter_mut().for_each(|value| *value = value.max(0.0));
        rows
    }

    /// The loss of a batch, a mean over its examples, and its gradients (Gutmann & Hyvärinen 2012).
    pub fn learn(&mut self, batch: &Batch, noise: &Noise<'_>, threads: usize) -> f64 {
        let (count, hidden) = (batch.words.len(), self.shape.hidden);
        let embedded = self.embed(&batch.inputs);
        let mut rows = self.hidden(&embedded, threads);
        for (value, kept) in rows.iter_mut().zip(&batch.kept) {
            *value *= kept;
        }
        let mut back = vec![0.0; count * hidden];
        let loss = self.tell_true_words(batch, noise, &rows, &mut back)
            + self.tell_noise(noise, &rows, &mut back, threads);
        for ((gradient, &value), kept) in back.iter_mut().zip(&rows).zip(&batch.kept) {
            *gradient = if value > 0.0 { *gradient * kept } else { 0.0 };
        }
        self.learn_inputs(batch, &embedded, &back, threads);
        loss / count as f64
    }

    /// The true words should be taken for true.
    fn tell_true_words(
        &mut self,
        batch: &Batch,
        noise: &Noise<'_>,
        rows: &[f32],
        back: &mut [f32],
    ) -> f64 {
        let (hidden, mut loss) = (self.shape.hidden, 0.0);
        let share = 1.0 / batch.words.len() as f32;
        let examples = rows.chunks_exact(hidden).zip(back.chunks_exact_mut(hidden));
        for (&word, (row, back)) in batch.words.iter().zip(examples) {
            let weights = self.output.row(word);
            let score = dot(row, weights) + self.output_bias.values[word as usize];
            let known = logistic(score - noise.expected[word as usize]);
            loss += surprise(&[known]);
            let gradient = (known - 1.0) * share;
            for (back, weight) in back.iter_mut().zip(weights) {
                *back += gradient * weight;
            }
            let into = self.output.gradient(word);
            for (into, value) in into.iter_mut().zip(row) {
                *into += gradient * value;
            }
            self.output_bias.gradient(word)[0] += gradient;
        }
        loss
    }

    /// Noise should be taken for noise.
    fn tell_noise(
        &mut self,
        noise: &Noise<'_>,
        rows: &[f32],
        back: &mut [f32],
        threads: usize,
    ) -> f64 {
        let (hidden, drawn) = (self.shape.hidden, noise.words.len());
        let count = rows.len() / hidden;
        let mut weights = Vec::with_capacity(drawn * hidden);
        for &word in noise.words {
            weights.extend_from_slice(self.output.row(word));
        }
        let mut scores = vec![0.0; count * drawn];
        let left = Matrix::new(rows, count, hidden);
        let right = Matrix::new(&weights, drawn, hidden);
        multiply(
            left,
            right.transposed(),
            &mut scores,
            drawn,
            Target::Replace,
            threads,
        );
        let biases: Vec<f32> = (noise.words.iter())
            .map(|&word| self.output_bias.values[word as usize] - noise.expected[word as usize])
            .collect();
        let (mut loss, share) = (0.0, 1.0 / count as f32);
        for row in scores.chunks_exact_mut(drawn) {
            for (score, bias) in row.iter_mut().zip(&biases) {
                *score = logistic(-(*score + bias));
            }
            loss += surprise(row);
            row.iter_mut()
                .for_each(|known| *known = (1.0 - *known) * share);
        }
        let gradients = Matrix::new(&scores, count, drawn);
        multiply(gradients, right, back, hidden, Target::Add, threads);
        let mut into = vec![0.0; drawn * hidden];
        multiply(
            gradients.transposed(),
            left,
            &mut into,
            hidden,
            Target::Replace,
            threads,
        );
        let mut sums = vec![0.0; drawn];
        for row in scores.chunks_exact(drawn) {
            add(&mut sums, row);
        }
        for ((&word, into), sum) in noise.words.iter().zip(into.chunks_exact(hidden)).zip(sums) {
            add(self.output.gradient(word), into);
            self.output_bias.gradient(word)[0] += sum;
        }
        loss
    }

    /// Gradients of the layer and of the words that go in.
    fn learn_inputs(&mut self, batch: &Batch, embedded: &[f32], back: &[f32], threads: usize) {
        let (embedding, hidden) = (self.shape.embedding, self.shape.hidden);
        let (inputs, count) = (INPUTS * embedding, batch.words.len());
        let back_rows = Matrix::new(back, count, hidden);
        let mut into = vec![0.0; count * inputs];
        let (gradient, layer) = self.layer.whole();
        let rows = Matrix::new(embedded, count, inputs).transposed();
        multiply(rows, back_rows, gradient, hidden, Target::Add, threads);
        let layer = Matrix::new(layer, inputs, hidden).transposed();
        multiply(
            back_rows,
            layer,
            &mut into,
            inputs,
            Target::Replace,
            threads,
        );
        for row in back.chunks_exact(hidden) {
            add(self.bias.gradient(0), row);
        }
        let pieces = into.chunks_exact(embedding);
        for (place, (&word, piece)) in batch.inputs.iter().zip(pieces).enumerate() {
            let table = match place % INPUTS < HISTORY {
                true => &mut self.target,
                false => &mut self.source,
            };
            add(table.gradient(word), piece);
        }
    }

    /// A step of all parameters against their gradients.
    pub fn step(&mut self, step: usize, rate: f32) {
        for table in [
            &mut self.source,
            &mut self.target,
            &mut self.layer,
            &mut self.bias,
            &mut self.output,
            &mut self.output_bias,
        ] {
            table.step(step, rate);
        }
    }

    /// The sum over examples of the logarithm of the probability with a sum over all words, and of how far the
    /// logarithms of these sums are from 0.
    pub fn judge(&self, batch: &Batch, threads: usize) -> (f64, f64) {
        let (hidden, words) = (self.shape.hidden, self.shape.words[1]);
        let rows = self.hidden(&self.embed(&batch.inputs), threads);
        let count = batch.words.len();
        let mut scores = self.output_bias.values.repeat(count);
        let right = Matrix::new(&self.output.values, words, hidden).transposed();
        let left = Matrix::new(&rows, count, hidden);
        multiply(left, right, &mut scores, words, Target::Add, threads);
        let (mut total, mut far) = (0.0, 0.0);
        for (row, &word) in scores.chunks_exact(words).zip(&batch.words) {
            let highest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let sum: f64 = (row.iter())
                .map(|&score| f64::from(exponential(score - highest)))
                .sum();
            let whole = f64::from(highest) + sum.ln();
            total += f64::from(row[word as usize]) - whole;
            far += whole.abs();
        }
        (total, far)
    }

    /// All parameters, part by part.
    pub fn parameters(&self) -> [&[f32]; 6] {
        [
            &self.source.values,
            &self.target.values,
            &self.layer.values,
            &self.bias.values,
            &self.output.values,
            &self.output_bias.values,
        ]
    }
}

/// The logistic function.
#[inline]
fn logistic(x: f32) -> f32 {
    let small = exponential(-x.abs());
    let above = if x >= 0.0 { 1.0 } else { small };
    above / (1.0 + small)
}

/// Minus the sum of the logarithms of probabilities, of some at a time: products of so few cannot vanish.
fn surprise(probabilities: &[f32]) -> f64 {
    let several = probabilities.chunks(8).map(|chunk| {
        let factors = chunk
            .iter()
            .map(|&known| f64::from(known.max(f32::MIN_POSITIVE)));
        factors.product::<f64>().ln()
    });
    -several.sum::<f64>()
}
