//! Columns of Arrow as flat arrays: where each text begins, and the bytes of all.

use crate::error::ChiasmError;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// Texts from outside: one more offset than texts, and bytes.
#[derive(FromPyObject)]
pub struct Column<'py>(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, u8>);

/// The same without Python.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    offsets: &'a [i64],
    bytes: &'a [u8],
}

impl Column<'_> {
    /// Looked at once, and checked text by text.
    pub fn texts(&self) -> PyResult<Texts<'_>> {
        Ok(Texts {
            offsets: self.0.as_slice()?,
            bytes: self.1.as_slice()?,
        })
    }
}

impl<'a> Texts<'a> {
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Text number `at`, or what is wrong with it.
    pub fn get(&self, at: usize) -> Result<&'a str, String> {
        let bounds = self.offsets.get(at).zip(self.offsets.get(at + 1));
        let range = bounds.and_then(|(&from, &to)| {
            let range = usize::try_from(from).ok()?..usize::try_from(to).ok()?;
            self.bytes.get(range)
        });
        let bytes = range.ok_or("a column's offsets do not fit its bytes")?;
        std::str::from_utf8(bytes).map_err(|_| "invalid UTF-8".to_string())
    }

    /// All texts; one that is none is empty.
    pub fn iter(&self) -> impl Iterator<Item = &'a str> {
        let texts = *self;
        (0..self.len()).map(move |at| texts.get(at).unwrap_or_default())
    }
}

/// What is wrong with a row of a batch: the reason, and its number in the batch.
pub fn wrong_row(row: usize, reason: impl ToString) -> PyErr {
    ChiasmError::new_err((reason.to_string(), row))
}

/// Texts on their way to Python.
pub struct Written {
    offsets: Vec<i64>,
    bytes: Vec<u8>,
}

/// As Python has them.
pub type Flat<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u8>>);

impl Default for Written {
    fn default() -> Self {
        Written {
            offsets: vec![0],
            bytes: Vec::new(),
        }
    }
}

impl Written {
    pub fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.offsets.push(self.bytes.len() as i64);
    }

    pub fn give(self, py: Python<'_>) -> Flat<'_> {
        (
            PyArray1::from_vec(py, self.offsets),
            PyArray1::from_vec(py, self.bytes),
        )
    }
}
