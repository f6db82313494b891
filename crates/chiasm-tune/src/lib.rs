//! Weights for a log-linear model: what makes the translations of a development set score best.
//!
//! All methods go the same way: decode the development set with the weights so far, add the
//! n-best lists to those of earlier rounds, find better weights on the lists, and again.
//!
//! - [`NbestDecoder`], [`Entry`], [`Weights`]: what tuning asks of a decoder;
//! - [`system_decoder`]: the project's decoder in that role;
//! - [`Pool`]: the merged n-best lists in flat arrays, each entry with its BLEU counts;
//! - [`mert`]: minimum error rate training (Och 2003) with exact line search;
//! - [`mira`]: k-best batch MIRA (Cherry & Foster 2012);
//! - [`pro`]: pairwise ranking optimisation (Hopkins & May 2011);
//! - [`mod@tune`]: the rounds, what is kept, when to stop, and going on after an interruption;
//! - [`plot`]: the rounds as a picture.

#![forbid(unsafe_code)]

mod decoder;
mod error;
pub mod interpolate;
pub mod mert;
pub mod mira;
pub mod plot;
mod pool;
pub mod pro;
mod random;
mod state;
pub mod system_decoder;
pub mod tune;
mod weights;

pub use decoder::{Entry, NbestDecoder};
pub use error::Error;
pub use pool::{Pool, SentencePool, corpus_bleu};
pub use tune::{Method, Outcome, Round, Stop, tune};
pub use weights::Weights;

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
