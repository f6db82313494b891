//! n-best lists merged over rounds, in flat arrays.
//!
//! An entry is a feature vector and the BLEU counts of its words against the references. Entries
//! of a sentence that agree in both are one: no method here could tell them apart.

use crate::{Entry, Error, Result, Weights};
use chiasm_metrics::bleu::{self, Counts, SentenceReferences};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

/// The merged n-best list of one sentence.
#[derive(Debug, Clone, Default)]
pub struct SentencePool {
    dense_features: usize,
    dense: Vec<f32>,
    sparse_offsets: Vec<u32>,
    sparse: Vec<(u32, f32)>,
    counts: Vec<Counts>,
    /// Entries by hash of features and counts.
    known: FxHashMap<u64, Vec<u32>>,
}

impl SentencePool {
    fn new(dense_features: usize) -> Self {
        SentencePool {
            dense_features,
            sparse_offsets: vec![0],
            ..SentencePool::default()
        }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Has the sentence no translation at all?
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The dense features of an entry.
    pub fn dense(&self, entry: usize) -> &[f32] {
        &self.dense[entry * self.dense_features..(entry + 1) * self.dense_features]
    }

    /// The sparse features of an entry, by number.
    pub fn sparse(&self, entry: usize) -> &[(u32, f32)] {
        let range = self.sparse_offsets[entry] as usize..self.sparse_offsets[entry + 1] as usize;
        &self.sparse[range]
    }

    /// The numbers of all sparse features, with repetitions.
    pub(crate) fn sparse_ids(&self) -> impl Iterator<Item = u32> {
        self.sparse.iter().map(|&(id, _)| id)
    }

    /// The BLEU counts of an entry.
    pub fn counts(&self, entry: usize) -> &Counts {
        &self.counts[entry]
    }

    /// The model score of an entry.
    pub fn score(&self, entry: usize, weights: &Weights) -> f64 {
        let dense = self.dense(entry).iter().zip(&weights.dense);
        let dense: f64 = dense.map(|(&f, &w)| f64::from(f) * f64::from(w)).sum();
        dense + self.sparse_score(entry, weights)
    }

    /// The part of the model score that is due to sparse features.
    pub fn sparse_score(&self, entry: usize, weights: &Weights) -> f64 {
        let weight = |id: &u32| f64::from(weights.sparse.get(id).copied().unwrap_or(0.0));
        let features = self.sparse(entry).iter();
        features
            .map(|(id, value)| weight(id) * f64::from(*value))
            .sum()
    }

    /// The entry with the highest model score, the first of equal ones.
    pub fn best(&self, weights: &Weights) -> Option<usize> {
        let mut best = None;
        for entry in 0..self.len() {
            let score = self.score(entry, weights);
            if best.is_none_or(|(_, highest)| score > highest) {
                best = Some((entry, score));
            }
        }
        best.map(|(entry, _)| entry)
    }

    /// Adds an entry unless it is known; tells whether it was added.
    pub(crate) fn add(&mut self, dense: &[f32], sparse: &[(u32, f32)], counts: Counts) -> bool {
        let hash = hash(dense, sparse, &counts);
        let known = self.known.get(&hash);
        let same = |&entry: &u32| {
            let entry = entry as usize;
            self.dense(entry) == dense
                && self.sparse(entry) == sparse
                && self.counts[entry] == counts
        };
        if known.is_some_and(|entries| entries.iter().any(same)) {
            return false;
        }
        self.known
            .entry(hash)
            .or_default()
            .push(self.counts.len() as u32);
        self.dense.extend_from_slice(dense);
        self.sparse.extend_from_slice(sparse);
        self.sparse_offsets.push(self.sparse.len() as u32);
        self.counts.push(counts);
        true
    }
}

fn hash(dense: &[f32], sparse: &[(u32, f32)], counts: &Counts) -> u64 {
    let mut state = Xxh3::new();
    for value in dense {
        state.update(&value.to_le_bytes());
    }
    for (id, value) in sparse {
        state.update(&id.to_le_bytes());
        state.update(&value.to_le_bytes());
    }
    for count in counts.row() {
        state.update(&(count as u32).to_le_bytes());
    }
    state.digest()
}

/// The merged n-best lists of a development set.
#[derive(Debug, Clone)]
pub struct Pool {
    dense_features: usize,
    penalties: Vec<usize>,
    sentences: Vec<SentencePool>,
}

impl Pool {
    /// An empty pool.
    pub fn new(sentences: usize, dense_features: usize) -> Self {
        Pool {
            dense_features,
            penalties: Vec::new(),
            sentences: vec![SentencePool::new(dense_features); sentences],
        }
    }

