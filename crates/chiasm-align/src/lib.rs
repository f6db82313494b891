//! Word alignment: which word of a sentence came from which word of its translation.
//!
//! - [`symmetrise`]: two one-sided alignments become one.
#![forbid(unsafe_code)]

mod symmetrise;

pub use symmetrise::{Method, Symmetriser};
