//! How far to go from old weights to new ones: the point between them that is best on the lists,
//! found by exact line search. Sparse weights move with the dense ones.

use crate::mert::columns::row;
use crate::mert::envelope::Line;
use crate::mert::line_search::{Choices, Step, sorted_envelope};
use crate::{Pool, Weights};
use std::collections::BTreeMap;

/// The best step from `old` (γ = 0) towards `new` (γ = 1), not beyond.
pub fn best_step(pool: &Pool, old: &Weights, new: &Weights) -> Step {
    let mut choices = Choices::default();
    let (mut lines, mut envelope, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for sentence in pool.sentences() {
        lines.clear();
        rows.clear();
        for entry in 0..sentence.len() {
            let intercept = sentence.score(entry, old);
            lines.push(Line {
                slope: sentence.score(entry, new) - intercept,
                intercept,
                entry: entry as u32,
            });
            rows.push(row(sentence.counts(entry)));
        }
        sorted_envelope(&mut lines, &mut envelope);
        choices.add(&envelope, |entry| &rows[entry as usize]);
    }
    choices.best(0.0, 1.0)
}

/// (1 - γ) · old + γ · new.
pub fn between(old: &Weights, new: &Weights, gamma: f64) -> Weights {
    let mix = |a: f32, b: f32| (f64::from(a) * (1.0 - gamma) + f64::from(b) * gamma) as f32;
    let mut sparse = BTreeMap::new();
    for &id in old.sparse.keys().chain(new.sparse.keys()) {
        let weight = |weights: &Weights| weights.sparse.get(&id).copied().unwrap_or(0.0);
        sparse.insert(id, mix(weight(old), weight(new)));
    }
    sparse.retain(|_, weight| *weight != 0.0);
    Weights {
        dense: old
            .dense
            .iter()
            .zip(&new.dense)
            .map(|(&a, &b)| mix(a, b))
            .collect(),
        sparse,
    }
}

/// The weights times a factor that gives them the length (Σ|w| of dense weights) of others.
pub fn scaled_like(weights: &Weights, like: &Weights) -> Weights {
    let norm = |weights: &Weights| {
        weights
            .dense
            .iter()
            .map(|w| f64::from(w.abs()))
            .sum::<f64>()
    };
    let (now, wanted) = (norm(weights), norm(like));
    if !(now > 0.0 && wanted > 0.0) {
        return weights.clone();
    }
    let scale = |weight: &f32| (f64::from(*weight) * wanted / now) as f32;
    Weights {
        dense: weights.dense.iter().map(scale).collect(),
        sparse: weights
            .sparse
            .iter()
            .map(|(&id, weight)| (id, scale(weight)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Entry;
    use chiasm_metrics::bleu::SentenceReferences;
    use proptest::prelude::*;

    fn weights(numbers: &[f32]) -> Weights {
        let sparse = [(3, numbers[2]), (4, numbers[3])];
        Weights {
            dense: numbers[..2].to_vec(),
            sparse: sparse
                .into_iter()
                .filter(|(_, weight)| *weight != 0.0)
                .collect(),
        }
    }

    proptest! {
        #[test]
        fn no_point_between_is_better(
            raw in prop::collection::vec((prop::collection::vec(0u32..4, 0..6), prop::collection::vec(-8i32..9, 4)), 2..20),
            old in prop::collection::vec(-2.0f32..2.0, 4),
            new in prop::collection::vec(-2.0f32..2.0, 4),
        ) {
            let entry = |(target, features): &(Vec<u32>, Vec<i32>)| Entry {
                target: target.clone(),
                dense: features[..2].iter().map(|&v| v as f32).collect(),
                sparse: vec![(3, features[2] as f32), (4, features[3] as f32)],
            };
            let lists: Vec<Vec<Entry>> = raw.chunks(4).map(|c| c.iter().map(entry).collect()).collect();
            let references = vec![SentenceReferences::new(&[[0u32, 1, 2, 3]]); lists.len()];
            let mut pool = Pool::new(lists.len(), 2);
            pool.merge(&lists, &references).unwrap();
            let (old, new) = (weights(&old), weights(&new));
            let step = best_step(&pool, &old, &new);
            prop_assert!((0.0..=1.0).contains(&step.gamma));
            for i in 0..=200 {
                let gamma = (f64::from(i) + 0.37) / 201.0;
                let bleu = pool.bleu(&between(&old, &new, gamma));
                prop_assert!(bleu <= step.bleu + 1e-9, "at {}: {} > {}", gamma, bleu, step.bleu);
            }
        }
    }

    #[test]
    fn lengths_are_made_equal() {
        let old = weights(&[2.0, -2.0, 0.0, 1.0]);
        let new = scaled_like(&weights(&[0.5, 0.5, 1.0, 0.0]), &old);
        assert_eq!(new, weights(&[2.0, 2.0, 4.0, 0.0]));
        let middle = between(&old, &new, 0.5);
        assert_eq!(middle, weights(&[2.0, 0.0, 2.0, 0.5]));
    }
}
