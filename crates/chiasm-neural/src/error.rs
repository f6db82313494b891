use std::path::PathBuf;

/// What can go wrong here.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be written or read.
    #[error(transparent)]
    File(#[from] chiasm_store::Error),
    /// A text could not be read.
    #[error(transparent)]
    Text(#[from] chiasm_text::Error),
    /// A setting makes no sense.
    #[error("{name}: {reason}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// What was expected.
        reason: String,
    },
    /// There is nothing to learn from.
    #[error("no sentence pair to learn from: {0}")]
    Nothing(String),
    /// Numbers grew beyond all bounds.
    #[error("training diverged at step {step}; a smaller learning rate may help")]
    Diverged {
        /// Where.
        step: usize,
    },
    /// The budget is too small.
    #[error("{needed} bytes of memory needed, {allowed} allowed")]
    Memory {
        /// What the smallest way needs.
        needed: u64,
        /// The budget.
        allowed: u64,
    },
    /// A file that should be there cannot be reached.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
