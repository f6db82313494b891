//! BLEU (Papineni et al. 2002) as sacreBLEU 2 counts it.
//!
//! BLEU = BP · exp(¼ Σₙ log pₙ), pₙ the share of the hypothesis n-grams that occur in a
//! reference, each counted at most as often as in the reference that has it most; BP = exp(1 - r/c)
//! if the hypotheses are shorter (c) than the closest references (r).

use crate::tokenize::{Tokenizer, is_space, tokens};
use crate::{Error, Metric, SACREBLEU_VERSION};
use rustc_hash::FxHashMap;
use std::fmt;
use std::str::FromStr;

/// The longest n-gram.
pub const ORDER: usize = 4;
/// Numbers that describe a sentence: both lengths, matches and n-grams by order.
pub const WIDTH: usize = 2 + 2 * ORDER;

/// What happens to an order without a match (Chen & Cherry 2014).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Smoothing {
    /// Nothing: the score is 0.
    None,
    /// Matches are at least this (method 1).
    Floor(f64),
    /// This is added to matches and n-grams above unigrams (method 2).
    AddK(f64),
    /// The k-th order without a match counts 1/2ᵏ matches (method 3, as in mteval).
    Exponential,
}

impl Smoothing {
    /// The method called `name`, with `value` instead of its usual parameter.
    pub fn named(name: &str, value: Option<f64>) -> Result<Self, Error> {
        if let Some(value) = value
            && !(value.is_finite() && value > 0.0)
        {
            let found = value.to_string();
            return Err(Error::NotPositive { found });
        }
        match name {
            "none" => Ok(Smoothing::None),
            "floor" => Ok(Smoothing::Floor(value.unwrap_or(0.1))),
            "add-k" => Ok(Smoothing::AddK(value.unwrap_or(1.0))),
            "exp" => Ok(Smoothing::Exponential),
            _ => Err(Error::UnknownName {
                what: "smoothing method",
                found: name.to_string(),
                expected: "none, floor, add-k, exp",
            }),
        }
    }
}

impl FromStr for Smoothing {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Smoothing::named(name, None)
    }
}

impl fmt::Display for Smoothing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Smoothing::None => f.write_str("none"),
            Smoothing::Floor(value) => write!(f, "floor[{value:.2}]"),
            Smoothing::AddK(value) => write!(f, "add-k[{value:.2}]"),
            Smoothing::Exponential => f.write_str("exp"),
        }
    }
}

/// The counts of one sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Words of the hypothesis.
    pub hypothesis_length: u32,
    /// Words of the reference closest in length, the shorter one of two.
    pub reference_length: u32,
    /// Hypothesis n-grams found in a reference, by order, clipped.
    pub correct: [u32; ORDER],
    /// Hypothesis n-grams, by order.
    pub total: [u32; ORDER],
}

impl Counts {
    /// The counts as a row: hypothesis length, reference length, correct, total.
    pub fn row(&self) -> [f64; WIDTH] {
        let mut row = [0.0; WIDTH];
        row[0] = f64::from(self.hypothesis_length);
        row[1] = f64::from(self.reference_length);
        for n in 0..ORDER {
            row[2 + n] = f64::from(self.correct[n]);
            row[2 + ORDER + n] = f64::from(self.total[n]);
        }
        row
    }
}

/// The references of one sentence, made ready to count many hypotheses against. Tokens are numbers
/// of the caller's choice.
#[derive(Debug, Clone, Default)]
pub struct SentenceReferences {
    /// The place of each reference n-gram in `most`. Tokens are packed with 32 bits each, one more
    /// than their place in `tokens`, so that orders cannot be confused.
    places: FxHashMap<u128, u32>,
    /// How often a reference has the n-gram at most.
    most: Vec<u32>,
    tokens: FxHashMap<u32, u32>,
    lengths: Vec<u32>,
}

