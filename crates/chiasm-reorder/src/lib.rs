//! The heart of the house: models of how a phrase moves, `p(orientation | phrase pair, context)`.
//!
//! - [`TableName`], [`write_table`]: the classical lexicalised model as Moses' reordering table;
//! - [`FeatureSet`]: what a learned model looks at, S1 to S15 and free compositions;
//! - [`OrientationModel`]: what every model answers to; [`LexicalisedModel`] and [`LearnedModel`]
//!   do, and [`StoredModel`] is whichever a file holds.
#![forbid(unsafe_code)]

mod class_counts;
mod class_table;
pub mod classes;
mod columns;
pub mod competitors;
mod corpus_view;
mod counting;
mod counts;
pub mod dictionary;
mod error;
mod evaluate;
mod examples;
mod explain;
mod explain_pair;
mod explanation_json;
pub mod export;
mod feature_names;
pub mod features;
pub mod hashing;
mod index;
mod kept;
mod learned;
mod lexicalised;
mod model;
mod naive_bayes;
mod name;
mod outcome;
pub mod recipe;
mod settings;
pub mod shards;
mod sieve;
pub mod spelling;
mod stored;
mod summary;
mod table;
pub mod trainer;
mod training;

pub use class_table::ClassTable;
pub use columns::{OrientationColumns, Smoothing};
pub use corpus_view::{CorpusWords, PhraseFinder, PhrasePair};
pub use counts::FeatureCounts;
pub use error::{Error, Result};
pub use evaluate::evaluate;
pub use examples::{ExampleOptions, ExampleSet};
pub use explain::{Explanation, Reason};
pub use explain_pair::{ExplainedPhrase, PairRequest, Target, explain_pair, open_learned};
pub use explanation_json::DescribedExplanation;
pub use features::{Anova, ContextMarks, FeatureSet};
pub use hashing::WordKey;
pub use index::FeatureIndex;
pub use kept::{Filter, Kept};
pub use learned::LearnedModel;
pub use lexicalised::LexicalisedModel;
pub use model::{OrientationModel, Scratch};
pub use name::TableName;
pub use outcome::{Outcome, SentenceOutcome};
pub use recipe::{Method, Recipe};
pub use settings::{Settings, Task};
pub use stored::{KIND, StoredModel, VERSION};
pub use table::{write_table, write_table_line};
pub use trainer::Workplace;
