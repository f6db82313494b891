//! A translation system: everything that was learned, in memory or in one mapped file.

use crate::configuration::{
    Case, Configuration, FeatureKind, ReorderingShape, SearchSettings, SparseShape,
};
use crate::language_model::LanguageModel;
use crate::learned::Learned;
use crate::ranking::RankingWeights;
use crate::sparse::{SparseFeature, SparseVocabulary};
use crate::table::PhraseTable;
use crate::unknown::Relatives;
use crate::weights::{CompiledWeights, Layout, Weights};
use crate::{Error, Result};
use chiasm_align::Model as Aligner;
use chiasm_neural::{JointModel, Model as Ranker};
use chiasm_operations::OperationModel;
use chiasm_reorder::{OrientationModel, WordKey};
use chiasm_store::Sections;
use chiasm_text::{StoredVocabulary, Truecaser};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The kind of a system file.
pub const KIND: &str = "system";
/// The version of its layout.
pub const VERSION: u32 = 1;

/// The sections of a ranker.
pub(crate) const RANKER: &str = "ranker/";

/// The sections of a joint model.
pub(crate) const JOINT: &str = "joint/";

/// The sections of an aligner; the file need not have them.
pub(crate) const ALIGNER: &str = "aligner/";

/// The sections of what was learned from users before the file was written; it need not have them.
pub(crate) const LEARNED: &str = "learned/";

/// What a system is made of; [`System::new`] checks that the parts fit together.
pub struct Parts {
    /// Features, weights, search settings.
    pub configuration: Configuration,
    /// Weights of sparse features by name.
    pub sparse_weights: BTreeMap<String, f32>,
    /// Words of the phrase table's source side.
    pub source_words: StoredVocabulary,
    /// Words of its target side.
    pub target_words: StoredVocabulary,
    /// Phrase scores, then the columns of each reordering table.
    pub table: PhraseTable,
    /// In the order of the configuration.
    pub language_models: Vec<LanguageModel>,
    /// Models of orientation, in the order of the configuration.
    pub reordering_models: Vec<Arc<dyn OrientationModel>>,
    /// Models of operation sequences, in the order of the configuration.
    pub operation_models: Vec<OperationModel>,
    /// A neural model of target words that looks at both languages.
    pub joint_model: Option<Arc<JointModel>>,
    /// For each reordering feature, the vocabularies of its sparse features.
    pub sparse_vocabularies: Vec<Vec<SparseVocabulary>>,
    /// How source words are written inside sentences, if the models were trained on such text.
    pub source_casing: Option<Arc<Truecaser>>,
    /// A neural model that chooses among translations.
    pub ranker: Option<Arc<Ranker>>,
    /// What aligned the training text, for pairs that are learned later.
    pub aligner: Option<Arc<Aligner>>,
}

/// A translation system.
pub struct System {
    pub(crate) parts: Parts,
    layout: Layout,
    origin: Option<Sections>,
    pub(crate) learned: Option<Arc<Learned>>,
    word_keys: OnceLock<Vec<WordKeys>>,
    joint_words: OnceLock<Vec<u32>>,
    relatives: OnceLock<Relatives>,
}

/// The words of both vocabularies as a reordering model sees them.
pub(crate) struct WordKeys {
    pub source: Vec<WordKey>,
    pub target: Vec<WordKey>,
}

impl System {
    /// Puts parts together.
    pub fn new(parts: Parts) -> Result<Self> {
        Self::assemble(parts, None)
    }

    /// Takes the system apart, to change something and put it together again.
    pub fn into_parts(self) -> Parts {
        self.parts
    }

