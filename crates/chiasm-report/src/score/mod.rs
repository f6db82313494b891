//! Scores of systems against references, as a table, as JSON, as a page.

pub mod evaluate;
pub mod html;
pub mod print;
mod read;

pub use read::{Files, runs};

use chiasm_metrics::{Bleu, References};

/// The output of one run of a system.
pub struct System {
    /// Its file.
    pub name: String,
    /// Its sentences.
    pub lines: Vec<String>,
}

/// A system: its only run, or several that differ by chance, as in the seed of tuning.
pub struct Contender {
    /// The names of its files.
    pub name: String,
    /// Numbers of runs.
    pub runs: Vec<usize>,
}

/// Everything that was read and asked for.
pub struct Task {
    /// The references, by set.
    pub references: References,
    /// The output of every run.
    pub systems: Vec<System>,
    /// Which runs are one system's, the baseline, if any, at the end.
    pub contenders: Vec<Contender>,
    /// Whether the last contender is the baseline.
    pub has_baseline: bool,
    /// BLEU's settings.
    pub bleu: Bleu,
    /// Bootstrap samples.
    pub samples: usize,
    /// Their seed.
    pub seed: u64,
}
