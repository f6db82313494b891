//! Translations as sequences of operations (Durrani, Schmid, Fraser, Koehn & Schütze 2015).
//!
//! A translation is told from the left to the right of its target side: *generate this pair of words, leave a gap in the
//! source, jump back to it*. An n-gram model of such sequences sees words, their translations and their moves together,
//! across the borders of phrases.
//!
//! - [`steps`]: the minimal units of a phrase pair, in the order in which they are generated;
//! - [`Moves`]: what leads from one source word to the next, given what has been translated;
//! - [`walk`]: both together, for a phrase pair inside a sentence;
//! - [`OperationModel`]: the n-gram model, and [`estimate`] from a word-aligned text.
#![forbid(unsafe_code)]

mod error;
mod estimate;
mod model;
mod moves;
mod names;
mod units;
mod walk;

pub use error::{Error, Result};
pub use estimate::estimate;
pub use model::{NO_CLASS, OperationModel, WordClasses, class_name};
pub use moves::{Move, Moves};
pub use names::move_name;
pub use units::{Act, Step, is_straight, steps, untranslated};
pub use walk::{Event, Place, Support, straight_support, walk};
