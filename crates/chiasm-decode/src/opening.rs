//! A file becomes a system.

use crate::Result;
use crate::configuration::{Case, Configuration, FeatureKind};
use crate::language_model::LanguageModel;
use crate::learned::{Learned, Strengths};
use crate::sparse::{SparseVocabulary, parse_sparse_weights};
use crate::system::{
    ALIGNER, JOINT, KIND, LEARNED, Parts, RANKER, System, VERSION, operations_prefix, sparse_prefix,
};
use crate::table::PhraseTable;
use chiasm_align::Model as Aligner;
use chiasm_neural::{JointModel, Model as Ranker};
use chiasm_operations::OperationModel;
use chiasm_reorder::StoredModel;
use chiasm_store::Container;
use chiasm_text::{StoredVocabulary, Truecaser};
use std::path::Path;
use std::sync::Arc;

impl System {
    /// Maps a system file. The cost does not depend on the size of its models: their contents are checked on a thread
    /// of their own meanwhile, and [`System::confirm`] says what came of it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let sections = Container::open(path)?.expect_kind(KIND, VERSION)?;
        sections.confirm_in_background();
        let text = sections.text("configuration")?;
        let configuration = Configuration::from_text(text)
            .map_err(|message| sections.corrupt("configuration", &message))?;
        let source_words = StoredVocabulary::from_sections(&sections.within("source/"))?;
        let target_words = StoredVocabulary::from_sections(&sections.within("target/"))?;
        let table = PhraseTable::from_sections(&sections.within("table/"))?;
        let mut language_models = Vec::new();
        let mut reordering_models = Vec::new();
        let mut sparse_vocabularies = Vec::new();
        let mut operation_models = Vec::new();
        let mut joint_model = None;
        for feature in &configuration.features {
            match &feature.kind {
                FeatureKind::LanguageModel => {
                    let prefix = format!("lm{}/", language_models.len());
                    let within = sections.within(&prefix);
                    language_models.push(LanguageModel::from_sections(&within, &target_words)?);
                }
                FeatureKind::OperationModel => {
                    let within = sections.within(&operations_prefix(operation_models.len()));
                    let words = [source_words.len(), target_words.len()];
                    operation_models.push(OperationModel::from_sections(&within, words)?);
                }
                FeatureKind::JointModel => {
                    let model = JointModel::from_sections(&sections.within(JOINT))?;
                    joint_model = Some(model.into());
                }
                FeatureKind::ReorderingTable(shape) | FeatureKind::ReorderingModel(shape) => {
                    if let FeatureKind::ReorderingModel(_) = feature.kind {
                        let prefix = format!("reordering{}/", reordering_models.len());
                        let model = StoredModel::from_sections(&sections.within(&prefix))?;
                        reordering_models.push(model.into());
                    }
                    let count = shape.sparse.as_ref().map_or(0, |s| s.vocabularies.len());
                    let feature = sparse_vocabularies.len();
                    let vocabularies = (0..count).map(|number| {
                        let prefix = sparse_prefix(feature, number);
                        SparseVocabulary::from_sections(&sections.within(&prefix))
                    });
                    sparse_vocabularies
                        .push(vocabularies.collect::<chiasm_store::Result<Vec<_>>>()?);
                }
                _ => {}
            }
        }
        let sparse_weights = parse_sparse_weights(sections.text("sparse-weights")?)
            .map_err(|message| sections.corrupt("sparse-weights", &message))?;
        let source_casing = match configuration.case {
            Case::Truecased => {
                let casing = Truecaser::from_text(sections.text("source-casing")?);
                Some(Arc::new(casing))
            }
            _ => None,
        };
        let ranker = match configuration.ranker {
            Some(_) => Some(Ranker::from_sections(&sections.within(RANKER))?.into()),
            None => None,
        };
        let has_aligner = sections.list().any(|(name, _)| name.starts_with(ALIGNER));
        let aligner = match has_aligner {
            true => Some(Aligner::from_sections(&sections.within(ALIGNER))?.into()),
            false => None,
        };
        let parts = Parts {
            configuration,
            sparse_weights,
            source_words,
            target_words,
            table,
            language_models,
            reordering_models,
            operation_models,
            joint_model,
            sparse_vocabularies,
            source_casing,
            ranker,
            aligner,
        };
        let has_learned = sections.list().any(|(name, _)| name.starts_with(LEARNED));
        let within = sections.within(LEARNED);
        let mut system = Self::assemble(parts, Some(sections))?;
        if has_learned {
            let learned = Learned::from_sections(&system, Strengths::default(), &within)?;
            system.learned = Some(learned.into());
        }
        Ok(system)
    }
}
