//! Which examples a dual method still looks at.
//!
//! As printed (MLR Algorithm 1, SVM Algorithm 2), an example that violates optimality by at most ε
//! leaves for good, and training ends when none is left: an approximation, which the module `printed`
//! has. Exact shrinking works in stages: it goes on with the examples that violate, until their part of
//! the duality gap has become small against that of the stage's beginning; then everything is looked at
//! again and what violates returns. It ends only when the gap of the whole is as small as asked.

use crate::ascent::{DualProblem, Settings};
use crate::schedule::Schedule;
use chiasm_work::cancel;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Whether and how examples leave the active set.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Shrinking {
    /// They leave, and come back if they must: the optimum, certified by the duality gap.
    #[default]
    Exact,
    /// They leave for good and without an update, one at a time, as the papers print it; the model is
    /// w(α). Training has converged when none is left, and no more than that: how far from the optimum
    /// that is, the gap says.
    Paper,
    /// They stay.
    Off,
}

/// Visits of a merged row in one pass for each example that it stands for.
const VISITS_PER_EXAMPLE: f64 = 0.25;
/// The part of the gap that a stage leaves over, on one machine.
const STAGE: f64 = 0.25;
/// The most passes of a stage: what is left of the active set by then is worked at in vain while the
/// others wait.
const STAGE_PASSES: u32 = 15;
/// The share of a stage's final gap that the rows left out may make up.
const LEFT_OUT: f64 = 0.5;

/// The rows that a method still looks at.
pub(crate) struct ActiveSet {
    rows: usize,
    active: Vec<u32>,
    shrinking: Shrinking,
    /// ε as asked for.
    epsilon: f64,
    /// A row that violates no more leaves.
    leave: f64,
    /// The gap at which the present stage ends.
    stage_gap: f64,
    /// Passes since the stage began.
    stage_passes: u32,
    /// The part of the gap that a stage leaves over.
    stage: f64,
    random: Xoshiro256PlusPlus,
}

impl ActiveSet {
    pub fn new(rows: usize, settings: &Settings) -> Self {
        ActiveSet {
            rows,
            active: (0..rows as u32).collect(),
            shrinking: settings.shrinking,
            epsilon: settings.epsilon,
            leave: f64::NEG_INFINITY,
            stage_gap: f64::INFINITY,
            stage_passes: 0,
            stage: STAGE,
            random: Xoshiro256PlusPlus::seed_from_u64(settings.seed),
        }
    }

    /// Stages leave this part of the gap over.
    pub fn leaving(mut self, stage: f64) -> Self {
        self.stage = stage;
        self
    }

    pub fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// The active share of all rows.
    pub fn share(&self) -> f64 {
        self.active.len() as f64 / self.rows as f64
    }

    /// The active rows.
    pub fn rows(&self) -> &[u32] {
        &self.active
    }

    /// From here on the active rows are called 0, 1, 2, ...
    pub fn renumber(&mut self) {
        for (number, row) in self.active.iter_mut().enumerate() {
            *row = number as u32;
        }
    }

    /// Visits every active row; returns the sum of the rows' parts of the gap.
    pub fn pass<const S: usize>(&mut self, problem: &mut impl DualProblem<S>) -> f64 {
        let rows = self.active.iter();
        let visits = rows.map(|&row| VISITS_PER_EXAMPLE * problem.row_weight(row as usize));
        let schedule = Schedule::new(visits, &mut self.random);
        let (mut gap, mut visits) = (0.0, 0);
        schedule.run(|place, first| {
            cancel::check();
            problem.visited(visits);
            visits += 1;
            // u32::MAX stands in the place of a row that has left.
            let row = &mut self.active[place as usize];
            if *row == u32::MAX {
                return;
            }
            let finding = problem.visit(*row as usize);
            if first {
                gap += finding.gap;
            }
            if finding.violation <= self.leave {
                *row = u32::MAX;
            }
        });
        self.active.retain(|&row| row != u32::MAX);
        self.stage_passes += 1;
        gap
    }

    /// Should everything be looked at now? `gap` is that of the last pass.
    pub fn wants_check(&self, gap: f64, wanted: f64) -> bool {
        match self.shrinking {
            Shrinking::Exact => {
                let small = gap <= self.stage_gap.max(wanted);
                small || self.active.is_empty() || self.stage_passes >= STAGE_PASSES
            }
            Shrinking::Off | Shrinking::Paper => gap <= wanted,
        }
    }

    /// After a look at everything: takes up the rows that violate optimality too much.
    pub fn restart(
        &mut self,
        gap: f64,
        wanted: f64,
        violations: &[f32],
        tolerable: impl Fn(f64) -> f64,
    ) {
        if self.shrinking != Shrinking::Exact {
            return;
        }
        self.stage_passes = 0;
        self.stage_gap = (gap * self.stage).max(wanted * (1.0 - LEFT_OUT));
        let enter = tolerable(LEFT_OUT * self.stage_gap).min(self.epsilon);
        // A row that has just come in may calm down for a moment only, so it leaves later than
        // it came.
        self.leave = 0.1 * enter;
        self.active.clear();
        let violating = |&row: &usize| f64::from(violations[row]) > enter;
        let rows = (0..self.rows).filter(violating);
        self.active.extend(rows.map(|row| row as u32));
    }
}
