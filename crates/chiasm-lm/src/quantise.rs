//! Numbers in eight bits: a code book of at most 256 values.
//!
//! If there are no more different numbers than codes, nothing is lost. Otherwise the sorted
//! numbers are cut into parts of equal size, whose means are the values (Federico & Bertoldi 2006,
//! binning); a few rounds of k-means improve them, and each number gets the nearest.

/// Rounds of k-means.
const REFINEMENTS: usize = 10;

/// Values that codes stand for, in rising order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CodeBook(Vec<f32>);

impl CodeBook {
    /// At most `size` values for `numbers`, which are finite.
    pub(crate) fn new(mut numbers: Vec<f32>, size: usize) -> Self {
        numbers.sort_unstable_by(f32::total_cmp);
        let mut distinct = numbers.clone();
        distinct.dedup();
        if distinct.len() <= size {
            return CodeBook(distinct);
        }
        let mut values: Vec<f32> = (0..size)
            .map(|part| {
                let start = part * numbers.len() / size;
                let end = (part + 1) * numbers.len() / size;
                mean(&numbers[start..end])
            })
            .collect();
        for _ in 0..REFINEMENTS {
            values.dedup();
            refine(&mut values, &numbers);
        }
        values.dedup();
        CodeBook(values)
    }

    pub(crate) fn values(&self) -> &[f32] {
        &self.0
    }

    /// The code of the nearest value.
    pub(crate) fn code(&self, number: f32) -> u8 {
        let above = self.0.partition_point(|&value| value < number);
        let nearest = match (above.checked_sub(1), self.0.get(above)) {
            (Some(below), Some(&value)) if number - self.0[below] < value - number => below,
            (Some(below), None) => below,
            _ => above,
        };
        nearest as u8
    }
}

/// Each value becomes the mean of the numbers that are nearest to it (Lloyd 1982).
fn refine(values: &mut [f32], numbers: &[f32]) {
    let mut start = 0;
    for index in 0..values.len() {
        let end = match values.get(index + 1) {
            Some(&next) => {
                let border = (values[index] + next) / 2.0;
                start + numbers[start..].partition_point(|&number| number < border)
            }
            None => numbers.len(),
        };
        if start < end {
            values[index] = mean(&numbers[start..end]);
        }
        start = end;
    }
}

fn mean(numbers: &[f32]) -> f32 {
    let sum: f64 = numbers.iter().map(|&number| f64::from(number)).sum();
    (sum / numbers.len() as f64) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_numbers_lose_nothing() {
        let numbers = [-3.5f32, -0.25, -3.5, -1.0];
        let book = CodeBook::new(numbers.to_vec(), 3);
        for number in numbers {
            assert_eq!(book.values()[usize::from(book.code(number))], number);
        }
    }

    #[test]
    fn many_numbers_get_the_nearest_value() {
        let numbers: Vec<f32> = (0..10_000).map(|i| -(i as f32).sqrt()).collect();
        let book = CodeBook::new(numbers.clone(), 256);
        let mut total = 0.0;
        for &number in &numbers {
            let found = book.values()[usize::from(book.code(number))];
            let best = book
                .values()
                .iter()
                .map(|v| (v - number).abs())
                .fold(9e9, f32::min);
            assert_eq!((found - number).abs(), best);
            total += best;
        }
        // Numbers spread over 100 in 256 parts of equal width would be 0.1 away on average.
        assert!(total / (numbers.len() as f32) < 0.15, "{total}");
    }
}
