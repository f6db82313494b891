//! The shrinking methods as the papers print them (MLR Algorithm 1, SVM Algorithm 2), nothing added.
//!
//! Examples are visited one at a time, drawn at random from the active set. One whose violation v is at
//! most ε is removed for good and not updated; any other is updated. Training ends when the set is empty
//! or after the given passes, and the model is w(α), the weights that belong to the dual variables.
//!
//! The papers leave open how one draws. Here a pass draws every example of the active set once, uniformly
//! without replacement: a Fisher-Yates shuffle from the end of the set that the pass before left over,
//! by one xoshiro256++ generator for all of training.
//!
//! The papers know no merged rows. A row that stands for n examples of a class is n examples here, each
//! with dual variables of its own and visited by itself, though its features are stored once. Only if
//! asked otherwise is it one example of weight n: its box in the SVM is C n, its curvature in the dual
//! of MaxEnt σ² n xᵀx, which is what n equal variables that move together have.
//!
//! This stops at an approximation. What the certificate says about it is computed after the fact.

mod dual;
mod svm;

pub(crate) use dual::PrintedDual;
pub(crate) use svm::PrintedSvm;

use crate::ascent::Settings;
use crate::schedule::shuffle;
use crate::{Error, Examples, Report, Result};
use chiasm_work::{Progress, cancel};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// What became of an example that was visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    /// v ≤ ε: it leaves as it is.
    Left,
    /// Its dual variables were changed.
    Updated,
    /// It violates, but no trial succeeded.
    Kept,
}

/// A problem with one block of dual variables for each example.
pub(crate) trait PrintedProblem<const S: usize> {
    /// Updates the variables of an example, unless its violation is at most `epsilon`.
    fn visit(&mut self, example: usize, epsilon: f64) -> Visit;
    /// Called with the number of each visit: rows of a mapped file need not stay in memory.
    fn visited(&self, number: usize);
    /// P(w(α)) and D(α).
    fn objectives(&self) -> (f64, f64);
    /// w(α).
    fn into_weights(self) -> Vec<[f64; S]>;
}

/// Runs as printed; returns w(α).
pub(crate) fn solve<const S: usize>(
    mut problem: impl PrintedProblem<S>,
    examples: usize,
    settings: &Settings,
    report: &mut Report,
    progress: &dyn Progress,
) -> Vec<[f64; S]> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(settings.seed);
    let mut active: Vec<u32> = (0..examples as u32).collect();
    let mut visits = 0;
    while report.iterations < settings.iterations && !active.is_empty() {
        let before = active.len();
        report.active_share.push(before as f64 / examples as f64);
        shuffle(&mut active, &mut random);
        let mut updated = false;
        active.retain(|&example| {
            cancel::check();
            problem.visited(visits);
            visits += 1;
            let visit = problem.visit(example as usize, settings.epsilon);
            updated |= visit == Visit::Updated;
            visit != Visit::Left
        });
        report.iterations += 1;
        progress.advance(1);
        if !updated && active.len() == before {
            // All that is left violates and no trial succeeds: so it would be in every further pass.
            break;
        }
    }
    let (primal, dual) = problem.objectives();
    report.converged = active.is_empty() || primal + dual <= settings.gap * primal;
    report.primal_objective = Some(primal);
    report.dual_objective = Some(dual);
    report.relative_gap = Some((primal + dual) / primal);
    problem.into_weights()
}

/// One example: a row, its class, and how many equal ones it stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Single {
    pub row: usize,
    pub class: usize,
    pub weight: f64,
}

/// The examples behind merged rows, one by one; the rows themselves are not copied.
pub(crate) struct Singles<'a> {
    pub examples: &'a Examples,
    /// Whether a pair of weight n is n examples or one.
    apart: bool,
    /// Row and pair of each example; none if every row is one example already.
    origins: Option<Vec<(u32, u32)>>,
}

impl<'a> Singles<'a> {
    /// Every example by itself, or, unless `apart`, one for each pair of row and class.
    pub fn new(examples: &'a Examples, apart: bool) -> Result<Self> {
        if examples.has_single_pairs() && (examples.has_unit_weights() || !apart) {
            return Ok(Singles {
                examples,
                apart,
                origins: None,
            });
        }
        let mut singles = Singles {
            examples,
            apart,
            origins: None,
        };
        let mut origins = Vec::new();
        for row in examples.scan() {
            for pair in examples.pairs_of(row) {
                let parts = singles.parts(pair);
                if parts + origins.len() as f64 > f64::from(u32::MAX) {
                    return Err(Error::Examples("more than four billion examples".into()));
                }
                let origin = (row as u32, pair as u32);
                origins.extend(std::iter::repeat_n(origin, parts as usize));
            }
        }
        singles.origins = Some(origins);
        Ok(singles)
    }

    /// Among how many examples a pair's weight is shared out, evenly: the next larger number if it is
    /// not whole.
    #[inline(always)]
    fn parts(&self, pair: usize) -> f64 {
        if self.apart {
            self.examples.pair_weight(pair).ceil()
        } else {
            1.0
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.origins {
            Some(origins) => origins.len(),
            None => self.examples.rows(),
        }
    }

    /// Example `number`.
    #[inline(always)]
    pub fn get(&self, number: usize) -> Single {
        let (row, pair) = match &self.origins {
            Some(origins) => (origins[number].0 as usize, origins[number].1 as usize),
            None => (number, number),
        };
        Single {
            row,
            class: self.examples.pair_class(pair),
            weight: self.examples.pair_weight(pair) / self.parts(pair),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;

    #[test]
    fn a_merged_row_is_as_many_examples_as_it_stands_for() {
        let mut builder = Builder::new(vec!["a".into(), "b".into()]).unwrap();
        builder
            .push_row(&mut vec![(0, 1.0)], [(0, 3.0), (1, 1.5)])
            .unwrap();
        let examples = builder.finish().unwrap();
        let list = |apart: bool| -> Vec<(usize, f64)> {
            let singles = Singles::new(&examples, apart).unwrap();
            let all = (0..singles.len()).map(|number| singles.get(number));
            all.map(|single| (single.class, single.weight)).collect()
        };
        assert_eq!(
            list(true),
            [(0, 1.0), (0, 1.0), (0, 1.0), (1, 0.75), (1, 0.75)]
        );
        assert_eq!(list(false), [(0, 3.0), (1, 1.5)]);
    }
}