    pub(crate) fn assemble(parts: Parts, origin: Option<Sections>) -> Result<Self> {
        let path = origin.as_ref().map_or("system".into(), Sections::path_buf);
        let wrong = |message: String| Error::configuration(&path, message);
        let layout = Layout::new(&parts.configuration).map_err(&wrong)?;
        if layout.table_columns != parts.table.columns() {
            return Err(wrong(format!(
                "the features need {} scores a phrase pair, the phrase table has {}",
                layout.table_columns,
                parts.table.columns()
            )));
        }
        if layout.language_models.len() != parts.language_models.len() {
            return Err(wrong(format!(
                "{} language models expected, {} found",
                layout.language_models.len(),
                parts.language_models.len()
            )));
        }
        if layout.operation_models.len() != parts.operation_models.len() {
            return Err(wrong(format!(
                "{} models of operations expected, {} found",
                layout.operation_models.len(),
                parts.operation_models.len()
            )));
        }
        if layout.joint.is_some() != parts.joint_model.is_some() {
            return Err(wrong(
                "a joint model needs both its feature and its weights".into(),
            ));
        }
        check_reordering_models(&parts).map_err(&wrong)?;
        if (parts.configuration.case == Case::Truecased) != parts.source_casing.is_some() {
            return Err(wrong("the casing of source words is missing".into()));
        }
        if parts.configuration.ranker.is_some() != parts.ranker.is_some() {
            return Err(wrong(
                "a ranker needs both its model and its weights".into(),
            ));
        }
        let system = System {
            parts,
            layout,
            origin,
            learned: None,
            word_keys: OnceLock::new(),
            joint_words: OnceLock::new(),
            relatives: OnceLock::new(),
        };
        for feature in 0..system.layout.reordering_features.len() {
            let expected = system
                .sparse_shape(feature)
                .map_or(0, |shape| shape.vocabularies.len());
            if system.sparse_vocabularies(feature).len() != expected {
                return Err(wrong("a word list of sparse features is missing".into()));
            }
        }
        // Reports weights of features that do not exist before anything is translated.
        CompiledWeights::new(&system, &system.weights())?;
        Ok(system)
    }

    /// What it had learned from users when it was written; more may lie in a journal beside it.
    pub fn learned(&self) -> Option<&Arc<Learned>> {
        self.learned.as_ref()
    }

    /// Are all contents what was written? Waits for the check that opening began; to be asked before an answer leaves.
    pub fn confirm(&self) -> Result<()> {
        match &self.origin {
            Some(sections) => Ok(sections.confirm()?),
            None => Ok(()),
        }
    }

    /// A number that differs between system files of different contents; `None` for systems that are in no file.
    pub fn fingerprint(&self) -> Option<u64> {
        self.origin.as_ref().map(Sections::fingerprint)
    }

    /// Checks every section's contents against its checksum, as the file is now.
    pub fn verify(&self) -> Result<()> {
        match &self.origin {
            Some(sections) => Ok(sections.verify()?),
            None => Ok(()),
        }
    }

    /// Features, weights, search settings.
    pub fn configuration(&self) -> &Configuration {
        &self.parts.configuration
    }

    /// Changes how the system searches unless asked otherwise.
    pub fn set_search(&mut self, search: SearchSettings) {
        self.parts.configuration.search = search;
    }

    /// The weights that the system came with.
    pub fn weights(&self) -> Weights {
        Weights {
            dense: self.parts.configuration.dense_weights(),
            sparse: self.parts.sparse_weights.clone(),
        }
    }

    /// How source words are written inside sentences.
    pub fn source_casing(&self) -> Option<&Arc<Truecaser>> {
        self.parts.source_casing.as_ref()
    }

    /// Words of the source side.
    pub fn source_words(&self) -> &StoredVocabulary {
        &self.parts.source_words
    }

    /// Words of the target side.
    pub fn target_words(&self) -> &StoredVocabulary {
        &self.parts.target_words
    }

    /// The phrase table.
    pub fn phrase_table(&self) -> &PhraseTable {
        &self.parts.table
    }

    /// The language models.
    pub fn language_models(&self) -> &[LanguageModel] {
        &self.parts.language_models
    }

