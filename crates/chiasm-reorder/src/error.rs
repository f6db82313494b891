/// What can go wrong with models of orientation.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A model file is missing, truncated, damaged, or of another kind or version.
    #[error(transparent)]
    Store(#[from] chiasm_store::Error),
    /// A text file is not what it should be.
    #[error(transparent)]
    Text(#[from] chiasm_text::Error),
    /// Phrase pairs could not be found or counted.
    #[error(transparent)]
    Phrases(#[from] chiasm_phrases::Error),
    /// The learner refused.
    #[error(transparent)]
    Learn(#[from] chiasm_learn::Error),
    /// What was asked for cannot be done, and why.
    #[error("{0}")]
    Request(String),
}

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
