//! The pool as MERT reads it: for each sentence, one column a dense feature, and for each column
//! the entries in order of its value. The order of slopes along a coordinate does not depend on
//! the weights, so it is sorted once and every envelope is a linear scan.

use crate::{Pool, SentencePool, Weights};
use chiasm_metrics::bleu::{Counts, ORDER, WIDTH};
use rayon::prelude::*;

/// BLEU counts as whole numbers that may be subtracted, in the order of [`Counts::row`].
pub type Row = [i64; WIDTH];

/// The columns of one sentence.
#[derive(Debug)]
pub struct SentenceColumns {
    entries: usize,
    values: Vec<f32>,
    order: Vec<u32>,
    /// Whether a column has one value only.
    constant: Vec<bool>,
    rows: Vec<Row>,
    /// The part of the score that the dense weights do not change.
    fixed: Vec<f64>,
}

impl SentenceColumns {
    fn new(sentence: &SentencePool, features: usize, weights: &Weights) -> Self {
        let entries = sentence.len();
        let mut columns = SentenceColumns {
            entries,
            values: vec![0.0; entries * features],
            order: Vec::with_capacity(entries * features),
            constant: Vec::with_capacity(features),
            rows: (0..entries)
                .map(|entry| row(sentence.counts(entry)))
                .collect(),
            fixed: (0..entries)
                .map(|entry| sentence.sparse_score(entry, weights))
                .collect(),
        };
        for entry in 0..entries {
            for (feature, &value) in sentence.dense(entry).iter().enumerate() {
                columns.values[feature * entries + entry] = value;
            }
        }
        for feature in 0..features {
            let column = &columns.values[feature * entries..(feature + 1) * entries];
            let mut order: Vec<u32> = (0..entries as u32).collect();
            order.sort_by(|&a, &b| column[a as usize].total_cmp(&column[b as usize]));
            let constant = column.iter().all(|&value| value == column[0]);
            columns.order.extend_from_slice(&order);
            columns.constant.push(constant);
        }
        columns
    }

    /// How many entries there are.
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// The values of a feature, by entry.
    pub fn column(&self, feature: usize) -> &[f32] {
        &self.values[feature * self.entries..(feature + 1) * self.entries]
    }

    /// Entries in order of a feature's value.
    pub fn order(&self, feature: usize) -> &[u32] {
        &self.order[feature * self.entries..(feature + 1) * self.entries]
    }

    /// Is the feature the same for all entries?
    pub fn is_constant(&self, feature: usize) -> bool {
        self.constant[feature]
    }

    /// The BLEU counts of an entry.
    pub fn row(&self, entry: u32) -> &Row {
        &self.rows[entry as usize]
    }
}

pub(crate) fn row(counts: &Counts) -> Row {
    let mut row = [0; WIDTH];
    row[0] = i64::from(counts.hypothesis_length);
    row[1] = i64::from(counts.reference_length);
    for n in 0..ORDER {
        row[2 + n] = i64::from(counts.correct[n]);
        row[2 + ORDER + n] = i64::from(counts.total[n]);
    }
    row
}

/// The columns of a development set.
#[derive(Debug)]
pub struct Columns {
    features: usize,
    sentences: Vec<SentenceColumns>,
    /// Where each sentence's entries begin if all are numbered through.
    offsets: Vec<usize>,
    /// How much a feature varies within a sentence: the root of its mean variance.
    scales: Vec<f64>,
    penalties: Vec<usize>,
}

impl Columns {
    /// Transposes and sorts, on all threads. Sparse features count with the weights they have.
    pub fn new(pool: &Pool, weights: &Weights) -> Self {
        let features = pool.dense_features();
        let lists: Vec<&SentencePool> = pool.sentences().iter().filter(|s| !s.is_empty()).collect();
        let sentences: Vec<SentenceColumns> = lists
            .into_par_iter()
            .map(|sentence| SentenceColumns::new(sentence, features, weights))
            .collect();
        let mut offsets = vec![0];
        for sentence in &sentences {
            offsets.push(offsets[offsets.len() - 1] + sentence.entries);
        }
        let mut columns = Columns {
            features,
            sentences,
            offsets,
            scales: Vec::new(),
            penalties: pool.penalties().to_vec(),
        };
        columns.scales = (0..features)
            .map(|feature| columns.scale(feature))
            .collect();
        columns
    }

    fn scale(&self, feature: usize) -> f64 {
        let mut squares = 0.0;
        let mut entries = 0;
        for sentence in self.sentences.iter().filter(|s| !s.is_constant(feature)) {
            let column = sentence.column(feature);
            let mean = column.iter().map(|&v| f64::from(v)).sum::<f64>() / column.len() as f64;
            squares += column
                .iter()
                .map(|&v| (f64::from(v) - mean).powi(2))
                .sum::<f64>();
            entries += column.len();
        }
        (squares / entries.max(1) as f64).sqrt()
    }

    /// The features whose weights stay at 0 or above.
    pub fn penalties(&self) -> &[usize] {
        &self.penalties
    }

    /// How many dense features there are.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The sentences that have entries.
    pub fn sentences(&self) -> &[SentenceColumns] {
        &self.sentences
    }

    /// The entries of a sentence in an array over all of them.
    pub fn range(&self, sentence: usize) -> std::ops::Range<usize> {
        self.offsets[sentence]..self.offsets[sentence + 1]
    }

    /// How much a feature varies; 0 if it never does.
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }

    /// The model score of every entry.
    pub fn scores(&self, weights: &[f64], scores: &mut Vec<f64>) {
        scores.clear();
        for sentence in &self.sentences {
            let start = scores.len();
            scores.extend_from_slice(&sentence.fixed);
            for (feature, &weight) in weights.iter().enumerate() {
                add_scaled(&mut scores[start..], sentence.column(feature), weight);
            }
        }
    }

    /// Moves all scores along a coordinate.
    pub fn shift(&self, scores: &mut [f64], feature: usize, gamma: f64) {
        for (index, sentence) in self.sentences.iter().enumerate() {
            add_scaled(
                &mut scores[self.range(index)],
                sentence.column(feature),
                gamma,
            );
        }
    }
}

fn add_scaled(scores: &mut [f64], column: &[f32], factor: f64) {
    for (score, &value) in scores.iter_mut().zip(column) {
        *score += factor * f64::from(value);
    }
}
