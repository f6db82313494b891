//! The two kinds of sublayer, each behind a normalisation and beside a residual path: x + f(norm(x)).

use crate::attention::{Block, Look, attend, attend_back};
use crate::dropout::{Dropout, Mask};
use crate::kernels::{NormTape, add, linear, linear_back, normalise, normalise_back};
use crate::shape::{Attention, Inner};

/// Parameters and how to go through them.
#[derive(Clone, Copy)]
pub(crate) struct Pass<'a> {
    pub parameters: &'a [f32],
    pub threads: usize,
}

/// What attention looks at.
#[derive(Clone, Copy)]
pub(crate) enum Seen<'a> {
    /// The same rows, all of them.
    Own,
    /// The same rows, none behind the one that looks.
    OwnBefore,
    /// Other rows.
    Other(&'a [f32]),
}

/// What the way back through attention needs.
pub(crate) struct AttentionTape {
    norm: NormTape,
    normed: Vec<f32>,
    queries: Vec<f32>,
    keys: Vec<f32>,
    probabilities: Vec<f32>,
    gathered: Vec<f32>,
    mask: Mask,
}

fn look(layer: &Attention, seen: Seen<'_>) -> Look {
    Look {
        heads: layer.heads,
        width: layer.norm.width,
        causal: matches!(seen, Seen::OwnBefore),
    }
}

/// Attention; `x` becomes what comes after it.
pub(crate) fn attention(
    pass: Pass<'_>,
    layer: &Attention,
    x: &mut [f32],
    seen: Seen<'_>,
    blocks: &[Block],
    dropout: &mut Dropout,
) -> AttentionTape {
    let Pass {
        parameters,
        threads,
    } = pass;
    let (normed, norm) = normalise(parameters, &layer.norm, x);
    let queries = linear(parameters, &layer.query, &normed, threads);
    let seen_rows = match seen {
        Seen::Own | Seen::OwnBefore => &normed,
        Seen::Other(rows) => rows,
    };
    let keys = linear(parameters, &layer.keys, seen_rows, threads);
    let (gathered, probabilities) = attend(look(layer, seen), &queries, &keys, blocks);
    let mut out = linear(parameters, &layer.out, &gathered, threads);
    let mask = dropout.apply(&mut out);
    add(x, &out);
    AttentionTape {
        norm,
        normed,
        queries,
        keys,
        probabilities,
        gathered,
        mask,
    }
}

/// The way back: `dx` is the gradient after the sublayer and becomes that before it. Returned is the gradient of
/// the other rows that were looked at; there are none if the own rows were.
pub(crate) fn attention_back(
    pass: Pass<'_>,
    gradient: &mut [f32],
    layer: &Attention,
    tape: &AttentionTape,
    seen: Seen<'_>,
    blocks: &[Block],
    dx: &mut [f32],
) -> Vec<f32> {
    let Pass {
        parameters,
        threads,
    } = pass;
    let mut out = dx.to_vec();
    tape.mask.apply(&mut out);
    let gathered = linear_back(
        parameters,
        gradient,
        &layer.out,
        &tape.gathered,
        &out,
        threads,
    );
    let (dqueries, dkeys) = attend_back(
        look(layer, seen),
        &tape.queries,
        &tape.keys,
        blocks,
        &tape.probabilities,
        &gathered,
    );
    let normed = &tape.normed;
    let mut dnormed = linear_back(
        parameters,
        gradient,
        &layer.query,
        normed,
        &dqueries,
        threads,
    );
    let seen_rows = match seen {
        Seen::Own | Seen::OwnBefore => normed,
        Seen::Other(rows) => rows,
    };
    let mut dseen = linear_back(
        parameters,
        gradient,
        &layer.keys,
        seen_rows,
        &dkeys,
        threads,
    );
    if !matches!(seen, Seen::Other(_)) {
        add(&mut dnormed, &dseen);
        dseen.clear();
    }
    normalise_back(parameters, gradient, &layer.norm, &tape.norm, &dnormed, dx);
    dseen
}

/// What the way back through a feed-forward layer needs.
pub(crate) struct InnerTape {
    norm: NormTape,
    normed: Vec<f32>,
    hidden: Vec<f32>,
    hidden_mask: Mask,
    mask: Mask,
}

/// A feed-forward layer; `x` becomes what comes after it.
pub(crate) fn inner(
    pass: Pass<'_>,
    layer: &Inner,
    x: &mut [f32],
    dropout: &mut Dropout,
) -> InnerTape {
    let Pass {
        parameters,
        threads,
    } = pass;
    let (normed, norm) = normalise(parameters, &layer.norm, x);
    let mut hidden = linear(parameters, &layer.expand, &normed, threads);
    for value in &mut hidden {
        *value = if *value > 0.0 { *value } else { 0.0 };
    }
    let hidden_mask = dropout.apply(&mut hidden);
    let mut out = linear(parameters, &layer.contract, &hidden, threads);
    let mask = dropout.apply(&mut out);
    add(x, &out);
    InnerTape {
        norm,
        normed,
        hidden,
        hidden_mask,
        mask,
    }
}

/// The way back: `dx` is the gradient after the sublayer and becomes that before it.
pub(crate) fn inner_back(
    pass: Pass<'_>,
    gradient: &mut [f32],
    layer: &Inner,
    tape: &InnerTape,
    dx: &mut [f32],
) {
    let Pass {
        parameters,
        threads,
    } = pass;
    let mut out = dx.to_vec();
    tape.mask.apply(&mut out);
    let mut hidden = linear_back(
        parameters,
        gradient,
        &layer.contract,
        &tape.hidden,
        &out,
        threads,
    );
    tape.hidden_mask.apply(&mut hidden);
    for (slope, value) in hidden.iter_mut().zip(&tape.hidden) {
        *slope = if *value > 0.0 { *slope } else { 0.0 };
    }
    let dnormed = linear_back(
        parameters,
        gradient,
        &layer.expand,
        &tape.normed,
        &hidden,
        threads,
    );
    normalise_back(parameters, gradient, &layer.norm, &tape.norm, &dnormed, dx);
}
