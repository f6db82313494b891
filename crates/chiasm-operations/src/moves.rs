//! What leads from one source word to the next.
//!
//! The reader stands before a source word, the *cursor*: right after the word covered last. The *frontier* is right after
//! the last word covered so far; a *gap* is a run of words before it that are not covered. The rules are those of the
//! published algorithm, but for one: on the way to a later word of the gap in which the cursor stands, only that gap is
//! left, where the algorithm as printed jumps to the frontier and back.

/// A move in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// Words are left behind, to be covered later.
    Gap,
    /// To the frontier.
    Forward,
    /// To the beginning of a gap, counted from the right, from 1 on.
    Back(u8),
}

/// Gaps beyond this one, from the right, are all the same.
const MOST_GAPS: u8 = 12;

const GAP: u8 = 0;
const FORWARD: u8 = 1;
const NONE: u8 = u8::MAX;

impl Move {
    /// How many moves can be told apart.
    pub const CODES: usize = 2 + MOST_GAPS as usize;

    /// The move as a number.
    pub fn code(self) -> u8 {
        match self {
            Move::Gap => GAP,
            Move::Forward => FORWARD,
            Move::Back(gap) => FORWARD + gap.clamp(1, MOST_GAPS),
        }
    }

    /// The move of a number.
    pub fn of_code(code: u8) -> Self {
        match code {
            GAP => Move::Gap,
            FORWARD => Move::Forward,
            _ => Move::Back(code - FORWARD),
        }
    }
}

/// The moves from one word to another, at most four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    codes: [u8; 4],
}

impl Default for Moves {
    fn default() -> Self {
        Moves { codes: [NONE; 4] }
    }
}

impl Moves {
    /// From the cursor to a word that is not covered.
    pub fn between(
        cursor: u32,
        position: u32,
        frontier: u32,
        covered: impl Fn(u32) -> bool,
    ) -> Self {
        let mut moves = Moves::default();
        if cursor == position {
            return moves;
        }
        if cursor < position && (cursor..position).all(|word| !covered(word)) {
            moves.push(Move::Gap);
            return moves;
        }
        if cursor < frontier && !covered(cursor) {
            moves.push(Move::Gap);
        }
        if cursor < position {
            moves.push(Move::Forward);
        }
        if position >= frontier {
            if position > frontier {
                moves.push(Move::Gap);
            }
            return moves;
        }
        // Runs of uncovered words from the frontier back to the one that holds the position.
        let is_end = |word: u32| !covered(word) && (word + 1 == frontier || covered(word + 1));
        let gaps = (position..frontier).filter(|&word| is_end(word)).count();
        moves.push(Move::Back(gaps.min(usize::from(MOST_GAPS)) as u8));
        if position > 0 && !covered(position - 1) {
            moves.push(Move::Gap);
        }
        moves
    }

    fn push(&mut self, one: Move) {
        if let Some(free) = self.codes.iter_mut().find(|code| **code == NONE) {
            *free = one.code();
        }
    }

    /// The numbers of the moves.
    #[inline]
    pub fn codes(&self) -> impl Iterator<Item = u8> {
        self.codes.into_iter().take_while(|&code| code != NONE)
    }

    /// How many gaps they leave.
    pub fn gaps(&self) -> u32 {
        self.codes().filter(|&code| code == GAP).count() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(cursor: u32, position: u32, covered: &str) -> Vec<Move> {
        let covered: Vec<bool> = covered.chars().map(|letter| letter == 'x').collect();
        let frontier = covered
            .iter()
            .rposition(|&word| word)
            .map_or(0, |last| last as u32 + 1);
        let is_covered = |word: u32| covered[word as usize];
        let found = Moves::between(cursor, position, frontier, is_covered);
        found.codes().map(Move::of_code).collect()
    }

    #[test]
    fn as_published() {
        use Move::*;
        assert_eq!(moves(0, 0, "...."), []);
        assert_eq!(moves(0, 2, "...."), [Gap]);
        assert_eq!(moves(1, 1, "x..."), []);
        assert_eq!(moves(1, 3, "x..."), [Gap]);
        // Back to the only gap, to its beginning and into it.
        assert_eq!(moves(3, 0, "..x."), [Back(1)]);
        assert_eq!(moves(3, 1, "..x."), [Back(1), Gap]);
        // The gap on the left is the second from the right.
        assert_eq!(moves(5, 0, ".x.xx."), [Back(2)]);
        // After a gap is filled: on to the frontier, or beyond it.
        assert_eq!(moves(2, 4, "xxxx.."), [Forward]);
        assert_eq!(moves(2, 5, "xxxx.."), [Forward, Gap]);
        // A gap that is left half filled.
        assert_eq!(moves(1, 4, "x..x.."), [Gap, Forward]);
        assert_eq!(moves(3, 0, "..x.x."), [Gap, Back(2)]);
        // To a gap that lies to the right, but before the frontier.
        assert_eq!(moves(1, 2, "xx.x."), [Forward, Back(1)]);
        // Within a gap.
        assert_eq!(moves(1, 2, "x..x."), [Gap]);
    }
}
