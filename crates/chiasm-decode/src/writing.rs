//! A system becomes a file.

use crate::Result;
use crate::calibration::Calibration;
use crate::learned::Learned;
use crate::sparse::format_sparse_weights;
use crate::system::{
    ALIGNER, JOINT, KIND, LEARNED, RANKER, System, VERSION, operations_prefix, sparse_prefix,
};
use crate::weights::{CompiledWeights, Weights};
use chiasm_store::Writer;
use std::path::Path;
use std::sync::Arc;

impl System {
    /// Writes the system with its own weights.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        self.write_with_weights(path, &self.weights())
    }

    /// Writes the system with other weights and everything else as it is.
    pub fn write_with_weights(&self, path: impl AsRef<Path>, weights: &Weights) -> Result<()> {
        self.write_tuned(path, weights, self.parts.configuration.calibration)
    }

    /// Writes the system with what users have taught it since, so that the file alone translates as both did.
    pub fn write_learned(&self, path: impl AsRef<Path>, learned: &Learned) -> Result<()> {
        let calibration = self.parts.configuration.calibration;
        self.write_all(path, &self.weights(), calibration, Some(learned))
    }

    /// Writes the system with other weights, and the calibration of its confidences that belongs to them.
    pub fn write_tuned(
        &self,
        path: impl AsRef<Path>,
        weights: &Weights,
        calibration: Option<Calibration>,
    ) -> Result<()> {
        let learned = self.learned().map(Arc::as_ref);
        self.write_all(path, weights, calibration, learned)
    }

    fn write_all(
        &self,
        path: impl AsRef<Path>,
        weights: &Weights,
        calibration: Option<Calibration>,
        learned: Option<&Learned>,
    ) -> Result<()> {
        CompiledWeights::new(self, weights)?;
        // What is damaged must not get a checksum that says it is not.
        self.confirm()?;
        let mut configuration = self.parts.configuration.clone();
        configuration.calibration = calibration;
        let mut position = 0;
        for feature in &mut configuration.features {
            let count = feature.weights.len();
            feature
                .weights
                .copy_from_slice(&weights.dense[position..position + count]);
            position += count;
        }
        let parts = &self.parts;
        let mut writer = Writer::create(path, KIND, VERSION)?;
        writer.bytes("configuration", configuration.to_text().as_bytes())?;
        let sparse = format_sparse_weights(&weights.sparse);
        writer.bytes("sparse-weights", sparse.as_bytes())?;
        if let Some(casing) = &parts.source_casing {
            writer.bytes("source-casing", casing.to_text().as_bytes())?;
        }
        writer.within("source/", |w| parts.source_words.write_sections(w))?;
        writer.within("target/", |w| parts.target_words.write_sections(w))?;
        writer.within("table/", |w| parts.table.write_sections(w))?;
        for (number, model) in parts.language_models.iter().enumerate() {
            writer.within(&format!("lm{number}/"), |w| model.write_sections(w))?;
        }
        for (number, model) in parts.reordering_models.iter().enumerate() {
            let mut outcome = Ok(());
            writer.within(&format!("reordering{number}/"), |w| {
                outcome = model.write_sections(w);
                Ok(())
            })?;
            outcome?;
        }
        for (number, model) in parts.operation_models.iter().enumerate() {
            writer.within(&operations_prefix(number), |w| model.write_sections(w))?;
        }
        if let Some(model) = &parts.joint_model {
            writer.within(JOINT, |w| model.write_sections(w))?;
        }
        for (feature, vocabularies) in parts.sparse_vocabularies.iter().enumerate() {
            for (number, vocabulary) in vocabularies.iter().enumerate() {
                let prefix = sparse_prefix(feature, number);
                writer.within(&prefix, |w| vocabulary.write_sections(w))?;
            }
        }
        if let Some(ranker) = &parts.ranker {
            writer.within(RANKER, |w| ranker.write_sections(w))?;
        }
        if let Some(aligner) = &parts.aligner {
            writer.within(ALIGNER, |w| aligner.write_sections(w))?;
        }
        if let Some(learned) = learned.filter(|learned| !learned.is_empty()) {
            writer.within(LEARNED, |w| learned.write_sections(w))?;
        }
        Ok(writer.finish()?)
    }
}
