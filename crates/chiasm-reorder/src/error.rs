use crate::features::FeatureSet;

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
    /// Nothing to learn from, whatever the learner: no feature was seen often enough.
    #[error(
        "no features left: none of {features} was seen {min_count} times{}; lower the least count",
        in_sentences(*.min_sentences)
    )]
    NoFeatures {
        /// What was looked at.
        features: FeatureSet,
        /// How often a feature had to be seen.
        min_count: u64,
        /// In how many sentence pairs.
        min_sentences: u64,
    },
    /// What was asked for cannot be done, and why.
    #[error("{0}")]
    Request(String),
}

fn in_sentences(least: u64) -> String {
    if least > 1 {
        format!(" and in {least} sentence pairs")
    } else {
        String::new()
    }
}

impl Error {
    /// Features look at tags, and there are none.
    pub(crate) fn no_tags() -> Self {
        let reason = "the features look at tags of source words, and the source text has none";
        Error::Request(reason.into())
    }

    /// Is it that the examples are such that nothing can be learned from them, as with a very small text or one
    /// where every phrase stays in its place?
    pub fn nothing_to_learn(&self) -> bool {
        self.no_features() || matches!(self, Error::Learn(chiasm_learn::Error::Examples(_)))
    }

    /// Is it that no feature is left, because none was frequent or informative enough?
    pub fn no_features(&self) -> bool {
        matches!(
            self,
            Error::NoFeatures { .. } | Error::Learn(chiasm_learn::Error::NoFeatures)
        )
    }
}

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
