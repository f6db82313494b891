//! A model of the next target word that looks at both languages: three target words before it and eleven source words
//! around the one it goes with (Devlin, Zbib, Huang, Lamar, Schwartz & Makhoul 2014), inside the search like a language model.
//!
//! One hidden layer, learned by noise contrastive estimation (Vaswani, Zhao, Fossum & Chiang 2013): what comes out is a
//! logarithm of a probability without a sum over all words. The source words of a sentence are multiplied out once a
//! sentence, the target words once a model, so that a question costs three additions of rows and one product.
//!
//! `affiliation.rs` which source word a target word goes with; `words.rs`, `examples.rs` text as numbers; `network.rs` the
//! layers with their gradients, `table.rs` parameters and their steps; `training.rs`; `model.rs` the file and its answers.

mod affiliation;
mod examples;
mod model;
mod network;
mod table;
#[cfg(test)]
mod tests;
mod training;
mod words;

pub use affiliation::affiliations;
pub use model::JointModel;
pub use training::{JointRecipe, JointTraining, train_joint};
pub use words::{EDGE, NOTHING};

/// Target words before the one that is asked for.
pub const HISTORY: usize = 3;
/// Source words around the one that a target word goes with, itself included.
pub(crate) const WINDOW: usize = 11;
/// All words that are looked at: the history, the nearest first, then the window from left to right.
pub(crate) const INPUTS: usize = HISTORY + WINDOW;
