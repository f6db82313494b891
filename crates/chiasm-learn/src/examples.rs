//! The examples that every learner reads: sparse rows with their classes, in flat arrays.
//!
//! A row is a multiset of features: a feature that occurs twice stands twice, so that the common
//! case (counts, nearly all of them 1) needs no values at all. Files with real values or large
//! counts carry a value a feature instead. Rows with equal features are one row with a weight
//! for each class it was seen with; whoever needs separate examples (the SVM, whose dual has one
//! block for each pair of features and class) reads the pairs.
//!
//! The arrays may live in a mapped file ([`Examples::open`], or a [`Builder`](crate::Builder) that stays
//! [within](crate::Builder::within) a budget): every learner gives the same model, bit for bit, and the
//! system keeps in memory what it has room for. In memory in any case are the weights and, a row of three
//! classes, about 40 bytes for the SVM and the dual method (half of it dual variables), 32 a single
//! example for [`Shrinking::Paper`](crate::Shrinking::Paper), 4 for SGD, nothing for L-BFGS and naive
//! Bayes; the active rows are copied to lie side by side only where they are a tenth at most. The dual
//! methods visit blocks of 64 neighbouring rows, a few pages, in random order. Larger blocks would
//! suit a disk better, but then the model would depend on where the examples live. `Paper` visits
//! single rows and L-BFGS and naive Bayes read from front to back.

mod copies;
mod file;
mod residence;

use crate::{Error, Result};
use chiasm_store::Array;
use std::path::{Path, PathBuf};

/// The most classes that examples can have.
pub const MOST_CLASSES: usize = 256;

pub(crate) const KIND: &str = "examples";
pub(crate) const VERSION: u32 = 1;

/// Sparse multiclass examples in flat arrays, in memory or in a memory map. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Examples {
    pub(crate) class_names: Vec<String>,
    /// The identity of each feature, as the caller or the file knows it.
    pub(crate) feature_ids: Array<u32>,
    pub(crate) offsets: Array<u64>,
    pub(crate) features: Array<u32>,
    /// As long as `features`, or empty: every feature counts 1.
    pub(crate) values: Array<f64>,
    /// Where the pairs of a row begin; empty if every row has exactly one pair.
    pub(crate) pair_offsets: Array<u32>,
    pub(crate) pair_classes: Array<u8>,
    /// As long as `pair_classes`, or empty: every pair weighs 1.
    pub(crate) pair_weights: Array<f64>,
    /// Weight a class of examples without any feature, which only the class prior counts.
    pub(crate) featureless: Array<f64>,
    /// Where copies of many rows go that do not fit into memory; none if all are to stay there.
    pub(crate) storage: Option<Storage>,
}

/// How much memory a copy of examples may take, and where the rest of it goes.
#[derive(Clone, Debug)]
pub(crate) struct Storage {
    pub budget: usize,
    pub folder: PathBuf,
}

/// The features of one example.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Features in increasing order; one that counts twice stands twice, unless there are values.
    pub features: &'a [u32],
    /// The value of each feature; empty if all are 1.
    pub values: &'a [f64],
}

impl<'a> Row<'a> {
    /// A row in which every feature counts as often as it stands in `features`.
    pub fn of(features: &'a [u32]) -> Self {
        let values = &[];
        Row { features, values }
    }

    /// Each distinct feature with its value.
    pub fn entries(self) -> impl Iterator<Item = (u32, f64)> + 'a {
        let mut position = 0;
        std::iter::from_fn(move || {
            let feature = *self.features.get(position)?;
            let start = position;
            let mut value = 0.0;
            while self.features.get(position) == Some(&feature) {
                value += self.values.get(position).copied().unwrap_or(1.0);
                position += 1;
            }
            debug_assert!(self.values.is_empty() || position == start + 1);
            Some((feature, value))
        })
    }

    /// xᵀx.
    pub fn squared_norm(self) -> f64 {
        if self.values.is_empty() && self.features.windows(2).all(|pair| pair[0] != pair[1]) {
            return self.features.len() as f64;
        }
        self.entries().map(|(_, value)| value * value).sum()
    }

    /// Σ_m φ_m.
    pub fn total(self) -> f64 {
        if self.values.is_empty() {
            self.features.len() as f64
        } else {
            self.values.iter().sum()
        }
    }
}

