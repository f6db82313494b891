//! A phrase pair inside a sentence: its steps, and the moves between them.

use crate::moves::Moves;
use crate::units::Step;

/// Where a translation stands in its source sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Right after the word covered last.
    pub cursor: u32,
    /// Right after the last word of those covered.
    pub frontier: u32,
}

/// What is counted beside the n-grams (the supporting features).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Support {
    /// Gaps that were left.
    pub gaps: u32,
    /// The sum over covered words of the gaps that are open when each is covered.
    pub open: u32,
    /// The sum over covered words of their distance to the first word that is not covered.
    pub distance: u32,
}

impl Support {
    fn add_word(&mut self, position: u32, frontier: u32, covered: impl Fn(u32) -> bool) {
        let (open, first) = open_gaps(position, frontier, covered);
        self.open += open;
        self.distance += position - first;
    }
}

/// How many gaps there are before `position` or the frontier, a gap that is entered at `position` being two of them, and the
/// first word that is not covered.
fn open_gaps(position: u32, frontier: u32, covered: impl Fn(u32) -> bool) -> (u32, u32) {
    let (mut open, mut first, mut inside) = (0, None, false);
    for word in 0..frontier.max(position) {
        let free = !covered(word);
        if free && (!inside || word == position) {
            open += 1;
            first = first.or(Some(word));
        }
        inside = free;
    }
    (open, first.unwrap_or(position))
}

/// What one phrase pair does, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A move, by its number.
    Move(u8),
    /// A step, by its number.
    Step(usize),
}

/// The support of a phrase that covers `length` words from `start` on from left to right, and the moves to its first word.
pub fn straight_support(
    place: Place,
    start: u32,
    length: u32,
    covered: impl Fn(u32) -> bool,
) -> (Moves, Support) {
    let moves = Moves::between(place.cursor, start, place.frontier, &covered);
    let (open, first) = open_gaps(start, place.frontier, &covered);
    // Where the first gap is the one being filled, each word in its turn is the first that is not covered.
    let distance = match start - first {
        0 => 0,
        ahead => length * ahead + length * (length - 1) / 2,
    };
    let support = Support {
        gaps: moves.gaps(),
        open: open * length,
        distance,
    };
    (moves, support)
}

/// Tells all events of a phrase pair whose source words begin at `start`, and moves `place` behind it.
pub fn walk(
    positions: &[Option<u32>],
    start: u32,
    place: &mut Place,
    covered: impl Fn(u32) -> bool,
    mut tell: impl FnMut(Event),
) -> Support {
    let mut own = vec![false; positions.len()];
    let mut support = Support::default();
    for (number, position) in positions.iter().enumerate() {
        if let Some(offset) = *position {
            let position = start + offset;
            let is_own = |word: u32| {
                let inside = word
                    .checked_sub(start)
                    .and_then(|word| own.get(word as usize));
                inside.copied().unwrap_or(false)
            };
            let covered = |word: u32| covered(word) || is_own(word);
            let moves = Moves::between(place.cursor, position, place.frontier, covered);
            moves.codes().for_each(|code| tell(Event::Move(code)));
            support.gaps += moves.gaps();
            support.add_word(position, place.frontier, covered);
            place.cursor = position + 1;
            place.frontier = place.frontier.max(place.cursor);
            if let Some(own) = own.get_mut(offset as usize) {
                *own = true;
            }
        }
        tell(Event::Step(number));
    }
    support
}

/// The source words that steps cover.
pub(crate) fn positions(steps: &[Step]) -> Vec<Option<u32>> {
    steps.iter().map(|step| step.position).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The quick way for phrases from left to right is what the steps give one by one.
        #[test]
        fn straight_phrases(
            mut covered in prop::collection::vec(any::<bool>(), 4..12),
            place in 0usize..100,
            length in 1usize..4,
            before in 0usize..100,
        ) {
            let start = place % covered.len();
            let end = (start + length).min(covered.len());
            covered[start..end].fill(false);
            let frontier = covered.iter().rposition(|&word| word).map_or(0, |last| last as u32 + 1);
            let ends: Vec<u32> = (1..=frontier).filter(|&word| covered[word as usize - 1]).collect();
            let cursor = ends.get(before % ends.len().max(1)).copied().unwrap_or(0);
            let place = Place { cursor, frontier };
            let is_covered = |word: u32| covered.get(word as usize).copied().unwrap_or(false);
            let positions: Vec<Option<u32>> = (0..(end - start) as u32).map(Some).collect();
            let mut events = Vec::new();
            let mut after = place;
            let slow = walk(&positions, start as u32, &mut after, is_covered, |event| events.push(event));
            let (moves, fast) = straight_support(place, start as u32, (end - start) as u32, is_covered);
            prop_assert_eq!(slow, fast);
            let mut expected: Vec<Event> = moves.codes().map(Event::Move).collect();
            expected.extend((0..positions.len()).map(Event::Step));
            prop_assert_eq!(events, expected);
            prop_assert_eq!(after.cursor, end as u32);
        }
    }
}
