//! A trained joint model: words and weights, in memory or in a mapped file.

use super::examples::fill_window;
use super::network::JointShape;
use super::words::{RARE, Words};
use super::{HISTORY, WINDOW};
use crate::kernels::widest;
use crate::product::{Matrix, Target, multiply};
use chiasm_store::{Array, Container, Result, Sections, Writer};
use half::f16;
use std::path::Path;
use std::sync::OnceLock;

const KIND: &str = "joint";
const VERSION: u32 = 1;

/// No word is less probable; sums over all words are only nearly 1, so none is more probable than 1 either.
const LEAST: f32 = -20.0;

/// A trained model. Weights have 16 bits each; they are multiplied out when the first sentence is translated.
pub struct JointModel {
    words: [Words; 2],
    shape: JointShape,
    weights: Array<u16>,
    ready: OnceLock<Ready>,
}

/// The parameters as questions need them.
struct Ready {
    source: Vec<f32>,
    window: Vec<f32>,
    bias: Vec<f32>,
    /// For each place of the history, what each word adds to the hidden layer.
    history: [Vec<f32>; HISTORY],
    output: Vec<f32>,
    output_bias: Vec<f32>,
}

impl JointModel {
    pub(super) fn new(shape: JointShape, words: [Words; 2], parameters: [&[f32]; 6]) -> Self {
        let weights: Vec<u16> = (parameters.into_iter().flatten())
            .map(|&weight| f16::from_f32(weight).to_bits())
            .collect();
        JointModel {
            words,
            shape,
            weights: weights.into(),
            ready: OnceLock::new(),
        }
    }

    /// The number of a source word.
    pub fn source_word(&self, word: &str) -> u32 {
        self.words[0].get(word)
    }

    /// The number of a target word.
    pub fn target_word(&self, word: &str) -> u32 {
        self.words[1].get(word)
    }

    /// How many words of source and target it tells apart, how many numbers a word and the hidden layer have.
    pub fn sizes(&self) -> ([usize; 2], usize, usize) {
        (self.shape.words, self.shape.embedding, self.shape.hidden)
    }

    /// The numbers of a hidden layer.
    pub fn width(&self) -> usize {
        self.shape.hidden
    }

    fn ready(&self) -> &Ready {
        self.ready.get_or_init(|| {
            let (embedding, hidden) = (self.shape.embedding, self.shape.hidden);
            let mut start = 0;
            let parts = self.shape.parts().map(|length| {
                let part = &self.weights[start..start + length];
                start += length;
                let widened: Vec<f32> = part
                    .iter()
                    .map(|&bits| f16::from_bits(bits).to_f32())
                    .collect();
                widened
            });
            let [source, target, layer, bias, output, output_bias] = parts;
            let words = self.shape.words[1];
            let history = std::array::from_fn(|place| {
                let mut rows = vec![0.0; words * hidden];
                let first = place * embedding * hidden;
                let left = Matrix::new(&target, words, embedding);
                let right = Matrix::new(&layer[first..], embedding, hidden);
                multiply(left, right, &mut rows, hidden, Target::Replace, 1);
                rows
            });
            Ready {
                window: layer[HISTORY * embedding * hidden..].to_vec(),
                source,
                bias,
                history,
                output,
                output_bias,
            }
        })
    }

    /// What the source adds to the hidden layer of a target word that goes with each source word, and with the end of the
    /// sentence: a row of [`JointModel::width`] numbers each.
    pub fn contexts(&self, source: &[u32], into: &mut Vec<f32>) {
        let ready = self.ready();
        let (embedding, hidden) = (self.shape.embedding, self.shape.hidden);
        let count = source.len() + 1;
        let mut embedded = Vec::with_capacity(count * WINDOW * embedding);
        let mut window = [0; WINDOW];
        for centre in 0..count {
            fill_window(source, centre, &mut window);
            for &word in &window {
                let first = word as usize * embedding;
                embedded.extend_from_slice(&ready.source[first..first + embedding]);
            }
        }
        into.clear();
        into.extend(ready.bias.iter().cycle().take(count * hidden));
        let left = Matrix::new(&embedded, count, WINDOW * embedding);
        let right = Matrix::new(&ready.window, WINDOW * embedding, hidden);
        multiply(left, right, into, hidden, Target::Add, 1);
    }

