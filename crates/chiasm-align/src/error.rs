/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A worker thread panicked.
    #[error(transparent)]
    Worker(#[from] chiasm_work::Panicked),
    /// A text or links file.
    #[error(transparent)]
    Text(#[from] chiasm_text::Error),
    /// A model file.
    #[error(transparent)]
    Store(#[from] chiasm_store::Error),
    /// Something asked for that cannot be done.
    #[error("{0}")]
    Usage(String),
}
