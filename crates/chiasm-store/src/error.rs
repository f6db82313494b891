use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong with a file, always with its name.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refused.
    #[error("{}: {}", path.display(), describe(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not what it should be: truncated, damaged, or of another kind or version.
    #[error("{}: {reason}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What was expected and what was found.
        reason: String,
    },
    /// A folder stands where a file was to be written.
    #[error("{}: is a folder; the name of a file is expected", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// The output would replace what it is made from.
    #[error("{}: is an input{}; the output would replace it", path.display(), alias(path, input))]
    ReplacesInput {
        /// The output.
        path: PathBuf,
        /// The input as it was named.
        input: PathBuf,
    },
    /// Two outputs are one file.
    #[error("{}: two outputs would go there{}", path.display(), alias(path, other))]
    SameOutput {
        /// The output.
        path: PathBuf,
        /// The other output as it was named.
        other: PathBuf,
    },
}

/// The other name of a file, if it has another.
fn alias(path: &Path, other: &Path) -> String {
    if path == other {
        return String::new();
    }
    format!(" ({} is the same file)", other.display())
}

/// Says what the system said without the number that only programmers read.
fn describe(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}

impl Error {
    /// An I/O error on `path`.
    pub fn io(path: impl AsRef<Path>, source: io::Error) -> Self {
        Error::Io {
            path: path.as_ref().to_path_buf(),
            source,
        }
    }

    /// A file that is not what it should be.
    pub fn corrupt(path: impl AsRef<Path>, reason: impl Into<String>) -> Self {
        Error::Corrupt {
            path: path.as_ref().to_path_buf(),
            reason: reason.into(),
        }
    }
}