    /// The natural logarithm of the probability of a word after a history, the nearest word first, where it goes with
    /// the source word of `context`.
    #[inline]
    pub fn score(&self, context: &[f32], history: &[u32; HISTORY], word: u32) -> f32 {
        let (ready, hidden) = (self.ready(), self.shape.hidden);
        let row = |word: u32| word as usize * hidden..(word as usize + 1) * hidden;
        let rows = [
            &context[..hidden],
            &ready.history[0][row(history[0])],
            &ready.history[1][row(history[1])],
            &ready.history[2][row(history[2])],
            &ready.output[row(word)],
        ];
        let product = widest(
            #[inline(always)]
            || rectified_product(rows),
        );
        let mut score = product + ready.output_bias[word as usize];
        if word == RARE {
            // One of the rare words, whichever.
            score -= (self.shape.rare as f32 + 1.0).ln();
        }
        // What is not a number, too, is the least.
        if score > LEAST { score.min(0.0) } else { LEAST }
    }

    /// Writes sections `shape`, `source/`, `target/` and `weights`.
    pub fn write_sections(&self, writer: &mut Writer) -> Result<()> {
        // Numbers only: nothing here can fail to be written.
        let shape = serde_json::to_string(&self.shape).unwrap_or_default();
        writer.bytes("shape", shape.as_bytes())?;
        writer.within("source/", |w| self.words[0].write_sections(w))?;
        writer.within("target/", |w| self.words[1].write_sections(w))?;
        writer.array("weights", &self.weights)
    }

    /// Maps what [`JointModel::write_sections`] wrote.
    pub fn from_sections(sections: &Sections) -> Result<Self> {
        let corrupt = |reason: &str| sections.corrupt("shape", reason);
        let shape: JointShape = serde_json::from_str(sections.text("shape")?)
            .map_err(|error| corrupt(&error.to_string()))?;
        shape.check().map_err(|reason| corrupt(&reason))?;
        let words = [
            Words::from_sections(&sections.within("source/"))?,
            Words::from_sections(&sections.within("target/"))?,
        ];
        if [words[0].len(), words[1].len()] != shape.words {
            return Err(corrupt("counts other words than there are"));
        }
        let weights = sections.array::<u16>("weights")?;
        if weights.len() != shape.parts().iter().sum::<usize>() {
            return Err(sections.corrupt("weights", "are not as many as the shape needs"));
        }
        Ok(JointModel {
            words,
            shape,
            weights,
            ready: OnceLock::new(),
        })
    }

    /// Writes the model into a file of its own.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut writer = Writer::create(path, KIND, VERSION)?;
        self.write_sections(&mut writer)?;
        writer.finish()
    }

    /// Maps a file that [`JointModel::write`] wrote.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        JointModel::from_sections(&Container::open(path)?.expect_kind(KIND, VERSION)?)
    }
}

/// The product of the last row with the sum of the others, negative sums counting as 0; in chunks, so that the compiler sees
/// the same length everywhere and takes vector instructions.
#[inline(always)]
fn rectified_product([a, b, c, d, output]: [&[f32]; 5]) -> f32 {
    const LANES: usize = 8;
    let mut lanes = [0.0f32; LANES];
    let all = [a, b, c, d, output].map(|row| row.chunks_exact(LANES));
    let mut rest = 0.0;
    let [a, b, c, d, output] = all.clone().map(|row| row.remainder());
    for (i, output) in output.iter().enumerate() {
        rest += ((a[i] + b[i]) + (c[i] + d[i])).max(0.0) * output;
    }
    let [a, b, c, d, output] = all;
    for ((((a, b), c), d), output) in a.zip(b).zip(c).zip(d).zip(output) {
        for lane in 0..LANES {
            let sum = (a[lane] + b[lane]) + (c[lane] + d[lane]);
            lanes[lane] += sum.max(0.0) * output[lane];
        }
    }
    lanes.iter().sum::<f32>() + rest
}
