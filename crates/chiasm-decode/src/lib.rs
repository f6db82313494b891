//! The decoder: the log-linear model, the search, n-best lists, constraints, and the system file.
//!
//! - [`System`]: everything that was learned, in memory or in one mapped file;
//!   [`PhraseTableBuilder`] and [`Parts`] make one, [`moses`] reads and writes Moses' models;
//! - [`Decoder`]: a system, [`Weights`] and [`SearchSettings`], shared by any number of threads;
//! - [`Preparation`]: text as people write it to tokens, and back;
//! - [`Input`]: a sentence, with the constraints of its markup or of a [`Glossary`];
//! - [`Translation`]: words, score, features, phrases, orientations, links.
//!
//! Inside, a sentence's way is: `options` gathers and scores what each source span can become,
//! `search` combines it, `search::lattice` lists the best combinations, `translation` computes
//! their features from the definitions.
//!
//! What a tuner does, with a phrase table made by hand:
//! ```
//! use chiasm_decode::*;
//! use chiasm_phrases::PhraseLink;
//! use chiasm_text::{StoredVocabulary, Vocabulary};
//! use std::sync::Arc;
//! # fn main() -> Result<()> {
//! let (mut source, mut target) = (Vocabulary::new(), Vocabulary::new());
//! let mut table = PhraseTableBuilder::new(1);
//! let casa = source.intern("casa");
//! for (word, probability) in [("house", 0.75_f32), ("home", 0.25)] {
//!     table.add(&[casa], &[target.intern(word)], &[PhraseLink::new(0, 0)], &[probability.ln()]);
//! }
//! let feature = |name: &str, kind| Feature { name: name.into(), weights: vec![1.0], kind };
//! let system = System::new(Parts {
//!     configuration: Configuration {
//!         features: vec![
//!             feature("TranslationModel0", FeatureKind::PhraseTable),
//!             feature("Distortion0", FeatureKind::Distortion),
//!             feature("UnknownWordPenalty0", FeatureKind::UnknownWordPenalty),
//!         ],
//!         ..Configuration::default()
//!     },
//!     sparse_weights: Default::default(),
//!     source_words: StoredVocabulary::new(&source),
//!     target_words: StoredVocabulary::new(&target),
//!     table: table.finish(Precision::Sixteen),
//!     language_models: Vec::new(),
//!     reordering_models: Vec::new(),
//!     operation_models: Vec::new(),
//!     joint_model: None,
//!     sparse_vocabularies: Vec::new(),
//!     source_casing: None,
//!     ranker: None,
//!     aligner: None,
//! })?;
//! let system = Arc::new(system);
//!
//! // New weights, a batch of sentences, n-best lists with feature vectors.
//! let mut weights = system.weights();
//! weights.dense[0] = 0.5;
//! let settings = system.configuration().search.clone();
//! let decoder = Decoder::with_weights(system.clone(), &weights, settings)?;
//! let sentences = [Input::from_line("casa"), Input::from_line("casa bonita")];
//! let lists = decoder.translate_batch(&sentences, Wanted { count: 100, distinct: false }, 2)?;
//! assert_eq!(system.configuration().feature_names()[0], "TranslationModel0");
//! assert_eq!(lists[0].len(), 2);
//! assert_eq!(lists[0][0].text(), "house");
//! assert_eq!(lists[0][0].features, [0.75_f32.ln(), 0.0, 0.0]);
//! assert_eq!(lists[1][0].unknown().collect::<Vec<_>>(), [1]);
//!
//! // The same system with the new weights.
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("tuned.chiasm");
//! system.write_with_weights(&path, &weights)?;
//! assert_eq!(System::open(&path)?.weights(), weights);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod blocks;
mod calibration;
mod completion;
mod configuration;
mod coverage;
mod decoder;
mod describer;
mod error;
pub mod formats;
mod input;
mod inspect;
mod language_model;
mod learned;
mod lines;
mod model;
pub mod moses;
mod opening;
mod options;
pub mod orientation;
mod preparation;
mod ranking;
mod search;
mod sparse;
mod system;
mod table;
#[cfg(test)]
mod tests;
mod translation;
mod unknown;
mod weights;
mod word_graph;
mod writing;

pub use calibration::{Calibration, expected_to_stay, stays};
pub use completion::Completion;
pub use configuration::{
    Case, Configuration, Feature, FeatureKind, JumpLimit, ReorderingShape, SearchAlgorithm,
    SearchSettings, Side, SparseShape, SparseVocabularyShape,
};
pub use decoder::{Decoder, SENTENCES_AHEAD, Wanted};
pub use error::Error;
pub use input::{Constraint, Glossary, Input, Markup};
pub use inspect::{Inspection, PhraseEntries};
pub use language_model::LanguageModel;
pub use learned::{Learned, Lesson, Strengths};
pub use lines::{LineTranslator, PrintedLine};
pub use preparation::Preparation;
pub use ranking::{Preferred, Ranking, RankingWeights};
pub use sparse::{SparseFeature, SparseVocabulary};
pub use system::{KIND, Parts, System, VERSION};
pub use table::{PhraseTable, PhraseTableBuilder, Precision, TableOption};
pub use translation::{OperationUse, OrientationUse, PhraseUse, Translation};
pub use unknown::Unknown;
pub use weights::Weights;
pub use word_graph::{GraphArc, GraphLimits, WordGraph};

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
