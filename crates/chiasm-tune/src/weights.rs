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

    /// The mean direction: each vector counts the same, however long it is.
    pub fn mean(all: &[&Weights]) -> Self {
        let length = |weights: &Weights| {
            let sizes = weights.dense.iter().map(|weight| f64::from(weight.abs()));
            sizes.sum::<f64>().max(f64::MIN_POSITIVE)
        };
        let count = all.len() as f64;
        let usual = all.iter().map(|weights| length(weights)).sum::<f64>() / count;
        let mut dense = vec![0.0; all.first().map_or(0, |first| first.dense.len())];
        let mut sparse: BTreeMap<u32, f64> = BTreeMap::new();
        for weights in all {
            let share = usual / length(weights) / count;
            for (sum, &weight) in dense.iter_mut().zip(&weights.dense) {
                *sum += share * f64::from(weight);
            }
            for (&id, &weight) in &weights.sparse {
                *sparse.entry(id).or_default() += share * f64::from(weight);
            }
        }
        Weights {
            dense: dense.into_iter().map(|weight| weight as f32).collect(),
            sparse: sparse
                .into_iter()
                .map(|(id, weight)| (id, weight as f32))
                .collect(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_does_not_depend_on_lengths() {
        let short = Weights {
            dense: vec![1.0, 0.0],
            sparse: [(3, 1.0)].into(),
        };
        let long = Weights {
            dense: vec![0.0, -3.0],
            sparse: [(3, 3.0), (5, 6.0)].into(),
        };
        let mean = Weights::mean(&[&short, &long]);
        assert_eq!(mean.dense, [1.0, -1.0]);
        assert_eq!(mean.sparse, [(3, 2.0), (5, 2.0)].into());
        assert_eq!(Weights::mean(&[&long]), long);
    }
}
