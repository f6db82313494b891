//! What the two dual methods share: passes over an active set that shrinks and, in exact mode,
//! grows again, until the duality gap of the whole is small enough.
//!
//! The certificate holds for any pair of primal weights and dual variables. The weights that belong
//! to the dual variables swing from pass to pass, their moving average does not, and its primal
//! objective is usually the lower one; so both are looked at, and the better is the model.

use crate::active::{ActiveSet, Shrinking};
use crate::learner::{at_least_one, not_negative, positive};
use crate::{Report, Result, kernels};
use chiasm_work::Progress;

/// How much of the newest weights each pass mixes into the average.
const NEWEST: f64 = 0.2;

/// From this active share on the active rows are copied to lie side by side, or most of what the
/// memory delivers would be their neighbours. The model does not depend on it.
const SPARSE: f64 = 0.5;
/// The same for rows in a mapped file, which may be there because memory does not hold them.
const SPARSE_MAPPED: f64 = 0.1;

/// The multiple of the wanted gap from which on the average is looked at.
const NEAR: f64 = 4.0;

/// What a look at one row found.
#[derive(Clone, Copy, Default)]
pub(crate) struct Finding {
    /// The row's part of the duality gap.
    pub gap: f64,
    /// How much the row violates optimality: v_i.
    pub violation: f64,
}

/// A problem whose dual falls into one block of variables a row.
pub(crate) trait DualProblem<const S: usize> {
    /// How many rows there are.
    fn rows(&self) -> usize;
    /// Do the rows live in a mapped file?
    fn is_mapped(&self) -> bool;
    /// A violation such that the gap is at most `gap` if no row violates optimality by more.
    fn tolerable_violation(&self, gap: f64) -> f64;
    /// Puts these rows side by side in memory: from here on row i is the i-th of them.
    fn pack(&mut self, rows: &[u32]);
    /// Back to all rows.
    fn unpack(&mut self);
    /// The weights that belong to the dual variables.
    fn weights(&self) -> &[[f64; S]];
    /// Improves the variables of a row; says what was found before.
    fn visit(&mut self, row: usize) -> Finding;
    /// How many examples a row stands for.
    fn row_weight(&self, row: usize) -> f64;
    /// Called with the number of each visit of a pass, from 0 on: rows of a mapped file need not stay in memory.
    fn visited(&self, number: usize);
    /// All rows, in order, to be looked at.
    fn scan(&self) -> impl Iterator<Item = usize> + '_;
    /// Looks at a row and leaves it as it is.
    fn look(&self, row: usize) -> Finding;
    /// The row's part of the primal objective's loss under other weights.
    fn loss(&self, row: usize, weights: &[[f64; S]]) -> f64;
    /// What ½ Σ‖w_k‖² is multiplied by in both objectives.
    fn penalty(&self) -> f64;
    /// The part of D(α) that is not the penalty of the weights.
    fn linear_objective(&self) -> f64;
}

/// When to stop, and how to shrink.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub gap: f64,
    pub epsilon: f64,
    pub iterations: u64,
    pub shrinking: Shrinking,
    pub single_examples: bool,
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            gap: 1e-3,
            epsilon: 0.1,
            iterations: 10_000,
            shrinking: Shrinking::Exact,
            single_examples: true,
            seed: 1,
        }
    }
}

impl Settings {
    pub fn check(&self) -> Result<()> {
        positive("gap", self.gap)?;
        not_negative("epsilon", self.epsilon)?;
        at_least_one("iterations", self.iterations)?;
        Ok(())
    }
}

/// The parameters that both methods have, for the `impl` of either's parameters.
macro_rules! setters_of_settings {
    () => {
        /// The relative duality gap at which training is done.
        pub fn gap(mut self, gap: f64) -> Self {
            self.settings.gap = gap;
            self
        }

        /// ε: an example that violates optimality by no more leaves the active set.
        pub fn epsilon(mut self, epsilon: f64) -> Self {
            self.settings.epsilon = epsilon;
            self
        }

        /// The most passes.
        pub fn iterations(mut self, iterations: u64) -> Self {
            self.settings.iterations = iterations;
            self
        }

        /// Whether and how examples leave the active set.
        pub fn shrinking(mut self, shrinking: $crate::Shrinking) -> Self {
            self.settings.shrinking = shrinking;
            self
        }

        /// Whether [`Shrinking::Paper`]($crate::Shrinking::Paper) takes every example by itself, as
        /// printed (the default), or those that were merged as one that weighs as much as all of them.
        pub fn single_examples(mut self, single_examples: bool) -> Self {
            self.settings.single_examples = single_examples;
            self
        }

        /// The seed of the random order.
        pub fn seed(mut self, seed: u64) -> Self {
            self.settings.seed = seed;
            self
        }
    };
}
pub(crate) use setters_of_settings;

