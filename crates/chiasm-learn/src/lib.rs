//! Sparse multiclass classifiers: examples in, weights out, and a certificate of how good they are.
//!
//! - [`Examples`]: sparse rows in flat arrays, in memory or memory-mapped, equal rows merged; made
//!   by a [`Builder`] or read from [LIBSVM files](libsvm);
//! - the learners, each behind the one trait [`Learner`]: [naive Bayes](naive_bayes),
//!   the [multiclass SVM](svm);
//! - [`Model`]: the trained classifier and its file; [`linear`] models with 64 to 8 bits a weight;
//! - [`evaluation`]: accuracy, confusion, precision, recall, F1, log loss;
//! - [`Report`]: what every learner says about its work.
//!
//! ```
//! use chiasm_learn::{Learner, evaluation, libsvm, naive_bayes};
//! # fn main() -> chiasm_learn::Result<()> {
//! let text = "1 1:1 2:1\n1 1:1\n2 2:1 3:1\n2 3:2\n";
//! let examples = libsvm::read(text.as_bytes(), "inline", true)?;
//! let learner = naive_bayes::NaiveBayesParameters::new(naive_bayes::Variant::Map).check()?;
//! let trained = learner.train(&examples, &())?;
//! let evaluation = evaluation::evaluate(&trained.model, &examples)?;
//! assert_eq!(evaluation.accuracy(), 1.0);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod active;
mod builder;
mod codebook;
mod error;
pub mod evaluation;
mod examples;
mod kernels;
mod learner;
pub mod libsvm;
pub mod linear;
pub mod model;
pub mod naive_bayes;
mod report;
pub mod svm;

pub use active::Shrinking;
pub use builder::Builder;
pub use error::{Error, Result};
pub use evaluation::{Evaluation, evaluate};
pub use examples::{Examples, MOST_CLASSES, Row};
pub use learner::{Learner, Trained};
pub use linear::{Bits, LinearModel};
pub use model::{Model, Predictor};
pub use report::{Report, Stopwatch, cpu_seconds};
