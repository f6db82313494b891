//! The weights, and their compiled form: what the search multiplies with what.

use crate::configuration::{Configuration, FeatureKind};
use crate::sparse::SparseFeature;
use crate::system::System;
use crate::{Error, Result};
use chiasm_phrases::{ClassSet, Direction, OrientationKind};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::collections::BTreeMap;

/// Weights of dense features, in the order of the configuration, and of sparse ones by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// One a dense feature value.
    pub dense: Vec<f32>,
    /// Sparse features without an entry weigh nothing.
    pub sparse: BTreeMap<String, f32>,
}

/// Where a reordering channel's log probabilities come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChannelSource {
    /// Columns of the phrase table from this one on.
    Table(usize),
    /// A model of the system, and where the direction's classes begin in its answer.
    Model { model: usize, first: usize },
}

/// One direction of one reordering feature: the unit that the search scores.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub orientation: OrientationKind,
    pub classes: ClassSet,
    pub direction: Direction,
    pub source: ChannelSource,
    /// The number of the reordering feature, counting reordering features only.
    pub feature: usize,
    /// Where its values begin in the dense feature vector.
    pub dense: usize,
    /// Where its values begin in an option's array of orientation scores.
    pub offset: usize,
}

/// Where each feature stands in the dense vector, and the reordering channels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub distortion: Option<usize>,
    pub word_penalty: Option<usize>,
    pub phrase_penalty: Option<usize>,
    pub unknown: Option<usize>,
    pub phrase_scores: std::ops::Range<usize>,
    pub language_models: Vec<usize>,
    pub operation_models: Vec<usize>,
    pub operation_support: Option<usize>,
    pub joint: Option<usize>,
    /// Backward channels first.
    pub channels: Vec<Channel>,
    pub backward_channels: usize,
    /// Orientation scores of an option: backward ones, then forward ones.
    pub backward_scores: usize,
    pub orientation_scores: usize,
    pub table_columns: usize,
    /// How many numbers each reordering model answers with.
    pub models: Vec<usize>,
    pub dense: usize,
    /// The configuration's number of each reordering feature.
    pub reordering_features: Vec<usize>,
}

impl Layout {
    /// Checks the configuration and numbers its features.
    pub fn new(configuration: &Configuration) -> std::result::Result<Self, String> {
        let mut layout = Layout::default();
        let phrase_tables = configuration.features.iter();
        let phrase_scores: usize = phrase_tables
            .filter(|feature| feature.kind == FeatureKind::PhraseTable)
            .map(|feature| feature.weights.len())
            .sum();
        layout.table_columns = phrase_scores;
        let (mut position, mut has_table) = (0, false);
        let (mut backward, mut forward) = (Vec::new(), Vec::new());
        for (number, feature) in configuration.features.iter().enumerate() {
            let count = feature.weights.len();
            let twice = |what: &str| format!("feature {}: a second {what}", feature.name);
            let expected = match &feature.kind {
                FeatureKind::Distortion => {
                    set_once(&mut layout.distortion, position)
                        .ok_or_else(|| twice("distortion"))?;
                    1
                }
                FeatureKind::WordPenalty => {
                    set_once(&mut layout.word_penalty, position)
                        .ok_or_else(|| twice("word penalty"))?;
                    1
                }
                FeatureKind::PhrasePenalty => {
                    set_once(&mut layout.phrase_penalty, position)
                        .ok_or_else(|| twice("phrase penalty"))?;
                    1
                }
                FeatureKind::UnknownWordPenalty => {
                    set_once(&mut layout.unknown, position)
                        .ok_or_else(|| twice("unknown word penalty"))?;
                    1
                }
                FeatureKind::PhraseTable => {
                    if std::mem::replace(&mut has_table, true) {
                        return Err(twice("phrase table"));
                    }
                    layout.phrase_scores = position..position + count;
                    count
                }
                FeatureKind::LanguageModel => {
                    layout.language_models.push(position);
                    1
                }
                FeatureKind::OperationModel => {
                    layout.operation_models.push(position);
                    1
                }
                FeatureKind::JointModel => {
                    set_once(&mut layout.joint, position).ok_or_else(|| twice("joint model"))?;
                    1
                }
                FeatureKind::OperationSupport => {
                    set_once(&mut layout.operation_support, position)
                        .ok_or_else(|| twice("group of counts of operations"))?;
                    SUPPORT
                }
                FeatureKind::ReorderingTable(shape) | FeatureKind::ReorderingModel(shape) => {
                    let is_table = matches!(feature.kind, FeatureKind::ReorderingTable(_));
                    for (index, direction) in shape.directions.iter().enumerate() {
                        let first = index * shape.classes.len();
                        let channel = Channel {
                            orientation: shape.orientation,
                            classes: shape.classes,
                            direction,
                            source: if is_table {
                                ChannelSource::Table(layout.table_columns + first)
                            } else {
                                ChannelSource::Model {
                                    model: layout.models.len(),
                                    first,
                                }
                            },
                            feature: layout.reordering_features.len(),
                            dense: position + first,
                            offset: 0,
                        };
                        match direction {
                            Direction::Backward => backward.push(channel),
                            Direction::Forward => forward.push(channel),
                        }
                    }
                    if is_table {
                        layout.table_columns += shape.columns();
                    } else {
                        layout.models.push(shape.columns());
                    }
                    layout.reordering_features.push(number);
                    shape.columns()
                }
            };
            if count != expected {
                return Err(format!(
                    "feature {}: {expected} weights expected, {count} found",
                    feature.name
                ));
            }
            position += count;
        }
        layout.dense = position;
        layout.backward_channels = backward.len();
        layout.channels = backward;
        layout.channels.append(&mut forward);
        let mut offset = 0;
        for (number, channel) in layout.channels.iter_mut().enumerate() {
            if number == layout.backward_channels {
                layout.backward_scores = offset;
            }
            channel.offset = offset;
            offset += channel.classes.len();
        }
        if layout.channels.len() == layout.backward_channels {
            layout.backward_scores = offset;
        }
        layout.orientation_scores = offset;
        Ok(layout)
    }

