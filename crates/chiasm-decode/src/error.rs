use std::path::{Path, PathBuf};

/// What can go wrong while reading models or translating.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A worker thread panicked.
    #[error(transparent)]
    Worker(#[from] chiasm_work::Panicked),
    /// A file or one of its sections.
    #[error(transparent)]
    Store(#[from] chiasm_store::Error),
    /// Text.
    #[error(transparent)]
    Text(#[from] chiasm_text::Error),
    /// A word aligner.
    #[error(transparent)]
    Aligner(#[from] chiasm_align::Error),
    /// A language model.
    #[error(transparent)]
    LanguageModel(#[from] chiasm_lm::Error),
    /// A model of operation sequences.
    #[error(transparent)]
    Operations(#[from] chiasm_operations::Error),
    /// A reordering model.
    #[error(transparent)]
    Reordering(#[from] chiasm_reorder::Error),
    /// A configuration that makes no sense.
    #[error("{}: {message}", path.display())]
    Configuration {
        /// The file it comes from.
        path: PathBuf,
        /// What was expected and what was found.
        message: String,
    },
    /// Something another tool can do and this one cannot.
    #[error("{}: line {line}: {what} is not supported", path.display())]
    Unsupported {
        /// The file that asks for it.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// Its name.
        what: String,
    },
    /// Weights that do not belong to the system.
    #[error("{0}")]
    Weights(String),
    /// Input that cannot be translated as asked.
    #[error("{0}")]
    Input(String),
}

impl Error {
    pub(crate) fn configuration(path: impl AsRef<Path>, message: impl Into<String>) -> Self {
        Error::Configuration {
            path: path.as_ref().to_path_buf(),
            message: message.into(),
        }
    }
}
