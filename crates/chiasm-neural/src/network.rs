//! The network: a Transformer (Vaswani et al. 2017) with normalisation before each sublayer, forwards and backwards.

use crate::attention::Block;
use crate::dropout::{Dropout, Mask};
use crate::kernels::{NormTape, add, normalise, normalise_back};
use crate::shape::Layout;
use crate::sublayers::{
    AttentionTape, InnerTape, Pass, Seen, attention, attention_back, inner, inner_back,
};
use crate::subwords::BOUNDARY;

/// Sentence pairs as subwords, one after another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    /// Source subwords, a boundary after each sentence.
    pub source: Vec<u16>,
    /// Target subwords, a boundary before each sentence.
    pub before: Vec<u16>,
    /// The subwords that follow them, a boundary at the end of each sentence.
    pub after: Vec<u16>,
    /// Where source sentences end.
    pub source_ends: Vec<usize>,
    /// Where target sentences end.
    pub target_ends: Vec<usize>,
}

impl Batch {
    /// Adds a pair.
    pub fn push(&mut self, source: &[u16], target: &[u16]) {
        self.source.extend_from_slice(source);
        self.source.push(BOUNDARY);
        self.before.push(BOUNDARY);
        self.before.extend_from_slice(target);
        self.after.extend_from_slice(target);
        self.after.push(BOUNDARY);
        self.source_ends.push(self.source.len());
        self.target_ends.push(self.before.len());
    }

    fn blocks(query_ends: &[usize], key_ends: &[usize]) -> Vec<Block> {
        let starts = |ends: &[usize]| -> Vec<usize> {
            std::iter::once(0).chain(ends.iter().copied()).collect()
        };
        let (query_starts, key_starts) = (starts(query_ends), starts(key_ends));
        (0..query_ends.len())
            .map(|i| Block {
                queries: query_starts[i]..query_ends[i],
                keys: key_starts[i]..key_ends[i],
            })
            .collect()
    }
}

/// Where each sentence's rows lie.
struct Blocks {
    source: Vec<Block>,
    target: Vec<Block>,
    cross: Vec<Block>,
}

/// Adds sines and cosines that say which place a row has in its sentence.
pub(crate) fn add_position(row: &mut [f32], position: usize) {
    let width = row.len();
    let pairs = width.div_ceil(2);
    for pair in 0..pairs {
        // libm's sine differs between systems in the last bit; in double precision that is lost by rounding.
        let speed = (-(10_000f64.ln()) * pair as f64 / pairs as f64).exp();
        let (sine, cosine) = (position as f64 * speed).sin_cos();
        row[pair] += sine as f32;
        if pairs + pair < width {
            row[pairs + pair] += cosine as f32;
        }
    }
}

/// Rows of the first positions, computed once.
pub(crate) struct Positions {
    width: usize,
    rows: Vec<f32>,
}

/// Sentences rarely are longer.
const KNOWN_POSITIONS: usize = 512;

impl Positions {
    pub fn new(width: usize) -> Self {
        let mut rows = vec![0.0; KNOWN_POSITIONS * width];
        for (position, row) in rows.chunks_exact_mut(width).enumerate() {
            add_position(row, position);
        }
        Positions { width, rows }
    }

    /// Adds what says that a row has this place.
    pub fn add(&self, row: &mut [f32], position: usize) {
        let start = position * self.width;
        match self.rows.get(start..start + self.width) {
            Some(known) => add(row, known),
            None => add_position(row, position),
        }
    }
}

/// The network without its parameters.
pub(crate) struct Network {
    pub layout: Layout,
    pub positions: Positions,
}

/// What the way back needs.
struct Tape {
    encoder: Vec<(AttentionTape, InnerTape)>,
    encoder_norm: NormTape,
    memory: Vec<f32>,
    source_mask: Mask,
    decoder: Vec<(AttentionTape, AttentionTape, InnerTape)>,
    decoder_norm: NormTape,
    target_mask: Mask,
}