    /// The same with dense features that may only count against a translation: their weights stay at 0 or above.
    pub fn with_penalties(self, penalties: Vec<usize>) -> Self {
        Pool { penalties, ..self }
    }

    /// The dense features whose weights stay at 0 or above.
    pub fn penalties(&self) -> &[usize] {
        &self.penalties
    }

    /// How many dense features an entry has.
    pub fn dense_features(&self) -> usize {
        self.dense_features
    }

    /// The lists by sentence.
    pub fn sentences(&self) -> &[SentencePool] {
        &self.sentences
    }

    /// All entries of all sentences.
    pub fn entries(&self) -> usize {
        self.sentences.iter().map(SentencePool::len).sum()
    }

    /// Adds one n-best list a sentence; returns how many entries were new.
    pub fn merge(
        &mut self,
        lists: &[Vec<Entry>],
        references: &[SentenceReferences],
    ) -> Result<usize> {
        check(lists, self.sentences.len(), self.dense_features)?;
        let sentences = self.sentences.par_iter_mut().zip(lists).zip(references);
        let added = sentences.map(|((sentence, list), references)| {
            let mut added = 0;
            let mut sparse = Vec::new();
            for entry in list {
                sparse.clear();
                sparse.extend_from_slice(&entry.sparse);
                sparse.sort_unstable_by_key(|&(id, _)| id);
                let counts = references.count(&entry.target);
                added += usize::from(sentence.add(&entry.dense, &sparse, counts));
            }
            added
        });
        Ok(added.sum())
    }

    pub(crate) fn sentence_mut(&mut self, sentence: usize) -> &mut SentencePool {
        &mut self.sentences[sentence]
    }

