//! What goes wrong becomes a Python exception that names file and line.

use pyo3::exceptions::{PyFileNotFoundError, PyValueError};
use pyo3::{PyErr, create_exception};
use std::error::Error;

create_exception!(
    chiasm,
    ChiasmError,
    PyValueError,
    "What Chiasm cannot do, with the file, the line and what was expected."
);

/// A file that is not there is a `FileNotFoundError`, everything else a `chiasm.Error`.
pub fn raised(error: impl Into<chiasm::Error>) -> PyErr {
    let error = error.into();
    let text = error.to_string();
    let mut source: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(cause) = source {
        if let Some(io) = cause.downcast_ref::<std::io::Error>()
            && io.kind() == std::io::ErrorKind::NotFound
        {
            return PyFileNotFoundError::new_err(text);
        }
        source = cause.source();
    }
    ChiasmError::new_err(text)
}

/// An error of words alone.
pub fn refused(reason: impl Into<String>) -> PyErr {
    ChiasmError::new_err(reason.into())
}
