//! A small Transformer that judges translations: trained on one's own processor, from one's own text.
//!
//! [`train`] learns subwords and weights from a parallel text; [`Model::score`] tells how probable translations of a
//! sentence are. Everything is written out by hand, forwards and backwards, on products of matrices:
//!
//! - `subwords.rs`, `examples.rs` text as numbers; `recipe.rs` how a model is made;
//! - `shape.rs` where parameters lie; `product.rs`, `kernels.rs`, `attention.rs`, `dropout.rs`, `sublayers.rs`, `loss.rs` the
//!   pieces with their gradients; `network.rs` the whole;
//! - `adam.rs`, `training.rs`, `checkpoint.rs` learning; `model.rs` the file; `scoring.rs` judging, `beam.rs` translating alone.
//!
//! `joint/` is another, smaller model, of the next target word, that the search itself asks.
//!
//! The same text, recipe and seed give the same bytes on any number of threads.
#![deny(unsafe_code)]

mod adam;
mod attention;
mod beam;
mod checkpoint;
mod dropout;
mod error;
mod examples;
mod joint;
mod kernels;
mod loss;
mod model;
mod network;
mod product;
mod random;
mod recipe;
mod scoring;
mod shape;
mod sublayers;
mod subwords;
#[cfg(test)]
mod tests;
mod training;

pub use error::{Error, Result};
pub use joint::{
    EDGE, HISTORY, JointModel, JointRecipe, JointTraining, NOTHING, affiliations, train_joint,
};
pub use model::Model;
pub use recipe::{Recipe, Size};
pub use shape::Shape;
pub use subwords::Subwords;
pub use training::{Training, train};
