//! How sure a share is. Phrase pairs of one sentence overlap and are not independent, so sentences are drawn, with
//! replacement, not phrase pairs.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Samples that are drawn.
const SAMPLES: usize = 1000;
/// Every interval is drawn with the same sentences.
const SEED: u64 = 1;

/// Examples and right answers of each sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sentences {
    /// Examples of each sentence.
    pub examples: Vec<f64>,
    /// Right answers of each.
    pub right: Vec<f64>,
}

/// 95 of 100 samples lie between these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The value itself.
    pub value: f64,
    /// 2.5 per cent of the samples are below.
    pub low: f64,
    /// 2.5 per cent are above.
    pub high: f64,
}

impl Interval {
    /// Does it say on which side of zero the value is?
    pub fn is_significant(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// As people read it, with a star if it is significant.
    pub fn shown(self) -> String {
        let mark = if self.is_significant() { " *" } else { "" };
        format!(
            "{:+.2} [{:+.2}, {:+.2}]{mark}",
            self.value, self.low, self.high
        )
    }
}

/// Accuracy in per cent.
pub fn accuracy(sentences: &Sentences) -> Option<Interval> {
    let all = || 0..sentences.right.len();
    interval(sentences, |drawn| share(sentences, drawn), all())
}

/// The accuracy of the first minus that of the second in per cent, on the same sentences.
pub fn difference(first: &Sentences, second: &Sentences) -> Option<Interval> {
    if first.examples != second.examples {
        return None;
    }
    let all = 0..first.right.len();
    let value = |drawn: &mut dyn Iterator<Item = usize>| {
        let drawn: Vec<usize> = drawn.collect();
        let of = |sentences| share(sentences, &mut drawn.iter().copied());
        of(first) - of(second)
    };
    interval(first, value, all)
}

fn share(sentences: &Sentences, drawn: &mut dyn Iterator<Item = usize>) -> f64 {
    let (mut right, mut all) = (0.0, 0.0);
    for at in drawn {
        right += sentences.right[at];
        all += sentences.examples[at];
    }
    100.0 * right / all
}

fn interval(
    sentences: &Sentences,
    value: impl Fn(&mut dyn Iterator<Item = usize>) -> f64,
    all: impl Iterator<Item = usize>,
) -> Option<Interval> {
    let count = sentences.examples.len();
    if count == 0 || sentences.right.len() != count {
        return None;
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut draw = || ((u128::from(random.next_u64()) * count as u128) >> 64) as usize;
    let sample = |_| value(&mut (0..count).map(|_| draw()));
    let mut samples: Vec<f64> = (0..SAMPLES).map(sample).collect();
    samples.sort_by(f64::total_cmp);
    let tail = SAMPLES / 40;
    let mut all = all;
    Some(Interval {
        value: value(&mut all),
        low: samples[tail],
        high: samples[SAMPLES - 1 - tail],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(right: impl Fn(usize) -> f64) -> Sentences {
        Sentences {
            examples: vec![10.0; 200],
            right: (0..200).map(right).collect(),
        }
    }

    #[test]
    fn a_share_lies_in_its_interval() {
        let shares = accuracy(&sentences(|at| (at % 11) as f64)).unwrap();
        assert!(shares.low < shares.value && shares.value < shares.high);
        // Sentences that are all right or all wrong: the share of 200, not of 2000.
        let lumps = accuracy(&sentences(|at| if at % 2 == 0 { 10.0 } else { 0.0 })).unwrap();
        assert!((lumps.high - lumps.low - 4.0 * 100.0 * (0.25f64 / 200.0).sqrt()).abs() < 2.0);
    }

    #[test]
    fn a_difference_is_paired() {
        let first = sentences(|at| (at % 10) as f64);
        let better = sentences(|at| (at % 10) as f64 + 0.5 + 0.1 * (at % 3) as f64);
        let gain = difference(&better, &first).unwrap();
        assert!(gain.is_significant() && gain.low > 5.0 && gain.high < 7.0);
        assert!(!difference(&first, &first).unwrap().is_significant());
        assert_eq!(difference(&first, &Sentences::default()), None);
    }
}
