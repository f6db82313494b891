//! What a system is made of and how it searches: the text that travels inside the system file.

use crate::calibration::Calibration;
use crate::ranking::RankingWeights;
use crate::unknown::Unknown;
use crate::weights::SUPPORT;
use chiasm_phrases::{ClassSet, Directions, OrientationKind};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// The configuration of a system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// The source language, e.g. `ar`, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_language: Option<String>,
    /// The target language, e.g. `en`, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_language: Option<String>,
    /// What the models expect of capitals, where the languages are known.
    #[serde(default)]
    pub case: Case,
    /// What made the system, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_by: Option<String>,
    /// The files that the language models were read from: a compiled model cannot be turned back
    /// into text, so an export copies them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub language_model_files: Vec<String>,
    /// How to search unless asked otherwise.
    #[serde(default)]
    pub search: SearchSettings,
    /// How much the judgement of a neural model counts, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranker: Option<RankingWeights>,
    /// How posteriors become probabilities, if that was learned from text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// The features with their weights, in the order of the feature vector.
    #[serde(default)]
    pub features: Vec<Feature>,
}

/// Which search algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchAlgorithm {
    /// Cube pruning (Chiang 2007; Huang and Chiang 2007).
    #[default]
    Cube,
    /// Every option of every hypothesis (Koehn 2004).
    Stack,
}

impl FromStr for SearchAlgorithm {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "cube" => Ok(SearchAlgorithm::Cube),
            "stack" => Ok(SearchAlgorithm::Stack),
            _ => Err("cube or stack expected".into()),
        }
    }
}

/// The longest jump in source words, as people write it: a number, or `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JumpLimit(pub Option<u16>);

impl FromStr for JumpLimit {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "none" | "-1" => Ok(JumpLimit(None)),
            _ => match text.parse() {
                Ok(number) => Ok(JumpLimit(Some(number))),
                Err(_) => Err("a number or none expected".into()),
            },
        }
    }
}

/// How the search is bounded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchSettings {
    /// Which algorithm.
    pub algorithm: SearchAlgorithm,
    /// Hypotheses kept for each number of translated words.
    pub stack: usize,
    /// Hypotheses that cube pruning scores for each number of translated words.
    pub pop_limit: usize,
    /// A hypothesis less probable than the best of its stack by this factor is dropped; 0 keeps all.
    pub beam_threshold: f32,
    /// The longest jump in source words; none if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distortion_limit: Option<u16>,
    /// Translations considered for a source phrase; 0 is all.
    pub table_limit: usize,
    /// Longer inputs are translated in windows of at most this many words.
    pub window: usize,
    /// Only orders in which every join of neighbouring blocks is straight or inverted (Xiong et al. 2006).
    #[serde(skip_serializing_if = "is_false")]
    pub itg: bool,
    /// Translations that the neural model chooses among, if there is one; 0 leaves the choice to the model score.
    #[serde(skip_serializing_if = "is_zero")]
    pub ranked: usize,
    /// What becomes of words that the phrase table does not know.
    #[serde(skip_serializing_if = "Unknown::is_copy")]
    pub unknown: Unknown,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Default for SearchSettings {
    fn default() -> Self {
        SearchSettings {
            algorithm: SearchAlgorithm::Cube,
            stack: 1000,
            pop_limit: 1000,
            beam_threshold: 0.0,
            distortion_limit: None,
            table_limit: 20,
            window: 160,
            itg: false,
            ranked: 0,
            unknown: Unknown::Copy,
        }
    }
}

/// What models know of capitals and small letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Case {
    /// They were trained on text as it was.
    #[default]
    Kept,
    /// They were trained on small letters.
    Lower,
    /// They were trained on words as they are written inside sentences.
    Truecased,
}

/// A feature or a group of features that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// Its name in n-best lists, e.g. `LM0`.
    pub name: String,
    /// One weight a value.
    pub weights: Vec<f32>,
    /// What it measures.
    #[serde(flatten)]
    pub kind: FeatureKind,
}

