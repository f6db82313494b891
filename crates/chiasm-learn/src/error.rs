use std::path::{Path, PathBuf};

/// What can go wrong in learning, with the facts that a person needs to mend it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A container file is missing, truncated, damaged, or of another kind or version.
    #[error(transparent)]
    Store(#[from] chiasm_store::Error),
    /// A line of a text file is not what it should be.
    #[error("{}: line {line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What was expected and what was found.
        reason: String,
    },
    /// A parameter has a value that no learner can use.
    #[error("{name}: {reason}")]
    Parameter {
        /// The parameter's name.
        name: &'static str,
        /// What was expected and what was found.
        reason: String,
    },
    /// The examples cannot be learned from.
    #[error("{0}")]
    Examples(String),
    /// Nothing to learn from, whatever the learner: there never was a feature, or none was kept.
    #[error("no features left in the training examples")]
    NoFeatures,
    /// A recipe that cannot be understood.
    #[error("{0}")]
    Recipe(String),
    /// The numbers became too large to be numbers.
    #[error("training went beyond what numbers can hold; are values in the examples too large?")]
    Diverged,
    /// Two models or data sets do not belong together.
    #[error("{0}")]
    Mismatch(String),
}

impl Error {
    /// A line that is not what it should be.
    pub fn line(path: impl AsRef<Path>, line: u64, reason: impl Into<String>) -> Self {
        Error::Line {
            path: path.as_ref().to_path_buf(),
            line,
            reason: reason.into(),
        }
    }

    /// A feature in a row whose identity was not given.
    pub(crate) fn unknown_feature(feature: u32, features: usize) -> Self {
        Error::Examples(format!(
            "feature {feature} in the examples; {features} expected"
        ))
    }

    /// A parameter out of its range.
    pub fn parameter(name: &'static str, reason: impl Into<String>) -> Self {
        Error::Parameter {
            name,
            reason: reason.into(),
        }
    }
}

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