impl SentenceReferences {
    /// Prepares the references of a sentence.
    pub fn new<R: AsRef<[u32]>>(references: &[R]) -> Self {
        let mut prepared = SentenceReferences::default();
        let mut counts: FxHashMap<u128, u32> = FxHashMap::default();
        for reference in references {
            let reference = reference.as_ref();
            let mut packed = Vec::with_capacity(reference.len());
            for &token in reference {
                let next = prepared.tokens.len() as u32 + 1;
                packed.push(*prepared.tokens.entry(token).or_insert(next));
            }
            prepared.lengths.push(reference.len() as u32);
            counts.clear();
            each_ngram(&packed, |_, ngram| *counts.entry(ngram).or_insert(0) += 1);
            for (&ngram, &count) in &counts {
                let next = prepared.most.len() as u32;
                let place = *prepared.places.entry(ngram).or_insert(next);
                if place == next {
                    prepared.most.push(count);
                } else {
                    let most = &mut prepared.most[place as usize];
                    *most = count.max(*most);
                }
            }
        }
        prepared
    }

    /// Counts a hypothesis.
    pub fn count(&self, hypothesis: &[u32]) -> Counts {
        let length = hypothesis.len() as u32;
        let mut counts = Counts {
            hypothesis_length: length,
            reference_length: self.closest_length(length),
            ..Counts::default()
        };
        for n in 0..ORDER {
            counts.total[n] = length.saturating_sub(n as u32);
        }
        let packed: Vec<u32> = hypothesis
            .iter()
            .map(|token| self.tokens.get(token).copied().unwrap_or(0))
            .collect();
        let mut seen = vec![0u32; self.most.len()];
        each_ngram(&packed, |order, ngram| {
            if let Some(&place) = self.places.get(&ngram) {
                let seen = &mut seen[place as usize];
                *seen += 1;
                counts.correct[order] += u32::from(*seen <= self.most[place as usize]);
            }
        });
        counts
    }

    fn closest_length(&self, length: u32) -> u32 {
        let distance = |&reference: &u32| (reference.abs_diff(length), reference);
        self.lengths
            .iter()
            .copied()
            .min_by_key(distance)
            .unwrap_or(0)
    }
}

/// Calls `visit` with order - 1 and the packed n-gram for every n-gram without a 0 in it.
fn each_ngram(packed: &[u32], mut visit: impl FnMut(usize, u128)) {
    for start in 0..packed.len() {
        let mut ngram = 0u128;
        for (order, &token) in packed[start..].iter().take(ORDER).enumerate() {
            if token == 0 {
                break;
            }
            ngram = ngram << 32 | u128::from(token);
            visit(order, ngram);
        }
    }
}

/// A BLEU score and what it is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// BLEU, 0 to 100.
    pub score: f64,
    /// n-gram precisions, smoothed, 0 to 100.
    pub precisions: [f64; ORDER],
    /// The brevity penalty.
    pub brevity_penalty: f64,
    /// Words of the hypotheses.
    pub hypothesis_length: f64,
    /// Words of the closest references.
    pub reference_length: f64,
}

impl fmt::Display for Score {
    /// sacreBLEU's one line, without the signature.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, two, three, four] = self.precisions;
        let (hypothesis, reference) = (self.hypothesis_length, self.reference_length);
        let ratio = if reference > 0.0 {
            hypothesis / reference
        } else {
            0.0
        };
        write!(
            f,
            "BLEU = {:.2} {one:.1}/{two:.1}/{three:.1}/{four:.1} (BP = {:.3} ratio = {ratio:.3} \
             hyp_len = {hypothesis:.0} ref_len = {reference:.0})",
            self.score, self.brevity_penalty
        )
    }
}

