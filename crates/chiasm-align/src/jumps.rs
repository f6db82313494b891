//! How far the alignment moves from one aligned word to the next.
//!
//! As in the hidden Markov model of Vogel, Ney & Tillmann (1996): the probability of a position
//! depends only on its distance from the position before. Distances beyond [`FARTHEST`] share one
//! probability a side.

/// Distances beyond this are not told apart.
pub const FARTHEST: usize = 60;
/// How many distances there are.
pub const DISTANCES: usize = 2 * FARTHEST + 1;
/// How many jumps the prior is worth.
const PRIOR: f64 = 60.0;

/// Before anything is counted: mostly to the next word or near it, sometimes anywhere.
fn prior(index: usize) -> f64 {
    let from_next = (index as f64 - FARTHEST as f64 - 1.0).abs();
    // 0.322 makes Σ exp(-|d|/1.5) one.
    0.8 * 0.322 * (-from_next / 1.5).exp() + 0.2 / DISTANCES as f64
}

/// Counts of distances.
#[derive(Clone)]
pub struct JumpCounts(Vec<u64>);

impl Default for JumpCounts {
    fn default() -> Self {
        JumpCounts(vec![0; DISTANCES])
    }
}

impl JumpCounts {
    /// Counts a jump. Positions count from 1; 0 is before the sentence, length + 1 behind it.
    #[inline]
    pub fn add(&mut self, from: usize, to: usize) {
        self.0[index(to as i64 - from as i64)] += 1;
    }

    /// Adds what another has counted.
    pub fn merge(&mut self, other: &JumpCounts) {
        for (count, more) in self.0.iter_mut().zip(&other.0) {
            *count += more;
        }
    }

    /// Probabilities of the distances -60..=60.
    pub fn probabilities(&self) -> Vec<f32> {
        let total = self.0.iter().sum::<u64>() as f64 + PRIOR;
        let probability =
            |(index, &count): (usize, &u64)| ((count as f64 + PRIOR * prior(index)) / total) as f32;
        self.0.iter().enumerate().map(probability).collect()
    }
}

fn index(distance: i64) -> usize {
    let farthest = FARTHEST as i64;
    (distance.clamp(-farthest, farthest) + farthest) as usize
}

/// Probabilities laid out so that all positions of a sentence are one slice.
pub struct JumpTable {
    centre: usize,
    rising: Vec<f32>,
    falling: Vec<f32>,
}

impl JumpTable {
    /// For sentences of at most `longest` words.
    pub fn new(probabilities: &[f32], longest: usize) -> Self {
        let centre = longest + 1;
        let at = |distance: i64| probabilities.get(index(distance)).copied().unwrap_or(0.0);
        let distances = -(centre as i64)..=centre as i64;
        JumpTable {
            centre,
            rising: distances.clone().map(at).collect(),
            falling: distances.map(|distance| at(-distance)).collect(),
        }
    }

    /// The longest sentence it is made for.
    pub fn longest(&self) -> usize {
        self.centre - 1
    }

    /// Of the jumps from `from` to each of the positions 1..=length.
    #[inline]
    pub fn from(&self, from: usize, length: usize) -> &[f32] {
        let start = self.centre + 1 - from;
        &self.rising[start..start + length]
    }

    /// Of the jumps to `to` from each of the positions 1..=length.
    #[inline]
    pub fn to(&self, to: usize, length: usize) -> &[f32] {
        let start = self.centre + 1 - to;
        &self.falling[start..start + length]
    }

    /// Of one jump.
    #[inline]
    pub fn one(&self, from: usize, to: usize) -> f32 {
        self.rising[self.centre + to - from]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_hold_the_single_jumps() {
        let mut counts = JumpCounts::default();
        for (from, to, times) in [(0, 1, 50), (1, 2, 70), (3, 1, 9), (2, 2, 4), (0, 200, 2)] {
            for _ in 0..times {
                counts.add(from, to);
            }
        }
        let probabilities = counts.probabilities();
        let sum: f32 = probabilities.iter().sum();
        assert!((sum - 1.0).abs() < 2e-3, "{sum}");
        assert!(probabilities[FARTHEST + 1] > probabilities[FARTHEST - 2]);
        let length = 100;
        let table = JumpTable::new(&probabilities, length);
        for anchor in [0, 1, 50, 100, 101] {
            for position in 1..=length {
                let from = table.from(anchor.min(length), length)[position - 1];
                assert_eq!(from, table.one(anchor.min(length), position));
                let to = table.to(anchor.max(1), length)[position - 1];
                assert_eq!(to, table.one(position, anchor.max(1)));
            }
        }
        assert_eq!(table.one(0, 61), table.one(0, 100));
    }
}