    /// BLEU (0 to 100) of the translations that these weights would choose from the lists.
    pub fn bleu(&self, weights: &Weights) -> f64 {
        let rows: Vec<[f64; bleu::WIDTH]> = self
            .sentences
            .par_iter()
            .map(|sentence| match sentence.best(weights) {
                Some(entry) => sentence.counts(entry).row(),
                None => [0.0; bleu::WIDTH],
            })
            .collect();
        let mut sum = [0.0; bleu::WIDTH];
        for row in &rows {
            add(&mut sum, row, 1.0);
        }
        corpus_bleu(&sum)
    }
}

fn check(lists: &[Vec<Entry>], sentences: usize, dense_features: usize) -> Result<()> {
    if lists.len() != sentences {
        let found = lists.len();
        return Err(Error::Input(format!(
            "the decoder gave {found} n-best lists, {sentences} expected"
        )));
    }
    for (sentence, entry) in lists
        .iter()
        .enumerate()
        .flat_map(|(i, l)| l.iter().map(move |e| (i, e)))
    {
        let found = entry.dense.len();
        if found != dense_features {
            return Err(Error::Input(format!(
                "sentence {}: {dense_features} dense features expected, {found} found",
                sentence + 1
            )));
        }
        let sparse = entry.sparse.iter().map(|(_, value)| value);
        if !entry
            .dense
            .iter()
            .chain(sparse)
            .all(|value| value.is_finite())
        {
            return Err(Error::Input(format!(
                "sentence {}: the decoder gave a feature value that is not a number",
                sentence + 1
            )));
        }
    }
    Ok(())
}

/// Adds `factor` times a row.
pub(crate) fn add(sum: &mut [f64; bleu::WIDTH], row: &[f64; bleu::WIDTH], factor: f64) {
    for (sum, value) in sum.iter_mut().zip(row) {
        *sum += factor * value;
    }
}

/// The objective of tuning: BLEU of summed counts, 0 to 100. Orders without a match are smoothed as
/// sacreBLEU does by default, and orders that the whole set is too short for are left out, so
/// that a development set of one short sentence has an objective, too.
pub fn corpus_bleu(sum: &[f64; bleu::WIDTH]) -> f64 {
    bleu::score(sum, chiasm_metrics::Smoothing::Exponential, true).score
}

/// BLEU of an entry together with a background of other translations' counts, times the reference
/// length of both (Chiang et al. 2008): what the entry does for the whole, in words. All counts of
/// the background must be above 0.
pub(crate) fn gain(background: &[f64; bleu::WIDTH], counts: &Counts) -> f64 {
    let mut sum = *background;
    add(&mut sum, &counts.row(), 1.0);
    let mut logarithm = 0.0;
    for n in 0..bleu::ORDER {
        logarithm += (sum[2 + n] / sum[2 + bleu::ORDER + n]).ln();
    }
    let brevity = (1.0 - sum[1] / sum[0]).min(0.0);
    (logarithm / bleu::ORDER as f64 + brevity).exp() * sum[1]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(target: &[u32], dense: &[f32], sparse: &[(u32, f32)]) -> Entry {
        Entry {
            target: target.to_vec(),
            dense: dense.to_vec(),
            sparse: sparse.to_vec(),
        }
    }

    #[test]
    fn equal_entries_are_one_whatever_the_order_of_sparse_features() {
        let references = [SentenceReferences::new(&[[1u32, 2, 3]])];
        let mut pool = Pool::new(1, 1);
        let list = vec![
            entry(&[1, 2], &[0.5], &[(3, 1.0), (1, 2.0)]),
            entry(&[1, 2], &[0.5], &[(1, 2.0), (3, 1.0)]),
            entry(&[1, 2, 3], &[0.5], &[(1, 2.0), (3, 1.0)]),
            entry(&[1, 2], &[0.25], &[]),
        ];
        assert_eq!(
            pool.merge(std::slice::from_ref(&list), &references)
                .unwrap(),
            3
        );
        assert_eq!(pool.merge(&[list], &references).unwrap(), 0);
        assert_eq!(pool.entries(), 3);
        assert_eq!(pool.sentences()[0].sparse(0), [(1, 2.0), (3, 1.0)]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let references = [SentenceReferences::new(&[[1u32]])];
        let mut pool = Pool::new(1, 2);
        let mut refused = |entry: Entry| {
            let error = pool.merge(&[vec![entry]], &references).unwrap_err();
            error.to_string()
        };
        assert_eq!(
            refused(entry(&[1], &[0.5], &[])),
            "sentence 1: 2 dense features expected, 1 found"
        );
        let nan = refused(entry(&[1], &[0.5, f32::NAN], &[]));
        assert!(nan.contains("not a number"), "{nan}");
        let infinite = refused(entry(&[1], &[0.5, 0.0], &[(1, f32::INFINITY)]));
        assert!(infinite.contains("not a number"), "{infinite}");
    }

    #[test]
    fn empty_hypotheses_and_missing_lists_have_a_score() {
        let references = [
            SentenceReferences::new(&[[1u32, 2]]),
            SentenceReferences::new(&[[1u32]]),
        ];
        let mut pool = Pool::new(2, 1);
        let lists = [vec![entry(&[], &[0.5], &[])], vec![]];
        pool.merge(&lists, &references).unwrap();
        assert_eq!(pool.bleu(&Weights::of_dense(vec![1.0])), 0.0);
    }
}
