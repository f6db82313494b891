//! N-gram language models: estimate, store, query.
//!
//! - [`Model`]: a model that answers, from an ARPA file or a memory-mapped binary;
//! - [`State`]: what is to be remembered between words, as little as possible;
//! - [`arpa`]: the text format, in and out;
//! - [`estimate`]: interpolated modified Kneser-Ney smoothing.
//!
//! ```
//! use chiasm_lm::{Model, State};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("tiny.arpa");
//! # std::fs::write(&path, "\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n-1.0\t<unk>\n-99\t<s>\t-0.5\n-0.5\t</s>\n-0.3\thello\t-0.2\n\n\\2-grams:\n-0.1\t<s> hello\n-0.2\thello </s>\n\n\\end\\\n")?;
//! let model = Model::open(&path)?;
//! let mut after = State::default();
//! let hello = model.vocabulary_id("hello");
//! let log10 = model.score(&model.begin_sentence_state(), hello, &mut after);
//! assert_eq!(log10, -0.1);
//! assert_eq!(after.context(), &[hello]);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod arpa;
mod bits;
mod build;
mod compact;
mod compact_build;
mod entry;
mod error;
pub mod estimate;
mod hash;
mod model;
mod probing;
mod quantise;
mod query;
mod search;
mod state;
mod table;
mod words;

pub use error::{Error, Result};
pub use model::{KIND, Model, VERSION};
pub use query::Score;
pub use state::{MAX_ORDER, State};
pub use words::UNKNOWN;
