//! Sparse multiclass classifiers: examples in, weights out, and a certificate of how good they are.
//!
//! - [`Examples`]: sparse rows in flat arrays, in memory or memory-mapped, equal rows merged; made
//!   by a [`Builder`] or read from [LIBSVM files](libsvm);
//! - the learners, each behind the one trait [`Learner`], parameters checked before use:
//!   [naive Bayes](naive_bayes), MaxEnt by [stochastic gradient](sgd), by [L-BFGS and OWL-QN](lbfgs) or by
//!   [exponentiated gradient on the dual](dual), the [multiclass SVM](svm), and the [perceptron];
//! - [`selection`]: features by their mutual information with the class, each by itself or as [`nmifs`] has it;
//! - [`Model`]: the trained classifier and its file; [`linear`] models with 64 to 8 bits a weight, and
//!   what fewer bits cost ([`quantisation`]);
//! - [`calibration`]: a temperature that makes probabilities honest;
//! - [`evaluation`]: accuracy, confusion, precision, recall, F1, log loss;
//! - [`shards`]: learning from examples that lie in several places;
//! - [`Report`]: what every learner says about its work: objectives, the duality gap as a certificate,
//!   iterations, active shares, seconds, memory.
//!
//! ```
//! use chiasm_learn::{Learner, evaluate, libsvm, svm::SvmParameters};
//! # fn main() -> chiasm_learn::Result<()> {
//! let text = "1 1:1 2:1\n1 1:1\n2 2:1 3:1\n2 3:2\n";
//! let examples = libsvm::read(text.as_bytes(), "inline", true)?;
//! let learner = SvmParameters::new().c(1.0).gap(1e-6).check()?;
//! let trained = learner.train(&examples, &())?;
//! assert!(trained.report.relative_gap <= Some(1e-6)); // certified, not hoped
//! assert_eq!(evaluate(&trained.model, &examples)?.accuracy(), 1.0);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod active;
mod ascent;
mod builder;
pub mod calibration;
mod codebook;
mod csr;
pub mod dual;
mod elementary;
mod error;
pub mod evaluation;
mod examples;
mod kernels;
pub mod lbfgs;
mod learner;
pub mod libsvm;
pub mod linear;
pub mod model;
pub mod naive_bayes;
pub mod nmifs;
mod objective;
pub mod options;
mod owlqn;
pub mod perceptron;
mod prediction;
mod printed;
mod prior;
pub mod quantisation;
mod recipe;
mod report;
mod schedule;
pub mod selection;
pub mod sgd;
pub mod shards;
mod spill;
mod strength;
pub mod svm;

pub use active::Shrinking;
pub use builder::Builder;
pub use error::{Error, Result};
pub use evaluation::{Evaluation, evaluate};
pub use examples::{Examples, MOST_CLASSES, Row};
pub use learner::{Learner, Trained};
pub use linear::{Bits, LinearModel};
pub use model::{Model, Predictor};
pub use perceptron::Loss;
pub use prediction::{Predicted, UnknownClass, predict_lines};
pub use prior::Prior;
pub use recipe::names::{Calibration, Method};
pub use recipe::{DEFAULT_ALPHA, DEFAULT_C, DEFAULT_SIGMA2, Recipe};
pub use report::{Report, Stopwatch};
pub use selection::SelectMethod;
pub use strength::{Choice, Strength};
