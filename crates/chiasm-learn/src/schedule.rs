//! In which order, and how often, one pass visits the rows.
//!
//! A row that stands for many examples has a stiff block that pulls the others along, and they pull
//! it back: it has to be visited about as often as its examples would be, in turn with the rest.
//! Rows fall into levels, of which level l is visited 2ˡ times; a pass has as many segments as the
//! highest level has visits, and in each of them every level is visited in part.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Rows that are visited together: their data lie side by side in memory.
const BLOCK: usize = 64;
/// The most visits of a row in one pass.
const MOST_VISITS: u32 = 1024;

/// The visits of one pass.
pub(crate) struct Schedule {
    /// The rows of each level, in the order of visits.
    levels: Vec<Vec<u32>>,
}

impl Schedule {
    /// `visits` says how often each row should be visited, which holds but for a factor of two.
    pub fn new(visits: impl Iterator<Item = f64>, random: &mut Xoshiro256PlusPlus) -> Self {
        let mut levels = vec![Vec::new()];
        for (row, visits) in visits.enumerate() {
            let level = (visits as u32).clamp(1, MOST_VISITS).ilog2() as usize;
            if levels.len() <= level {
                levels.resize(level + 1, Vec::new());
            }
            levels[level].push(row as u32);
        }
        for level in &mut levels {
            *level = shuffle_blocks(level, random);
        }
        Schedule { levels }
    }

    /// Calls `visit` for every visit, with the row and whether it is the row's first one.
    #[inline(always)]
    pub fn run(&self, mut visit: impl FnMut(u32, bool)) {
        let segments = 1 << (self.levels.len() - 1);
        for segment in 0..segments {
            for (exponent, level) in self.levels.iter().enumerate() {
                let turn = segment << exponent;
                let start = turn % segments;
                let end = start + (1 << exponent);
                let part = level.len() * start / segments..level.len() * end / segments;
                for &row in &level[part] {
                    visit(row, turn < segments);
                }
            }
        }
    }
}

fn shuffle_blocks(rows: &[u32], random: &mut Xoshiro256PlusPlus) -> Vec<u32> {
    let mut blocks: Vec<u32> = (0..rows.len().div_ceil(BLOCK) as u32).collect();
    shuffle(&mut blocks, random);
    let of_block = |&block: &u32| {
        let start = block as usize * BLOCK;
        &rows[start..(start + BLOCK).min(rows.len())]
    };
    blocks.iter().flat_map(of_block).copied().collect()
}

/// Fisher and Yates, from the end.
pub(crate) fn shuffle(values: &mut [u32], random: &mut Xoshiro256PlusPlus) {
    for end in (1..values.len()).rev() {
        values.swap(end, random.random_range(0..=end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn every_row_is_visited_as_often_as_asked_and_once_first() {
        let wanted = |row: u32| match row {
            _ if row % 100 == 7 => 300.0,
            _ if row % 10 == 3 => 4.0,
            _ => 1.0,
        };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let schedule = Schedule::new((0..1000).map(wanted), &mut random);
        let mut visits = vec![(0, 0); 1000];
        schedule.run(|row, first| {
            visits[row as usize].0 += 1;
            visits[row as usize].1 += u32::from(first);
        });
        for (row, visits) in visits.into_iter().enumerate() {
            let power_of_two = 1 << (wanted(row as u32) as u32).ilog2();
            assert_eq!(visits, (power_of_two, 1), "row {row}");
        }
    }
}
