//! In which order, and how often, one pass visits the rows.
//!
//! A row that stands for many examples has a stiff block that pulls the others along, and they pull
//! it back: it has to be visited about as often as its examples would be, in turn with the rest.
//! Rows fall into levels, of which level l is visited 2ˡ times; a pass has at least as many segments as the
//! highest level has visits, and in each of them every level is visited in part. Segments are short, and
//! heavy rows come first in each: many of them in a row move the weights while the light ones cannot answer, and a pass
//! that ended so would end far from where its own visits say that it is.

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

    /// A power of two: so many that every level has a visit in each, and that none holds many more light rows than a block.
    fn segments(&self) -> usize {
        let blocks = self.levels[0].len() / BLOCK;
        (1 << (self.levels.len() - 1)).max(blocks.next_power_of_two())
    }

    /// Calls `visit` for every visit, with the row and whether it is the row's first one.
    #[inline(always)]
    pub fn run(&self, mut visit: impl FnMut(u32, bool)) {
        let segments = self.segments();
        for segment in 0..segments {
            for (exponent, level) in self.levels.iter().enumerate().rev() {
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

    /// With all heavy rows in one run at the end of a pass, the gap of the whole was up to seven times that of the visits.
    #[test]
    fn heavy_rows_are_spread_among_light_ones_which_have_the_last_word() {
        let is_heavy = |row: u32| row % 20 == 3;
        let visits = (0..10_000).map(|row| if is_heavy(row) { 2.0 } else { 1.0 });
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut order = Vec::new();
        Schedule::new(visits, &mut random).run(|row, _| order.push(row));
        let runs = order.chunk_by(|&a, &b| is_heavy(a) == is_heavy(b));
        let heavy = runs.filter(|run| is_heavy(run[0])).map(<[u32]>::len);
        assert!(heavy.max().is_some_and(|longest| longest <= BLOCK));
        assert!(!is_heavy(*order.last().unwrap()));
    }
}
