//! Which sentence pairs are worth training on.

use crate::tokenizer::characters::{is_control, is_invisible_mark};
use hashbrown::HashSet;
use xxhash_rust::xxh3::xxh3_128;

/// What a pair may be; lengths in tokens.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// The fewest tokens a side.
    pub minimum: usize,
    /// The most tokens a side.
    pub maximum: usize,
    /// How many times longer one side may be than the other.
    pub ratio: f64,
    /// Pairs in which both sides are this short may have any ratio.
    pub ratio_free: usize,
    /// Keep one of several equal pairs.
    pub drop_duplicates: bool,
    /// Drop pairs whose sides are the same text.
    pub drop_copies: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            minimum: 1,
            maximum: 80,
            ratio: 9.0,
            ratio_free: 4,
            drop_duplicates: true,
            drop_copies: false,
        }
    }
}

/// What is decided about a pair.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// Train on it.
    Keep,
    /// A side has fewer tokens than the minimum.
    TooShort,
    /// A side has more tokens than the maximum.
    TooLong,
    /// One side is too much longer than the other.
    Ratio,
    /// It was there before.
    Duplicate,
    /// Both sides are the same.
    Copy,
}

/// Judges pairs; remembers 16 bytes of each kept pair to find duplicates.
#[derive(Debug)]
pub struct Cleaner {
    limits: Limits,
    seen: HashSet<u128>,
    counts: [u64; 6],
}

impl Cleaner {
    /// A cleaner with these limits.
    pub fn new(limits: Limits) -> Self {
        Cleaner {
            limits,
            seen: HashSet::new(),
            counts: [0; 6],
        }
    }

    /// Judges a tokenised pair.
    pub fn judge(&mut self, source: &str, target: &str) -> Verdict {
        let verdict = self.verdict(source, target);
        self.counts[verdict as usize] += 1;
        verdict
    }

    /// How many pairs got this verdict.
    pub fn count(&self, verdict: Verdict) -> u64 {
        self.counts[verdict as usize]
    }

    fn verdict(&mut self, source: &str, target: &str) -> Verdict {
        let (short, long) = {
            let lengths = (crate::tokens(source).count(), crate::tokens(target).count());
            (lengths.0.min(lengths.1), lengths.0.max(lengths.1))
        };
        if short < self.limits.minimum || short == 0 {
            Verdict::TooShort
        } else if long > self.limits.maximum {
            Verdict::TooLong
        } else if long > self.limits.ratio_free && long as f64 > self.limits.ratio * short as f64 {
            Verdict::Ratio
        } else if self.limits.drop_copies && source == target {
            Verdict::Copy
        } else if self.limits.drop_duplicates && !self.seen.insert(fingerprint(source, target)) {
            Verdict::Duplicate
        } else {
            Verdict::Keep
        }
    }
}

/// Two different pairs share it with a chance of 2^-128.
fn fingerprint(source: &str, target: &str) -> u128 {
    let target = xxh3_128(target.as_bytes());
    xxh3_128(source.as_bytes()).rotate_left(1)
        ^ target.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
}

/// The line without control characters and invisible marks, white space as single spaces.
pub fn clean_line(line: &str) -> String {
    let mut output = String::with_capacity(line.len());
    for word in line.split_whitespace() {
        let before = output.len();
        if before > 0 {
            output.push(' ');
        }
        output.extend(
            word.chars()
                .filter(|&c| !is_control(c) && !is_invisible_mark(c)),
        );
        if output.len() == before + usize::from(before > 0) {
            output.truncate(before);
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict() {
        let limits = Limits {
            maximum: 6,
            ratio: 2.0,
            drop_copies: true,
            ..Limits::default()
        };
        let mut cleaner = Cleaner::new(limits);
        assert_eq!(cleaner.judge("a b", "c"), Verdict::Keep);
        assert_eq!(cleaner.judge("a b", "c"), Verdict::Duplicate);
        assert_eq!(cleaner.judge("c", "a b"), Verdict::Keep);
        assert_eq!(cleaner.judge("", "a"), Verdict::TooShort);
        assert_eq!(
            cleaner.judge("a b c d e f g", "a b c d e f"),
            Verdict::TooLong
        );
        assert_eq!(cleaner.judge("a b c d e", "a b"), Verdict::Ratio);
        assert_eq!(cleaner.judge("a b c", "a b c"), Verdict::Copy);
        assert_eq!(cleaner.count(Verdict::Keep), 2);
    }

    #[test]
    fn lines_lose_what_cannot_be_seen() {
        assert_eq!(
            clean_line("\u{feff}a\u{0} \u{200b} b\u{7}\u{a0}c\t"),
            "a b c"
        );
        assert_eq!(clean_line("\u{1}"), "");
    }
}
