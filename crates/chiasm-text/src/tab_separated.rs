//! Sentence pairs from tab-separated files.

use crate::{Lines, Result};
use std::path::Path;

/// Two columns of a tab-separated file, line by line.
pub struct TabSeparated {
    lines: Lines,
    columns: [usize; 2],
}

impl TabSeparated {
    /// Opens a file, plain or compressed; `columns` are counted from 0.
    pub fn open(path: impl AsRef<Path>, columns: [usize; 2]) -> Result<Self> {
        Ok(TabSeparated {
            lines: Lines::open(path)?,
            columns,
        })
    }

    /// Reads the next pair into `source` and `target`; `false` at the end. A line with too few columns is an error.
    pub fn next_pair(&mut self, source: &mut String, target: &mut String) -> Result<bool> {
        source.clear();
        target.clear();
        let needed = self.columns[0].max(self.columns[1]) + 1;
        let Some(line) = self.lines.next_line()? else {
            return Ok(false);
        };
        let found = line.split('\t').count();
        if found < needed {
            let message = format!("{needed} columns parted by tabs expected, {found} found");
            return Err(self.lines.error(message));
        }
        for (column, text) in line.split('\t').enumerate() {
            if column == self.columns[0] {
                source.push_str(text);
            }
            if column == self.columns[1] {
                target.push_str(text);
            }
        }
        Ok(true)
    }

    /// The number of the line read last.
    pub fn number(&self) -> u64 {
        self.lines.number()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_their_lack() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pairs.tsv");
        std::fs::write(&path, "id\tein Haus\ta house\nid\t\tempty\nid\tnur eins\n").unwrap();
        let mut file = TabSeparated::open(&path, [1, 2]).unwrap();
        let (mut source, mut target) = (String::new(), String::new());
        assert!(file.next_pair(&mut source, &mut target).unwrap());
        assert_eq!((source.as_str(), target.as_str()), ("ein Haus", "a house"));
        assert!(file.next_pair(&mut source, &mut target).unwrap());
        assert_eq!((source.as_str(), target.as_str()), ("", "empty"));
        let message = file
            .next_pair(&mut source, &mut target)
            .unwrap_err()
            .to_string();
        assert!(
            message.ends_with("pairs.tsv: line 3: 3 columns parted by tabs expected, 2 found"),
            "{message}"
        );
    }
}
