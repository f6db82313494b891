//! chrF (Popović 2015) and chrF++ (2017) as sacreBLEU 2 counts them: the Fᵦ score, β = 2, of
//! precision and recall averaged over character n-grams of orders 1 to 6 and, for chrF++, word
//! n-grams of orders 1 and 2. Of several references a sentence is compared with the one that fits best.

use crate::tokenize::{is_space, tokens};
use crate::{Metric, SACREBLEU_VERSION};
use rustc_hash::FxHashMap;

/// Character n-grams up to this length; six characters of 21 bits fit in 128.
const CHARACTER_ORDER: usize = 6;
/// How much more recall counts than precision.
const BETA: f64 = 2.0;

/// chrF with its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Chrf {
    /// Word n-grams up to this length: 0 for chrF, 2 for chrF++, at most 4.
    pub word_order: usize,
    /// Compare in lower case.
    pub lowercase: bool,
}

/// n-grams of a sentence: one sorted list an order.
type Ngrams = Vec<Vec<u128>>;

impl Chrf {
    /// chrF++.
    pub fn plus_plus() -> Self {
        Chrf {
            word_order: 2,
            lowercase: false,
        }
    }

    fn orders(&self) -> usize {
        CHARACTER_ORDER + self.word_order
    }

    fn ngrams(&self, line: &str, ids: &mut FxHashMap<String, u32>) -> Ngrams {
        let lowered = self.lowercase.then(|| line.to_lowercase());
        let line = lowered.as_deref().unwrap_or(line);
        let visible = line.chars().filter(|&c| !is_space(c));
        let characters: Vec<u32> = visible.map(u32::from).collect();
        let mut ngrams = Vec::with_capacity(self.orders());
        for order in 1..=CHARACTER_ORDER {
            ngrams.push(packed(&characters, order, 21));
        }
        if self.word_order > 0 {
            let words = words(line, ids);
            for order in 1..=self.word_order {
                ngrams.push(packed(&words, order, 32));
            }
        }
        ngrams
    }
}

/// The n-grams of one order, sorted.
fn packed(symbols: &[u32], order: usize, bits: u32) -> Vec<u128> {
    let pack = |window: &[u32]| window.iter().fold(0, |all, &s| all << bits | u128::from(s));
    let mut ngrams: Vec<u128> = symbols.windows(order).map(pack).collect();
    ngrams.sort_unstable();
    ngrams
}

/// Words with one punctuation mark taken off, at the end or else at the beginning: `(hi)` becomes
/// `(hi` and `)`, as in the original.
fn words(line: &str, ids: &mut FxHashMap<String, u32>) -> Vec<u32> {
    let mut words = Vec::new();
    for word in tokens(line) {
        let (first, rest) = match split_mark(word) {
            Some((first, rest)) => (first, Some(rest)),
            None => (word, None),
        };
        for part in std::iter::once(first).chain(rest) {
            let next = ids.len() as u32;
            words.push(*ids.entry(part.to_string()).or_insert(next));
        }
    }
    words
}

fn split_mark(word: &str) -> Option<(&str, &str)> {
    let (first, last) = (word.chars().next()?, word.chars().next_back()?);
    if word.len() == first.len_utf8() {
        None
    } else if last.is_ascii_punctuation() {
        Some(word.split_at(word.len() - 1))
    } else if first.is_ascii_punctuation() {
        Some(word.split_at(1))
    } else {
        None
    }
}

/// How many elements two sorted lists share.
fn shared(a: &[u128], b: &[u128]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                count += 1;
                i += 1;
                j += 1;
            }
        }
    }
    count
}

fn f_score(sum: &[f64]) -> f64 {
    let (mut precision, mut recall, mut orders) = (0.0, 0.0, 0.0);
    for order in sum.chunks_exact(3) {
        let [hypothesis, reference, matched] = [order[0], order[1], order[2]];
        if hypothesis > 0.0 && reference > 0.0 {
            precision += matched / hypothesis;
            recall += matched / reference;
            orders += 1.0;
        }
    }
    if precision + recall == 0.0 {
        return 0.0;
    }
    let (precision, recall) = (precision / orders, recall / orders);
    let factor = BETA * BETA;
    100.0 * (1.0 + factor) * precision * recall / (factor * precision + recall)
}

impl Metric for Chrf {
    fn name(&self) -> String {
        format!("chrF{BETA}{}", "+".repeat(self.word_order))
    }

    fn signature(&self, references: usize) -> String {
        let case = if self.lowercase { "lc" } else { "mixed" };
        format!(
            "nrefs:{references}|case:{case}|eff:yes|nc:{CHARACTER_ORDER}|nw:{}|space:no|version:{SACREBLEU_VERSION}",
            self.word_order
        )
    }

    fn width(&self) -> usize {
        3 * self.orders()
    }

    fn sentence(&self, hypothesis: &str, references: &[&str], row: &mut [f64]) {
        let mut ids = FxHashMap::default();
        let hypothesis = self.ngrams(hypothesis, &mut ids);
        let mut candidate = vec![0.0; row.len()];
        let mut best = f64::NEG_INFINITY;
        row.fill(0.0);
        for reference in references {
            let reference = self.ngrams(reference, &mut ids);
            for (i, (h, r)) in hypothesis.iter().zip(&reference).enumerate() {
                // Hypothesis n-grams of an order that the reference is too short for do not count.
                let hypothesis_count = if r.is_empty() { 0 } else { h.len() };
                candidate[3 * i] = hypothesis_count as f64;
                candidate[3 * i + 1] = r.len() as f64;
                candidate[3 * i + 2] = shared(h, r) as f64;
            }
            let score = f_score(&candidate);
            if score > best {
                best = score;
                row.copy_from_slice(&candidate);
            }
        }
    }

    fn score(&self, sum: &[f64]) -> f64 {
        f_score(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mark_is_taken_off() {
        assert_eq!(split_mark("(hi)"), Some(("(hi", ")")));
        assert_eq!(split_mark("(hi"), Some(("(", "hi")));
        assert_eq!(split_mark("é."), Some(("é", ".")));
        assert_eq!(split_mark("。x"), None);
        assert_eq!(split_mark("."), None);
    }

    #[test]
    fn names() {
        assert_eq!(Chrf::default().name(), "chrF2");
        assert_eq!(Chrf::plus_plus().name(), "chrF2++");
    }
}
