use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong while learning from a user.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file is not a journal of ours.
    #[error("{}: not a memory of corrections", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
    },
    /// A record in the middle is not what was written.
    #[error("{}: line {line}: damaged: {reason}", path.display())]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// There is no such pair.
    #[error("{}: no pair has the number {id}", path.display())]
    Unknown {
        /// The journal.
        path: PathBuf,
        /// What was asked for.
        id: u64,
    },
    /// Nothing is learned that could be forgotten.
    #[error("{}: nothing is learned", path.display())]
    Empty {
        /// The journal.
        path: PathBuf,
    },
    /// A system cannot be opened.
    #[error(transparent)]
    System(#[from] chiasm_decode::Error),
    /// The pair cannot be learned.
    #[error("{0}")]
    Pair(String),
    /// The system was made from links that were given, so that it cannot align new pairs.
    #[error("{}: has no word aligner: it was made with given links, by another tool or by an older version; train it from the text alone", path.display())]
    NoAligner {
        /// The system.
        path: PathBuf,
    },
    /// Text files.
    #[error(transparent)]
    Text(#[from] chiasm_text::Error),
    /// Files of other kinds.
    #[error(transparent)]
    Store(#[from] chiasm_store::Error),
}

impl Error {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        chiasm_store::Error::io(path, source).into()
    }
}

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
