//! Phrase-based machine translation that learns how phrases move: the door to the whole house.
//!
//! # From text to a translation
//!
//! ```
//! use chiasm::{ParallelText, Preset, Trainer};
//! # fn main() -> chiasm::Result<()> {
//! # let pairs = chiasm::synthesis::Language::JapaneseLike.generator(1, 0);
//! # let pairs = (0..300).map(|n| pairs.pair(n)).map(|pair| (pair.source_text(), pair.target_text()));
//! let text = ParallelText::sentences(pairs); // or lines("a.ja", "a.en").languages("ja", "en")
//! let trained = Trainer::new(text).preset(Preset::Quick).seed(7).train()?;
//! let translator = trained.translator()?; // trained.save("ja-en.chiasm")? keeps it
//! let best = translator.translate("gishi ga yomu .")?;
//! for phrase in &best.derivation.phrases {
//!     println!("{:?} {:?}", phrase.source, phrase.target);
//! }
//! # assert!(!best.text.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! # The parts alone
//!
//! - [`Aligner`]: which words translate each other; a saved model aligns new sentences.
//! - [`reorder`]: models of how phrases move, from a word-aligned corpus and a [`reorder::Recipe`].
//! - [`Recipe`]: classifiers on any sparse matrix ([`learn::Examples::from_csr`]), with a duality-gap certificate.
//! - [`LanguageModel`]: n-gram models; [`score`] and [`metrics`]: BLEU, NIST, chrF, TER, significance.
//! - [`Settings`]: everything that training can be told, with the defaults; [`Observer`]: who is told how far it is.
//!
//! The crates behind the door are re-exported as modules, for whoever needs more than a screen of code; `examples/` has
//! a program for each of these.
#![forbid(unsafe_code)]

mod aligner;
mod corpus;
mod error;
mod language_model;
mod scores;
mod trainer;
mod translator;

pub use aligner::{Aligner, AlignmentModel, FittedAligner};
pub use chiasm_decode::{Glossary, SearchSettings, System};
pub use chiasm_learn::Recipe;
pub use chiasm_train::{Preset, Settings};
pub use chiasm_work::{MemorySize, Observer, Progress, Silent};
pub use corpus::ParallelText;
pub use error::{Error, Result};
pub use language_model::LanguageModel;
pub use scores::{Scores, score};
pub use trainer::{Trained, Trainer};
pub use translator::{Translated, Translator};

pub use chiasm_adapt as adapt;
pub use chiasm_align as align;
pub use chiasm_decode as decode;
pub use chiasm_learn as learn;
pub use chiasm_lm as lm;
pub use chiasm_metrics as metrics;
pub use chiasm_neural as neural;
pub use chiasm_phrases as phrases;
pub use chiasm_reorder as reorder;
pub use chiasm_report as report;
pub use chiasm_store as store;
pub use chiasm_synthesis as synthesis;
pub use chiasm_text as text;
pub use chiasm_train as train;
pub use chiasm_tune as tune;
pub use chiasm_work as work;