    /// The models of orientation that are not tables.
    pub fn reordering_models(&self) -> &[Arc<dyn OrientationModel>] {
        &self.parts.reordering_models
    }

    /// The models of operation sequences.
    pub fn operation_models(&self) -> &[OperationModel] {
        &self.parts.operation_models
    }

    /// The neural model of target words that looks at both languages.
    pub fn joint_model(&self) -> Option<&Arc<JointModel>> {
        self.parts.joint_model.as_ref()
    }

    /// Target words as that model numbers them; looked up once, when the first sentence asks.
    pub(crate) fn joint_words(&self) -> &[u32] {
        self.joint_words.get_or_init(|| {
            let model = self.parts.joint_model.iter();
            let words = 0..self.target_words().len() as u32;
            let number =
                |model: &Arc<JointModel>, word| model.target_word(self.target_words().word(word));
            model
                .flat_map(|model| words.clone().map(|word| number(model, word)))
                .collect()
        })
    }

    /// The source word with translations of its own that is nearest to one without, if there is one. A word that the target
    /// language has, too, is better copied. Affixes are learned once, when the first unknown word asks.
    pub(crate) fn nearest(&self, word: &str) -> Option<String> {
        if self.target_words().get(word).is_some() {
            return None;
        }
        let words = self.source_words();
        let relatives = self.relatives.get_or_init(|| {
            let all = (0..words.len() as u32).map(|number| words.word(number));
            Relatives::learn(all, |word| words.get(word).is_some())
        });
        // Words with many translations are frequent ones.
        let translations = |form: &str| {
            let options = self.phrase_table().find(&[words.get(form)?]).ok()?;
            (!options.is_empty()).then_some(options.len() as f32)
        };
        relatives.nearest(word, translations)
    }

    /// The neural model that chooses among translations.
    pub fn ranker(&self) -> Option<&Arc<Ranker>> {
        self.parts.ranker.as_ref()
    }

    /// What aligned the training text.
    pub fn aligner(&self) -> Option<&Arc<Aligner>> {
        self.parts.aligner.as_ref()
    }

    /// Gives the system a neural model that chooses among so many translations.
    pub fn set_ranker(&mut self, ranker: Arc<Ranker>, weights: RankingWeights, ranked: usize) {
        self.parts.ranker = Some(ranker);
        self.parts.configuration.ranker = Some(weights);
        self.parts.configuration.search.ranked = ranked;
    }

    /// Leaves all choices to the model score.
    pub fn remove_ranker(&mut self) {
        self.parts.ranker = None;
        self.parts.configuration.ranker = None;
        self.parts.configuration.search.ranked = 0;
    }

    /// Words as each of them sees them: every word is looked up once, when the first sentence asks, so that
    /// opening a system stays cheap.
    pub(crate) fn word_keys(&self) -> &[WordKeys] {
        let keys = |model: &Arc<dyn OrientationModel>| WordKeys {
            source: keys_of(self.source_words(), |word| model.source_word(word)),
            target: keys_of(self.target_words(), |word| model.target_word(word)),
        };
        self.word_keys
            .get_or_init(|| self.parts.reordering_models.iter().map(keys).collect())
    }

    /// The file that the system was opened from.
    pub fn path(&self) -> Option<&Path> {
        self.origin.as_ref().map(Sections::path)
    }

