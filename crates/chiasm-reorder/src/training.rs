//! From trained classifiers to a model of orientation.

use crate::class_table::ClassTable;
use crate::corpus_view::CorpusWords;
use crate::dictionary::Dictionary;
use crate::examples::{ExampleOptions, ExampleSet};
use crate::index::FeatureIndex;
use crate::learned::{Identity, LearnedModel};
use crate::settings::Settings;
use crate::{Error, Result};
use chiasm_learn::Model;
use std::sync::OnceLock;

impl ExampleSet {
    /// A model of classifiers, one for each direction, whose features are those of this set, cut at
    /// `min_count` and selected.
    pub fn model(
        &self,
        classifiers: &[Model],
        min_count: u64,
        select: Option<f64>,
    ) -> Result<LearnedModel> {
        let made_of = Assembly {
            options: &self.options,
            index: &self.index,
            words: &self.words,
            classes: &self.classes,
        };
        assemble(&made_of, classifiers, min_count, select)
    }
}

/// What classifiers were learned from.
pub(crate) struct Assembly<'a> {
    pub options: &'a ExampleOptions,
    pub index: &'a FeatureIndex,
    pub words: &'a CorpusWords,
    pub classes: &'a [ClassTable; 2],
}

/// A model of classifiers whose features are numbers of the index.
pub(crate) fn assemble(
    made_of: &Assembly,
    classifiers: &[Model],
    min_count: u64,
    select: Option<f64>,
) -> Result<LearnedModel> {
    let options = made_of.options;
    if classifiers.len() != options.task.directions.len() {
        let reason = "a classifier for each direction expected".to_string();
        return Err(Error::Request(reason));
    }
    let mut used: Vec<u32> = classifiers
        .iter()
        .flat_map(|classifier| classifier.feature_ids().iter().copied())
        .collect();
    used.sort_unstable();
    used.dedup();
    let hashes: Vec<u64> = used
        .iter()
        .map(|&feature| made_of.index.hash(feature, made_of.words))
        .collect();
    let (dictionary, places) = Dictionary::build(&hashes)?;
    let place = |feature: u32| {
        used.binary_search(&feature)
            .map_or(feature, |at| places[at])
    };
    let settings = Settings {
        task: options.task,
        features: Some(options.features),
        min_count,
        min_sentences: options.min_sentences,
        select,
    };
    Ok(LearnedModel {
        identity: Identity::new(),
        settings,
        features: options.features,
        dictionary,
        classifiers: classifiers
            .iter()
            .map(|c| compact(c.renamed(place)))
            .collect(),
        source_classes: made_of.classes[0].clone(),
        target_classes: made_of.classes[1].clone(),
        counts: None,
        numbers: OnceLock::new(),
    })
}

/// The same without the share of active examples at each iteration, a long list that only the
/// report of the training run needs.
fn compact(classifier: Model) -> Model {
    let mut report = classifier.report().clone();
    report.active_share.clear();
    classifier.with_report(report)
}