impl Examples {
    /// Names of the classes; a class is an index into them.
    pub fn class_names(&self) -> &[String] {
        &self.class_names
    }

    /// K.
    pub fn classes(&self) -> usize {
        self.class_names.len()
    }

    /// M: features are numbers below this.
    pub fn features(&self) -> usize {
        self.feature_ids.len()
    }

    /// The identity of each feature, as the caller or the file knows it.
    pub fn feature_ids(&self) -> &Array<u32> {
        &self.feature_ids
    }

    /// How many distinct rows there are.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many pairs of row and class there are.
    pub fn pairs(&self) -> usize {
        self.pair_classes.len()
    }

    /// How many features stand in all rows together.
    pub fn entries(&self) -> usize {
        self.features.len()
    }

    /// Total weight: the number of examples before equal ones were merged, those without features included.
    pub fn weight(&self) -> f64 {
        self.class_weights().iter().sum()
    }

    /// Weight of each class, examples without features included.
    pub fn class_weights(&self) -> Vec<f64> {
        let mut weights = self.featureless.to_vec();
        for (pair, &class) in self.pair_classes.iter().enumerate() {
            weights[class as usize] += self.pair_weight(pair);
        }
        weights
    }

    /// Weight of each class among the examples without features.
    pub fn featureless(&self) -> &[f64] {
        &self.featureless
    }

    /// Do the rows live in a file, mapped, rather than in memory?
    pub fn is_mapped(&self) -> bool {
        self.features.is_mapped()
    }

    /// The same, and what is copied from them ([`with_features`](Self::with_features),
    /// [`with_rows`](Self::with_rows)) goes to a file in `folder` as far as it takes more than about
    /// `budget` bytes. Examples of a [`Builder`](crate::Builder) that stays
    /// [within](crate::Builder::within) a budget are so already.
    pub fn within(mut self, budget: usize, folder: impl AsRef<Path>) -> Self {
        let folder = folder.as_ref().to_path_buf();
        self.storage = Some(Storage { budget, folder });
        self
    }

    /// Does every feature count as often as it stands in its row?
    pub fn is_unit(&self) -> bool {
        self.values.is_empty()
    }

    /// The features of row `index`.
    #[inline(always)]
    pub fn row(&self, index: usize) -> Row<'_> {
        let range = self.offsets[index] as usize..self.offsets[index + 1] as usize;
        let values = if self.values.is_empty() {
            &[]
        } else {
            &self.values[range.clone()]
        };
        Row {
            features: &self.features[range],
            values,
        }
    }

    /// The range of pairs that belong to row `index`.
    #[inline(always)]
    pub fn pairs_of(&self, index: usize) -> std::ops::Range<usize> {
        if self.pair_offsets.is_empty() {
            index..index + 1
        } else {
            self.pair_offsets[index] as usize..self.pair_offsets[index + 1] as usize
        }
    }

    /// Is every row of one class only?
    pub(crate) fn has_single_pairs(&self) -> bool {
        self.pair_offsets.is_empty()
    }

    /// Does every pair stand for one example?
    pub(crate) fn has_unit_weights(&self) -> bool {
        self.pair_weights.is_empty()
    }

    /// The class of a pair.
    #[inline(always)]
    pub fn pair_class(&self, pair: usize) -> usize {
        self.pair_classes[pair] as usize
    }

    /// How many examples a pair stands for.
    #[inline(always)]
    pub fn pair_weight(&self, pair: usize) -> f64 {
        if self.pair_weights.is_empty() {
            1.0
        } else {
            self.pair_weights[pair]
        }
    }

    /// Are there two classes at least, was every class seen, and is there any feature?
    pub fn check_learnable(&self) -> Result<()> {
        if self.classes() < 2 {
            let reason = format!(
                "{} in the examples; at least two classes are needed",
                match self.class_names.first() {
                    Some(name) => format!("only class {name}"),
                    None => "no class".to_string(),
                }
            );
            return Err(Error::Examples(reason));
        }
        let weights = self.class_weights();
        if let Some(unseen) = weights.iter().position(|&weight| weight <= 0.0) {
            let name = &self.class_names[unseen];
            let reason = format!("class {name} was never seen in the training examples");
            return Err(Error::Examples(reason));
        }
        if self.features.is_empty() {
            return Err(Error::NoFeatures);
        }
        Ok(())
    }
}
