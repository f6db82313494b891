//! The flat arrays of examples, each in an unnamed file of its own while rows come in, and then
//! sections of one container.

use super::rows::{NumberedRow, failure};
use crate::examples::{KIND, VERSION};
use crate::{Error, Examples, Result};
use chiasm_store::Writer;
use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use zerocopy::{Immutable, IntoBytes};

/// Rows in their final order become arrays.
pub(crate) struct ArrayFiles {
    folder: PathBuf,
    offsets: ArrayFile,
    features: ArrayFile,
    values: ArrayFile,
    pair_offsets: ArrayFile,
    classes: ArrayFile,
    weights: ArrayFile,
    rows: u64,
    entries: u64,
    pairs: u64,
    /// Every row so far has one pair.
    single: bool,
    /// Every pair so far weighs 1.
    unit: bool,
}

impl ArrayFiles {
    pub fn create(folder: &Path) -> Result<Self> {
        let mut files = ArrayFiles {
            folder: folder.to_path_buf(),
            offsets: ArrayFile::create(folder)?,
            features: ArrayFile::create(folder)?,
            values: ArrayFile::create(folder)?,
            pair_offsets: ArrayFile::create(folder)?,
            classes: ArrayFile::create(folder)?,
            weights: ArrayFile::create(folder)?,
            rows: 0,
            entries: 0,
            pairs: 0,
            single: true,
            unit: true,
        };
        files.end_row()?;
        Ok(files)
    }

    /// Adds a row; its pairs are in increasing order of their classes.
    pub fn push(&mut self, row: &NumberedRow) -> Result<()> {
        self.features.push(&self.folder, &row.features)?;
        self.values.push(&self.folder, &row.values)?;
        self.classes.push(&self.folder, &row.classes)?;
        self.weights.push(&self.folder, &row.weights)?;
        self.rows += 1;
        self.entries += row.features.len() as u64;
        self.pairs += row.classes.len() as u64;
        self.single &= row.classes.len() == 1;
        self.unit &= row.weights.iter().all(|&weight| weight == 1.0);
        self.end_row()
    }

    fn end_row(&mut self) -> Result<()> {
        let Ok(pairs) = u32::try_from(self.pairs) else {
            return Err(Error::Examples("more than four billion examples".into()));
        };
        self.offsets.push(&self.folder, &[self.entries])?;
        self.pair_offsets.push(&self.folder, &[pairs])
    }

    /// One container of all arrays, mapped. Its file has no name any more: it goes when the last of
    /// the examples does.
    pub fn finish(
        self,
        class_names: &[String],
        ids: &[u32],
        featureless: &[f64],
    ) -> Result<Examples> {
        let place = tempfile::Builder::new()
            .prefix("examples-")
            .tempdir_in(&self.folder)
            .map_err(|e| failure(&self.folder, e))?;
        let path = place.path().join("examples");
        let (single, unit) = (self.single, self.unit);
        let mut writer = Writer::create(&path, KIND, VERSION)?;
        writer.bytes("class-names", class_names.join("\n").as_bytes())?;
        writer.array("feature-ids", ids)?;
        self.offsets.copy(&mut writer, "offsets", true)?;
        self.features.copy(&mut writer, "features", true)?;
        self.values.copy(&mut writer, "values", true)?;
        self.pair_offsets
            .copy(&mut writer, "pair-offsets", !single)?;
        self.classes.copy(&mut writer, "pair-classes", true)?;
        self.weights.copy(&mut writer, "pair-weights", !unit)?;
        writer.array("featureless", featureless)?;
        writer.finish()?;
        Examples::open(&path)
    }
}

struct ArrayFile(BufWriter<File>);

impl ArrayFile {
    fn create(folder: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(|e| failure(folder, e))?;
        Ok(ArrayFile(BufWriter::with_capacity(1 << 16, file)))
    }

    fn push<T: IntoBytes + Immutable>(&mut self, folder: &Path, values: &[T]) -> Result<()> {
        let written = self.0.write_all(values.as_bytes());
        written.map_err(|e| failure(folder, e))
    }

    /// Copies the array into a section, or leaves that empty.
    fn copy(self, writer: &mut Writer, name: &str, wanted: bool) -> Result<()> {
        let copied = writer.stream(name, |sink| {
            if !wanted {
                return Ok(());
            }
            let mut file = self.0.into_inner().map_err(|e| e.into_error())?;
            file.rewind()?;
            std::io::copy(&mut file, sink).map(|_| ())
        });
        Ok(copied?)
    }
}
