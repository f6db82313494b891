//! Rows of any length in an unnamed file: written one after the other, then read in the same order.

use crate::{Result, Row};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout};

/// A row with its number and its pairs, in memory that is used again for the next one.
#[derive(Debug, Default)]
pub(crate) struct NumberedRow {
    /// What the writer called the row: its place in some order.
    pub number: u64,
    pub features: Vec<u32>,
    /// As long as `features`, or empty.
    pub values: Vec<f64>,
    pub classes: Vec<u8>,
    /// As long as `classes`.
    pub weights: Vec<f64>,
}

impl NumberedRow {
    pub fn row(&self) -> Row<'_> {
        Row {
            features: &self.features,
            values: &self.values,
        }
    }

    /// From repeated features to a value a feature.
    pub fn make_explicit(&mut self) {
        if !self.values.is_empty() {
            return;
        }
        let mut features = Vec::with_capacity(self.features.len());
        for (feature, value) in Row::of(&self.features).entries() {
            features.push(feature);
            self.values.push(value);
        }
        self.features = features;
    }

    /// Gives every feature a new number and sorts by it.
    pub fn renumber(&mut self, number: impl Fn(u32) -> u32) {
        for feature in &mut self.features {
            *feature = number(*feature);
        }
        if self.features.is_sorted() {
            return;
        }
        if self.values.is_empty() {
            self.features.sort_unstable();
            return;
        }
        let pairs = self.features.iter().copied();
        let mut entries: Vec<(u32, f64)> = pairs.zip(self.values.iter().copied()).collect();
        entries.sort_unstable_by_key(|&(feature, _)| feature);
        for (at, (feature, value)) in entries.into_iter().enumerate() {
            self.features[at] = feature;
            self.values[at] = value;
        }
    }
}

/// What stands before each row.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct Head {
    number: u64,
    features: u32,
    values: u32,
    pairs: u64,
}

/// A file that rows are added to.
#[derive(Debug)]
pub(crate) struct RowWriter {
    folder: PathBuf,
    buffer: usize,
    /// None until the first row comes.
    file: Option<BufWriter<File>>,
    bytes: u64,
}

impl RowWriter {
    /// An empty file in `folder`, which the system removes whatever happens to the process.
    pub fn new(folder: &Path, buffer: usize) -> Self {
        RowWriter {
            folder: folder.to_path_buf(),
            buffer,
            file: None,
            bytes: 0,
        }
    }

    /// How large the file is.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds a row.
    pub fn push(&mut self, row: &NumberedRow) -> Result<()> {
        let written = self.write(row);
        self.bytes += written.map_err(|e| failure(&self.folder, e))? as u64;
        Ok(())
    }

    fn write(&mut self, row: &NumberedRow) -> std::io::Result<usize> {
        let file = match &mut self.file {
            Some(file) => file,
            empty => {
                let file = tempfile::tempfile_in(&self.folder)?;
                empty.insert(BufWriter::with_capacity(self.buffer, file))
            }
        };
        let head = Head {
            number: row.number,
            features: row.features.len() as u32,
            values: row.values.len() as u32,
            pairs: row.classes.len() as u64,
        };
        let parts = [
            head.as_bytes(),
            row.features.as_bytes(),
            row.values.as_bytes(),
            row.classes.as_bytes(),
            row.weights.as_bytes(),
        ];
        parts.iter().try_for_each(|part| file.write_all(part))?;
        Ok(parts.iter().map(|part| part.len()).sum())
    }

    /// From the beginning.
    pub fn read(self) -> Result<RowReader> {
        let rewound = self.file.map(|file| {
            let mut file = file.into_inner().map_err(|e| e.into_error())?;
            file.rewind().map(|()| file)
        });
        let file = rewound.transpose().map_err(|e| failure(&self.folder, e))?;
        Ok(RowReader {
            folder: self.folder,
            file: file.map(|file| BufReader::with_capacity(1 << 16, file)),
            bytes: self.bytes,
            left: self.bytes,
        })
    }
}

/// The rows of a file, one after the other.
pub(crate) struct RowReader {
    folder: PathBuf,
    /// None if there are no rows.
    file: Option<BufReader<File>>,
    bytes: u64,
    left: u64,
}

impl RowReader {
    /// Puts the next row in `row`; false at the end.
    pub fn next(&mut self, row: &mut NumberedRow) -> Result<bool> {
        match &mut self.file {
            Some(file) if self.left > 0 => {
                let read = read_row(file, row);
                self.left -= read.map_err(|e| failure(&self.folder, e))?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// From the beginning once more.
    pub fn again(mut self) -> Result<Self> {
        if let Some(file) = &mut self.file {
            file.rewind().map_err(|e| failure(&self.folder, e))?;
        }
        self.left = self.bytes;
        Ok(self)
    }
}

fn read_row(file: &mut BufReader<File>, row: &mut NumberedRow) -> std::io::Result<u64> {
    let mut head = Head::new_zeroed();
    file.read_exact(head.as_mut_bytes())?;
    row.number = head.number;
    let mut bytes = size_of::<Head>();
    bytes += fill(file, &mut row.features, head.features as usize)?;
    bytes += fill(file, &mut row.values, head.values as usize)?;
    bytes += fill(file, &mut row.classes, head.pairs as usize)?;
    bytes += fill(file, &mut row.weights, head.pairs as usize)?;
    Ok(bytes as u64)
}

fn fill<T: FromBytes + IntoBytes + Clone>(
    file: &mut BufReader<File>,
    values: &mut Vec<T>,
    count: usize,
) -> std::io::Result<usize> {
    values.resize(count, T::new_zeroed());
    let bytes = values.as_mut_bytes();
    file.read_exact(bytes)?;
    Ok(bytes.len())
}

/// What went wrong in a temporary file has the name of its folder.
pub(crate) fn failure(folder: &Path, error: std::io::Error) -> crate::Error {
    chiasm_store::Error::io(folder, error).into()
}
