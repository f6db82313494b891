//! Text in, text out: where a sentence pair enters the house.
//!
//! - [`open`], [`Lines`]: lines of a file, plain or compressed, checked as UTF-8, numbered;
//! - [`TextOutput`]: a text file that appears whole or not at all, compressed by its ending;
//! - [`ParallelLines`]: two or more files line by line, their line counts checked;
//! - [`Vocabulary`], [`StoredVocabulary`]: words as `u32`;
//! - [`Text`], [`MappedText`]: a corpus as one flat array of ids, in memory or in a mapped file;
//! - [`Link`], [`links`]: word alignments in Pharaoh form;
//! - [`Tokenizer`], [`Detokenizer`], [`PunctuationNormalizer`], [`Truecaser`]: from raw text to tokens and back; [`Untouched`]: what must stay as it is;
//! - [`cleaning`]: which pairs are worth training on;
//! - [`TabSeparated`], [`TranslationMemory`]: other forms that pairs come in.
//!
//! Tokens are what stands between ASCII spaces and tabs; a carriage return before the end of a
//! line is dropped.
//!
//! ```
//! use chiasm_text::{Text, Vocabulary};
//! let mut vocabulary = Vocabulary::new();
//! let mut text = Text::new();
//! text.push_line("the cat sees the dog", &mut vocabulary);
//! assert_eq!(text.sentence(0), &[0, 1, 2, 0, 3]);
//! assert_eq!(vocabulary.word(2), "sees");
//! ```

mod blocks;
pub mod cleaning;
mod compression;
mod corpus;
mod detokenizer;
mod error;
mod filters;
mod input;
mod languages;
pub mod links;
mod mapped_text;
mod markup;
mod output;
mod parallel;
mod printable;
mod punctuation;
mod recognition;
mod stored_vocabulary;
mod tab_separated;
mod tmx;
pub mod tokenizer;
mod truecaser;
mod untouched;
mod vocabulary;
mod whole;

pub use blocks::{LineBlock, convert_blocks};
pub use compression::open;
pub use corpus::{Text, Tokens, tokens};
pub use detokenizer::Detokenizer;
pub use error::Error;
pub use filters::{ToText, ToTokens};
pub use input::Lines;
pub use languages::{LANGUAGES, language_code};
pub use links::{Link, Links};
pub use mapped_text::MappedText;
pub use markup::escape;
pub use output::TextOutput;
pub use parallel::{Batch, ParallelLines};
pub use printable::printable;
pub use punctuation::PunctuationNormalizer;
pub use recognition::encoding_of;
pub use stored_vocabulary::StoredVocabulary;
pub use tab_separated::TabSeparated;
pub use tmx::TranslationMemory;
pub use tokenizer::Tokenizer;
pub use truecaser::{Truecaser, TruecaserTrainer, capitalize_sentences};
pub use untouched::Untouched;
pub use vocabulary::Vocabulary;
pub use whole::{read_lines, read_lines_beside};

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
