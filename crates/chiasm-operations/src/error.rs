//! What can go wrong.

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The text or the links cannot be read.
    #[error(transparent)]
    Phrases(#[from] chiasm_phrases::Error),
    /// The model cannot be estimated or read.
    #[error(transparent)]
    LanguageModel(#[from] chiasm_lm::Error),
    /// A file of models is damaged.
    #[error(transparent)]
    Store(#[from] chiasm_store::Error),
}

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
