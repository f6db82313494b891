//! Other examples made of some: fewer features or rows, other classes.

use super::{Examples, Row};
use crate::{Builder, Error, Result};

impl Examples {
    /// A builder of the same classes that keeps rows apart, in memory or not as these examples are.
    fn copier(&self) -> Result<Builder> {
        let builder = Builder::new(self.class_names.clone())?.merging(false);
        Ok(match &self.storage {
            Some(storage) => builder.within(storage.budget, &storage.folder),
            None => builder,
        })
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
        for index in self.scan() {
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
        for row in self.scan() {
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
        for index in self.scan().filter(|&index| keep(index)) {
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
        for (number, &row) in rows.iter().enumerate() {
            self.visited(number, false);
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
}
