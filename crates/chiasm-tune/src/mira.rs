//! k-best batch MIRA (Cherry & Foster 2012, Algorithm 1): passes over the merged lists, and for
//! each sentence a step that makes the *hope* (high score, high BLEU) win over the *fear* (high
//! score, low BLEU) by at least their difference in BLEU.
//!
//! With h the hope, f the fear, Δ = features(h) - features(f) and the loss ℓ = B(h) - B(f):
//! η = min(C, (ℓ - w·Δ) / ‖Δ‖²), w ← w + ηΔ where ℓ > w·Δ. B is the BLEU of the translation
//! together with a decaying background of earlier choices, times their reference length
//! (Chiang et al. 2008), so that a loss is in words. The result is the average of all weights
//! passed through; of all passes, the one whose average is best on the lists is kept.

use crate::pool::{add, corpus_bleu, gain};
use crate::random::{random, shuffle};
use crate::{Pool, SentencePool, Weights};
use chiasm_metrics::bleu::{self, WIDTH};
use chiasm_work::cancel;
use rayon::prelude::*;

/// Which translations the background is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// The hopes, as in the paper.
    Hope,
    /// The translations with the highest score: brevity is judged by what the model would do.
    Model,
}

/// Steps are small, so a tiny development set is gone over until this many sentences were seen
/// before its average is judged.
const FEWEST_SENTENCES: usize = 200;

/// How MIRA learns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The largest step.
    pub c: f64,
    /// What remains of the background after each sentence.
    pub decay: f64,
    /// Passes over the lists at most.
    pub epochs: usize,
    /// Passes without a better average after which to stop.
    pub patience: usize,
    /// What the background is made of.
    pub background: Background,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            c: 0.01,
            decay: 0.999,
            epochs: 60,
            patience: 15,
            background: Background::Hope,
        }
    }
}

/// The best average of weights on the lists, and its BLEU there.
pub fn optimise(
    pool: &Pool,
    start: &Weights,
    settings: &Settings,
    seed: u64,
    round: usize,
) -> (Weights, f64) {
    let mut learner = Learner::new(pool, start, settings);
    // Not compared with the start: what looks no better on the lists makes new lists all the same.
    let mut best = (start.clone(), f64::NEG_INFINITY);
    let mut without_gain = 0;
    let mut order: Vec<usize> = (0..pool.sentences().len()).collect();
    order.retain(|&sentence| !pool.sentences()[sentence].is_empty());
    if order.is_empty() {
        return (best.0, 0.0);
    }
    let passes = FEWEST_SENTENCES.div_ceil(order.len());
    for epoch in 0..settings.epochs {
        let mut random = random(seed, "mira", round, epoch);
        for _ in 0..passes {
            shuffle(&mut order, &mut random);
            for &sentence in &order {
                cancel::check();
                learner.learn(&pool.sentences()[sentence]);
            }
        }
        let average = learner.average(start);
        let bleu = if average.is_finite() {
            learner.bleu(pool)
        } else {
            f64::NEG_INFINITY
        };
        if bleu > best.1 {
            best = (average, bleu);
            without_gain = 0;
        } else {
            without_gain += 1;
        }
        if without_gain == settings.patience {
            break;
        }
    }
    best
}

struct Learner<'a> {
    settings: &'a Settings,
    dense: Vec<f64>,
    sparse: Vec<f64>,
    /// Σ over steps of (time of the step · step): the average is w - total / time.
    dense_total: Vec<f64>,
    sparse_total: Vec<f64>,
    time: f64,
    background: [f64; WIDTH],
    scores: Vec<f64>,
    penalties: &'a [usize],
}

impl<'a> Learner<'a> {
    fn new(pool: &'a Pool, start: &Weights, settings: &'a Settings) -> Self {
        let ids = pool.sentences().iter().flat_map(SentencePool::sparse_ids);
        let known = start.sparse.keys().copied().chain(ids).max();
        let mut sparse = vec![0.0; known.map_or(0, |id| id as usize + 1)];
        for (&id, &weight) in &start.sparse {
            sparse[id as usize] = f64::from(weight);
        }
        let dense: Vec<f64> = start
            .dense
            .iter()
            .map(|&weight| f64::from(weight))
            .collect();
        Learner {
            settings,
            dense_total: vec![0.0; dense.len()],
            sparse_total: vec![0.0; sparse.len()],
            dense,
            sparse,
            time: 0.0,
            background: [1.0; WIDTH],
            scores: Vec::new(),
            penalties: pool.penalties(),
        }
    }

