use std::path::PathBuf;

/// What can go wrong while tuning.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The decoder failed.
    #[error("decoding the development set: {0}")]
    Decoder(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The decoder or the caller gave something that does not fit.
    #[error("{0}")]
    Input(String),
    /// A setting makes no sense.
    #[error("{name}: {reason}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// What was expected.
        reason: String,
    },
    /// A file could not be written or read.
    #[error(transparent)]
    File(#[from] chiasm_store::Error),
    /// What an earlier run left cannot be used.
    #[error("{}: {reason}; remove the folder to start anew", path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}