    pub fn backward(&self) -> &[Channel] {
        &self.channels[..self.backward_channels]
    }

    pub fn forward(&self) -> &[Channel] {
        &self.channels[self.backward_channels..]
    }
}

fn set_once(slot: &mut Option<usize>, value: usize) -> Option<()> {
    slot.replace(value).is_none().then_some(())
}

/// The weights as the search needs them.
pub(crate) struct CompiledWeights {
    pub dense: Vec<f32>,
    pub distortion: f32,
    pub word_penalty: f32,
    pub phrase_penalty: f32,
    pub unknown: f32,
    pub language_models: Vec<f32>,
    pub operation_models: Vec<f32>,
    pub operation_support: [f32; SUPPORT],
    pub joint: f32,
    pub sparse: HashMap<SparseFeature, f32, FxBuildHasher>,
}

impl CompiledWeights {
    pub fn new(system: &System, weights: &Weights) -> Result<Self> {
        let layout = system.layout();
        if weights.dense.len() != layout.dense {
            return Err(Error::Weights(format!(
                "{} dense weights expected, {} found",
                layout.dense,
                weights.dense.len()
            )));
        }
        if let Some(index) = weights.dense.iter().position(|weight| !weight.is_finite()) {
            let names = system.configuration().feature_names();
            return Err(Error::Weights(format!(
                "the weight of {} is not a number",
                names[index]
            )));
        }
        let mut sparse = HashMap::default();
        for (name, &weight) in &weights.sparse {
            let feature = system.sparse_feature(name).ok_or_else(|| {
                Error::Weights(format!(
                    "sparse feature {name}: not a feature of this system"
                ))
            })?;
            if !weight.is_finite() {
                return Err(Error::Weights(format!(
                    "the weight of {name} is not a number"
                )));
            }
            sparse.insert(feature, weight);
        }
        let at = |slot: Option<usize>| slot.map_or(0.0, |index| weights.dense[index]);
        let all = |slots: &[usize]| slots.iter().map(|&index| weights.dense[index]).collect();
        let support = layout.operation_support;
        Ok(CompiledWeights {
            distortion: at(layout.distortion),
            word_penalty: at(layout.word_penalty),
            phrase_penalty: at(layout.phrase_penalty),
            unknown: at(layout.unknown),
            language_models: all(&layout.language_models),
            operation_models: all(&layout.operation_models),
            operation_support: std::array::from_fn(|count| at(support.map(|first| first + count))),
            joint: at(layout.joint),
            dense: weights.dense.clone(),
            sparse,
        })
    }

    pub fn sparse(&self, feature: SparseFeature) -> f32 {
        self.sparse.get(&feature).copied().unwrap_or(0.0)
    }
}

/// What is counted beside the n-grams of operations.
pub(crate) const SUPPORT: usize = 4;

/// What an unknown word costs, before its weight.
pub(crate) const UNKNOWN_WORD: f32 = -100.0;
