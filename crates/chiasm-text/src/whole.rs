//! Text files that are small enough to be held, and must have equally many lines.

use crate::{Error, Lines, Result};
use std::path::Path;

/// All lines of a file.
pub fn read_lines(path: impl AsRef<Path>) -> Result<Vec<String>> {
    let mut lines = Lines::open(path)?;
    let mut all = Vec::new();
    while let Some(line) = lines.next_line()? {
        all.push(line.to_string());
    }
    Ok(all)
}

/// All lines of a file that must have as many as the file `first`.
pub fn read_lines_beside(
    path: impl AsRef<Path>,
    first: impl AsRef<Path>,
    expected: usize,
) -> Result<Vec<String>> {
    let (path, first) = (path.as_ref(), first.as_ref().display());
    let lines = read_lines(path)?;
    if lines.len() > expected {
        let message = format!("{expected} lines expected, as in {first}");
        return Err(Error::line(path, expected as u64 + 1, message));
    }
    if lines.len() < expected {
        let message = format!("the file ends here, but {first} has {expected} lines");
        return Err(Error::line(path, lines.len() as u64, message));
    }
    Ok(lines)
}
