//! What a translation system learns from its user: corrected or new pairs, used from the next sentence on, in a journal
//! beside the system file, which never changes.
//!
//! `journal.rs` is the file; [`Memory`] the journal of one system, aligned and counted as decoding wants it
//! ([`chiasm_decode::Learned`]); [`Request`] what the command line asks.
#![forbid(unsafe_code)]

mod error;
mod journal;
mod memory;
mod occurrences;
mod request;

pub use error::{Error, Result};
pub use journal::Pair;
pub use memory::Memory;
pub use request::{Request, beside};
