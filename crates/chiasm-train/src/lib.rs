//! From two text files to a tuned translation system: stages that are done once each.
//!
//! `settings.rs` is everything that training can be told, with the defaults (`choices.rs` the words to choose among,
//! `configuration.rs` the file that people write); `stages.rs` the way from text to
//! system, a stage a step; `plan.rs` what goes into each stage, and what it is expected to cost; `cache.rs` when a
//! stage is done. The stages: `prepare.rs` (with `input.rs`, `normalise.rs`) text, `alignment.rs` links, `word_classes.rs`
//! classes and their language model, `reordering.rs` learned models, `build.rs` (with `sparse.rs`) language model,
//! phrase table and system, `tuning.rs` the distortion limit and the weights (`retuning.rs` those of any system),
//! `joint.rs` and `ranking.rs` the neural models. `experiment.rs` trains and compares
//! systems that differ in one thing. Nothing here knows of a terminal: an [`Observer`](chiasm_work::Observer) is told.
#![forbid(unsafe_code)]

pub mod alignment;
pub mod build;
pub mod cache;
mod choices;
mod confidence;
pub mod configuration;
mod error;
pub mod estimate;
pub mod experiment;
pub mod input;
mod joint;
pub mod normalise;
mod operations;
pub mod plan;
pub mod prepare;
pub mod ranking;
pub mod reordering;
mod retuning;
pub mod settings;
pub mod sparse;
mod stages;
pub mod tuning;
pub mod word_classes;

pub use cache::Cache;
pub use confidence::{calibration, labelled_words};
pub use error::{Error, Result};
pub use input::Input;
pub use plan::Plan;
pub use prepare::Raw;
pub use retuning::{TuneRequest, Tuned};
pub use settings::{Preset, Settings, Tuner};
pub use stages::{Request, deliver, prepared_text, train};
