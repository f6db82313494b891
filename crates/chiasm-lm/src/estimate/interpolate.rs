//! Probabilities from the lowest order up: p(w | c) = u(w | c) + γ(c) p(w | c without its first
//! word), and the uniform distribution below the 1-grams (Heafield et al. 2013, eq. 4 and 5).

use super::discount::Discounts;
use super::gram::{Gram, Packing};
use super::normalise::Normalised;
use super::tokens::{BEGIN, UNKNOWN};
use crate::{Error, MAX_ORDER, Result};
use chiasm_store::{Sorted, Sorter};
use chiasm_work::Progress;
use std::iter::Peekable;
use std::path::Path;

/// Who takes the finished model: all n-grams of order 1, then of order 2, and so on.
pub(super) trait Sink {
    fn begin_order(&mut self, order: usize) -> Result<()>;
    /// Words in reading order, log10 of probability and back-off.
    fn ngram(&mut self, words: &[u32], probability: f32, backoff: f32) -> Result<()>;
    fn end_order(&mut self, order: usize) -> Result<()>;
}

/// The probabilities of words. `<unk>` gets its share of the uniform distribution; `<s>` is never
/// predicted and has none.
pub(super) fn unigram_probabilities(adjusted: &[u64], discounts: &Discounts) -> Vec<f32> {
    let total: u64 = adjusted.iter().sum();
    let total = total as f64;
    let left: f64 = {
        let mut counts = [0u64; 3];
        for &count in adjusted.iter().filter(|&&count| count > 0) {
            counts[(count.min(3) - 1) as usize] += 1;
        }
        (0..3)
            .map(|i| discounts.0[i] * counts[i] as f64)
            .sum::<f64>()
            / total
    };
    // All words but `<s>`.
    let uniform = f64::from(left as f32) / (adjusted.len() - 1) as f64;
    let probability = |(word, &count): (usize, &u64)| match word as u32 {
        BEGIN => 1.0,
        UNKNOWN => uniform as f32,
        _ => {
            let frequency = (count as f64 - discounts.of(count)) / total;
            (f64::from(frequency as f32) + uniform) as f32
        }
    };
    adjusted.iter().enumerate().map(probability).collect()
}

/// Hands all orders to `sink`.
pub(super) fn interpolate(
    unigrams: &[f32],
    normalised: Vec<Normalised>,
    packing: Packing,
    budget: usize,
    folder: &Path,
    progress: &dyn Progress,
    sink: &mut dyn Sink,
) -> Result<()> {
    let order = normalised.len() + 1;
    let mut ngrams = Vec::with_capacity(order);
    let mut contexts = Vec::with_capacity(order);
    for one in normalised {
        ngrams.push(one.ngrams);
        contexts.push(one.contexts);
    }
    let mut contexts = contexts.into_iter();
    let mut backoffs = Backoffs::new(contexts.next())?;
    sink.begin_order(1)?;
    for (word, &probability) in unigrams.iter().enumerate() {
        let backoff = backoffs.of(word as u128)?;
        sink.ngram(&[word as u32], log10(probability), backoff)?;
    }
    progress.advance(unigrams.len() as u64);
    sink.end_order(1)?;
    let mut lower = Lower::Unigrams(unigrams);
    for (index, list) in ngrams.into_iter().enumerate() {
        let current = index + 2;
        let mut backoffs = Backoffs::new(contexts.next())?;
        let mut finished = (current < order).then(|| Sorter::new(budget, folder));
        let mut words = [0u32; MAX_ORDER];
        sink.begin_order(current)?;
        for gram in list.finish()? {
            let gram = gram?;
            let (key, (frequency, gamma)) = (gram.key(), gram.pair());
            let below = lower.probability(key >> packing.bits)?;
            let probability = (f64::from(frequency) + f64::from(gamma) * f64::from(below)) as f32;
            for (place, word) in words[..current].iter_mut().enumerate() {
                *word = packing.word(key, place);
            }
            let backoff = backoffs.of(key)?;
            sink.ngram(&words[..current], log10(probability), backoff)?;
            if let Some(finished) = &mut finished {
                finished.push(Gram::with_pair(key, probability, 0.0))?;
            }
            progress.advance(1);
        }
        sink.end_order(current)?;
        if let Some(finished) = finished {
            lower = Lower::Ngrams(finished.finish()?.peekable());
        }
    }
    Ok(())
}

fn log10(probability: f32) -> f32 {
    // Rounding can leave a hair more than one.
    (f64::from(probability).log10() as f32).min(0.0)
}

/// γ of contexts in suffix order, asked for in suffix order.
struct Backoffs(Option<Peekable<Sorted<Gram>>>);

impl Backoffs {
    fn new(contexts: Option<Sorter<Gram>>) -> Result<Self> {
        let sorted = contexts.map(Sorter::finish).transpose()?;
        Ok(Backoffs(sorted.map(Iterator::peekable)))
    }

    /// Log10; 0 for what is no context.
    fn of(&mut self, key: u128) -> Result<f32> {
        let Some(contexts) = &mut self.0 else {
            return Ok(0.0);
        };
        Ok(match seek(contexts, key)? {
            Some(gram) => log10(gram.pair().0),
            None => 0.0,
        })
    }
}

/// Probabilities of the order below, asked for in suffix order.
enum Lower<'a> {
    Unigrams(&'a [f32]),
    Ngrams(Peekable<Sorted<Gram>>),
}

impl Lower<'_> {
    fn probability(&mut self, key: u128) -> Result<f32> {
        let found = match self {
            Lower::Unigrams(unigrams) => unigrams.get(key as usize).copied(),
            Lower::Ngrams(ngrams) => seek(ngrams, key)?.map(|gram| gram.pair().0),
        };
        found.ok_or_else(|| Error::Impossible("an n-gram lost its suffix in sorting".into()))
    }
}

/// Goes forward to `key`; what comes before it is gone.
fn seek(sorted: &mut Peekable<Sorted<Gram>>, key: u128) -> Result<Option<Gram>> {
    loop {
        match sorted.peek() {
            Some(Ok(gram)) if gram.key() == key => return Ok(Some(*gram)),
            Some(Ok(gram)) if gram.key() > key => return Ok(None),
            None => return Ok(None),
            Some(_) => {
                if let Some(error) = sorted.next().and_then(std::result::Result::err) {
                    return Err(error.into());
                }
            }
        }
    }
}
