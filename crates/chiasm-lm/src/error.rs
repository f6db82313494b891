use std::path::Path;

/// What can be wrong with a language model or the text it is made of, always with the file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A line of text or of an ARPA file.
    #[error(transparent)]
    Text(#[from] chiasm_text::Error),
    /// A file as a whole.
    #[error(transparent)]
    File(#[from] chiasm_store::Error),
    /// A model that cannot be made as asked; no file is to blame.
    #[error("{0}")]
    Impossible(String),
}

impl Error {
    /// Something wrong in a line, counted from 1.
    pub(crate) fn line(path: &Path, line: u64, message: impl Into<String>) -> Self {
        Error::Text(chiasm_text::Error::line(path, line, message))
    }

    /// A file that is not what it should be.
    pub(crate) fn corrupt(path: &Path, reason: impl Into<String>) -> Self {
        Error::File(chiasm_store::Error::corrupt(path, reason))
    }
}

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
