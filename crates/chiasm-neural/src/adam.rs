//! Adam (Kingma & Ba 2015), and a learning rate that first grows and then falls.

use crate::random::random;
use crate::shape::{Attention, Inner, Layout, Linear, Norm};
use rand::RngExt;
use rayon::prelude::*;

/// The mean of gradients forgets this fast.
const FIRST: f32 = 0.9;
/// The mean of their squares this fast.
const SECOND: f32 = 0.98;
const SMALLEST: f32 = 1e-9;
/// The share of the learning rate that is left at the end.
const LEFT: f32 = 0.02;
/// Parameters that one thread updates at a time.
const CHUNK: usize = 1 << 16;

/// Parameters and what Adam remembers of their gradients.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    pub parameters: Vec<f32>,
    pub first: Vec<f32>,
    pub second: Vec<f32>,
}

/// The learning rate of a step, counted from 1: up in a straight line, down in another.
pub(crate) fn rate(step: usize, steps: usize, warm_up: usize, highest: f32) -> f32 {
    let warm_up = warm_up.min(steps / 4).max(1);
    if step <= warm_up {
        return highest * step as f32 / warm_up as f32;
    }
    let left = (steps.saturating_sub(step)) as f32 / (steps - warm_up).max(1) as f32;
    highest * (LEFT + (1.0 - LEFT) * left)
}

impl State {
    /// Parameters to begin with: normal or uniform numbers of the usual sizes (Glorot & Bengio 2010).
    pub fn new(layout: &Layout, seed: u64) -> Self {
        let mut start = Start {
            parameters: vec![0.0; layout.total],
            random: random(seed, "first parameters", 0),
        };
        let shape = &layout.shape;
        let size = (3.0 / shape.width as f32).sqrt();
        for (place, pieces) in [
            (layout.source_embedding, shape.source_pieces),
            (layout.target_embedding, shape.target_pieces),
        ] {
            start.uniform(place, pieces * shape.width, size);
        }
        for layer in &layout.encoder {
            start.attention(&layer.attention);
            start.inner(&layer.inner);
        }
        for layer in &layout.decoder {
            start.attention(&layer.attention);
            start.attention(&layer.cross);
            start.inner(&layer.inner);
        }
        start.norm(&layout.encoder_norm);
        start.norm(&layout.decoder_norm);
        State {
            parameters: start.parameters,
            first: vec![0.0; layout.total],
            second: vec![0.0; layout.total],
        }
    }

    /// A step against the sum of two gradients, which become 0.
    pub fn step(&mut self, gradients: &mut [Vec<f32>; 2], step: usize, rate: f32) {
        let first_scale = rate / (1.0 - FIRST.powi(step as i32));
        let second_scale = 1.0 / (1.0 - SECOND.powi(step as i32));
        let [one, other] = gradients;
        let memory = self
            .first
            .par_chunks_mut(CHUNK)
            .zip(self.second.par_chunks_mut(CHUNK));
        let gradients = one.par_chunks_mut(CHUNK).zip(other.par_chunks_mut(CHUNK));
        let parameters = self.parameters.par_chunks_mut(CHUNK);
        parameters
            .zip(memory)
            .zip(gradients)
            .for_each(|((parameters, memory), gradients)| {
                let (first, second) = memory;
                let (one, other) = gradients;
                let length = parameters.len();
                let (first, second) = (&mut first[..length], &mut second[..length]);
                let (one, other) = (&mut one[..length], &mut other[..length]);
                for i in 0..length {
                    let gradient = one[i] + other[i];
                    (one[i], other[i]) = (0.0, 0.0);
                    first[i] = FIRST * first[i] + (1.0 - FIRST) * gradient;
                    second[i] = SECOND * second[i] + (1.0 - SECOND) * gradient * gradient;
                    let size = (second[i] * second_scale).sqrt() + SMALLEST;
                    parameters[i] -= first_scale * first[i] / size;
                }
            });
    }
}

struct Start {
    parameters: Vec<f32>,
    random: rand_xoshiro::Xoshiro256PlusPlus,
}

impl Start {
    fn uniform(&mut self, place: usize, count: usize, size: f32) {
        for value in &mut self.parameters[place..place + count] {
            *value = size * (2.0 * self.random.random::<f32>() - 1.0);
        }
    }

    fn linear(&mut self, layer: &Linear, outputs: usize) {
        let size = (6.0 / (layer.inputs + outputs) as f32).sqrt();
        self.uniform(layer.weight, layer.inputs * layer.outputs, size);
    }

    fn norm(&mut self, norm: &Norm) {
        self.parameters[norm.gain..norm.gain + norm.width].fill(1.0);
    }

    fn attention(&mut self, layer: &Attention) {
        self.norm(&layer.norm);
        // Keys and values are two matrices side by side.
        for linear in [&layer.query, &layer.keys, &layer.out] {
            self.linear(linear, layer.norm.width);
        }
    }

    fn inner(&mut self, layer: &Inner) {
        self.norm(&layer.norm);
        for linear in [&layer.expand, &layer.contract] {
            self.linear(linear, linear.outputs);
        }
    }
}
