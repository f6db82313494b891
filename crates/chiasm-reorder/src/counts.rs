//! Counts of naive Bayes before any cut: the model of two corpora is the sum of their counts.

use crate::class_counts::ClassCounts;
use crate::class_table::ClassTable;
use crate::corpus_view::CorpusWords;
use crate::dictionary::Dictionary;
use crate::examples::ExampleSet;
use crate::index::FeatureIndex;
use crate::learned::{Identity, LearnedModel};
use crate::settings::Settings;
use crate::{Error, Result};
use chiasm_learn::model::Form;
use chiasm_learn::naive_bayes::{NaiveBayes, Variant};
use chiasm_learn::{Examples, Model, Report};
use chiasm_store::{Array, Sections, Writer};
use std::sync::OnceLock;

/// Every feature of a corpus, by hash in increasing order, and how often it was seen with each class.
#[derive(Clone, Debug, Default)]
pub struct FeatureCounts {
    hashes: Array<u64>,
    /// How often in all, a row a feature: the classes of each direction.
    counts: Array<u32>,
    /// Examples of each class of each direction.
    class_weights: Array<f64>,
}

impl FeatureCounts {
    /// The counts of examples whose features have not been cut.
    pub fn new(set: &ExampleSet) -> Result<Self> {
        if set.options.min_count > 1 || set.options.min_sentences > 1 {
            let reason = "counts can only be kept of features that were not cut".to_string();
            return Err(Error::Request(reason));
        }
        let features = set.index.len();
        let columns: usize = set.examples.iter().map(Examples::classes).sum();
        let mut counts = vec![0u64; features * columns];
        let mut first = 0;
        for examples in &set.examples {
            for index in examples.scan() {
                for pair in examples.pairs_of(index) {
                    let weight = examples.pair_weight(pair) as u64;
                    let column = first + examples.pair_class(pair);
                    for (feature, value) in examples.row(index).entries() {
                        counts[feature as usize * columns + column] += weight * value as u64;
                    }
                }
            }
            first += examples.classes();
        }
        let class_weights: Vec<f64> = set
            .examples
            .iter()
            .flat_map(Examples::class_weights)
            .collect();
        Self::by_hash(&set.index, &set.words, &counts, class_weights)
    }

    /// From counts that were made without examples.
    pub(crate) fn of_counts(
        index: &FeatureIndex,
        counts: &ClassCounts,
        words: &CorpusWords,
    ) -> Result<Self> {
        let weights = counts.class_weights.iter().map(|&weight| weight as f64);
        Self::by_hash(index, words, &counts.counts, weights.collect())
    }

