//! NIST (Doddington 2002) as mteval-v13a counts it.
//!
//! NIST = BP · Σₙ (Σ info of matched n-grams / number of hypothesis n-grams), n = 1..5, where
//! info(w₁..wₙ) = log₂(count(w₁..wₙ₋₁) / count(w₁..wₙ)) over all references of the test set, and
//! BP = exp(β log²(min(1, c/r))), r the mean length of the references and β such that two thirds
//! of the length halve the score. The text is tokenised as in 13a, with ASCII letters in lower case.

use crate::statistics::References;
use crate::tokenize::{Tokenizer, tokens};
use crate::{Metric, Result};
use rustc_hash::FxHashMap;

/// The longest n-gram.
pub const ORDER: usize = 5;
/// Numbers that describe a sentence: both lengths, matched information and n-grams by order.
pub const WIDTH: usize = 2 + 2 * ORDER;

/// An n-gram of word numbers, which start at 1; 0 fills up.
type Ngram = [u32; ORDER];

/// NIST with the information weights of a test set.
#[derive(Debug, Clone)]
pub struct Nist {
    words: FxHashMap<String, u32>,
    counts: FxHashMap<Ngram, u32>,
    total_words: u64,
}

impl Nist {
    /// Counts the n-grams of all references.
    pub fn new(references: &References) -> Result<Self> {
        let mut nist = Nist {
            words: FxHashMap::default(),
            counts: FxHashMap::default(),
            total_words: 0,
        };
        for line in references.lines() {
            let text = normalise(line);
            let mut sentence = Vec::new();
            for word in tokens(&text) {
                let next = nist.words.len() as u32 + 1;
                sentence.push(*nist.words.entry(word.to_string()).or_insert(next));
            }
            nist.total_words += sentence.len() as u64;
            each_ngram(&sentence, |_, ngram| {
                *nist.counts.entry(ngram).or_insert(0) += 1
            });
        }
        Ok(nist)
    }

    /// Numbers of the words; a word that no reference has gets 0.
    fn encode(&self, line: &str) -> Vec<u32> {
        let text = normalise(line);
        let number = |word| self.words.get(word).copied().unwrap_or(0);
        tokens(&text).map(number).collect()
    }

    fn information(&self, order: usize, ngram: &Ngram) -> f64 {
        let count = f64::from(self.counts.get(ngram).copied().unwrap_or(1));
        let context = if order == 0 {
            self.total_words as f64
        } else {
            let mut shorter = *ngram;
            shorter[order] = 0;
            f64::from(self.counts.get(&shorter).copied().unwrap_or(1))
        };
        (context / count).log2()
    }
}

fn normalise(line: &str) -> String {
    Tokenizer::ThirteenA
        .tokenize(&line.to_ascii_lowercase())
        .into_owned()
}

fn each_ngram(sentence: &[u32], mut visit: impl FnMut(usize, Ngram)) {
    for start in 0..sentence.len() {
        let mut ngram = [0; ORDER];
        for (order, &word) in sentence[start..].iter().take(ORDER).enumerate() {
            if word == 0 {
                break;
            }
            ngram[order] = word;
            visit(order, ngram);
        }
    }
}

impl Metric for Nist {
    fn name(&self) -> String {
        "NIST".to_string()
    }

    fn signature(&self, references: usize) -> String {
        format!("nrefs:{references}|case:lc|tok:13a|order:{ORDER}|version:mteval-v13a")
    }

    fn width(&self) -> usize {
        WIDTH
    }

    fn sentence(&self, hypothesis: &str, references: &[&str], row: &mut [f64]) {
        row.fill(0.0);
        let mut most: FxHashMap<Ngram, u32> = FxHashMap::default();
        let mut words = 0;
        for reference in references {
            let sentence = self.encode(reference);
            words += sentence.len();
            let mut counts: FxHashMap<Ngram, u32> = FxHashMap::default();
            each_ngram(&sentence, |_, ngram| *counts.entry(ngram).or_insert(0) += 1);
            for (ngram, count) in counts {
                let most = most.entry(ngram).or_insert(0);
                *most = count.max(*most);
            }
        }
        let sentence = self.encode(hypothesis);
        row[0] = sentence.len() as f64;
        row[1] = words as f64 / references.len().max(1) as f64;
        for n in 0..ORDER {
            row[2 + ORDER + n] = sentence.len().saturating_sub(n) as f64;
        }
        each_ngram(&sentence, |order, ngram| {
            // Each match uses up one of the reference's.
            if let Some(left) = most.get_mut(&ngram)
                && *left > 0
            {
                *left -= 1;
                row[2 + order] += self.information(order, &ngram);
            }
        });
    }

    fn score(&self, sum: &[f64]) -> f64 {
        let mut score = 0.0;
        for n in 0..ORDER {
            let ngrams = sum[2 + ORDER + n];
            if ngrams > 0.0 {
                score += sum[2 + n] / ngrams;
            }
        }
        score * length_penalty(sum[0], sum[1])
    }
}

fn length_penalty(hypothesis: f64, reference: f64) -> f64 {
    if hypothesis >= reference {
        return 1.0;
    }
    if hypothesis <= 0.0 {
        return 0.0;
    }
    let beta = 0.5f64.ln() / 1.5f64.ln().powi(2);
    (beta * (hypothesis / reference).ln().powi(2)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_thirds_of_the_length_halve_the_score() {
        assert!((length_penalty(2.0, 3.0) - 0.5).abs() < 1e-12);
        assert_eq!(length_penalty(0.0, 3.0), 0.0);
        assert_eq!(length_penalty(3.0, 3.0), 1.0);
    }

    #[test]
    fn a_perfect_unigram_is_worth_its_information() {
        let references = References::new(vec![vec!["A".into(), "b b b".into()]]).unwrap();
        let nist = Nist::new(&references).unwrap();
        let mut row = [0.0; WIDTH];
        nist.sentence("a", &["A"], &mut row);
        assert_eq!(nist.score(&row), 2.0, "log2(4 / 1)");
        nist.sentence("", &["A"], &mut row);
        assert_eq!(nist.score(&row), 0.0);
    }
}