/// What a look at everything found.
struct Certificate {
    primal: f64,
    dual: f64,
    averaged: bool,
    /// The gap of the weights that belong to the dual variables.
    own_gap: f64,
}

impl Certificate {
    fn gap(&self) -> f64 {
        self.primal + self.dual
    }
}

/// Runs until the gap or the limit of iterations is reached; returns the weights of the model.
pub(crate) fn solve<const S: usize, P: DualProblem<S>>(
    problem: &mut P,
    settings: &Settings,
    report: &mut Report,
    progress: &dyn Progress,
) -> Vec<[f64; S]> {
    let sparse = match problem.is_mapped() {
        true => SPARSE_MAPPED,
        false => SPARSE,
    };
    let mut active = ActiveSet::new(problem.rows(), settings);
    let mut average = problem.weights().to_vec();
    let mut violations = Vec::new();
    let mut last = None;
    while report.iterations < settings.iterations && !active.is_empty() {
        report.active_share.push(active.share());
        let gap = active.pass(problem);
        report.iterations += 1;
        progress.advance(1);
        mix(&mut average, problem.weights(), report.iterations);
        last = None;
        let wanted = settings.gap * (gap - dual_objective(problem));
        if active.wants_check(gap, wanted) {
            problem.unpack();
            let found = certify(problem, &average, settings.gap, &mut violations);
            let wanted = settings.gap * found.primal;
            report.converged = found.gap() <= wanted;
            let own_gap = found.own_gap;
            last = Some(found);
            if report.converged {
                break;
            }
            active.restart(own_gap, wanted, &violations, |gap| {
                problem.tolerable_violation(gap)
            });
            if active.share() <= sparse {
                problem.pack(active.rows());
                active.renumber();
            }
        }
    }
    problem.unpack();
    let found = last.unwrap_or_else(|| certify(problem, &average, f64::INFINITY, &mut violations));
    report.converged |= found.gap() <= settings.gap * found.primal;
    report.primal_objective = Some(found.primal);
    report.dual_objective = Some(found.dual);
    report.relative_gap = Some(found.gap() / found.primal);
    if found.averaged {
        average
    } else {
        problem.weights().to_vec()
    }
}

/// Looks at all rows as they are, then works on those that violate optimality until the part `left` of their gap is left over, at
/// most `passes` times.
pub(crate) fn improve<const S: usize, P: DualProblem<S>>(
    problem: &mut P,
    settings: &Settings,
    left: f64,
    passes: u64,
) {
    let (mut gap, mut violations) = (0.0, Vec::new());
    for row in problem.scan() {
        let finding = problem.look(row);
        gap += finding.gap;
        violations.push(finding.violation as f32);
    }
    let mut active = ActiveSet::new(problem.rows(), settings).leaving(left);
    active.restart(gap, 0.0, &violations, |gap| {
        problem.tolerable_violation(gap)
    });
    for _ in 0..passes {
        if active.is_empty() {
            break;
        }
        let gap = active.pass(problem);
        if active.wants_check(gap, 0.0) {
            break;
        }
    }
}

fn dual_objective<const S: usize>(problem: &impl DualProblem<S>) -> f64 {
    let norm = kernels::squared_norm(problem.weights());
    problem.penalty() * norm / 2.0 + problem.linear_objective()
}

fn mix<const S: usize>(average: &mut [[f64; S]], newest: &[[f64; S]], iteration: u64) {
    let rate = NEWEST.max(1.0 / iteration as f64);
    for (old, new) in average.iter_mut().flatten().zip(newest.iter().flatten()) {
        *old += rate * (new - *old);
    }
}

/// Looks at everything: the gap, and each row's violation. Where the gap is near the one that is wanted
/// the average may decide, so it is looked at too.
fn certify<const S: usize>(
    problem: &impl DualProblem<S>,
    average: &[[f64; S]],
    wanted: f64,
    violations: &mut Vec<f32>,
) -> Certificate {
    let mut own_gap = 0.0;
    violations.clear();
    for row in problem.scan() {
        let finding = problem.look(row);
        own_gap += finding.gap;
        violations.push(finding.violation as f32);
    }
    let dual = dual_objective(problem);
    let own = own_gap - dual;
    let mut certificate = Certificate {
        primal: own,
        dual,
        averaged: false,
        own_gap,
    };
    if own_gap <= NEAR * wanted * own {
        let loss: f64 = problem.scan().map(|row| problem.loss(row, average)).sum();
        let primal = problem.penalty() * kernels::squared_norm(average) / 2.0 + loss;
        if primal < own {
            certificate.primal = primal;
            certificate.averaged = true;
        }
    }
    certificate
}