    fn by_hash(
        index: &FeatureIndex,
        words: &CorpusWords,
        counts: &[u64],
        class_weights: Vec<f64>,
    ) -> Result<Self> {
        let (features, columns) = (index.len(), class_weights.len());
        let mut order: Vec<(u64, usize)> = (0..features)
            .map(|feature| (index.hash(feature as u32, words), feature))
            .collect();
        order.sort_unstable();
        if order.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(Error::Request("two features have the same hash".into()));
        }
        let row =
            |&(_, feature): &(u64, usize)| &counts[feature * columns..(feature + 1) * columns];
        Ok(FeatureCounts {
            hashes: order.iter().map(|o| o.0).collect::<Vec<_>>().into(),
            counts: narrow(order.iter().flat_map(row).copied())?,
            class_weights: class_weights.into(),
        })
    }

    /// How many features.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// How often a feature was seen; the first direction has all of it.
    fn seen(&self, feature: usize, width: usize) -> u64 {
        let start = feature * self.class_weights.len();
        let row = &self.counts[start..start + width];
        row.iter().map(|&count| u64::from(count)).sum()
    }

    /// The counts of both corpora.
    pub fn merged(&self, other: &FeatureCounts) -> Result<FeatureCounts> {
        let columns = self.class_weights.len();
        if other.class_weights.len() != columns {
            return Err(Error::Request("the models have different classes".into()));
        }
        let (mut hashes, mut counts) = (Vec::new(), Vec::new());
        let (mut a, mut b) = (0, 0);
        while a < self.len() || b < other.len() {
            let left = self.hashes.get(a).copied();
            let right = other.hashes.get(b).copied();
            let hash = match (left, right) {
                (Some(left), Some(right)) => left.min(right),
                (left, right) => left.or(right).unwrap_or_default(),
            };
            hashes.push(hash);
            let mut row = vec![0u64; columns];
            for (table, at, here) in [
                (self, &mut a, left == Some(hash)),
                (other, &mut b, right == Some(hash)),
            ] {
                if here {
                    let counts = &table.counts[*at * columns..(*at + 1) * columns];
                    for (sum, &count) in row.iter_mut().zip(counts) {
                        *sum += u64::from(count);
                    }
                    *at += 1;
                }
            }
            counts.extend(row);
        }
        let weights = self.class_weights.iter().zip(&other.class_weights[..]);
        Ok(FeatureCounts {
            hashes: hashes.into(),
            counts: narrow(counts.into_iter())?,
            class_weights: weights.map(|(a, b)| a + b).collect::<Vec<_>>().into(),
        })
    }

    /// The naive Bayes model of the features that were seen often enough.
    pub fn model(
        &self,
        settings: Settings,
        variant: Variant,
        alpha: f64,
        classes: [ClassTable; 2],
    ) -> Result<LearnedModel> {
        let Some(features) = settings.features else {
            return Err(Error::Request("counts without features".into()));
        };
        let least = settings.min_count;
        let width = settings.task.classes.len();
        let kept: Vec<usize> = (0..self.len())
            .filter(|&feature| self.seen(feature, width) >= least)
            .collect();
        if kept.is_empty() {
            return Err(Error::NoFeatures {
                features,
                min_count: least,
                min_sentences: settings.min_sentences,
            });
        }
        let hashes: Vec<u64> = kept.iter().map(|&feature| self.hashes[feature]).collect();
        let (dictionary, places) = Dictionary::build(&hashes)?;
        let columns = self.class_weights.len();
        let mut classifiers = Vec::new();
        for direction in 0..settings.task.directions.len() {
            let range = direction * width..(direction + 1) * width;
            let mut counts = Vec::with_capacity(kept.len() * width);
            for &feature in &kept {
                let row = &self.counts[feature * columns..(feature + 1) * columns];
                counts.extend(row[range.clone()].iter().map(|&count| f64::from(count)));
            }
            let weights = self.class_weights[range].to_vec();
            let report = Report {
                learner: match variant {
                    Variant::Map => "nb-map".into(),
                    Variant::Bayesian => "nb-bayes".into(),
                },
                examples: weights.iter().sum(),
                features: kept.len() as u64,
                parameters: (kept.len() * width) as u64,
                iterations: 1,
                converged: true,
                ..Report::default()
            };
            let model = NaiveBayes::from_counts(variant, alpha, &places, &counts, weights)?;
            let model = Model::naive_bayes(settings.task.class_names(), model);
            classifiers.push(model.with_report(report));
        }
        let [source_classes, target_classes] = classes;
        Ok(LearnedModel {
            identity: Identity::new(),
            settings,
            features,
            dictionary,
            classifiers,
            source_classes,
            target_classes,
            counts: Some(self.clone()),
            numbers: OnceLock::new(),
        })
    }

    /// Writes sections `hashes`, `counts`, `class-weights`.
    pub fn write_sections(&self, writer: &mut Writer) -> chiasm_store::Result<()> {
        writer.array("hashes", &self.hashes)?;
        writer.array("counts", &self.counts)?;
        writer.array("class-weights", &self.class_weights)
    }

    /// Reads what `write_sections` wrote.
    pub fn from_sections(sections: &Sections, columns: usize) -> chiasm_store::Result<Self> {
        let counts = FeatureCounts {
            hashes: sections.array("hashes")?,
            counts: sections.array("counts")?,
            class_weights: sections.array("class-weights")?,
        };
        if counts.class_weights.len() != columns {
            return Err(sections.corrupt("class-weights", "is not as long as the classes"));
        }
        if counts.counts.len() != counts.len() * columns {
            return Err(sections.corrupt("counts", "is not a row a feature"));
        }
        Ok(counts)
    }
}

fn narrow(values: impl Iterator<Item = u64>) -> Result<Array<u32>> {
    let narrowed: std::result::Result<Vec<u32>, _> = values.map(u32::try_from).collect();
    match narrowed {
        Ok(narrowed) => Ok(narrowed.into()),
        Err(_) => Err(Error::Request(
            "a feature was seen more than four billion times".into(),
        )),
    }
}

impl LearnedModel {
    /// The same with the counts that it can be merged by.
    pub fn with_counts(mut self, counts: FeatureCounts) -> Self {
        self.counts = Some(counts);
        self
    }

    /// The model of the corpora of two naive Bayes models.
    pub fn merged(&self, other: &LearnedModel) -> Result<LearnedModel> {
        let refuse =
            |reason: &str| Err(Error::Request(format!("models cannot be merged: {reason}")));
        if self.settings != other.settings {
            return refuse("their settings (orientation, features, cut) differ");
        }
        if self.settings.select.is_some() {
            return refuse("features were selected, which cannot be done again for both corpora");
        }
        if self.features.needs_classes() {
            return refuse("word classes of two corpora are not the same classes");
        }
        let (Some(mine), Some(others)) = (&self.counts, &other.counts) else {
            return refuse(
                "counts of all features are not in them; train with --learner nb-map or nb-bayes, and \
                 with --keep-counts on where features are multiplied",
            );
        };
        let forms = (self.classifiers[0].form(), other.classifiers[0].form());
        let (Form::NaiveBayes(first), Form::NaiveBayes(second)) = forms else {
            return refuse("they are not naive Bayes models");
        };
        if (first.variant(), first.alpha()) != (second.variant(), second.alpha()) {
            return refuse("they are of different kinds of naive Bayes or differ in alpha");
        }
        let classes = [self.source_classes.clone(), self.target_classes.clone()];
        let counts = mine.merged(others)?;
        counts.model(
            self.settings.clone(),
            first.variant(),
            first.alpha(),
            classes,
        )
    }
}
