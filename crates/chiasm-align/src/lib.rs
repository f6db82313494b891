//! Word alignment: which word of a sentence came from which word of its translation.
//!
//! - [`train`]: estimates a model on a corpus and aligns it; [`Settings`] has the presets;
//! - [`AlignRequest`]: the whole way from files to files;
//! - [`Model`], [`Decoder`]: a saved model, and aligning new text with it;
//! - [`LinkMaker`]: links from posterior probabilities; [`Symmetriser`]: one alignment of two
//!   one-sided ones;
//! - [`Comparison`], [`aer`], [`matrix`]: links beside hand-made ones, in numbers and to look at.
//!
//! ```
//! use chiasm_align::{Bitext, LinkMaker, LinkSettings, Method, Posteriors, Preset, Settings, train};
//! let mut bitext = Bitext::new();
//! for (source, target) in [("das haus", "the house"), ("das buch", "the book"), ("haus", "house")] {
//!     bitext.push(source, target);
//! }
//! let trained = train(&bitext, &Settings::preset(Preset::Standard, bitext.len()), &())?;
//! let mut posteriors = Posteriors::default();
//! trained.posteriors(&bitext, 1, &mut posteriors)?;
//! let settings = LinkSettings { method: Method::GrowDiagFinalAnd, null_bias: 1.0 };
//! let pair = LinkMaker::default().links(&posteriors, settings);
//! assert_eq!(pair.links.len(), 2);
//! # Ok::<(), chiasm_align::Error>(())
//! ```
#![forbid(unsafe_code)]

pub mod aer;
mod agreement;
mod align;
mod bitext;
mod cells;
mod changes;
mod checkpoint;
mod comparison;
mod decode;
mod direction;
mod error;
mod expected;
mod fertility;
mod files;
mod jumps;
mod links;
mod loglinear;
pub mod matrix;
mod memory;
mod merge;
mod model;
mod outputs;
mod pairs;
mod posteriors;
pub mod rounds;
mod rows;
mod sampler;
mod settings;
mod spelling;
mod start;
mod stream;
mod sums;
mod symmetrise;
mod symmetrise_files;
mod tables;
mod train;
mod world;

pub use align::{align_corpus, align_corpus_by, align_texts};
pub use bitext::{Bitext, Side};
pub use checkpoint::Checkpoint;
pub use comparison::Comparison;
pub use decode::Decoder;
pub use error::Error;
pub use files::{AlignRequest, Aligned, Estimation, ModelSource};
pub use links::{LinkMaker, LinkSettings, PairAlignment, Posteriors};
pub use loglinear::LogLinearSettings;
pub use memory::memory_plan;
pub use model::{Model, ModelSettings, Word};
pub use outputs::{LinkCounts, LinkFiles};
pub use pairs::{Complaint, PairInput, Pairs, Skipped, complaint};
pub use settings::{Preset, SamplingSettings, Settings};
pub use symmetrise::{Method, Symmetriser};
pub use symmetrise_files::symmetrise_files;
pub use train::{Knowledge, Trained, passes, train, train_with};

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