impl Network {
    pub fn new(layout: Layout) -> Self {
        Network {
            positions: Positions::new(layout.shape.width),
            layout,
        }
    }

    /// The row of a subword before its place is added.
    pub fn embed(&self, embedding: &[f32], piece: u16, position: usize, row: &mut [f32]) {
        let width = self.layout.shape.width;
        let factor = (width as f32).sqrt();
        let start = usize::from(piece) * width;
        for (value, weight) in row.iter_mut().zip(&embedding[start..start + width]) {
            *value = weight * factor;
        }
        self.positions.add(row, position);
    }

    fn embed_all(&self, embedding: &[f32], pieces: &[u16], ends: &[usize]) -> Vec<f32> {
        let width = self.layout.shape.width;
        let mut rows = vec![0.0; pieces.len() * width];
        let (mut sentence, mut start) = (0, 0);
        for (place, row) in rows.chunks_exact_mut(width).enumerate() {
            while place >= ends[sentence] {
                start = ends[sentence];
                sentence += 1;
            }
            self.embed(embedding, pieces[place], place - start, row);
        }
        rows
    }

    fn embed_back(&self, gradient: &mut [f32], pieces: &[u16], dx: &[f32]) {
        let width = self.layout.shape.width;
        let factor = (width as f32).sqrt();
        for (&piece, dx) in pieces.iter().zip(dx.chunks_exact(width)) {
            let start = usize::from(piece) * width;
            for (slope, dx) in gradient[start..start + width].iter_mut().zip(dx) {
                *slope += dx * factor;
            }
        }
    }

    /// What the encoder says of each source row.
    fn encode(
        &self,
        pass: Pass<'_>,
        x: &mut [f32],
        blocks: &[Block],
        dropout: &mut Dropout,
    ) -> (Vec<f32>, NormTape, Vec<(AttentionTape, InnerTape)>) {
        let mut tapes = Vec::new();
        for layer in &self.layout.encoder {
            let attended = attention(pass, &layer.attention, x, Seen::Own, blocks, dropout);
            tapes.push((attended, inner(pass, &layer.inner, x, dropout)));
        }
        let (memory, norm) = normalise(pass.parameters, &self.layout.encoder_norm, x);
        (memory, norm, tapes)
    }

    /// What the encoder says of one sentence; the pieces end with a boundary.
    pub fn memory(&self, pass: Pass<'_>, pieces: &[u16]) -> Vec<f32> {
        let embedding = &pass.parameters[self.layout.source_embedding..];
        let mut x = self.embed_all(embedding, pieces, &[pieces.len()]);
        let blocks = [Block {
            queries: 0..pieces.len(),
            keys: 0..pieces.len(),
        }];
        self.encode(pass, &mut x, &blocks, &mut Dropout::none()).0
    }

    fn forward(
        &self,
        pass: Pass<'_>,
        batch: &Batch,
        blocks: &Blocks,
        dropout: &mut Dropout,
    ) -> (Vec<f32>, Tape) {
        let layout = &self.layout;
        let embedding = &pass.parameters[layout.source_embedding..];
        let mut x = self.embed_all(embedding, &batch.source, &batch.source_ends);
        let source_mask = dropout.apply(&mut x);
        let (memory, encoder_norm, encoder) = self.encode(pass, &mut x, &blocks.source, dropout);
        let embedding = &pass.parameters[layout.target_embedding..];
        let mut y = self.embed_all(embedding, &batch.before, &batch.target_ends);
        let target_mask = dropout.apply(&mut y);
        let mut decoder = Vec::new();
        for layer in &layout.decoder {
            let own = Seen::OwnBefore;
            let own = attention(pass, &layer.attention, &mut y, own, &blocks.target, dropout);
            let other = Seen::Other(&memory);
            let cross = attention(pass, &layer.cross, &mut y, other, &blocks.cross, dropout);
            decoder.push((own, cross, inner(pass, &layer.inner, &mut y, dropout)));
        }
        let (out, decoder_norm) = normalise(pass.parameters, &layout.decoder_norm, &y);
        let tape = Tape {
            encoder,
            encoder_norm,
            memory,
            source_mask,
            decoder,
            decoder_norm,
            target_mask,
        };
        (out, tape)
    }

