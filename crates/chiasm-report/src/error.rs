/// What can go wrong while a report is made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Training.
    #[error(transparent)]
    Train(#[from] chiasm_train::Error),
    /// Text.
    #[error(transparent)]
    Text(#[from] chiasm_text::Error),
    /// A file.
    #[error(transparent)]
    Store(#[from] chiasm_store::Error),
    /// A recipe.
    #[error(transparent)]
    Reorder(#[from] chiasm_reorder::Error),
    /// Scores.
    #[error(transparent)]
    Metrics(#[from] chiasm_metrics::Error),
    /// One of several systems that are compared.
    #[error("{name}: {source}")]
    Contender {
        /// Its name.
        name: String,
        /// Why it could not be made.
        source: chiasm_train::Error,
    },
    /// Serving a page or running a command, as the one who does it says.
    #[error("{0}")]
    Request(String),
}

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
