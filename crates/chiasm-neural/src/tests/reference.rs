//! The network from its definition, one number at a time and in double precision.

use crate::shape::{Attention, Inner, Layout, Linear, Norm};
use crate::subwords::BOUNDARY;

type Rows = Vec<Vec<f64>>;

/// A network with parameters in double precision.
pub struct Reference<'a> {
    pub layout: &'a Layout,
    pub parameters: &'a [f64],
}

impl Reference<'_> {
    fn linear(&self, layer: &Linear, x: &Rows) -> Rows {
        let output = |row: &Vec<f64>, out: usize| {
            let weight = |input: usize| self.parameters[layer.weight + input * layer.outputs + out];
            let products = row
                .iter()
                .enumerate()
                .map(|(input, value)| value * weight(input));
            products.sum::<f64>() + self.parameters[layer.bias + out]
        };
        let all = |row| (0..layer.outputs).map(|out| output(row, out)).collect();
        x.iter().map(all).collect()
    }

    fn norm(&self, norm: &Norm, x: &Rows) -> Rows {
        let one = |row: &Vec<f64>| {
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            let variance = row.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / row.len() as f64;
            let scaled = row.iter().enumerate().map(|(i, value)| {
                let standard = (value - mean) / (variance + 1e-5).sqrt();
                standard * self.parameters[norm.gain + i] + self.parameters[norm.bias + i]
            });
            scaled.collect()
        };
        x.iter().map(one).collect()
    }

    fn attention(&self, layer: &Attention, x: &Rows, other: Option<&Rows>, causal: bool) -> Rows {
        let width = layer.norm.width;
        let head = width / layer.heads;
        let normed = self.norm(&layer.norm, x);
        let queries = self.linear(&layer.query, &normed);
        let keys = self.linear(&layer.keys, other.unwrap_or(&normed));
        let mut gathered = vec![vec![0.0; width]; x.len()];
        for (place, query) in queries.iter().enumerate() {
            let seen = if causal { place + 1 } else { keys.len() };
            for number in 0..layer.heads {
                let dimensions = number * head..(number + 1) * head;
                let score = |key: &Vec<f64>| -> f64 {
                    let products = dimensions.clone().map(|i| query[i] * key[i]);
                    (products.sum::<f64>() / (head as f64).sqrt()).exp()
                };
                let scores: Vec<f64> = keys[..seen].iter().map(score).collect();
                let total: f64 = scores.iter().sum();
                for (key, score) in keys.iter().zip(&scores) {
                    for i in dimensions.clone() {
                        gathered[place][i] += score / total * key[width + i];
                    }
                }
            }
        }
        plus(x, &self.linear(&layer.out, &gathered))
    }

    fn inner(&self, layer: &Inner, x: &Rows) -> Rows {
        let mut hidden = self.linear(&layer.expand, &self.norm(&layer.norm, x));
        hidden
            .iter_mut()
            .flatten()
            .for_each(|value| *value = value.max(0.0));
        plus(x, &self.linear(&layer.contract, &hidden))
    }

    fn embed(&self, embedding: usize, pieces: &[u16]) -> Rows {
        let width = self.layout.shape.width;
        let pairs = width / 2;
        let row = |(place, &piece): (usize, &u16)| {
            let value = |i: usize| {
                let speed = 10_000f64.powf(-((i % pairs) as f64) / pairs as f64);
                let angle = place as f64 * speed;
                let wave = if i < pairs { angle.sin() } else { angle.cos() };
                self.parameters[embedding + usize::from(piece) * width + i] * (width as f64).sqrt()
                    + wave
            };
            (0..width).map(value).collect()
        };
        pieces.iter().enumerate().map(row).collect()
    }

    /// For each place of the target, the log probability of every subword.
    fn distributions(&self, source: &[u16], target: &[u16]) -> Rows {
        let layout = self.layout;
        let mut x = self.embed(layout.source_embedding, &[source, &[BOUNDARY]].concat());
        for layer in &layout.encoder {
            x = self.attention(&layer.attention, &x, None, false);
            x = self.inner(&layer.inner, &x);
        }
        let memory = self.norm(&layout.encoder_norm, &x);
        let mut y = self.embed(layout.target_embedding, &[&[BOUNDARY], target].concat());
        for layer in &layout.decoder {
            y = self.attention(&layer.attention, &y, None, true);
            y = self.attention(&layer.cross, &y, Some(&memory), false);
            y = self.inner(&layer.inner, &y);
        }
        let width = layout.shape.width;
        let of_row = |row: &Vec<f64>| {
            let score = |piece: usize| {
                let weight =
                    |i: usize| self.parameters[layout.target_embedding + piece * width + i];
                let products = row.iter().enumerate().map(|(i, value)| value * weight(i));
                products.sum::<f64>() + self.parameters[layout.output_bias + piece]
            };
            let scores: Vec<f64> = (0..layout.shape.target_pieces).map(score).collect();
            let total = scores.iter().map(|score| score.exp()).sum::<f64>().ln();
            scores.iter().map(|score| score - total).collect()
        };
        self.norm(&layout.decoder_norm, &y)
            .iter()
            .map(of_row)
            .collect()
    }

    /// The smoothed loss of a pair, summed over its target subwords.
    pub fn loss(&self, source: &[u16], target: &[u16], smoothing: f64) -> f64 {
        let right = target.iter().chain(&[BOUNDARY]);
        let rows = self.distributions(source, target);
        let one = |(row, &right): (&Vec<f64>, &u16)| {
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            -(1.0 - smoothing) * row[usize::from(right)] - smoothing * mean
        };
        rows.iter().zip(right).map(one).sum()
    }
}

fn plus(a: &Rows, b: &Rows) -> Rows {
    let sum = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| a + b).collect();
    a.iter().zip(b).map(sum).collect()
}
