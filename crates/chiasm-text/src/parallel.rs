//! Several files line by line, in batches that threads can share.

use crate::{Error, Lines, Result};
use std::path::Path;

/// Lines of several files: `line(column, row)` is one of them.
#[derive(Default, Debug)]
pub struct Batch {
    first_line: u64,
    columns: Vec<Column>,
}

#[derive(Default, Debug)]
struct Column {
    text: String,
    ends: Vec<usize>,
}

impl Batch {
    /// How many rows.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, |column| column.ends.len())
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number in its file (from 1) of a row.
    pub fn line_number(&self, row: usize) -> u64 {
        self.first_line + row as u64
    }

    /// One line of one file.
    #[inline]
    pub fn line(&self, column: usize, row: usize) -> &str {
        let column = &self.columns[column];
        let start = if row == 0 { 0 } else { column.ends[row - 1] };
        &column.text[start..column.ends[row]]
    }

    fn clear(&mut self, columns: usize, first_line: u64) {
        self.first_line = first_line;
        self.columns.resize_with(columns, Column::default);
        for column in &mut self.columns {
            column.text.clear();
            column.ends.clear();
        }
    }
}

/// Files read side by side; they must have the same number of lines.
pub struct ParallelLines {
    files: Vec<Lines>,
}

impl ParallelLines {
    /// Opens the files.
    pub fn open<P: AsRef<Path>>(paths: &[P]) -> Result<Self> {
        let files = paths.iter().map(Lines::open).collect::<Result<Vec<_>>>()?;
        Ok(ParallelLines { files })
    }

    /// The name of a file, for messages.
    pub fn path(&self, column: usize) -> &Path {
        self.files[column].path()
    }

    /// How many lines have been read of each file.
    pub fn lines_read(&self) -> u64 {
        self.files[0].number()
    }

    /// Fills `batch` with up to `rows` lines of each file (fewer if they are very long);
    /// `false` at the end.
    pub fn next_batch(&mut self, batch: &mut Batch, rows: usize) -> Result<bool> {
        const ENOUGH_BYTES: usize = 1 << 20;
        batch.clear(self.files.len(), self.lines_read() + 1);
        let mut bytes = 0;
        for _ in 0..rows {
            if !self.next_row(batch, &mut bytes)? || bytes > ENOUGH_BYTES {
                break;
            }
        }
        Ok(!batch.is_empty())
    }

    fn next_row(&mut self, batch: &mut Batch, bytes: &mut usize) -> Result<bool> {
        let mut ended = None;
        for index in 0..self.files.len() {
            let column = &mut batch.columns[index];
            if !self.files[index].append_line(&mut column.text)? {
                ended.get_or_insert(index);
                continue;
            }
            if let Some(short) = ended {
                // The first file sets the count, unless it is the short one.
                return Err(self.unequal(if short == 0 { index } else { 0 }, short));
            }
            column.ends.push(column.text.len());
            *bytes += column.text.len() - column.ends.iter().rev().nth(1).copied().unwrap_or(0);
        }
        match ended {
            None => Ok(true),
            Some(0) => Ok(false),
            Some(short) => Err(self.unequal(0, short)),
        }
    }

    /// File `long` has a line that file `short` has not.
    fn unequal(&self, long: usize, short: usize) -> Error {
        let (long_path, short_path) = (self.path(long).display(), self.path(short).display());
        let lines = self.files[short].number();
        if short == 0 {
            let message = format!("{lines} lines expected, as in {short_path}");
            self.files[long].error(message)
        } else {
            let message = format!("the file ends here, but {long_path} has more lines");
            self.files[short].error(message)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(texts: &[&str]) -> std::result::Result<usize, String> {
        let folder = tempfile::tempdir().unwrap();
        let mut paths = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            paths.push(folder.path().join(["a", "b", "c"][index]));
            std::fs::write(&paths[index], text).unwrap();
        }
        let mut files = ParallelLines::open(&paths).map_err(|e| e.to_string())?;
        let (mut batch, mut rows) = (Batch::default(), 0);
        while files.next_batch(&mut batch, 2).map_err(|e| e.to_string())? {
            for row in 0..batch.len() {
                rows += 1;
                assert_eq!(batch.line_number(row), rows as u64);
                assert_eq!(batch.line(0, row), batch.line(1, row).to_lowercase());
            }
        }
        Ok(rows)
    }

    #[test]
    fn unequal_line_counts_are_named() {
        assert_eq!(count(&["x\ny\nz\n", "X\nY\nZ"]), Ok(3));
        assert_eq!(count(&["", ""]), Ok(0));
        let long = count(&["x\ny\n", "X\nY\nZ\n"]).unwrap_err();
        assert!(
            long.contains("b: line 3: 2 lines expected, as in "),
            "{long}"
        );
        let short = count(&["x\ny\nz\n", "X\nY\n"]).unwrap_err();
        assert!(
            short.contains("b: line 2: the file ends here, but "),
            "{short}"
        );
        let third = count(&["x\ny\n", "X\nY\n", "1\n2\n3\n"]).unwrap_err();
        assert!(
            third.contains("c: line 3: 2 lines expected, as in "),
            "{third}"
        );
    }
}
