//! Phrase pairs: which spans of two aligned sentences translate each other, how they move, how
//! often, and with what scores.
//!
//! - [`Span`], [`PhraseLink`], [`Direction`], [`OrientationKind`], [`ClassSet`]: the words of the trade,
//!   which everybody below uses;
//! - [`extract`]: the spans that are consistent with the links;
//! - [`Extractor`]: the same with the orientation of each (`orientation.rs` tells a swap from a
//!   discontinuous);
//! - [`moses_text`], [`extract_to_moses_files`]: Moses' extraction files;
//! - [`IndexedCorpus`], [`CountedPairs`]: distinct pairs with counts, at any size;
//! - [`Lexicon`], [`score_pairs`], [`PhraseTableWriter`]: the phrase table;
//! - [`shards`]: the same numbers from many machines.
//!
//! ```
//! use chiasm_phrases::{Alignment, Extractor, ForwardRule, Orientation, OrientationKind};
//! use chiasm_text::links;
//! // f0 f1 | e0 e1, crossed: f1 is translated first.
//! let mut crossed = Vec::new();
//! links::parse("0-1 1-0", 2, 2, &mut crossed).unwrap();
//! let mut alignment = Alignment::default();
//! alignment.load(&crossed, 2, 2);
//! let mut extractor = Extractor::new(7, OrientationKind::Word, ForwardRule::Moses);
//! let mut second = None;
//! extractor.instances(&alignment, |instance| {
//!     if instance.spans.target.start == 1 {
//!         second = Some(instance.backward);
//!     }
//! });
//! assert_eq!(second, Some(Orientation::Swap));
//! ```

mod alignment;
mod class_set;
mod corners;
mod corpus;
mod counter;
mod direction;
mod error;
mod extraction;
mod files;
mod lexicon;
pub mod moses_text;
pub mod numbers;
mod orientation;
mod pairs;
mod phrase_table;
mod scoring;
pub mod shards;
mod smoothing;
mod span;

pub use alignment::Alignment;
pub use class_set::{ClassSet, FURTHEST, Jump};
pub use corpus::{IndexedCorpus, IndexedPair, Side, SourceTags, split_tag};
pub use counter::Counts;
pub use direction::{Direction, Directions};
pub use error::{Error, Result};
pub use extraction::extract;
pub use files::{
    AlignedFiles, Extraction, LONGEST_SENTENCE, Pair, Passed, extract_to_moses_files,
    for_each_pair_in_order,
};
pub use lexicon::Lexicon;
pub use orientation::{Extractor, ForwardRule, Instance, Orientation, OrientationKind};
pub use pairs::{CountedPair, CountedPairs, Counts64};
pub use phrase_table::{PhraseTableWriter, write_line, write_words};
pub use scoring::{ScoredPair, score_pairs};
pub use smoothing::{CountsOfCounts, Marginal, PhraseSmoothing};
pub use span::{PhraseLink, Span, Spans};
