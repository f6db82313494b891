//! Translation probabilities from counts: relative frequencies, or modified Kneser-Ney smoothing
//! (Foster, Kuhn & Johnson 2006; Chen, Kuhn, Foster & Johnson 2011).
//!
//! With c(s,t) the count of a pair, N(s) the number of distinct t that s was seen with, and N all
//! distinct pairs:
//!
//! `p(s|t) = (c(s,t) - D(c(s,t))) / c(t) + (Σ_s' D(c(s',t)) / c(t)) · N(s) / N`
//!
//! D(1), D(2) and D(3 or more) come from how many pairs were seen once, twice, three and four times
//! (Chen & Goodman 1998). Most pairs of a small corpus were seen once, and a relative frequency of
//! 1/1 is worth much less than 10/10: this says so.

use std::str::FromStr;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// How counts of phrase pairs become probabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PhraseSmoothing {
    /// Relative frequencies, as Moses has them by default.
    #[default]
    None,
    /// Interpolated modified Kneser-Ney smoothing.
    KneserNey,
}

impl std::fmt::Display for PhraseSmoothing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            PhraseSmoothing::None => "none",
            PhraseSmoothing::KneserNey => "kneser-ney",
        })
    }
}

impl FromStr for PhraseSmoothing {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "none" => Ok(PhraseSmoothing::None),
            "kneser-ney" => Ok(PhraseSmoothing::KneserNey),
            other => Err(format!("'{other}' is neither none nor kneser-ney")),
        }
    }
}

/// What is known of a phrase over all its partners.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
#[repr(C)]
pub struct Marginal {
    /// How often it was extracted.
    pub total: u64,
    /// With how many distinct partners.
    pub kinds: u64,
    /// With how many of them once.
    pub once: u64,
    /// With how many of them twice.
    pub twice: u64,
}

impl Marginal {
    /// One more partner, seen `count` times.
    pub fn add(&mut self, count: u64) {
        self.total += count;
        self.kinds += 1;
        self.once += u64::from(count == 1);
        self.twice += u64::from(count == 2);
    }
}

/// How many distinct pairs there are, and how many of them were seen one to four times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountsOfCounts {
    kinds: u64,
    seen: [u64; 4],
}

impl CountsOfCounts {
    /// How many distinct pairs there are, and how many of them were seen one to four times, added up over parts of a corpus.
    pub fn of_sums([kinds, seen @ ..]: [u64; 5]) -> Self {
        CountsOfCounts { kinds, seen }
    }

    /// The same numbers, to be added up.
    pub fn sums(&self) -> [u64; 5] {
        let [one, two, three, four] = self.seen;
        [self.kinds, one, two, three, four]
    }

    /// One more distinct pair, seen `count` times.
    pub fn add(&mut self, count: u64) {
        self.kinds += 1;
        if let Some(seen) = self.seen.get_mut((count as usize).wrapping_sub(1)) {
            *seen += 1;
        }
    }

    /// D(1), D(2), D(3+). Corpora too small or too regular to tell have gaps among the counts of
    /// counts; what is missing is taken as no discount, so that probabilities stay proper.
    fn discounts(&self) -> [f64; 3] {
        let seen = self.seen.map(|count| count as f64);
        let y = ratio(seen[0], seen[0] + 2.0 * seen[1]);
        std::array::from_fn(|i| {
            let count = (i + 1) as f64;
            let discount = count - (count + 1.0) * y * ratio(seen[i + 1], seen[i]);
            if seen[i] == 0.0 {
                0.0
            } else {
                discount.clamp(0.0, count)
            }
        })
    }
}

fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// A smoothing method with the numbers of a corpus.
pub(crate) struct Estimator {
    kinds: f64,
    discounts: [f64; 3],
}

impl PhraseSmoothing {
    pub(crate) fn estimator(self, counts: &CountsOfCounts) -> Estimator {
        Estimator {
            kinds: (counts.kinds as f64).max(1.0),
            discounts: match self {
                PhraseSmoothing::None => [0.0; 3],
                PhraseSmoothing::KneserNey => counts.discounts(),
            },
        }
    }
}

impl Estimator {
    /// p(wanted | given), for a pair seen `joint` times.
    pub(crate) fn probability(&self, joint: u64, given: &Marginal, wanted: &Marginal) -> f64 {
        let [one, two, more] = self.discounts;
        let discount = match joint {
            0 => 0.0,
            1 => one,
            2 => two,
            _ => more,
        };
        let frequent = given.kinds - given.once - given.twice;
        let freed = one * given.once as f64 + two * given.twice as f64 + more * frequent as f64;
        let total = given.total as f64;
        (joint as f64 - discount) / total + freed / total * (wanted.kinds as f64 / self.kinds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// The formula of the file's head, from nothing but the counts.
    fn slow(counts: &BTreeMap<(u8, u8), u64>, s: u8, t: u8) -> f64 {
        let n = |k: u64| counts.values().filter(|&&c| c == k).count() as f64;
        let y = n(1) / (n(1) + 2.0 * n(2));
        let d = |c: u64| {
            let k = c.min(3);
            let here = k as f64 - (k + 1) as f64 * y * n(k + 1) / n(k);
            if here.is_finite() {
                here.clamp(0.0, k as f64)
            } else {
                0.0
            }
        };
        let with_t: Vec<u64> = counts
            .iter()
            .filter(|(k, _)| k.1 == t)
            .map(|(_, &c)| c)
            .collect();
        let total: u64 = with_t.iter().sum();
        let freed: f64 = with_t.iter().map(|&c| d(c)).sum();
        let partners = counts.keys().filter(|k| k.0 == s).count() as f64;
        let joint = counts.get(&(s, t)).copied().unwrap_or(0);
        let kept = if joint == 0 {
            0.0
        } else {
            joint as f64 - d(joint)
        };
        kept / total as f64 + freed / total as f64 * partners / counts.len() as f64
    }

    proptest! {
        #[test]
        fn as_the_formula_says_and_sums_to_one(
            pairs in proptest::collection::btree_map((0u8..5, 0u8..5), 1u64..7, 1..25)
        ) {
            let mut corpus = CountsOfCounts::default();
            let (mut sources, mut targets) = ([Marginal::default(); 5], [Marginal::default(); 5]);
            for (&(s, t), &count) in &pairs {
                corpus.add(count);
                sources[s as usize].add(count);
                targets[t as usize].add(count);
            }
            let estimator = PhraseSmoothing::KneserNey.estimator(&corpus);
            for t in 0..5u8 {
                if targets[t as usize].total == 0 {
                    continue;
                }
                let mut sum = 0.0;
                for s in 0..5u8 {
                    let joint = pairs.get(&(s, t)).copied().unwrap_or(0);
                    let (given, wanted) = (&targets[t as usize], &sources[s as usize]);
                    let fast = estimator.probability(joint, given, wanted);
                    // Without any pair seen once the formula has no Y; nothing is discounted then.
                    if pairs.values().any(|&c| c == 1) {
                        prop_assert!((fast - slow(&pairs, s, t)).abs() < 1e-12);
                    }
                    sum += fast;
                }
                prop_assert!((sum - 1.0).abs() < 1e-9, "{sum}");
            }
        }
    }
}
