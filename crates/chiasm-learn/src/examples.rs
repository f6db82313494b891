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

use crate::{Builder, Error, Result};
use chiasm_store::{Array, Sections, Writer};
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

    /// A builder of the same classes that keeps rows apart, in memory or not as these examples are.
    fn copier(&self) -> Result<Builder> {
        let builder = Builder::new(self.class_names.clone())?.merging(false);
        Ok(match &self.storage {
            Some(storage) => builder.within(storage.budget, &storage.folder),
            None => builder,
        })
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

    /// The same examples with only the features for which `keep` holds, renumbered in their old
    /// order. Rows that become equal are not merged again; rows that become empty count for the prior.
    pub fn with_features(&self, keep: impl Fn(u32) -> bool) -> Result<Examples> {
        let mut number = vec![u32::MAX; self.features()];
        let mut ids = Vec::new();
        for feature in 0..self.features() as u32 {
            if keep(feature) {
                number[feature as usize] = ids.len() as u32;
                ids.push(self.feature_ids[feature as usize]);
            }
        }
        let mut builder = self.copier()?;
        let mut entries = Vec::new();
        for index in 0..self.rows() {
            entries.clear();
            let kept = self
                .row(index)
                .entries()
                .map(|(f, v)| (number[f as usize], v));
            entries.extend(kept.filter(|&(f, _)| f != u32::MAX));
            let pairs = self
                .pairs_of(index)
                .map(|p| (self.pair_class(p), self.pair_weight(p)));
            builder.push_row(&mut entries, pairs)?;
        }
        for (class, &weight) in self.featureless.iter().enumerate() {
            builder.push_row(&mut Vec::new(), (weight > 0.0).then_some((class, weight)))?;
        }
        builder.finish_with_ids(ids)
    }

    /// The same examples under other identities of their features, all different.
    pub fn renamed(&self, rename: impl Fn(u32) -> u32) -> Examples {
        let ids: Vec<u32> = self.feature_ids.iter().map(|&id| rename(id)).collect();
        Examples {
            feature_ids: ids.into(),
            ..self.clone()
        }
    }

    /// The same rows with other classes: `class_of` says which each class becomes, and every weight is multiplied by
    /// `factor`. The rows themselves are shared, so two ways of naming the classes of the same examples take the
    /// memory of one.
    pub fn with_classes(
        &self,
        class_names: Vec<String>,
        class_of: impl Fn(usize) -> usize,
        factor: f64,
    ) -> Result<Examples> {
        let classes = class_names.len();
        if let Some(class) = (0..self.classes()).find(|&class| class_of(class) >= classes) {
            let reason = format!("class {class} is to become one of {classes} that is not there");
            return Err(Error::Examples(reason));
        }
        let (mut pair_offsets, mut pair_classes, mut pair_weights) =
            (vec![0u32], Vec::new(), Vec::new());
        let mut weights = vec![0.0; classes];
        let mut seen = vec![false; classes];
        for row in 0..self.rows() {
            for pair in self.pairs_of(row) {
                let class = class_of(self.pair_class(pair));
                weights[class] += self.pair_weight(pair);
                seen[class] = true;
            }
            for class in (0..classes).filter(|&class| seen[class]) {
                pair_classes.push(class as u8);
                pair_weights.push(weights[class] * factor);
            }
            weights.fill(0.0);
            seen.fill(false);
            pair_offsets.push(pair_classes.len() as u32);
        }
        let mut featureless = vec![0.0; classes];
        for (class, &weight) in self.featureless.iter().enumerate() {
            featureless[class_of(class)] += weight * factor;
        }
        if pair_classes.len() == self.rows() {
            pair_offsets.clear();
        }
        if pair_weights.iter().all(|&weight| weight == 1.0) {
            pair_weights.clear();
        }
        Ok(Examples {
            class_names,
            pair_offsets: pair_offsets.into(),
            pair_classes: pair_classes.into(),
            pair_weights: pair_weights.into(),
            featureless: featureless.into(),
            ..self.clone()
        })
    }

    /// The examples of the rows for which `keep` holds, features numbered as here; those without
    /// features are left out.
    pub fn with_rows(&self, keep: impl Fn(usize) -> bool) -> Result<Examples> {
        let mut builder = self.copier()?;
        let mut entries = Vec::new();
        for index in (0..self.rows()).filter(|&index| keep(index)) {
            entries.clear();
            entries.extend(self.row(index).entries());
            let pairs = self
                .pairs_of(index)
                .map(|p| (self.pair_class(p), self.pair_weight(p)));
            builder.push_row(&mut entries, pairs)?;
        }
        builder.finish_with_ids(self.feature_ids.to_vec())
    }

    /// The given rows, side by side in memory; features are numbered as here.
    pub(crate) fn gather(&self, rows: &[u32]) -> Examples {
        let mut offsets = vec![0u64];
        let (mut features, mut values) = (Vec::new(), Vec::new());
        let (mut pair_offsets, mut classes, mut weights) = (vec![0u32], Vec::new(), Vec::new());
        for &row in rows {
            let row = row as usize;
            let Row {
                features: from,
                values: with,
            } = self.row(row);
            features.extend_from_slice(from);
            values.extend_from_slice(with);
            offsets.push(features.len() as u64);
            let pairs = self.pairs_of(row);
            classes.extend_from_slice(&self.pair_classes[pairs.clone()]);
            weights.extend_from_slice(self.pair_weights.get(pairs).unwrap_or(&[]));
            pair_offsets.push(classes.len() as u32);
        }
        Examples {
            class_names: self.class_names.clone(),
            feature_ids: self.feature_ids.clone(),
            offsets: offsets.into(),
            features: features.into(),
            values: values.into(),
            pair_offsets: pair_offsets.into(),
            pair_classes: classes.into(),
            pair_weights: weights.into(),
            featureless: vec![0.0; self.classes()].into(),
            storage: self.storage.clone(),
        }
    }

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
        let (classes, features) = (self.classes(), self.features());
        if classes == 0 || classes > MOST_CLASSES {
            return Some(("class-names", "between 1 and 256 classes expected"));
        }
        if !divides(&self.offsets, self.features.len()) {
            return Some(("offsets", "does not fit the features"));
        }
        if self.offsets.windows(2).any(|bounds| bounds[0] == bounds[1]) {
            return Some(("offsets", "holds a row without features"));
        }
        if self.features.iter().any(|&f| f as usize >= features) {
            return Some(("features", "holds a feature that has no identity"));
        }
        if !self.values.is_empty() && self.values.len() != self.features.len() {
            return Some(("values", "is not as long as the features"));
        }
        if self.values.iter().any(|value| !value.is_finite()) {
            return Some(("values", "holds a value that is not a number"));
        }
        if (0..self.rows()).any(|index| !is_ordered(self.row(index))) {
            return Some(("features", "holds a row that is not in increasing order"));
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
