//! The built-in language pairs: as many sentence pairs as asked, from a seed, with gold links and gold orientations.
//!
//! A sentence begins as a meaning (`meaning`, drawn by `compose`) and is then said twice, by `english` and by
//! `arabic` or `japanese`; words that say the same are linked. It is a synchronous grammar whose two sides are written
//! as two speakers, so that either can be read as the grammar of its language.
//!
//! - **Arabic-like**: verb first or subject first, adjectives, possessors and relative clauses behind the noun, agreement
//!   in gender and number; real words in Arabic script, no clitics.
//! - **Japanese-like**: verb last, postpositions, relative clauses and all other modifiers before the noun, topic marker,
//!   scrambling; romanised.
//!
//! Gold links are sure or possible, see [`SentencePair::links`] and [`SentencePair::possible_links`]. The rule:
//!
//! - **Sure**: words that say the same leaf of the meaning, word by word where both languages take several (`did not` to
//!   `masen deshita`, crosswise), whole where one does not; an ending that is a word in the other language counts
//!   (`she wrote` to كتبت, `the book` to الكتاب), and a preposition that only English needs belongs to its verb.
//! - **Possible**: words of grammar that have no sure link, block by block: an article, a case particle, a copula, `of`, a
//!   relative pronoun and the like may be linked with the head and the words of grammar of the noun phrase, verb group or
//!   fixed expression that they belong to.
//!
//! Sure and possible are meant as by Och & Ney (2003). The file `links.rs` has every case.
//!
//! Sentence i depends on seed, vocabulary and i alone: any range can be generated anywhere, and the first thousand of a
//! million pairs are the thousand pairs of a shorter run. `vocabulary` is part of the language: another number of made-up
//! words gives another corpus.
//!
//! ```
//! use chiasm_synthesis::Language;
//! let generator = Language::ArabicLike.generator(7, 0);
//! let pair = generator.pair(3);
//! println!("{}\n{}\n{}", pair.source_text(), pair.target_text(), pair.links_text());
//! assert!(pair.links().iter().all(|&(source, target)| {
//!     (source as usize) < pair.source().count() && (target as usize) < pair.target().count()
//! }));
//! ```
#![forbid(unsafe_code)]

mod arabic;
mod compose;
mod corpus;
mod english;
mod generator;
mod invention;
mod japanese;
mod lexicon;
mod links;
mod meaning;
mod orientation;
mod random;
mod side;
mod words;

pub use corpus::{Summary, write_corpus};
pub use generator::{Generator, SentencePair};
pub use orientation::{GoldPhrase, Orientation};

/// The most made-up words that can be asked for.
pub const MAXIMUM_VOCABULARY: u32 = 20_000_000;

/// A language pair; the other side is English.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Verb-initial, head-initial, in Arabic script.
    ArabicLike,
    /// Verb-final, head-final, romanised.
    JapaneseLike,
}

impl Language {
    /// By name: `arabic-like` or `japanese-like`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "arabic-like" => Some(Language::ArabicLike),
            "japanese-like" => Some(Language::JapaneseLike),
            _ => None,
        }
    }

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Language::ArabicLike => "arabic-like",
            Language::JapaneseLike => "japanese-like",
        }
    }

    /// Sentences from `seed`, with `vocabulary` made-up words (at most [`MAXIMUM_VOCABULARY`]) besides the real ones.
    pub fn generator(self, seed: u64, vocabulary: u32) -> Generator {
        Generator::new(self, seed, vocabulary.min(MAXIMUM_VOCABULARY))
    }
}