    fn score(&mut self, sentence: &SentencePool) {
        self.scores.clear();
        for entry in 0..sentence.len() {
            self.scores
                .push(score(sentence, entry, &self.dense, &self.sparse));
        }
    }

    /// One sentence.
    fn learn(&mut self, sentence: &SentencePool) {
        self.time += 1.0;
        self.score(sentence);
        let mut hope = (0, f64::NEG_INFINITY, 0.0);
        let mut fear = (0, f64::NEG_INFINITY, 0.0);
        let mut model = (0, f64::NEG_INFINITY);
        for entry in 0..sentence.len() {
            let score = self.scores[entry];
            // The background starts with 1 everywhere, so nothing in it is 0.
            let gain = gain(&self.background, sentence.counts(entry));
            if score + gain > hope.1 {
                hope = (entry, score + gain, gain);
            }
            if score - gain > fear.1 {
                fear = (entry, score - gain, gain);
            }
            if score > model.1 {
                model = (entry, score);
            }
        }
        let loss = hope.2 - fear.2;
        let margin = self.scores[hope.0] - self.scores[fear.0];
        if loss > margin {
            self.step(sentence, hope.0, fear.0, loss - margin);
        }
        let chosen = match self.settings.background {
            Background::Hope => hope.0,
            Background::Model => model.0,
        };
        for value in &mut self.background {
            *value *= self.settings.decay;
        }
        add(&mut self.background, &sentence.counts(chosen).row(), 1.0);
    }

    fn step(&mut self, sentence: &SentencePool, hope: usize, fear: usize, violation: f64) {
        let dense = sentence.dense(hope).iter().zip(sentence.dense(fear));
        let dense: Vec<f64> = dense.map(|(h, f)| f64::from(*h) - f64::from(*f)).collect();
        let sparse = difference(sentence.sparse(hope), sentence.sparse(fear));
        let squares = dense.iter().map(|v| v * v).sum::<f64>()
            + sparse.iter().map(|(_, v)| v * v).sum::<f64>();
        if squares == 0.0 {
            return;
        }
        let rate = (violation / squares).min(self.settings.c);
        let before = self.time - 1.0;
        for (feature, value) in dense.iter().enumerate() {
            self.dense[feature] += rate * value;
            self.dense_total[feature] += before * rate * value;
        }
        // Back to the nearest weights that reward no penalty, as another step.
        for &feature in self.penalties {
            let back = (-self.dense[feature]).max(0.0);
            self.dense[feature] += back;
            self.dense_total[feature] += before * back;
        }
        for (id, value) in sparse {
            self.sparse[id as usize] += rate * value;
            self.sparse_total[id as usize] += before * rate * value;
        }
    }

    fn average(&self, start: &Weights) -> Weights {
        let (dense, sparse) = self.averages();
        let id = |(id, weight): (usize, &f64)| (id as u32, *weight as f32);
        let kept = sparse
            .iter()
            .enumerate()
            .filter(|(_, weight)| **weight != 0.0);
        debug_assert_eq!(start.dense.len(), dense.len());
        Weights {
            dense: dense.iter().map(|&weight| weight as f32).collect(),
            sparse: kept.map(id).collect(),
        }
    }

    fn averages(&self) -> (Vec<f64>, Vec<f64>) {
        let time = self.time.max(1.0);
        let average = |weights: &[f64], totals: &[f64]| -> Vec<f64> {
            let pairs = weights.iter().zip(totals);
            pairs.map(|(weight, total)| weight - total / time).collect()
        };
        (
            average(&self.dense, &self.dense_total),
            average(&self.sparse, &self.sparse_total),
        )
    }

    /// BLEU of the choices of the average.
    fn bleu(&self, pool: &Pool) -> f64 {
        let (dense, sparse) = self.averages();
        let rows: Vec<[f64; bleu::WIDTH]> = pool
            .sentences()
            .par_iter()
            .filter(|sentence| !sentence.is_empty())
            .map(|sentence| {
                let mut best = (0, f64::NEG_INFINITY);
                for entry in 0..sentence.len() {
                    let score = score(sentence, entry, &dense, &sparse);
                    if score > best.1 {
                        best = (entry, score);
                    }
                }
                sentence.counts(best.0).row()
            })
            .collect();
        let mut sum = [0.0; bleu::WIDTH];
        for row in &rows {
            add(&mut sum, row, 1.0);
        }
        corpus_bleu(&sum)
    }
}

fn score(sentence: &SentencePool, entry: usize, dense: &[f64], sparse: &[f64]) -> f64 {
    let mut score = 0.0;
    for (&value, weight) in sentence.dense(entry).iter().zip(dense) {
        score += f64::from(value) * weight;
    }
    for &(id, value) in sentence.sparse(entry) {
        score += sparse[id as usize] * f64::from(value);
    }
    score
}

