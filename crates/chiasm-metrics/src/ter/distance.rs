//! Edit distance in a beam around the diagonal, with the operations that lead to it.

/// Tercom's beam: cells further from the diagonal are not looked at.
const BEAM: usize = 25;
const UNREACHED: u32 = u32::MAX / 2;

/// One step that turns the hypothesis into the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Keep,
    Substitute,
    /// A reference word that the hypothesis lacks.
    Insert,
    /// A hypothesis word too many.
    Delete,
}

/// The matrix of one reference and hypotheses of one length. Rows that hypotheses have in common
/// at their beginning are computed once.
pub struct Matrix<'a> {
    reference: &'a [u32],
    hypothesis_length: usize,
    /// `hypothesis_length + 1` rows of `reference.len() + 1` costs.
    costs: Vec<u32>,
    operations: Vec<Operation>,
}

impl<'a> Matrix<'a> {
    pub fn new(reference: &'a [u32], hypothesis_length: usize) -> Self {
        let width = reference.len() + 1;
        let cells = width * (hypothesis_length + 1);
        let mut costs = vec![UNREACHED; cells];
        for (j, cost) in costs[..width].iter_mut().enumerate() {
            *cost = j as u32;
        }
        Matrix {
            reference,
            hypothesis_length,
            costs,
            operations: vec![Operation::Insert; cells],
        }
    }

    /// Computes the rows of `hypothesis` after the first `same` words, which are as before, and
    /// returns the distance.
    pub fn fill(&mut self, hypothesis: &[u32], same: usize) -> u32 {
        let width = self.reference.len() + 1;
        let length = self.hypothesis_length;
        let ratio = if length > 0 {
            self.reference.len() as f64 / length as f64
        } else {
            1.0
        };
        // Rows of very unequal sentences would not overlap otherwise.
        let beam = if (BEAM as f64) < ratio / 2.0 {
            (ratio / 2.0 + BEAM as f64).ceil() as usize
        } else {
            BEAM
        };
        for i in same + 1..=length {
            let diagonal = (i as f64 * ratio).floor() as usize;
            let first = diagonal.saturating_sub(beam);
            let last = if i == length {
                width
            } else {
                width.min(diagonal + beam)
            };
            self.fill_row(hypothesis[i - 1], i, first, last);
        }
        self.costs[length * width + width - 1]
    }

    fn fill_row(&mut self, word: u32, i: usize, first: usize, last: usize) {
        let width = self.reference.len() + 1;
        let (before, row) = self.costs.split_at_mut(i * width);
        let before = &before[(i - 1) * width..];
        let row = &mut row[..width];
        let operations = &mut self.operations[i * width..(i + 1) * width];
        row.fill(UNREACHED);
        for j in first..last {
            if j == 0 {
                row[0] = before[0] + 1;
                operations[0] = Operation::Delete;
                continue;
            }
            // On equal cost: keep or substitute, then delete, then insert.
            let differs = u32::from(word != self.reference[j - 1]);
            let mut best = before[j - 1].saturating_add(differs);
            let mut operation = if differs == 0 {
                Operation::Keep
            } else {
                Operation::Substitute
            };
            if before[j] + 1 < best {
                best = before[j] + 1;
                operation = Operation::Delete;
            }
            if row[j - 1] + 1 < best {
                best = row[j - 1] + 1;
                operation = Operation::Insert;
            }
            row[j] = best.min(UNREACHED);
            operations[j] = operation;
        }
    }

    /// The steps of the last hypothesis, in order.
    pub fn operations(&self) -> Vec<Operation> {
        let width = self.reference.len() + 1;
        let (mut i, mut j) = (self.hypothesis_length, self.reference.len());
        let mut steps = Vec::with_capacity(i + j);
        while i > 0 || j > 0 {
            let operation = match (i, j) {
                (0, _) => Operation::Insert,
                (_, 0) => Operation::Delete,
                _ => self.operations[i * width + j],
            };
            steps.push(operation);
            i -= usize::from(operation != Operation::Insert);
            j -= usize::from(operation != Operation::Delete);
        }
        steps.reverse();
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(hypothesis: &[u32], reference: &[u32]) -> u32 {
        Matrix::new(reference, hypothesis.len()).fill(hypothesis, 0)
    }

    #[test]
    fn small_distances() {
        assert_eq!(distance(&[], &[]), 0);
        assert_eq!(distance(&[], &[1, 2]), 2);
        assert_eq!(distance(&[1, 2], &[]), 2);
        assert_eq!(distance(&[1, 2, 3], &[1, 3]), 1);
        assert_eq!(distance(&[1, 2, 3], &[4, 2, 5, 3]), 2);
    }

    #[test]
    fn very_unequal_lengths_still_reach_the_end() {
        let long: Vec<u32> = (0..700).collect();
        assert_eq!(distance(&[600], &long), 699);
        assert_eq!(distance(&[1], &long), 700, "the word is outside the beam");
        assert_eq!(distance(&long, &[1]), 699);
    }

    #[test]
    fn reused_rows_change_nothing() {
        let reference = [3, 1, 4, 1, 5, 9, 2, 6];
        let mut matrix = Matrix::new(&reference, 6);
        matrix.fill(&[3, 1, 4, 9, 9, 9], 0);
        let again = matrix.fill(&[3, 1, 4, 5, 2, 6], 3);
        assert_eq!(again, distance(&[3, 1, 4, 5, 2, 6], &reference));
        assert_eq!(matrix.operations().len(), 8);
    }
}
