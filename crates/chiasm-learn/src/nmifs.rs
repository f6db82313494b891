//! Selection of features that tell about the class what the others do not: NMIFS (Estévez et al. 2009).
//!
//! One after another the feature with the largest G = I(C; f) - 1/|S| Σ_{s∈S} NI(f; s) joins the selected ones S, where
//! NI = I / min(H(f), H(s)) is the normalised information of the presence of two features (in [`crate::selection`]
//! that of a feature and the class). Joint presences are counted along the rows of the feature that was selected last,
//! so that a step costs its rows and one look at every candidate; most are never present together with it, and what that
//! says depends on how often each is seen alone, so that it is worked out once for all that are seen equally often.
//!
//! As many steps as features times as many candidates are too many for millions of either, so only the most
//! informative ones are candidates, at most [`MOST_CANDIDATES`]; the rest is dropped as the univariate selection would.

use crate::selection::{binary_information, mutual_information};
use crate::{Examples, Result};
use rayon::prelude::*;

/// The most features that are compared with each other.
pub const MOST_CANDIDATES: usize = 30_000;

struct Candidate {
    feature: u32,
    /// I(C; f).
    relevance: f64,
    /// The weight of the examples that have it.
    seen: f64,
    /// Which of the different weights that is.
    group: usize,
    /// Σ NI with those selected.
    redundancy: f64,
    selected: bool,
}

/// The features in the order in which they are selected: `count` of them, or half of the candidates, of those whose
/// normalised information with the class reaches `threshold`.
pub fn order(examples: &Examples, threshold: f64, count: Option<usize>) -> Vec<u32> {
    let mut candidates = candidates(examples, threshold);
    let count = count
        .unwrap_or(candidates.len().div_ceil(2))
        .min(candidates.len());
    let rows = Rows::new(examples, &candidates);
    let weights = group(&mut candidates);
    let total = examples.weight();
    let mut joint = vec![0.0; candidates.len()];
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count {
        let selected = chosen.len().max(1) as f64;
        let gain = |candidate: &Candidate| candidate.relevance - candidate.redundancy / selected;
        let open = candidates.iter().enumerate().filter(|(_, c)| !c.selected);
        let best = open
            .max_by(|(_, a), (_, b)| gain(a).total_cmp(&gain(b)).then(b.feature.cmp(&a.feature)));
        let Some((best, _)) = best else {
            break;
        };
        joint.fill(0.0);
        rows.add_rows_of(best, &mut joint);
        candidates[best].selected = true;
        let seen = candidates[best].seen;
        let information = |joint, other| binary_information(joint, other, seen, total).normalised;
        let never_together: Vec<f64> = weights.iter().map(|&w| information(0.0, w)).collect();
        let open = candidates.par_iter_mut().zip(&joint).with_min_len(1024);
        open.filter(|(c, _)| !c.selected)
            .for_each(|(candidate, &joint)| {
                candidate.redundancy += match joint {
                    0.0 => never_together[candidate.group],
                    joint => information(joint, candidate.seen),
                };
            });
        chosen.push(candidates[best].feature);
    }
    chosen
}

/// The examples with the features that are selected.
pub fn select(examples: &Examples, threshold: f64, count: Option<usize>) -> Result<Examples> {
    let mut keep = vec![false; examples.features()];
    for feature in order(examples, threshold, count) {
        keep[feature as usize] = true;
    }
    examples.with_features(|feature| keep[feature as usize])
}

/// The most informative features, the most informative first.
fn candidates(examples: &Examples, threshold: f64) -> Vec<Candidate> {
    let mut seen = vec![0.0; examples.features()];
    for row in examples.scan() {
        let weight = weight_of(examples, row);
        for (feature, _) in examples.row(row).entries() {
            seen[feature as usize] += weight;
        }
    }
    let information = mutual_information(examples);
    let numbered = information.iter().enumerate();
    let reached = numbered.filter(|(_, information)| information.normalised >= threshold);
    let mut candidates: Vec<Candidate> = reached
        .map(|(feature, information)| Candidate {
            feature: feature as u32,
            relevance: information.mutual,
            seen: seen[feature],
            group: 0,
            redundancy: 0.0,
            selected: false,
        })
        .collect();
    candidates.sort_by(|a, b| {
        b.relevance
            .total_cmp(&a.relevance)
            .then(a.feature.cmp(&b.feature))
    });
    candidates.truncate(MOST_CANDIDATES);
    candidates
}

/// Numbers the different weights of the candidates; returns them.
fn group(candidates: &mut [Candidate]) -> Vec<f64> {
    let mut weights: Vec<f64> = candidates.iter().map(|c| c.seen).collect();
    weights.sort_by(f64::total_cmp);
    weights.dedup();
    for candidate in candidates {
        candidate.group = weights.partition_point(|&weight| weight < candidate.seen);
    }
    weights
}

fn weight_of(examples: &Examples, row: usize) -> f64 {
    let pairs = examples.pairs_of(row);
    pairs.map(|pair| examples.pair_weight(pair)).sum()
}

/// The candidates of each row, and the rows of each candidate.
struct Rows {
    weights: Vec<f64>,
    row_starts: Vec<u64>,
    of_row: Vec<u32>,
    candidate_starts: Vec<u64>,
    of_candidate: Vec<u32>,
}

impl Rows {
    fn new(examples: &Examples, candidates: &[Candidate]) -> Self {
        let mut place = vec![u32::MAX; examples.features()];
        for (number, candidate) in candidates.iter().enumerate() {
            place[candidate.feature as usize] = number as u32;
        }
        let (mut row_starts, mut of_row) = (vec![0], Vec::new());
        let mut candidate_starts = vec![0u64; candidates.len() + 1];
        for row in examples.scan() {
            let entries = examples.row(row).entries();
            let known = entries.map(|(feature, _)| place[feature as usize]);
            of_row.extend(known.filter(|&number| number != u32::MAX));
            row_starts.push(of_row.len() as u64);
        }
        for &number in &of_row {
            candidate_starts[number as usize + 1] += 1;
        }
        for number in 0..candidates.len() {
            candidate_starts[number + 1] += candidate_starts[number];
        }
        let mut next = candidate_starts.clone();
        let mut of_candidate = vec![0; of_row.len()];
        for row in examples.scan() {
            for &number in &of_row[row_starts[row] as usize..row_starts[row + 1] as usize] {
                of_candidate[next[number as usize] as usize] = row as u32;
                next[number as usize] += 1;
            }
        }
        Rows {
            weights: (0..examples.rows())
                .map(|row| weight_of(examples, row))
                .collect(),
            row_starts,
            of_row,
            candidate_starts,
            of_candidate,
        }
    }

    /// Adds the weight of every row with this candidate to all that are in the row.
    fn add_rows_of(&self, candidate: usize, joint: &mut [f64]) {
        let range = self.candidate_starts[candidate]..self.candidate_starts[candidate + 1];
        for &row in &self.of_candidate[range.start as usize..range.end as usize] {
            let row = row as usize;
            let others = self.row_starts[row] as usize..self.row_starts[row + 1] as usize;
            for &other in &self.of_row[others] {
                joint[other as usize] += self.weights[row];
            }
        }
    }
}
