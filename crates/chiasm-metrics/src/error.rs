/// What can be wrong with a set of translations.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is nothing to compare with.
    #[error("at least one set of references is needed")]
    NoReferences,
    /// There is nothing to score.
    #[error("no sentences: the references are empty")]
    NoSentences,
    /// Sets that should be parallel are not.
    #[error("{what} has {found} lines, {expected} expected, as in the first references")]
    LineCount {
        /// Which set is of another length.
        what: String,
        /// Its length.
        found: usize,
        /// The length of the first set of references.
        expected: usize,
    },
    /// Statistics of different metrics or texts were compared.
    #[error(
        "{found} rows of {found_width} numbers cannot be paired with {expected} rows of {expected_width}"
    )]
    NotPaired {
        /// Rows of the one.
        found: usize,
        /// Numbers a row of the one.
        found_width: usize,
        /// Rows of the other.
        expected: usize,
        /// Numbers a row of the other.
        expected_width: usize,
    },
    /// No samples were asked for.
    #[error("bootstrap resampling needs at least one sample")]
    NoSamples,
    /// What smoothing cannot add.
    #[error("the smoothing value {found}: a positive number expected")]
    NotPositive {
        /// The number given.
        found: String,
    },
    /// A name that is no tokeniser, smoothing method or the like.
    #[error("unknown {what} `{found}`; one of {expected} expected")]
    UnknownName {
        /// What was to be named.
        what: &'static str,
        /// The name given.
        found: String,
        /// The names there are.
        expected: &'static str,
    },
}