    /// Names and lengths in bytes of the file's sections; nothing for a system in memory.
    pub fn sections(&self) -> Vec<(String, usize)> {
        let sections = self.origin.iter().flat_map(Sections::list);
        sections
            .map(|(name, length)| (name.to_string(), length))
            .collect()
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn corrupt(&self, section: &str, reason: &str) -> Error {
        match &self.origin {
            Some(sections) => sections.corrupt(section, reason).into(),
            None => Error::configuration("system", format!("{section}: {reason}")),
        }
    }

    /// The sparse features of a reordering feature.
    pub(crate) fn sparse_shape(&self, feature: usize) -> Option<&SparseShape> {
        let number = *self.layout.reordering_features.get(feature)?;
        match &self.parts.configuration.features.get(number)?.kind {
            FeatureKind::ReorderingTable(shape) | FeatureKind::ReorderingModel(shape) => {
                shape.sparse.as_ref()
            }
            _ => None,
        }
    }

    /// The word lists and classes of a reordering feature.
    pub fn sparse_vocabularies(&self, feature: usize) -> &[SparseVocabulary] {
        self.parts
            .sparse_vocabularies
            .get(feature)
            .map_or(&[], Vec::as_slice)
    }

    /// The name of a sparse feature, as in weight files.
    pub fn sparse_name(&self, sparse: SparseFeature) -> String {
        self.sparse_name_in(sparse, &[])
    }

    /// The same where word lists and classes have other names.
    pub(crate) fn sparse_name_in(&self, sparse: SparseFeature, sets: &[String]) -> String {
        let number = self.layout.reordering_features.get(sparse.feature());
        let feature = number.and_then(|&number| self.parts.configuration.features.get(number));
        let shape = self.sparse_shape(sparse.feature());
        let (Some(feature), Some(shape)) = (feature, shape) else {
            return String::new();
        };
        let mut shape = shape.clone();
        for (set, name) in shape.vocabularies.iter_mut().zip(sets) {
            set.name.clone_from(name);
        }
        let vocabularies = self.sparse_vocabularies(sparse.feature());
        sparse.name(&feature.name, &shape, vocabularies)
    }

    /// The sparse feature of a name, if this system has it.
    pub fn sparse_feature(&self, name: &str) -> Option<SparseFeature> {
        let numbers = self.layout.reordering_features.iter().enumerate();
        numbers.into_iter().find_map(|(number, &feature)| {
            let feature = self.parts.configuration.features.get(feature)?;
            let (FeatureKind::ReorderingTable(shape) | FeatureKind::ReorderingModel(shape)) =
                &feature.kind
            else {
                return None;
            };
            let rest = name
                .strip_prefix(feature.name.as_str())?
                .strip_prefix('_')?;
            let vocabularies = self.sparse_vocabularies(number);
            SparseFeature::parse(
                rest,
                number,
                shape.classes,
                shape.sparse.as_ref()?,
                vocabularies,
            )
        })
    }
}

fn keys_of(words: &StoredVocabulary, key: impl Fn(&str) -> WordKey) -> Vec<WordKey> {
    let numbers = 0..words.len() as u32;
    numbers.map(|number| key(words.word(number))).collect()
}

/// Every reordering model must be what the configuration says it is.
fn check_reordering_models(parts: &Parts) -> std::result::Result<(), String> {
    let mut models = parts.reordering_models.iter();
    for feature in &parts.configuration.features {
        let FeatureKind::ReorderingModel(shape) = &feature.kind else {
            continue;
        };
        let Some(model) = models.next() else {
            return Err(format!("feature {}: its model is missing", feature.name));
        };
        let found = ReorderingShape::of_model(model.as_ref());
        let same = (found.orientation, found.classes, found.directions)
            == (shape.orientation, shape.classes, shape.directions);
        if !same {
            return Err(format!(
                "feature {}: its model is of another type",
                feature.name
            ));
        }
    }
    match models.next() {
        None => Ok(()),
        Some(_) => Err("a reordering model has no feature".to_string()),
    }
}

impl ReorderingShape {
    /// The shape of a model.
    pub fn of_model(model: &dyn OrientationModel) -> Self {
        ReorderingShape {
            orientation: model.kind(),
            classes: model.classes(),
            directions: model.directions(),
            sparse: None,
        }
    }
}

pub(crate) fn operations_prefix(number: usize) -> String {
    format!("operations{number}/")
}

pub(crate) fn sparse_prefix(feature: usize, number: usize) -> String {
    format!("sparse{feature}.{number}/")
}