/// The score of summed counts (see [`Counts::row`] for the order). `effective_order` leaves out
/// orders for which there are no n-grams at all, as is sensible for single sentences.
pub fn score(sum: &[f64; WIDTH], smoothing: Smoothing, effective_order: bool) -> Score {
    let (hypothesis_length, reference_length) = (sum[0], sum[1]);
    let brevity_penalty = if hypothesis_length >= reference_length {
        1.0
    } else if hypothesis_length > 0.0 {
        (1.0 - reference_length / hypothesis_length).exp()
    } else {
        0.0
    };
    let mut result = Score {
        score: 0.0,
        precisions: [0.0; ORDER],
        brevity_penalty,
        hypothesis_length,
        reference_length,
    };
    if sum[2..2 + ORDER].iter().all(|&correct| correct == 0.0) {
        return result;
    }
    let mut orders = ORDER;
    let mut exponential = 1.0;
    for n in 0..ORDER {
        let (mut correct, mut total) = (sum[2 + n], sum[2 + ORDER + n]);
        if let Smoothing::AddK(k) = smoothing
            && n > 0
        {
            correct += k;
            total += k;
        }
        if total == 0.0 {
            break;
        }
        if effective_order {
            orders = n + 1;
        }
        result.precisions[n] = if correct > 0.0 {
            100.0 * correct / total
        } else {
            match smoothing {
                Smoothing::Exponential => {
                    exponential *= 2.0;
                    100.0 / (exponential * total)
                }
                Smoothing::Floor(floor) => 100.0 * floor / total,
                Smoothing::None | Smoothing::AddK(_) => 0.0,
            }
        };
    }
    let logarithms = result.precisions[..orders].iter().map(|&p| p.ln());
    // A precision of 0 has the logarithm -∞, and the score is 0.
    result.score = brevity_penalty * (logarithms.sum::<f64>() / orders as f64).exp();
    result
}

/// BLEU with its settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bleu {
    /// How lines become tokens.
    pub tokenizer: Tokenizer,
    /// What happens to an order without a match.
    pub smoothing: Smoothing,
    /// Compare in lower case.
    pub lowercase: bool,
    /// Leave out orders for which there are no n-grams; for single sentences.
    pub effective_order: bool,
}

impl Default for Bleu {
    /// sacreBLEU's default.
    fn default() -> Self {
        Bleu {
            tokenizer: Tokenizer::ThirteenA,
            smoothing: Smoothing::Exponential,
            lowercase: false,
            effective_order: false,
        }
    }
}

impl Bleu {
    /// The counts of one sentence.
    pub fn counts(&self, hypothesis: &str, references: &[&str]) -> Counts {
        let mut ids: FxHashMap<String, u32> = FxHashMap::default();
        let mut encoded = Vec::with_capacity(references.len());
        for reference in references {
            encoded.push(self.encode(reference, &mut ids));
        }
        let prepared = SentenceReferences::new(&encoded);
        prepared.count(&self.encode(hypothesis, &mut ids))
    }

    fn encode(&self, line: &str, ids: &mut FxHashMap<String, u32>) -> Vec<u32> {
        let lowered = self.lowercase.then(|| line.to_lowercase());
        let line = lowered
            .as_deref()
            .unwrap_or(line)
            .trim_end_matches(is_space);
        let text = self.tokenizer.tokenize(line);
        let mut sentence = Vec::new();
        for token in tokens(&text) {
            let id = match ids.get(token) {
                Some(&id) => id,
                None => {
                    let id = ids.len() as u32;
                    ids.insert(token.to_string(), id);
                    id
                }
            };
            sentence.push(id);
        }
        sentence
    }

    /// The score with its parts.
    pub fn detailed(&self, sum: &[f64; WIDTH]) -> Score {
        score(sum, self.smoothing, self.effective_order)
    }

    /// BLEU of one sentence.
    pub fn sentence_score(&self, hypothesis: &str, references: &[&str]) -> f64 {
        self.detailed(&self.counts(hypothesis, references).row())
            .score
    }
}

impl Metric for Bleu {
    fn name(&self) -> String {
        "BLEU".to_string()
    }

    fn signature(&self, references: usize) -> String {
        let case = if self.lowercase { "lc" } else { "mixed" };
        let effective = if self.effective_order { "yes" } else { "no" };
        format!(
            "nrefs:{references}|case:{case}|eff:{effective}|tok:{}|smooth:{}|version:{SACREBLEU_VERSION}",
            self.tokenizer.name(),
            self.smoothing
        )
    }

    fn width(&self) -> usize {
        WIDTH
    }

    fn sentence(&self, hypothesis: &str, references: &[&str], row: &mut [f64]) {
        row.copy_from_slice(&self.counts(hypothesis, references).row());
    }

    fn score(&self, sum: &[f64]) -> f64 {
        let mut row = [0.0; WIDTH];
        row.copy_from_slice(sum);
        self.detailed(&row).score
    }
}
