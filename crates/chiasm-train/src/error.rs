use std::path::{Path, PathBuf};

/// What can go wrong between text and a tuned system.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Text or links.
    #[error(transparent)]
    Text(#[from] chiasm_text::Error),
    /// A file, or a section of one.
    #[error(transparent)]
    Store(#[from] chiasm_store::Error),
    /// Word alignment.
    #[error(transparent)]
    Align(#[from] chiasm_align::Error),
    /// Phrase pairs.
    #[error(transparent)]
    Phrases(#[from] chiasm_phrases::Error),
    /// The language model.
    #[error(transparent)]
    LanguageModel(#[from] chiasm_lm::Error),
    /// A model of orientation.
    #[error(transparent)]
    Reordering(#[from] chiasm_reorder::Error),
    /// A model of operation sequences.
    #[error(transparent)]
    Operations(#[from] chiasm_operations::Error),
    /// The system, or translating with it.
    #[error(transparent)]
    Decode(#[from] chiasm_decode::Error),
    /// The neural models.
    #[error(transparent)]
    Neural(#[from] chiasm_neural::Error),
    /// Tuning.
    #[error(transparent)]
    Tune(#[from] chiasm_tune::Error),
    /// Tuning a system that is there already.
    #[error("{}: {source}", system.display())]
    Tuning {
        /// The system.
        system: PathBuf,
        /// Why.
        source: chiasm_tune::Error,
    },
    /// Scoring.
    #[error(transparent)]
    Metrics(#[from] chiasm_metrics::Error),
    /// A setting out of its range.
    #[error("{key}: {reason}")]
    Setting {
        /// Section and key.
        key: &'static str,
        /// What was expected and what was found.
        reason: String,
    },
    /// A configuration file that cannot be understood.
    #[error("{}: {reason}", path.display())]
    Configuration {
        /// The file.
        path: PathBuf,
        /// The line and what is wrong with it.
        reason: String,
    },
    /// A stage failed.
    #[error("stage {stage}: {source}")]
    Stage {
        /// Its name.
        stage: String,
        /// Why.
        source: Box<Error>,
    },
    /// What was asked for cannot be done, and why.
    #[error("{0}")]
    Request(String),
}

impl Error {
    /// An I/O error on a file.
    pub fn io(path: impl AsRef<Path>, source: std::io::Error) -> Self {
        Error::Store(chiasm_store::Error::io(path, source))
    }
}

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
