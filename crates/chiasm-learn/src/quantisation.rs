//! What storing weights in fewer bits costs, measured rather than believed.

use crate::linear::Bits;
use crate::model::Form;
use crate::{Examples, Model, Result, evaluate};
use serde::{Deserialize, Serialize};

/// The difference between a model and the same model in fewer bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QuantisationLoss {
    /// Bits a weight.
    pub bits: u32,
    /// The largest change of a weight.
    pub largest_weight_error: f64,
    /// Accuracy before minus accuracy after, on the examples that were given.
    pub accuracy_loss: f64,
    /// Log loss after minus log loss before, in nats.
    pub log_loss_increase: f64,
}

/// The model in `bits`, and what that costs on `examples`; nothing to measure for counts, which stay
/// exact, and for full precision.
pub fn quantise(
    model: Model,
    bits: Bits,
    examples: &Examples,
) -> Result<(Model, Option<QuantisationLoss>)> {
    let small = model.clone().with_bits(bits);
    let (Form::Linear(before), Form::Linear(after)) = (model.form(), small.form()) else {
        return Ok((small, None));
    };
    if matches!(bits, Bits::SixtyFour | Bits::ThirtyTwo) {
        return Ok((small, None));
    }
    let mut largest = 0.0f64;
    for feature in 0..before.feature_ids().len() as u32 {
        for class in 0..model.class_names().len() {
            let change = before.weight(feature, class) - after.weight(feature, class);
            largest = largest.max(change.abs());
        }
    }
    let (with, without) = (evaluate(&small, examples)?, evaluate(&model, examples)?);
    let loss = QuantisationLoss {
        bits: bits.number(),
        largest_weight_error: largest,
        accuracy_loss: without.accuracy() - with.accuracy(),
        log_loss_increase: with.log_loss() - without.log_loss(),
    };
    Ok((small, Some(loss)))
}
