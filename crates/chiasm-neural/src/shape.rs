//! How large a model is, and where its parameters lie in one array.

use serde::{Deserialize, Serialize};

/// How large a model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Numbers that stand for a subword inside the model.
    pub width: usize,
    /// Numbers inside the feed-forward layers.
    pub inner: usize,
    /// Heads of attention; they divide the width.
    pub heads: usize,
    /// Layers that read the source.
    pub encoder_layers: usize,
    /// Layers that read the target so far.
    pub decoder_layers: usize,
    /// Distinct source subwords.
    pub source_pieces: usize,
    /// Distinct target subwords.
    pub target_pieces: usize,
}

/// More than anybody trains on a processor; a damaged file asks for no more memory than this.
const MOST: usize = 1 << 16;

impl Shape {
    /// Can there be such a model?
    pub fn check(&self) -> Result<(), String> {
        let sizes = [
            ("width", self.width),
            ("inner", self.inner),
            ("heads", self.heads),
            ("source_pieces", self.source_pieces),
            ("target_pieces", self.target_pieces),
        ];
        for (name, size) in sizes {
            if !(1..=MOST).contains(&size) {
                return Err(format!("{name}: {size} is not between 1 and {MOST}"));
            }
        }
        if self.encoder_layers.max(self.decoder_layers) > 64 {
            return Err("more than 64 layers".into());
        }
        if !self.width.is_multiple_of(self.heads) {
            let (width, heads) = (self.width, self.heads);
            return Err(format!("{heads} heads do not divide a width of {width}"));
        }
        Ok(())
    }

    /// How many parameters the model has.
    pub fn parameters(&self) -> usize {
        Layout::new(*self).total
    }
}

/// A matrix of weights, inputs by outputs, and a bias.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linear {
    pub weight: usize,
    pub bias: usize,
    pub inputs: usize,
    pub outputs: usize,
}

/// Gains and biases of a layer normalisation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Norm {
    pub gain: usize,
    pub bias: usize,
    pub width: usize,
}

/// Attention behind a normalisation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attention {
    pub norm: Norm,
    pub query: Linear,
    /// Keys, then values.
    pub keys: Linear,
    pub out: Linear,
    pub heads: usize,
}

/// A feed-forward layer behind a normalisation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inner {
    pub norm: Norm,
    pub expand: Linear,
    pub contract: Linear,
}

/// A layer that reads the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EncoderLayer {
    pub attention: Attention,
    pub inner: Inner,
}

/// A layer that reads the target so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecoderLayer {
    pub attention: Attention,
    pub cross: Attention,
    pub inner: Inner,
}

/// Where everything lies.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub shape: Shape,
    pub source_embedding: usize,
    /// Also the weights of the output.
    pub target_embedding: usize,
    pub output_bias: usize,
    pub encoder: Vec<EncoderLayer>,
    pub encoder_norm: Norm,
    pub decoder: Vec<DecoderLayer>,
    pub decoder_norm: Norm,
    pub total: usize,
}

struct Places {
    width: usize,
    heads: usize,
    next: usize,
}

impl Places {
    fn take(&mut self, count: usize) -> usize {
        let place = self.next;
        self.next += count;
        place
    }

    fn linear(&mut self, inputs: usize, outputs: usize) -> Linear {
        Linear {
            weight: self.take(inputs * outputs),
            bias: self.take(outputs),
            inputs,
            outputs,
        }
    }

    fn norm(&mut self) -> Norm {
        Norm {
            gain: self.take(self.width),
            bias: self.take(self.width),
            width: self.width,
        }
    }

    fn attention(&mut self) -> Attention {
        let width = self.width;
        Attention {
            norm: self.norm(),
            query: self.linear(width, width),
            keys: self.linear(width, 2 * width),
            out: self.linear(width, width),
            heads: self.heads,
        }
    }

    fn inner(&mut self, inner: usize) -> Inner {
        Inner {
            norm: self.norm(),
            expand: self.linear(self.width, inner),
            contract: self.linear(inner, self.width),
        }
    }
}

impl Layout {
    pub fn new(shape: Shape) -> Self {
        let mut places = Places {
            width: shape.width,
            heads: shape.heads,
            next: 0,
        };
        let source_embedding = places.take(shape.source_pieces * shape.width);
        let target_embedding = places.take(shape.target_pieces * shape.width);
        let output_bias = places.take(shape.target_pieces);
        let encoder = (0..shape.encoder_layers).map(|_| EncoderLayer {
            attention: places.attention(),
            inner: places.inner(shape.inner),
        });
        let encoder = encoder.collect();
        let encoder_norm = places.norm();
        let decoder = (0..shape.decoder_layers).map(|_| DecoderLayer {
            attention: places.attention(),
            cross: places.attention(),
            inner: places.inner(shape.inner),
        });
        let decoder = decoder.collect();
        let decoder_norm = places.norm();
        Layout {
            shape,
            source_embedding,
            target_embedding,
            output_bias,
            encoder,
            encoder_norm,
            decoder,
            decoder_norm,
            total: places.next,
        }
    }
}
