//! How good is a translation? BLEU, NIST, chrF and TER, digit for digit as sacreBLEU 2 and
//! mteval-v13a have them, and whether a difference between two systems means anything.
//!
//! Every metric answers to [`Metric`]: a sentence becomes a short row of numbers (its sufficient
//! statistics), rows add up, and the score is a function of the sum. So a corpus score, the score
//! of one sentence and a thousand bootstrap samples are the same code.
//!
//! - [`tokenize`]: the tokenisers `none`, `13a`, `intl`, `char`;
//! - [`bleu`], [`nist`], [`chrf`], [`ter`]: one metric each;
//! - [`statistics`]: rows of a corpus as one flat array;
//! - [`bootstrap`]: paired bootstrap resampling (Koehn 2004) and confidence intervals.
//!
//! ```
//! use chiasm_metrics::{Bleu, Metric, References, Statistics};
//! # fn main() -> Result<(), chiasm_metrics::Error> {
//! let references = References::new(vec![vec!["the cat sat on the mat".into()]])?;
//! let hypotheses = vec!["the cat sat on a mat".to_string()];
//! let bleu = Bleu::default();
//! let statistics = Statistics::collect(&bleu, &hypotheses, &references)?;
//! assert!((bleu.score(&statistics.sum()) - 53.7284965911771).abs() < 1e-9);
//! assert_eq!(
//!     bleu.signature(references.count()),
//!     "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
//! );
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

pub mod bleu;
pub mod bootstrap;
pub mod chrf;
mod error;
pub mod nist;
pub mod randomisation;
pub mod statistics;
pub mod ter;
pub mod tokenize;

pub use bleu::{Bleu, Smoothing};
pub use bootstrap::{Comparison, Interval};
pub use chrf::Chrf;
pub use error::Error;
pub use nist::Nist;
pub use statistics::{References, Statistics};
pub use ter::Ter;
pub use tokenize::Tokenizer;

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;

/// The version of sacreBLEU whose scores are reproduced, as it stands in signatures.
pub const SACREBLEU_VERSION: &str = "2.6.0";

/// A score that is a function of a sum of per-sentence numbers.
pub trait Metric: Sync {
    /// What people call it, e.g. `chrF2++`.
    fn name(&self) -> String;

    /// The line that says how the score came about, as sacreBLEU prints it.
    fn signature(&self, references: usize) -> String;

    /// How many numbers describe a sentence.
    fn width(&self) -> usize;

    /// The numbers of one sentence, written to `row`, which is `width` long.
    fn sentence(&self, hypothesis: &str, references: &[&str], row: &mut [f64]);

    /// The score of summed rows.
    fn score(&self, sum: &[f64]) -> f64;

    /// Whether more is better; for error rates it is not.
    fn higher_is_better(&self) -> bool {
        true
    }
}
