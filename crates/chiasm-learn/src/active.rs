//! Which examples a dual method still looks at, and in which order.
//!
//! As printed (MLR Algorithm 1, SVM Algorithm 1), an example that violates optimality by at most ε
//! leaves for good, and training ends when none is left: an approximation. Exact shrinking works in
//! stages: it goes on with the examples that violate, until their part of the duality gap has become
//! small against that of the stage's beginning; then everything is looked at again and what violates
//! returns. It ends only when the gap of the whole is as small as asked.

use crate::ascent::{Finding, Settings};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Whether and how examples leave the active set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shrinking {
    /// They leave, and come back if they must: the optimum, certified by the duality gap.
    #[default]
    Exact,
    /// They leave for good, as the papers print it.
    Paper,
    /// They stay.
    Off,
}

/// Rows that are looked at together: their data lie side by side in memory.
const BLOCK: usize = 64;
/// The part of the gap that a stage leaves over.
const STAGE: f64 = 0.25;
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
    random: Xoshiro256PlusPlus,
}

impl ActiveSet {
    pub fn new(rows: usize, settings: &Settings) -> Self {
        ActiveSet {
            rows,
            active: (0..rows as u32).collect(),
            shrinking: settings.shrinking,
            epsilon: settings.epsilon,
            leave: match settings.shrinking {
                Shrinking::Paper => settings.epsilon,
                Shrinking::Exact | Shrinking::Off => f64::NEG_INFINITY,
            },
            stage_gap: f64::INFINITY,
            random: Xoshiro256PlusPlus::seed_from_u64(settings.seed),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// The active share of all rows.
    pub fn share(&self) -> f64 {
        self.active.len() as f64 / self.rows as f64
    }

    /// Visits every active row once, blocks of neighbours in random order; returns the sum of the
    /// rows' parts of the gap.
    pub fn pass(&mut self, mut visit: impl FnMut(usize) -> Finding) -> f64 {
        let mut blocks: Vec<u32> = (0..self.active.len().div_ceil(BLOCK) as u32).collect();
        shuffle(&mut blocks, &mut self.random);
        let mut gap = 0.0;
        for block in blocks {
            let start = block as usize * BLOCK;
            let end = (start + BLOCK).min(self.active.len());
            for row in &mut self.active[start..end] {
                let finding = visit(*row as usize);
                gap += finding.gap;
                if finding.violation <= self.leave {
                    *row = u32::MAX;
                }
            }
        }
        self.active.retain(|&row| row != u32::MAX);
        gap
    }

    /// Should everything be looked at now? `gap` is that of the last pass.
    pub fn wants_check(&self, gap: f64, wanted: f64) -> bool {
        match self.shrinking {
            Shrinking::Exact => self.active.is_empty() || gap <= self.stage_gap.max(wanted),
            Shrinking::Paper => false,
            Shrinking::Off => gap <= wanted,
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
        self.stage_gap = (gap * STAGE).max(wanted * (1.0 - LEFT_OUT));
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

fn shuffle(values: &mut [u32], random: &mut Xoshiro256PlusPlus) {
    for end in (1..values.len()).rev() {
        values.swap(end, random.random_range(0..=end));
    }
}
