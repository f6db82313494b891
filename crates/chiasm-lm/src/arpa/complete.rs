//! Lists whose n-grams lack their suffix or prefix, as pruning elsewhere can leave them.
//!
//! The missing n-grams are put in with the probability that the model gives them anyway, by
//! backing off, and a back-off of 0: no score changes, and a search may stop at the first n-gram
//! that is not there. (In a broken model, backing off can give more than one; that is cut to one.)

use super::{NgramList, OrderList};
use crate::hash;
use std::collections::HashMap;

impl NgramList {
    /// Puts in every suffix and prefix that is missing; says how many there were.
    pub fn complete(&mut self) -> u64 {
        let mut added = 0;
        for order in (2..self.orders.len()).rev() {
            added += self.add_missing(order);
        }
        for order in 2..self.orders.len() {
            self.score_missing(order);
        }
        added
    }

    /// Adds to `order` (2 or more) what the n-grams one longer lack, not yet with a probability.
    fn add_missing(&mut self, order: usize) -> u64 {
        let (lower, upper) = self.orders.split_at_mut(order);
        let list = &mut lower[order - 1];
        let mut known = list.index(order);
        let before = list.len();
        for words in upper[0].words.chunks_exact(order + 1) {
            for part in [&words[1..], &words[..order]] {
                known.entry(hash::ngram(part)).or_insert_with(|| {
                    list.push(part, f32::NAN, 0.0);
                    list.len() - 1
                });
            }
        }
        (list.len() - before) as u64
    }

    /// p(w | context) = back-off(context) p(w | context without its first word).
    fn score_missing(&mut self, order: usize) {
        let (lower, upper) = self.orders.split_at_mut(order - 1);
        let (shorter, list) = (&lower[order - 2], &mut upper[0]);
        if !list.probabilities.iter().any(|p| p.is_nan()) {
            return;
        }
        let index = shorter.index(order - 1);
        for (gram, words) in list.words.chunks_exact(order).enumerate() {
            if list.probabilities[gram].is_nan() {
                let suffix = index.get(&hash::ngram(&words[1..]));
                let prefix = index.get(&hash::ngram(&words[..order - 1]));
                let lower = suffix.map_or(0.0, |&at| shorter.probabilities[at]);
                let backoff = prefix.map_or(0.0, |&at| shorter.backoffs[at]);
                list.probabilities[gram] = (lower + backoff).min(0.0);
            }
        }
    }
}

impl OrderList {
    fn index(&self, order: usize) -> HashMap<u64, usize> {
        let grams = self.words.chunks_exact(order).enumerate();
        grams.map(|(at, words)| (hash::ngram(words), at)).collect()
    }
}
