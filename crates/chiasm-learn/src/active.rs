//! Which examples a dual method still looks at, and in which order.
//!
//! As printed (MLR Algorithm 1, SVM Algorithm 1), an example that violates optimality by at most ε
//! leaves for good, and training ends when none is left: an approximation. Exact shrinking looks at
//! everything again once the rest seems done, takes back what violates, and ends only when the
//! duality gap of the whole is small enough.

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

/// The rows that a method still looks at.
pub(crate) struct ActiveSet {
    rows: usize,
    active: Vec<u32>,
    spare: Vec<u32>,
    shrinking: Shrinking,
    epsilon: f64,
    random: Xoshiro256PlusPlus,
}

impl ActiveSet {
    pub fn new(rows: usize, shrinking: Shrinking) -> Self {
        ActiveSet {
            rows,
            active: (0..rows as u32).collect(),
            spare: Vec::new(),
            shrinking,
            epsilon: 0.1,
            random: Xoshiro256PlusPlus::seed_from_u64(1),
        }
    }

    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.epsilon = epsilon;
        self
    }

    pub fn seed(mut self, seed: u64) -> Self {
        self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
        self
    }

    pub fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// The active share of all rows.
    pub fn share(&self) -> f64 {
        self.active.len() as f64 / self.rows as f64
    }

    /// What a row must violate to be taken back.
    pub fn threshold(&self) -> f64 {
        match self.shrinking {
            Shrinking::Exact => self.epsilon * 0.1,
            Shrinking::Paper => f64::INFINITY,
            Shrinking::Off => f64::NEG_INFINITY,
        }
    }

    /// Visits every active row once, blocks of neighbours in random order; `visit` says how much
    /// the row violated optimality and its part of the gap, of which the sum is returned.
    pub fn pass(&mut self, mut visit: impl FnMut(usize) -> (f64, f64)) -> f64 {
        let mut blocks: Vec<u32> = (0..self.active.len().div_ceil(BLOCK) as u32).collect();
        shuffle(&mut blocks, &mut self.random);
        let leave = if self.shrinking == Shrinking::Off {
            f64::NEG_INFINITY
        } else {
            self.epsilon
        };
        let mut gap = 0.0;
        self.spare.clear();
        for block in blocks {
            let start = block as usize * BLOCK;
            let end = (start + BLOCK).min(self.active.len());
            for at in start..end {
                let row = self.active[at];
                let (violation, part) = visit(row as usize);
                gap += part;
                if violation <= leave {
                    self.active[at] = u32::MAX;
                }
            }
        }
        self.active.retain(|&row| row != u32::MAX);
        gap
    }

    /// Should everything be looked at now? `seems_done`: the last pass found little to do.
    pub fn wants_check(&self, seems_done: bool) -> bool {
        match self.shrinking {
            Shrinking::Exact => seems_done || self.active.is_empty(),
            Shrinking::Paper => false,
            Shrinking::Off => seems_done,
        }
    }

    /// Goes on with these rows, and more carefully.
    pub fn restart(&mut self, rows: Vec<u32>) {
        self.epsilon *= 0.1;
        self.active = rows;
        if self.active.is_empty() {
            self.active = (0..self.rows as u32).collect();
        }
    }
}

fn shuffle(values: &mut [u32], random: &mut Xoshiro256PlusPlus) {
    for end in (1..values.len()).rev() {
        values.swap(end, random.random_range(0..=end));
    }
}
