//! Text files that are small enough to be held, and must have equally many lines.

use chiasm_text::Lines;
use std::path::Path;

/// All lines of a file.
pub fn read(path: &Path) -> anyhow::Result<Vec<String>> {
    let mut lines = Lines::open(path)?;
    let mut all = Vec::new();
    while let Some(line) = lines.next_line()? {
        all.push(line.to_string());
    }
    Ok(all)
}

/// Has a file as many lines as the first one?
pub fn check_count(path: &Path, found: usize, first: &Path, expected: usize) -> anyhow::Result<()> {
    let first = first.display();
    if found > expected {
        let message = format!("{expected} lines expected, as in {first}");
        return Err(chiasm_text::Error::line(path, expected as u64 + 1, message).into());
    }
    if found < expected {
        let message = format!("the file ends here, but {first} has {expected} lines");
        return Err(chiasm_text::Error::line(path, found as u64, message).into());
    }
    Ok(())
}
