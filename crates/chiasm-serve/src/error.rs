//! What can go wrong before the first request.

use std::path::PathBuf;

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address cannot be listened on.
    #[error("{address}: cannot listen: {source}")]
    Listen {
        /// What was asked for.
        address: String,
        /// Why not.
        source: std::io::Error,
    },
    /// A system cannot be opened.
    #[error(transparent)]
    System(#[from] chiasm_decode::Error),
    /// Two systems of one name could not be told apart.
    #[error("{path}: there is a system called {name} already")]
    SameName {
        /// The second file.
        path: PathBuf,
        /// Its name.
        name: String,
    },
    /// There is nothing to translate with.
    #[error("no system to serve")]
    NoSystem,
    /// Others could ask without showing anything.
    #[error(
        "{address} can be reached from other machines: give a token, or say that it is meant so (--token, --insecure)"
    )]
    Unguarded {
        /// What was asked for.
        address: String,
    },
    /// A certificate or key that cannot be used.
    #[error("{}: {reason}", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// What users teach has no place.
    #[error("{}: not a folder; what users teach would go there", path.display())]
    Memories {
        /// What was given.
        path: PathBuf,
    },
    /// Threads or sockets ran out.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
