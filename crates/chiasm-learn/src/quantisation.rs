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
    for (feature, &id) in before.feature_ids().iter().enumerate() {
        let rounded = small.feature_number(id);
        for class in 0..model.class_names().len() {
            // A feature that is gone has no weight.
            let rounded = rounded.map_or(0.0, |feature| after.weight(feature, class));
            let change = before.weight(feature as u32, class) - rounded;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LinearModel, libsvm};

    #[test]
    fn a_feature_that_rounds_to_nothing_is_left_out_and_its_loss_is_counted() {
        let examples = libsvm::read("1 1:1 2:1\n2 3:1\n".as_bytes(), "inline", true).unwrap();
        let weights = [3.0, -3.0, 1e-6, -1e-6, -2.0, 2.0];
        let model = LinearModel::new(&examples, &weights, 2);
        let model = Model::linear(examples.class_names().to_vec(), model);
        let (small, loss) = quantise(model.clone(), Bits::Sixteen, &examples).unwrap();
        assert_eq!(model.feature_ids(), [1, 2, 3]);
        assert_eq!(small.feature_ids(), [1, 3]);
        assert!(loss.unwrap().largest_weight_error >= 1e-6);
        let mut scores = [[0.0; 2]; 2];
        for (model, scores) in [&model, &small].into_iter().zip(&mut scores) {
            model
                .predictor(&examples)
                .scores(examples.row(0), &mut scores[..]);
        }
        assert!((scores[0][0] - scores[1][0]).abs() < 1e-4, "{scores:?}");
        let (same, loss) = quantise(model, Bits::ThirtyTwo, &examples).unwrap();
        assert_eq!((same.feature_ids().len(), loss), (3, None));
    }
}
