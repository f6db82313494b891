//! The ARPA text format, as KenLM and SRILM write it.
//!
//! ```text
//! \data\
//! ngram 1=3
//! ngram 2=1
//!
//! \1-grams:
//! -1.2<tab>word<tab>-0.3        log10 probability, words, log10 back-off (0 if absent)
//! ...
//! \end\
//! ```
//! Accepted: anything before `\data\`, tabs or spaces between fields, absent back-offs, `-99`,
//! `<UNK>` for `<unk>`, no `<unk>` at all (log10 probability -100, as KenLM has it). Refused, with
//! the line: positive log probabilities, numbers that are none, counts that differ from the
//! header's, n-grams twice, words that are not among the 1-grams, a file without `<s>`, `</s>` or
//! `\end\`.

mod complete;
mod list;
mod reader;
mod recovery;
mod writer;

pub use list::{NgramList, OrderList};
pub use reader::{Item, Reader};
pub use writer::Writer;

/// What a model without `<unk>` gives unknown words: log10.
pub const MISSING_UNKNOWN: f32 = -100.0;
