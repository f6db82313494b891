//! PRO as Hopkins & May (2011) published it: the quality of a translation is its own BLEU+1 (Lin & Och 2004: one is
//! added to the counts above unigrams), a pair is accepted if they differ by 0.05 at least, both the difference of
//! a pair's features and its mirror image are examples, features are not scaled, and the new weights are
//! Ψ = 0.1 of what was learned and 0.9 of the old ones. The classifier is MegaM's with its default prior,
//! ½‖w‖² on one weight a feature; ours has one a class, whose difference that is, so that σ² = ½ is the same.

use super::{Pair, Settings, draw, learn};
use crate::interpolate::between;
use crate::random::random;
use crate::{Pool, Result, SentencePool, Weights};
use chiasm_metrics::bleu::{Smoothing, score};
use rayon::prelude::*;

/// New weights and their BLEU on the lists.
pub(super) fn optimise(
    pool: &Pool,
    old: &Weights,
    settings: &Settings,
    seed: u64,
    round: usize,
) -> Result<(Weights, f64)> {
    let drawn = |(index, sentence): (usize, &SentencePool)| {
        let mut random = random(seed, "pro", round, index);
        draw(&quality(sentence), settings, &mut random)
    };
    let sentences = pool.sentences().par_iter().enumerate();
    let pairs: Vec<Vec<Pair>> = sentences.map(drawn).collect();
    if pairs.iter().all(Vec::is_empty) {
        return Ok((old.clone(), pool.bleu(old)));
    }
    let unscaled = vec![1.0; pool.dense_features()];
    let learned = learn(pool, &pairs, &unscaled, settings)?;
    let weights = between(old, &learned, settings.least_step);
    let bleu = pool.bleu(&weights);
    Ok((weights, bleu))
}

/// BLEU+1 of every translation, 0 to 1.
fn quality(sentence: &SentencePool) -> Vec<f64> {
    let entries = 0..sentence.len();
    let plus_one =
        |entry| score(&sentence.counts(entry).row(), Smoothing::AddK(1.0), false).score / 100.0;
    entries.map(plus_one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Entry;
    use chiasm_metrics::bleu::SentenceReferences;

    fn pool() -> Pool {
        let entry = |target: &[u32], dense: [f32; 2]| Entry {
            target: target.to_vec(),
            dense: dense.to_vec(),
            sparse: Vec::new(),
        };
        let list = vec![
            entry(&[1, 2, 3, 4, 5], [1.0, 0.0]),
            entry(&[1, 2, 3, 5, 4], [0.5, 0.5]),
            entry(&[1, 9, 8, 7, 6], [0.0, 1.0]),
        ];
        let mut pool = Pool::new(1, 2);
        let references = [SentenceReferences::new(&[[1u32, 2, 3, 4, 5]])];
        pool.merge(&[list], &references).unwrap();
        pool
    }

    #[test]
    fn quality_is_bleu_plus_one() {
        let pool = pool();
        let found = quality(&pool.sentences()[0]);
        // 1-grams 5/5, 2-grams (2+1)/(4+1), 3-grams (1+1)/(3+1), 4-grams (0+1)/(2+1).
        let second = (1.0f64 * 3.0 / 5.0 * 2.0 / 4.0 * 1.0 / 3.0).powf(0.25);
        let third = (1.0f64 / 5.0 * 1.0 / 5.0 * 1.0 / 4.0 * 1.0 / 3.0).powf(0.25);
        for (found, expected) in found.iter().zip([1.0, second, third]) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn new_weights_are_a_tenth_of_what_was_learned() {
        let (pool, old) = (pool(), Weights::of_dense(vec![0.0, 2.0]));
        let settings = Settings::published();
        let (new, _) = optimise(&pool, &old, &settings, 1, 0).unwrap();
        // The pairs that are drawn differ by (½, -½) or (1, -1); both are right for w₁ > w₂, so what was
        // learned is (w, -w), and its derivative is zero there.
        let learned = (f64::from(new.dense[0])) / 0.1;
        assert!((f64::from(new.dense[1]) - (0.9 * 2.0 - 0.1 * learned)).abs() < 1e-5);
        let mut random = random(1, "pro", 0, 0);
        let pairs = draw(&quality(&pool.sentences()[0]), &settings, &mut random);
        assert_eq!(pairs.len(), 50);
        // Largest differences first: the best translation against the worst.
        assert!(pairs.iter().all(|&pair| pair == (0, 2)), "{pairs:?}");
        // ½‖w‖² + Σ log(1 + exp -wᵀx) over 50 differences and 50 mirror images, x = ±(1, -1).
        let slope = 2.0 * learned - 100.0 * 2.0 / (1.0 + (2.0 * learned).exp());
        assert!(slope.abs() < 0.2, "{learned} {slope}");
    }

    #[test]
    fn pairs_that_hardly_differ_are_not_drawn() {
        let mut random = random(1, "pro", 0, 0);
        let pairs = draw(&[0.5, 0.52, 0.549], &Settings::published(), &mut random);
        assert!(pairs.is_empty());
    }
}
