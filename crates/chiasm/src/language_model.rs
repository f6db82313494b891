//! How probable a sentence is.

use crate::Result;
use chiasm_lm::Score;
use chiasm_lm::estimate::{Discounts, Options, SpecialWords};
use chiasm_work::Progress;
use std::path::{Path, PathBuf};

/// An n-gram model, interpolated modified Kneser-Ney.
pub struct LanguageModel(chiasm_lm::Model);

impl LanguageModel {
    /// Estimates on tokenised files.
    pub fn estimate(
        texts: &[impl AsRef<Path>],
        order: usize,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let texts: Vec<PathBuf> = texts.iter().map(|path| path.as_ref().into()).collect();
        let mut options = Options::new(order);
        options.special = SpecialWords::Skip;
        // Small texts have counts of counts with gaps.
        options.fallback = Some(Discounts([0.5, 1.0, 1.5]));
        let estimated = chiasm_lm::estimate::estimate(&texts, &options, progress)?;
        Ok(LanguageModel(estimated.into_model(progress)?))
    }

    /// Opens an ARPA file or a binary one, whose contents are checked.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let model = chiasm_lm::Model::open(path)?;
        model.confirm()?;
        Ok(LanguageModel(model))
    }

    /// Writes the binary file.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        Ok(self.0.save(path)?)
    }

    /// The score of a tokenised line, its end included.
    pub fn score(&self, line: &str) -> Score {
        self.0.score_line(line)
    }

    /// The model itself, for queries with states.
    pub fn model(&self) -> &chiasm_lm::Model {
        &self.0
    }
}
