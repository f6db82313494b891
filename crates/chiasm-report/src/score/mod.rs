//! Scores of systems against references, as a table, as JSON, as a page.

pub mod evaluate;
pub mod html;
pub mod print;
mod read;

pub use read::Files;

use chiasm_metrics::{Bleu, References};

/// A system's output.
pub struct System {
    /// Its file.
    pub name: String,
    /// Its sentences.
    pub lines: Vec<String>,
}

/// Everything that was read and asked for.
pub struct Task {
    /// The references, by set.
    pub references: References,
    /// The systems, the baseline, if any, at the end.
    pub systems: Vec<System>,
    /// Whether the last system is the baseline.
    pub has_baseline: bool,
    /// BLEU's settings.
    pub bleu: Bleu,
    /// Bootstrap samples.
    pub samples: usize,
    /// Their seed.
    pub seed: u64,
}
