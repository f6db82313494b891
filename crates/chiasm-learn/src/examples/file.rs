//! Examples as sections of a file.

use super::{Examples, KIND, MOST_CLASSES, Row, VERSION};
use crate::Result;
use chiasm_store::{Sections, Writer};
use std::path::Path;

impl Examples {
    /// Writes the examples as a file of their own.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut writer = Writer::create(path, KIND, VERSION)?;
        self.write(&mut writer)?;
        Ok(writer.finish()?)
    }

    /// Writes the examples as sections of a larger file.
    pub fn write(&self, writer: &mut Writer) -> Result<()> {
        writer.bytes("class-names", self.class_names.join("\n").as_bytes())?;
        writer.array("feature-ids", &self.feature_ids)?;
        writer.array("offsets", &self.offsets)?;
        writer.array("features", &self.features)?;
        writer.array("values", &self.values)?;
        writer.array("pair-offsets", &self.pair_offsets)?;
        writer.array("pair-classes", &self.pair_classes)?;
        writer.array("pair-weights", &self.pair_weights)?;
        writer.array("featureless", &self.featureless)?;
        Ok(())
    }

    /// Maps a file of examples.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let sections = chiasm_store::Container::open(path)?.expect_kind(KIND, VERSION)?;
        Self::read(&sections)
    }

    /// Maps the examples in a larger file.
    pub fn read(sections: &Sections) -> Result<Self> {
        let names = sections.text("class-names")?;
        let examples = Examples {
            class_names: names.lines().map(str::to_string).collect(),
            feature_ids: sections.array("feature-ids")?,
            offsets: sections.array("offsets")?,
            features: sections.array("features")?,
            values: sections.array("values")?,
            pair_offsets: sections.array("pair-offsets")?,
            pair_classes: sections.array("pair-classes")?,
            pair_weights: sections.array("pair-weights")?,
            featureless: sections.array("featureless")?,
            storage: None,
        };
        examples
            .inconsistency()
            .map_or(Ok(()), |(name, reason)| Err(sections.corrupt(name, reason)))?;
        Ok(examples)
    }

    /// Learners index without asking, so a file is looked through once when it is opened.
    fn inconsistency(&self) -> Option<(&'static str, &'static str)> {
        let classes = self.classes();
        if classes == 0 || classes > MOST_CLASSES {
            return Some(("class-names", "between 1 and 256 classes expected"));
        }
        if !divides(&self.offsets, self.features.len()) {
            return Some(("offsets", "does not fit the features"));
        }
        if self.offsets.windows(2).any(|bounds| bounds[0] == bounds[1]) {
            return Some(("offsets", "holds a row without features"));
        }
        if !self.values.is_empty() && self.values.len() != self.features.len() {
            return Some(("values", "is not as long as the features"));
        }
        if let Some(found) = self.scan().find_map(|row| self.row_inconsistency(row)) {
            return Some(found);
        }
        if self.pair_offsets.is_empty() {
            if self.pair_classes.len() != self.rows() {
                return Some(("pair-classes", "is not as long as the rows"));
            }
        } else {
            let right = self.pair_offsets.len() == self.rows() + 1;
            if !right || !divides(&self.pair_offsets, self.pair_classes.len()) {
                return Some(("pair-offsets", "does not fit the pairs"));
            }
        }
        if self.pair_classes.iter().any(|&c| c as usize >= classes) {
            return Some(("pair-classes", "holds a class that has no name"));
        }
        if !self.pair_weights.is_empty() && self.pair_weights.len() != self.pair_classes.len() {
            return Some(("pair-weights", "is not as long as the classes"));
        }
        if self.featureless.len() != classes {
            return Some(("featureless", "is not as long as the classes"));
        }
        let weights = self.pair_weights.iter().chain(self.featureless.iter());
        if weights.into_iter().any(|&w| !w.is_finite() || w < 0.0) {
            return Some((
                "pair-weights",
                "holds a weight that is not a positive number",
            ));
        }
        None
    }

    fn row_inconsistency(&self, index: usize) -> Option<(&'static str, &'static str)> {
        let row = self.row(index);
        if row.features.iter().any(|&f| f as usize >= self.features()) {
            return Some(("features", "holds a feature that has no identity"));
        }
        if row.values.iter().any(|value| !value.is_finite()) {
            return Some(("values", "holds a value that is not a number"));
        }
        let ordered = is_ordered(row);
        (!ordered).then_some(("features", "holds a row that is not in increasing order"))
    }
}

/// Do offsets begin at 0, end at `end` and never fall?
fn divides<T: Copy + Into<u64> + PartialOrd>(offsets: &[T], end: usize) -> bool {
    let wide = |offset: &T| -> u64 { (*offset).into() };
    offsets.first().map(wide) == Some(0)
        && offsets.last().map(wide) == Some(end as u64)
        && offsets.is_sorted()
}

/// Increasing features, each once if it has a value.
fn is_ordered(row: Row) -> bool {
    if row.values.is_empty() {
        row.features.is_sorted()
    } else {
        row.features.is_sorted_by(|a, b| a < b)
    }
}
