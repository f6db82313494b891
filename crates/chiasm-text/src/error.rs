use std::io;
use std::path::{Path, PathBuf};

/// What can be wrong with text, always with the file and, where there is one, the line.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A worker thread panicked.
    #[error(transparent)]
    Worker(#[from] chiasm_work::Panicked),
    /// The file itself.
    #[error(transparent)]
    File(#[from] chiasm_store::Error),
    /// One line of it.
    #[error("{}: line {line}: {message}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What was expected and what was found.
        message: String,
    },
}

impl Error {
    /// Something wrong in a line, counted from 1.
    pub fn line(path: impl AsRef<Path>, line: u64, message: impl Into<String>) -> Self {
        Error::Line {
            path: path.as_ref().to_path_buf(),
            line,
            message: message.into(),
        }
    }

    /// An I/O error on a file.
    pub fn io(path: impl AsRef<Path>, source: io::Error) -> Self {
        Error::File(chiasm_store::Error::io(path, source))
    }
}
