//! Where consistent blocks have their corners, as bit sets (SPEC section 1, `phrase` and `hier`).

use crate::alignment::{Alignment, Reach};
use crate::span::Spans;

/// For each target position, the source positions at which some block has a corner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Corners {
    words: usize,
    /// Blocks that end at this target position: their source ends, and their source starts.
    pub ending_ends: BitRows,
    pub ending_starts: BitRows,
    /// Blocks that start at this target position: the same. Only for the exact forward rule.
    pub starting_ends: BitRows,
    pub starting_starts: BitRows,
    both_sides: bool,
}

impl Corners {
    /// No corners for this sentence pair; `both_sides` also keeps those of block starts.
    pub fn clear(&mut self, alignment: &Alignment, both_sides: bool) {
        self.words = alignment.source_length.div_ceil(64);
        self.both_sides = both_sides;
        let (rows, words) = (alignment.target_length, self.words);
        self.ending_ends.clear(rows, words);
        self.ending_starts.clear(rows, words);
        if both_sides {
            self.starting_ends.clear(rows, words);
            self.starting_starts.clear(rows, words);
        }
    }

    /// Adds the corners of one block.
    pub fn add(&mut self, spans: Spans) {
        let (source, target) = (spans.source.range(), spans.target.range());
        let (start, last) = (source.start, source.end - 1);
        self.add_ranges(target.start, target.end - 1, (start, start), (last, last));
    }

    fn add_ranges(
        &mut self,
        target_start: usize,
        target_end: usize,
        starts: (usize, usize),
        ends: (usize, usize),
    ) {
        self.ending_starts.set(target_end, starts.0, starts.1);
        self.ending_ends.set(target_end, ends.0, ends.1);
        if self.both_sides {
            self.starting_starts.set(target_start, starts.0, starts.1);
            self.starting_ends.set(target_start, ends.0, ends.1);
        }
    }

    /// Adds the corners of every consistent block of any length.
    pub fn add_all_blocks(&mut self, alignment: &Alignment) {
        for target_end in 0..alignment.target_length as i32 {
            let mut source = Reach::NONE;
            let mut target = Reach::NONE;
            for target_start in (0..=target_end).rev() {
                let row = alignment.of_target[target_start as usize];
                if source.is_none() && row.is_none() {
                    continue;
                }
                widen(alignment, &mut source, row, &mut target);
                if target.high > target_end {
                    break;
                }
                if target.low < target_start {
                    continue;
                }
                let low = unaligned_to_left(alignment, source.low);
                let high = unaligned_to_right(alignment, source.high);
                self.add_ranges(
                    target_start as usize,
                    target_end as usize,
                    (low as usize, source.low as usize),
                    (source.high as usize, high as usize),
                );
            }
        }
    }
}

/// Widens the source range by `row`, and the target closure by what is new in it.
#[inline]
fn widen(alignment: &Alignment, source: &mut Reach, row: Reach, target: &mut Reach) {
    if row.is_none() {
        return;
    }
    if source.is_none() {
        *source = row;
        for position in row.low..=row.high {
            target.include(alignment.of_source[position as usize]);
        }
        return;
    }
    while source.low > row.low {
        source.low -= 1;
        target.include(alignment.of_source[source.low as usize]);
    }
    while source.high < row.high {
        source.high += 1;
        target.include(alignment.of_source[source.high as usize]);
    }
}

fn unaligned_to_left(alignment: &Alignment, mut position: i32) -> i32 {
    while position > 0 && alignment.of_source[position as usize - 1].is_none() {
        position -= 1;
    }
    position
}

fn unaligned_to_right(alignment: &Alignment, mut position: i32) -> i32 {
    while position as usize + 1 < alignment.source_length
        && alignment.of_source[position as usize + 1].is_none()
    {
        position += 1;
    }
    position
}

/// A row of bits for each target position.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitRows {
    words: usize,
    bits: Vec<u64>,
}

impl BitRows {
    fn clear(&mut self, rows: usize, words: usize) {
        self.words = words;
        self.bits.clear();
        self.bits.resize(rows * words, 0);
    }

    #[inline]
    fn set(&mut self, row: usize, low: usize, high: usize) {
        let row = &mut self.bits[row * self.words..(row + 1) * self.words];
        for position in low..=high {
            row[position / 64] |= 1 << (position % 64);
        }
    }

    #[inline]
    pub fn get(&self, row: usize, position: i32) -> bool {
        if position < 0 || position as usize >= self.words * 64 {
            return false;
        }
        let position = position as usize;
        self.bits[row * self.words + position / 64] >> (position % 64) & 1 == 1
    }

    /// Is any of `low..high` set?
    pub fn any(&self, row: usize, low: i32, high: i32) -> bool {
        (low.max(0)..high).any(|position| self.get(row, position))
    }
}