/// The difference of two sparse vectors, each sorted by number.
pub(crate) fn difference(a: &[(u32, f32)], b: &[(u32, f32)]) -> Vec<(u32, f64)> {
    let (mut i, mut j) = (0, 0);
    let mut result = Vec::with_capacity(a.len() + b.len());
    while i < a.len() || j < b.len() {
        let left = a.get(i).map_or(u32::MAX, |entry| entry.0);
        let right = b.get(j).map_or(u32::MAX, |entry| entry.0);
        let id = left.min(right);
        let mut value = 0.0;
        if i < a.len() && left == id {
            value += f64::from(a[i].1);
            i += 1;
        }
        if j < b.len() && right == id {
            value -= f64::from(b[j].1);
            j += 1;
        }
        if value != 0.0 {
            result.push((id, value));
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Entry;
    use chiasm_metrics::bleu::SentenceReferences;

    #[test]
    fn sparse_differences() {
        let a = [(1, 1.0), (3, 2.0), (7, 1.0)];
        let b = [(3, 2.0), (4, 1.0), (7, 3.0)];
        assert_eq!(difference(&a, &b), [(1, 1.0), (4, -1.0), (7, -2.0)]);
        assert_eq!(difference(&[], &[]), []);
    }

    /// Good translations have sparse feature 5, bad ones 6; the dense feature says the opposite.
    fn pool(sentences: usize) -> Pool {
        let reference: Vec<u32> = (0..8).collect();
        let references = vec![SentenceReferences::new(&[&reference]); sentences];
        let list = vec![
            Entry {
                target: vec![9, 9, 9, 3, 4, 9, 9],
                dense: vec![1.0, 0.0],
                sparse: vec![(6, 1.0)],
            },
            Entry {
                target: reference,
                dense: vec![0.0, 0.0],
                sparse: vec![(5, 1.0)],
            },
        ];
        let mut pool = Pool::new(sentences, 2);
        pool.merge(&vec![list; sentences], &references).unwrap();
        pool
    }

    #[test]
    fn learns_sparse_features() {
        for sentences in [1, 30] {
            let pool = pool(sentences);
            let start = Weights::of_dense(vec![0.5, 0.25]);
            assert!(pool.bleu(&start) < 50.0);
            let (weights, bleu) = optimise(&pool, &start, &Settings::default(), 1, 0);
            assert!((bleu - 100.0).abs() < 1e-6, "{sentences}: {bleu}");
            assert!((pool.bleu(&weights) - bleu).abs() < 1e-9);
            assert!(weights.sparse[&5] > 0.0 && weights.sparse[&6] < 0.0);
            assert_eq!(weights.dense[1], 0.25, "a feature that is always zero");
        }
    }

    #[test]
    fn a_penalty_is_never_rewarded() {
        // The dense feature is that of bad translations: free, its weight becomes negative.
        let start = Weights::of_dense(vec![0.5, 0.25]);
        let settings = Settings::default();
        let (weights, _) = optimise(&pool(30), &start, &settings, 1, 0);
        assert!(weights.dense[0] < 0.5);
        let mut last = Learner::new(&pool(30), &start, &settings).dense;
        assert_eq!(last[0], 0.5);
        let bound = pool(30).with_penalties(vec![0]);
        let mut learner = Learner::new(&bound, &start, &settings);
        for sentence in bound.sentences().iter().cycle().take(3_000) {
            learner.learn(sentence);
            assert!(learner.dense[0] >= 0.0);
            last.clone_from(&learner.dense);
        }
        assert!(learner.averages().0[0] >= 0.0);
        assert!(last[0] < 0.5);
    }

    #[test]
    fn nothing_to_learn_from_is_no_accident() {
        let start = Weights::of_dense(vec![0.5]);
        let nothing = Pool::new(2, 1);
        let (weights, bleu) = optimise(&nothing, &start, &Settings::default(), 1, 0);
        assert_eq!((weights, bleu), (start.clone(), 0.0));
        let mut empty = Pool::new(1, 1);
        let entry = |value| Entry {
            dense: vec![value],
            ..Entry::default()
        };
        let references = [SentenceReferences::new(&[[1u32]])];
        empty
            .merge(&[vec![entry(1.0), entry(2.0)]], &references)
            .unwrap();
        let (weights, _) = optimise(&empty, &start, &Settings::default(), 1, 0);
        assert!(weights.is_finite());
    }
}
