//! Which 256 weights stand best for many: Lloyd's method in one dimension.

/// Weights in a code book.
pub const SIZE: usize = 256;

const ROUNDS: usize = 30;

/// The code book for `weights`, in increasing order. Zero is always in it, so that no feature
/// without weight gains one.
pub fn fit(weights: &[f64]) -> Vec<f32> {
    let mut sorted: Vec<f64> = weights.iter().copied().filter(|&w| w != 0.0).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut sums = Vec::with_capacity(sorted.len() + 1);
    sums.push(0.0);
    for &weight in &sorted {
        sums.push(sums[sums.len() - 1] + weight);
    }
    let mut centres = starting_centres(&sorted);
    for _ in 0..ROUNDS {
        improve(&mut centres, &sorted, &sums);
    }
    let mut book: Vec<f32> = centres.iter().map(|&centre| centre as f32).collect();
    book.push(0.0);
    book.sort_unstable_by(f32::total_cmp);
    book
}

/// Half by rank, half by distance: dense where there are many, and reaching to both ends.
fn starting_centres(sorted: &[f64]) -> Vec<f64> {
    let count = SIZE - 1;
    let (Some(&low), Some(&high)) = (sorted.first(), sorted.last()) else {
        return vec![0.0; count];
    };
    let by_rank = count / 2;
    let mut centres: Vec<f64> = (0..by_rank)
        .map(|at| sorted[at * (sorted.len() - 1) / (by_rank - 1)])
        .collect();
    let by_distance = count - by_rank;
    centres.extend(
        (0..by_distance).map(|at| low + (high - low) * at as f64 / (by_distance - 1) as f64),
    );
    centres.sort_unstable_by(f64::total_cmp);
    centres
}

/// Moves each centre to the mean of the weights that are nearest to it.
fn improve(centres: &mut [f64], sorted: &[f64], sums: &[f64]) {
    let mut start = 0;
    for at in 0..centres.len() {
        let end = match centres.get(at + 1) {
            Some(next) => {
                let border = (centres[at] + next) / 2.0;
                start + sorted[start..].partition_point(|&weight| weight <= border)
            }
            None => sorted.len(),
        };
        if end > start {
            centres[at] = (sums[end] - sums[start]) / (end - start) as f64;
        }
        start = end;
    }
}

/// The number of the nearest weight in the book.
pub fn nearest(book: &[f32], weight: f64) -> u8 {
    let above = book.partition_point(|&entry| f64::from(entry) < weight);
    let distance = |at: usize| (f64::from(book[at]) - weight).abs();
    let best = match above {
        0 => 0,
        at if at == book.len() => at - 1,
        at if distance(at - 1) <= distance(at) => at - 1,
        at => at,
    };
    best as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_weights_are_kept_exactly_and_zero_stays_zero() {
        let weights = [0.5, -3.25, 0.0, 7.0, 0.5];
        let book = fit(&weights);
        assert_eq!(book.len(), SIZE);
        for weight in weights {
            assert_eq!(f64::from(book[nearest(&book, weight) as usize]), weight);
        }
    }

    #[test]
    fn no_weights_at_all() {
        assert_eq!(nearest(&fit(&[]), 0.0), 0);
    }

    #[test]
    fn nearest_is_nearest() {
        let weights: Vec<f64> = (0..5000)
            .map(|i| (f64::from(i) * 0.37).sin().powi(3))
            .collect();
        let book = fit(&weights);
        assert!(book.is_sorted());
        for &weight in &weights {
            let found = (f64::from(book[nearest(&book, weight) as usize]) - weight).abs();
            let best = book.iter().map(|&b| (f64::from(b) - weight).abs());
            assert_eq!(found, best.fold(f64::INFINITY, f64::min));
        }
    }
}
