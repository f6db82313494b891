//! The weights that are tuned.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One weight a dense feature, and weights of those sparse features that have one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Weights {
    /// By dense feature.
    pub dense: Vec<f32>,
    /// By number of the sparse feature.
    pub sparse: BTreeMap<u32, f32>,
}

impl Weights {
    /// Weights of dense features alone.
    pub fn of_dense(dense: Vec<f32>) -> Self {
        Weights {
            dense,
            sparse: BTreeMap::new(),
        }
    }

    /// Is every weight a number?
    pub fn is_finite(&self) -> bool {
        let mut all = self.dense.iter().chain(self.sparse.values());
        all.all(|weight| weight.is_finite())
    }

    /// The largest difference to other weights, dense or sparse.
    pub fn distance(&self, other: &Weights) -> f32 {
        let dense = self.dense.iter().zip(&other.dense);
        let dense = dense.map(|(a, b)| (a - b).abs());
        let one_way = |a: &Weights, b: &Weights| {
            let differences = a.sparse.iter().map(|(id, weight)| {
                let other = b.sparse.get(id).copied().unwrap_or(0.0);
                (weight - other).abs()
            });
            differences.fold(0.0, f32::max)
        };
        let sparse = one_way(self, other).max(one_way(other, self));
        dense.fold(sparse, f32::max)
    }
}
