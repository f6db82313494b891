//! How strongly the examples are believed against the prior (`--c`, `--sigma2`): a number, or `auto`,
//! the one that does best on held-out examples.

use chiasm_learn::{Examples, Learner, evaluate};
use chiasm_store::Progress;
use std::fmt;
use std::str::FromStr;

/// What `auto` tries, in this order: small values are learned fastest.
const TRIED: [f64; 7] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0];

/// A number or `auto`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strength {
    /// This number.
    Fixed(f64),
    /// The best on held-out examples.
    Auto,
}

impl FromStr for Strength {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Strength::Auto);
        }
        let number = text.parse().map(Strength::Fixed);
        number.map_err(|_| format!("'{text}' is neither a number nor auto"))
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strength::Fixed(number) => number.fmt(f),
            Strength::Auto => f.write_str("auto"),
        }
    }
}

/// The strength that is most often right on held-out examples; of equals the smallest. Ends when two
/// in a row are worse than the best so far.
pub fn choose(
    learner: impl Fn(f64) -> anyhow::Result<Box<dyn Learner>>,
    examples: &Examples,
    held_out: &Examples,
    progress: &dyn Progress,
) -> anyhow::Result<f64> {
    let mut best = (TRIED[0], f64::NEG_INFINITY);
    let mut worse = 0;
    for strength in TRIED {
        let trained = learner(strength)?.train(examples, progress)?;
        let accuracy = evaluate(&trained.model, held_out)?.accuracy();
        if accuracy > best.1 {
            best = (strength, accuracy);
            worse = 0;
        } else {
            worse += 1;
        }
        if worse == 2 {
            break;
        }
    }
    Ok(best.0)
}
