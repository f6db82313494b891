/// What can go wrong behind the door. Every message names its file, its line where there is one, and what was expected.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Training.
    #[error(transparent)]
    Train(#[from] chiasm_train::Error),
    /// A system, or translating with it.
    #[error(transparent)]
    Translate(#[from] chiasm_decode::Error),
    /// Word alignment.
    #[error(transparent)]
    Align(#[from] chiasm_align::Error),
    /// Phrase pairs.
    #[error(transparent)]
    Phrases(#[from] chiasm_phrases::Error),
    /// A language model.
    #[error(transparent)]
    LanguageModel(#[from] chiasm_lm::Error),
    /// A classifier.
    #[error(transparent)]
    Learn(#[from] chiasm_learn::Error),
    /// A model of orientation.
    #[error(transparent)]
    Reorder(#[from] chiasm_reorder::Error),
    /// Scores.
    #[error(transparent)]
    Metrics(#[from] chiasm_metrics::Error),
    /// Text.
    #[error(transparent)]
    Text(#[from] chiasm_text::Error),
    /// A file.
    #[error(transparent)]
    Store(#[from] chiasm_store::Error),
    /// What was learned from users.
    #[error(transparent)]
    Adapt(#[from] chiasm_adapt::Error),
    /// A translator without a memory was to learn.
    #[error("this translator has no memory: give it one before it is to learn")]
    NoMemory,
    /// Threads could not be had.
    #[error("no threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The temporary folder.
    #[error("temporary files: {0}")]
    Temporary(#[from] std::io::Error),
}

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
