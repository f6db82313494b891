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
    /// Gaps: runs of words before the frontier that are not covered.
    pub open: u32,
    /// The first word that is not covered.
    pub first: u32,
}

impl Place {
    /// The gaps that are open when a word is about to be covered: one that is entered in the middle is two of them.
    fn open_at(&self, word: u32, covered: impl Fn(u32) -> bool) -> u32 {
        let split = match word >= self.frontier {
            true => word > self.frontier,
            false => word > 0 && !covered(word - 1),
        };
        self.open + u32::from(split)
    }

    /// Covers a word; `covered` knows the words before.
    fn cover(&mut self, word: u32, covered: impl Fn(u32) -> bool) {
        self.open = self.open_at(word, &covered);
        let is_filled = word + 1 >= self.frontier || covered(word + 1);
        self.open -= u32::from(word < self.frontier && is_filled);
        self.cursor = word + 1;
        self.frontier = self.frontier.max(self.cursor);
        if self.first == word {
            self.first = (self.cursor..self.frontier)
                .find(|&next| !covered(next))
                .unwrap_or(self.frontier);
        }
    }
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
    // Where the first gap is the one being filled, each word in its turn is the first that is not covered.
    let distance = match start - place.first {
        0 => 0,
        ahead => length * ahead + length * (length - 1) / 2,
    };
    let support = Support {
        gaps: moves.gaps(),
        open: length * place.open_at(start, covered),
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
    let mut own = Own::new(positions.len());
    let mut support = Support::default();
    for (number, position) in positions.iter().enumerate() {
        if let Some(offset) = *position {
            let word = start + offset;
            let is_own = |word: u32| word.checked_sub(start).is_some_and(|word| own.has(word));
            let covered = |word: u32| covered(word) || is_own(word);
            let moves = Moves::between(place.cursor, word, place.frontier, covered);
            moves.codes().for_each(|code| tell(Event::Move(code)));
            support.gaps += moves.gaps();
            support.open += place.open_at(word, covered);
            support.distance += word - place.first;
            place.cover(word, covered);
            own.add(offset);
        }
        tell(Event::Step(number));
    }
    support
}

/// The words of a phrase that are covered already; the first of them need no memory.
struct Own {
    few: u64,
    more: Vec<bool>,
}

const FEW: u32 = u64::BITS;

impl Own {
    fn new(most: usize) -> Self {
        Own {
            few: 0,
            more: vec![false; most.saturating_sub(FEW as usize)],
        }
    }

    fn has(&self, word: u32) -> bool {
        match word.checked_sub(FEW) {
            None => self.few >> word & 1 == 1,
            Some(rest) => self.more.get(rest as usize).copied().unwrap_or(false),
        }
    }

    fn add(&mut self, word: u32) {
        match word.checked_sub(FEW) {
            None => self.few |= 1 << word,
            Some(rest) => {
                if let Some(place) = self.more.get_mut(rest as usize) {
                    *place = true;
                }
            }
        }
    }
}

/// The source words that steps cover.
pub(crate) fn positions(steps: &[Step]) -> Vec<Option<u32>> {
    steps.iter().map(|step| step.position).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Where a translation stands that has covered these words, by looking at every word.
    fn place_of(covered: &[bool], cursor: u32) -> Place {
        let frontier = covered
            .iter()
            .rposition(|&word| word)
            .map_or(0, |last| last + 1);
        let starts =
            (0..frontier).filter(|&word| !covered[word] && (word == 0 || covered[word - 1]));
        Place {
            cursor,
            frontier: frontier as u32,
            open: starts.count() as u32,
            first: covered.iter().position(|&word| !word).unwrap_or(frontier) as u32,
        }
    }

    /// A place in a sentence of which some words are covered, and a span of which none is.
    fn situations() -> impl Strategy<Value = (Vec<bool>, Place, usize, usize)> {
        let covered = prop::collection::vec(any::<bool>(), 4..12);
        (covered, 0usize..100, 1usize..4, 0usize..100).prop_map(
            |(mut covered, at, length, before)| {
                let start = at % covered.len();
                let end = (start + length).min(covered.len());
                covered[start..end].fill(false);
                let ends = (1..=covered.len() as u32).filter(|&word| covered[word as usize - 1]);
                let ends: Vec<u32> = ends.collect();
                let cursor = ends.get(before % ends.len().max(1)).copied().unwrap_or(0);
                let place = place_of(&covered, cursor);
                (covered, place, start, end)
            },
        )
    }

    proptest! {
        /// The quick way for phrases from left to right is what the steps give one by one.
        #[test]
        fn straight_phrases((covered, place, start, end) in situations()) {
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

        /// Gaps are those that one sees.
        #[test]
        fn gaps_are_kept_up_to_date((mut covered, mut place, start, end) in situations(), backwards: bool) {
            let mut positions: Vec<Option<u32>> = (0..(end - start) as u32).map(Some).collect();
            if backwards {
                positions.reverse();
            }
            let before = covered.clone();
            let is_covered = |word: u32| before.get(word as usize).copied().unwrap_or(false);
            walk(&positions, start as u32, &mut place, is_covered, |_| ());
            covered[start..end].fill(true);
            prop_assert_eq!(place, place_of(&covered, place.cursor));
        }
    }
}
