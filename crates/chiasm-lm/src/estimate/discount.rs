//! The three discounts of an order (Chen & Goodman 1998, eq. 17; Heafield et al. 2013, §3.3).
//!
//! With t_c the number of n-grams whose adjusted count is c and Y = t_1 / (t_1 + 2 t_2),
//! D_c = c - (c + 1) Y t_{c+1} / t_c for c = 1, 2, and 3 (which also serves all larger counts).

use crate::{Error, Result};
use std::str::FromStr;

/// How many n-grams of an order have adjusted count 1, 2, 3, 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountStatistics(pub [u64; 4]);

impl CountStatistics {
    #[inline]
    pub(super) fn add(&mut self, adjusted: u64) {
        if (1..=4).contains(&adjusted) {
            self.0[adjusted as usize - 1] += 1;
        }
    }
}

/// D_1, D_2 and D_3+.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discounts(pub [f64; 3]);

impl FromStr for Discounts {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let numbers: std::result::Result<Vec<f64>, _> =
            text.split_whitespace().map(str::parse).collect();
        let fits = |number: &f64, most| (0.0..=most).contains(number);
        match numbers.as_deref() {
            Ok([one, two, three]) if fits(one, 1.0) && fits(two, 2.0) && fits(three, 3.0) => {
                Ok(Discounts([*one, *two, *three]))
            }
            _ => Err(
                "three numbers expected, the first at most 1, the others at most 2 and 3".into(),
            ),
        }
    }
}

/// N-grams of each order that occur at most so often are left out, as people write it: numbers between spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thresholds(pub Vec<u64>);

impl FromStr for Thresholds {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let numbers: std::result::Result<Vec<u64>, _> =
            text.split_whitespace().map(str::parse).collect();
        match numbers {
            Ok(numbers) if !numbers.is_empty() => Ok(Thresholds(numbers)),
            _ => Err("numbers between spaces expected, such as \"0 1 2\"".into()),
        }
    }
}

impl Discounts {
    /// What KenLM takes where the text is too small or too odd for the formula.
    pub const FALLBACK: Discounts = Discounts([0.5, 1.0, 1.5]);

    /// The discounts by formula. Where the statistics do not allow it: `fallback`, or an error.
    pub fn estimate(
        order: usize,
        statistics: &CountStatistics,
        fallback: Option<Discounts>,
    ) -> Result<Discounts> {
        let problem = match formula(statistics) {
            Ok(discounts) => return Ok(discounts),
            Err(problem) => problem,
        };
        fallback.ok_or_else(|| {
            Error::Impossible(format!(
                "the Kneser-Ney discounts of the {order}-grams cannot be estimated: {problem}; the \
                 text is too small or was not written by people; a discount fallback helps"
            ))
        })
    }

    /// The discount of an n-gram with this adjusted count.
    #[inline]
    pub fn of(&self, adjusted: u64) -> f64 {
        match adjusted {
            0 => 0.0,
            1 => self.0[0],
            2 => self.0[1],
            _ => self.0[2],
        }
    }
}

fn formula(statistics: &CountStatistics) -> std::result::Result<Discounts, String> {
    let t = statistics.0.map(|count| count as f64);
    for (index, &count) in t[..3].iter().enumerate() {
        if count == 0.0 {
            return Err(format!("none has count {}", index + 1));
        }
    }
    let y = t[0] / (t[0] + 2.0 * t[1]);
    let mut discounts = [0.0; 3];
    for (index, discount) in discounts.iter_mut().enumerate() {
        let count = (index + 1) as f64;
        *discount = count - (count + 1.0) * y * t[index + 1] / t[index];
        if !(0.0..=count).contains(discount) {
            return Err(format!("that of count {count} would be {discount:.3}"));
        }
    }
    Ok(Discounts(discounts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula() {
        let statistics = CountStatistics([100, 40, 20, 12]);
        let Discounts(found) = Discounts::estimate(2, &statistics, None).unwrap();
        let y = 100.0 / 180.0;
        assert!((found[0] - (1.0 - 2.0 * y * 0.4)).abs() < 1e-12);
        assert!((found[1] - (2.0 - 3.0 * y * 0.5)).abs() < 1e-12);
        assert!((found[2] - (3.0 - 4.0 * y * 0.6)).abs() < 1e-12);
    }

    #[test]
    fn impossible_statistics_are_an_error_or_the_fallback() {
        for bad in [[0, 0, 0, 0], [10, 0, 3, 1], [1, 5, 50, 1]] {
            let statistics = CountStatistics(bad);
            let error = Discounts::estimate(3, &statistics, None).unwrap_err();
            assert!(error.to_string().contains("3-grams"), "{error}");
            let fallback = Some(Discounts::FALLBACK);
            let found = Discounts::estimate(3, &statistics, fallback).unwrap();
            assert_eq!(found, Discounts::FALLBACK);
        }
    }
}
