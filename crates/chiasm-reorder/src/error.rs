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
    /// Nothing that the recipe looks at was seen often enough.
    #[error(
        "no features left: none of {set} was seen {min_count} times{}; lower the least count",
        in_pairs(*min_sentences)
    )]
    NoFeatures {
        /// The feature set.
        set: String,
        /// The least count.
        min_count: u64,
        /// The least number of sentence pairs.
        min_sentences: u64,
    },
    /// What was asked for cannot be done, and why.
    #[error("{0}")]
    Request(String),
}

fn in_pairs(min_sentences: u64) -> String {
    match min_sentences {
        ..=1 => String::new(),
        more => format!(" in {more} sentence pairs"),
    }
}

impl Error {
    /// Is it that the examples are such that nothing can be learned from them, as with a very small text or one
    /// where every phrase stays in its place?
    pub fn nothing_to_learn(&self) -> bool {
        matches!(
            self,
            Error::NoFeatures { .. } | Error::Learn(chiasm_learn::Error::Examples(_))
        )
    }
}

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
