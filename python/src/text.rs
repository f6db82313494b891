//! Words of raw text, and back.

use chiasm::text;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Splits text into words as `chiasm tokenize --language` does.
#[pyclass(module = "chiasm", frozen)]
pub struct Tokenizer(Mutex<text::Tokenizer>);

#[pymethods]
impl Tokenizer {
    #[new]
    fn new(language: &str) -> Self {
        Tokenizer(Mutex::new(text::Tokenizer::new(language)))
    }

    /// The words with spaces between them.
    fn tokenize(&self, text: &str) -> String {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .tokenize(text)
    }
}

/// Puts words together as people write them.
#[pyclass(module = "chiasm", frozen)]
pub struct Detokenizer(text::Detokenizer);

#[pymethods]
impl Detokenizer {
    #[new]
    fn new(language: &str) -> Self {
        Detokenizer(text::Detokenizer::new(language))
    }

    /// The text of words with spaces between them.
    fn detokenize(&self, words: &str) -> String {
        self.0.detokenize(words)
    }
}
