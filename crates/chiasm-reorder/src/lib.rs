//! The heart of the house: models of how a phrase moves, `p(orientation | phrase pair, context)`.
//!
//! - [`TableName`], [`write_table`]: the classical lexicalised model as Moses' reordering table.

mod name;
mod table;

pub use name::{Direction, TableName};
pub use table::{Smoothing, write_table};
