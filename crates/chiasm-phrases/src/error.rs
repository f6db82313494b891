use std::io;
use std::path::Path;

/// What can go wrong while phrase pairs are found, counted and written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A worker thread panicked.
    #[error(transparent)]
    Worker(#[from] chiasm_work::Panicked),
    /// A text file is not what it should be.
    #[error(transparent)]
    Text(#[from] chiasm_text::Error),
    /// Temporary files.
    #[error(transparent)]
    Store(#[from] chiasm_store::Error),
    /// Classes that no table or extraction file has.
    #[error("classes {0} can be learned, but tables and extraction files do not have them")]
    Classes(crate::ClassSet),
}

impl Error {
    /// Something wrong in a line, counted from 1.
    pub(crate) fn line(path: impl AsRef<Path>, line: u64, message: impl Into<String>) -> Self {
        chiasm_text::Error::line(path, line, message).into()
    }

    /// An I/O error in a folder of temporary files.
    pub(crate) fn io(path: impl AsRef<Path>, source: io::Error) -> Self {
        chiasm_store::Error::io(path, source).into()
    }
}

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