    fn backward(
        &self,
        pass: Pass<'_>,
        gradient: &mut [f32],
        batch: &Batch,
        blocks: &Blocks,
        tape: &Tape,
        dout: &[f32],
    ) {
        let layout = &self.layout;
        let parameters = pass.parameters;
        let mut dy = vec![0.0; dout.len()];
        let norm = &layout.decoder_norm;
        normalise_back(
            parameters,
            gradient,
            norm,
            &tape.decoder_norm,
            dout,
            &mut dy,
        );
        let mut dmemory = vec![0.0; tape.memory.len()];
        for (layer, (own, cross, inside)) in layout.decoder.iter().zip(&tape.decoder).rev() {
            inner_back(pass, gradient, &layer.inner, inside, &mut dy);
            let seen = Seen::Other(&tape.memory);
            let layer_cross = &layer.cross;
            let dseen = attention_back(
                pass,
                gradient,
                layer_cross,
                cross,
                seen,
                &blocks.cross,
                &mut dy,
            );
            add(&mut dmemory, &dseen);
            let (layer, seen) = (&layer.attention, Seen::OwnBefore);
            attention_back(pass, gradient, layer, own, seen, &blocks.target, &mut dy);
        }
        tape.target_mask.apply(&mut dy);
        self.embed_back(&mut gradient[layout.target_embedding..], &batch.before, &dy);
        let mut dx = vec![0.0; dmemory.len()];
        let norm = &layout.encoder_norm;
        normalise_back(
            parameters,
            gradient,
            norm,
            &tape.encoder_norm,
            &dmemory,
            &mut dx,
        );
        for (layer, (own, inside)) in layout.encoder.iter().zip(&tape.encoder).rev() {
            inner_back(pass, gradient, &layer.inner, inside, &mut dx);
            let (layer, seen) = (&layer.attention, Seen::Own);
            attention_back(pass, gradient, layer, own, seen, &blocks.source, &mut dx);
        }
        tape.source_mask.apply(&mut dx);
        self.embed_back(&mut gradient[layout.source_embedding..], &batch.source, &dx);
    }

    fn blocks(batch: &Batch) -> Blocks {
        Blocks {
            source: Batch::blocks(&batch.source_ends, &batch.source_ends),
            target: Batch::blocks(&batch.target_ends, &batch.target_ends),
            cross: Batch::blocks(&batch.target_ends, &batch.source_ends),
        }
    }

    /// Adds the gradient of the smoothed loss of a batch, times `scale`, and returns the loss, summed over target subwords.
    pub fn learn(
        &self,
        pass: Pass<'_>,
        gradient: &mut [f32],
        batch: &Batch,
        smoothing: f32,
        scale: f32,
        dropout: &mut Dropout,
    ) -> f64 {
        let blocks = Network::blocks(batch);
        let (out, tape) = self.forward(pass, batch, &blocks, dropout);
        let mut dout = vec![0.0; out.len()];
        let loss = crate::loss::loss_with_gradient(
            &self.layout,
            pass,
            gradient,
            &out,
            &batch.after,
            smoothing,
            scale,
            &mut dout,
        );
        self.backward(pass, gradient, batch, &blocks, &tape, &dout);
        loss
    }

    /// Minus the log probability of the target side, summed over subwords.
    pub fn loss(&self, pass: Pass<'_>, batch: &Batch) -> f64 {
        let blocks = Network::blocks(batch);
        let (out, _) = self.forward(pass, batch, &blocks, &mut Dropout::none());
        crate::loss::loss(&self.layout, pass, &out, &batch.after)
    }
}