/// What a feature measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FeatureKind {
    /// Minus the source words jumped over.
    Distortion,
    /// Minus the target words.
    WordPenalty,
    /// The phrases.
    PhrasePenalty,
    /// -100 a word that the phrase table does not know.
    UnknownWordPenalty,
    /// The phrase table's scores.
    PhraseTable,
    /// A language model's natural logarithm.
    LanguageModel,
    /// Orientation log probabilities from a table: backward classes first, then forward ones.
    ReorderingTable(ReorderingShape),
    /// Orientation log probabilities from a learned model.
    ReorderingModel(ReorderingShape),
    /// A model of operation sequences' natural logarithm (Durrani et al. 2015).
    OperationModel,
    /// The natural logarithm of a neural model of target words that looks at both languages (Devlin et al. 2014).
    JointModel,
    /// Supporting features of models of operations, all as minus how many: gaps, open gaps, distance to the first word not covered,
    /// source words without a translation.
    OperationSupport,
}

/// What a reordering model compares and tells apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReorderingShape {
    /// What the next phrase is compared with.
    pub orientation: OrientationKind,
    /// The classes.
    pub classes: ClassSet,
    /// Backward, forward or both, in the order of the scores.
    pub directions: Directions,
    /// Sparse features on top (Cherry 2013).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparse: Option<SparseShape>,
}

/// Which sparse reordering features there are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SparseShape {
    /// Words of the phrase, with its backward orientation.
    #[serde(default)]
    pub phrase: bool,
    /// Words of the previous phrase, with its forward orientation.
    #[serde(default)]
    pub stack: bool,
    /// Source words jumped over, where the backward orientation is discontinuous.
    #[serde(default)]
    pub between: bool,
    /// The word lists and classes that features are made of.
    #[serde(default)]
    pub vocabularies: Vec<SparseVocabularyShape>,
}

/// A word list or a set of word classes for sparse features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SparseVocabularyShape {
    /// Its name in feature names.
    pub name: String,
    /// Which side's words it knows.
    pub side: Side,
    /// Classes, or the words themselves?
    pub is_classes: bool,
}

/// A side of a phrase pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The language translated from.
    Source,
    /// The language translated into.
    Target,
}

impl ReorderingShape {
    /// Scores a phrase pair has.
    pub fn columns(&self) -> usize {
        self.classes.len() * self.directions.len()
    }
}

impl Configuration {
    /// The dense feature values, each with its name; values of one group share the group's name.
    pub fn feature_names(&self) -> Vec<String> {
        let groups = self.features.iter();
        groups
            .flat_map(|feature| std::iter::repeat_n(feature.name.clone(), feature.weights.len()))
            .collect()
    }

    /// All weights, in the order of the feature vector.
    pub fn dense_weights(&self) -> Vec<f32> {
        let groups = self.features.iter();
        groups.flat_map(|feature| feature.weights.clone()).collect()
    }

    /// Where the feature vector counts jumps and gaps, which tuning must not reward.
    pub fn penalties(&self) -> Vec<usize> {
        let mut position = 0;
        let mut found = Vec::new();
        for feature in &self.features {
            let counted = match feature.kind {
                FeatureKind::Distortion => 1,
                // Untranslated words, the last of the counts, may well be a good thing.
                FeatureKind::OperationSupport => SUPPORT - 1,
                _ => 0,
            };
            found.extend(position..position + counted);
            position += feature.weights.len();
        }
        found
    }

    /// The configuration as text.
    pub fn to_text(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// Reads the text; the error says what was wrong.
    pub fn from_text(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.message().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_newer_version_wrote_is_named() {
        let text = Configuration::default().to_text();
        assert_eq!(
            Configuration::from_text(&text).as_ref(),
            Ok(&Configuration::default())
        );
        let newer = format!("colour = \"red\"\n{text}");
        let error = Configuration::from_text(&newer).unwrap_err();
        assert!(error.contains("colour"), "{error}");
    }
}
