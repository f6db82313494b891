//! Tercom's greedy search for shifts: again and again, the shift that lowers the edit distance
//! most is done, until none does.

use super::distance::{Matrix, Operation};

const LONGEST_SHIFT: usize = 10;
const FURTHEST_SHIFT: usize = 50;
/// After this many tried shifts the search ends, as in sacreBLEU.
const MOST_CANDIDATES: usize = 1000;

/// Edits, shifts included, that turn the hypothesis into the reference.
pub fn edits(hypothesis: &[u32], reference: &[u32]) -> usize {
    if reference.is_empty() {
        return hypothesis.len();
    }
    let mut search = Search {
        reference,
        matrix: Matrix::new(reference, hypothesis.len()),
        trial: Matrix::new(reference, hypothesis.len()),
        candidates: 0,
    };
    let mut words = hypothesis.to_vec();
    let mut shifts = 0;
    loop {
        let distance = search.matrix.fill(&words, 0) as usize;
        let best = search.best_shift(&words, distance);
        if search.candidates >= MOST_CANDIDATES {
            return shifts + distance;
        }
        match best {
            Some(shift) if shift.gain > 0 => words = shift.apply(&words),
            _ => return shifts + distance,
        }
        shifts += 1;
    }
}

/// A group of words that moves. Ordered as Tercom ranks: more gain, then longer, then from
/// further left, then to further left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Shift {
    gain: isize,
    length: usize,
    start: std::cmp::Reverse<usize>,
    target: std::cmp::Reverse<usize>,
}

impl Shift {
    fn apply(&self, words: &[u32]) -> Vec<u32> {
        let (start, length, target) = (self.start.0, self.length, self.target.0);
        let group = &words[start..start + length];
        let mut result = Vec::with_capacity(words.len());
        if target < start {
            result.extend_from_slice(&words[..target]);
            result.extend_from_slice(group);
            result.extend_from_slice(&words[target..start]);
            result.extend_from_slice(&words[start + length..]);
        } else {
            // A target within the group means as many words further to the right.
            let after = if target > start + length {
                target
            } else {
                target + length
            };
            let after = after.min(words.len());
            result.extend_from_slice(&words[..start]);
            result.extend_from_slice(&words[start + length..after]);
            result.extend_from_slice(group);
            result.extend_from_slice(&words[after..]);
        }
        result
    }
}

struct Search<'a> {
    reference: &'a [u32],
    matrix: Matrix<'a>,
    /// Rows of shifted hypotheses; the first rows are those of `matrix`.
    trial: Matrix<'a>,
    candidates: usize,
}

impl Search<'_> {
    fn best_shift(&mut self, words: &[u32], distance: usize) -> Option<Shift> {
        let alignment = Alignment::new(&self.matrix.operations());
        let mut best: Option<Shift> = None;
        // What `trial` holds: the unshifted words, then whatever was tried last.
        let mut held = words.to_vec();
        self.trial.fill(words, 0);
        for start in 0..words.len() {
            let first = start.saturating_sub(FURTHEST_SHIFT);
            let last = self.reference.len().min(start + FURTHEST_SHIFT + 1);
            for reference_start in first..last {
                for length in 1..=common_prefix(&words[start..], &self.reference[reference_start..])
                {
                    if alignment.forbids(start, reference_start, length) {
                        continue;
                    }
                    self.try_targets(
                        words,
                        distance,
                        &alignment,
                        start,
                        reference_start,
                        length,
                        &mut held,
                        &mut best,
                    );
                    if self.candidates >= MOST_CANDIDATES {
                        return best;
                    }
                }
            }
        }
        best
    }

    fn try_targets(
        &mut self,
        words: &[u32],
        distance: usize,
        alignment: &Alignment,
        start: usize,
        reference_start: usize,
        length: usize,
        held: &mut Vec<u32>,
        best: &mut Option<Shift>,
    ) {
        let mut previous = None;
        for offset in 0..=length {
            // Before the group's first reference word, then after each of its words.
            let target = match (reference_start + offset).checked_sub(1) {
                None => 0,
                Some(position) => alignment.position_after(position),
            };
            if previous == Some(target) {
                continue;
            }
            previous = Some(target);
            let mut shift = Shift {
                gain: 0,
                length,
                start: std::cmp::Reverse(start),
                target: std::cmp::Reverse(target),
            };
            let shifted = shift.apply(words);
            let same = shifted
                .iter()
                .zip(held.iter())
                .take_while(|(a, b)| a == b)
                .count();
            let cost = self.trial.fill(&shifted, same);
            *held = shifted;
            shift.gain = distance as isize - cost as isize;
            self.candidates += 1;
            *best = (*best).max(Some(shift));
        }
    }
}

fn common_prefix(a: &[u32], b: &[u32]) -> usize {
    let equal = a.iter().zip(b).take_while(|(a, b)| a == b);
    equal.take(LONGEST_SHIFT).count()
}

/// Which hypothesis word stands for which reference word, and where there are errors.
struct Alignment {
    /// For each reference word, one more than the hypothesis position it is aligned to or follows.
    after: Vec<usize>,
    reference_error: Vec<bool>,
    hypothesis_error: Vec<bool>,
}

impl Alignment {
    fn new(operations: &[Operation]) -> Self {
        let mut alignment = Alignment {
            after: Vec::new(),
            reference_error: Vec::new(),
            hypothesis_error: Vec::new(),
        };
        for &operation in operations {
            let error = operation != Operation::Keep;
            if operation != Operation::Insert {
                alignment.hypothesis_error.push(error);
            }
            if operation != Operation::Delete {
                alignment.reference_error.push(error);
                alignment.after.push(alignment.hypothesis_error.len());
            }
        }
        alignment
    }

    fn position_after(&self, reference: usize) -> usize {
        self.after[reference]
    }

    /// A shift is tried only where both sides have an error and the group would really move.
    fn forbids(&self, start: usize, reference_start: usize, length: usize) -> bool {
        let right = |errors: &[bool]| errors.iter().all(|error| !error);
        let after = self.after[reference_start];
        right(&self.hypothesis_error[start..start + length])
            || right(&self.reference_error[reference_start..reference_start + length])
            || (after > start && after <= start + length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_is_one_edit() {
        assert_eq!(edits(&[1, 2, 3, 4, 5, 6], &[4, 5, 6, 1, 2, 3]), 1);
        assert_eq!(edits(&[1, 2, 3], &[1, 2, 3]), 0);
        assert_eq!(edits(&[], &[1, 2]), 2);
        assert_eq!(edits(&[1, 2], &[]), 2);
    }

    #[test]
    fn targets_within_the_group() {
        let shift = |length, start, target| Shift {
            gain: 0,
            length,
            start: std::cmp::Reverse(start),
            target: std::cmp::Reverse(target),
        };
        let words = [0, 1, 2, 3, 4, 5];
        assert_eq!(shift(2, 3, 1).apply(&words), [0, 3, 4, 1, 2, 5]);
        assert_eq!(shift(2, 0, 4).apply(&words), [2, 3, 0, 1, 4, 5]);
        assert_eq!(shift(2, 1, 2).apply(&words), [0, 3, 1, 2, 4, 5]);
        assert_eq!(shift(2, 4, 5).apply(&words), words);
    }
}
