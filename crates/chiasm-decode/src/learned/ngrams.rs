//! A language model that believes what it has just seen: on top of any model's p(w|h),
//!
//! p_0 = (c(w) + t p) / (N + t), p_k = (c(h_k w) + m D(h_k) p_{k-1}) / (c(h_k) + m D(h_k))
//!
//! for the last k = 1, 2, 3 words h_k before w, D the number of different words seen after h_k (Witten and Bell 1991), t and m
//! the strengths. Contexts that were never seen change nothing.

use super::Strengths;
use chiasm_lm::State;
use hashbrown::HashMap;
use rustc_hash::{FxBuildHasher, FxHasher};
use std::hash::Hasher;

/// Contexts are at most so long.
const CONTEXT: usize = 3;

/// Marks before and after a sentence; no vocabulary is so large.
const BEGIN: u32 = u32::MAX;
const END: u32 = u32::MAX - 1;

/// How often something was seen, and how many different words after it.
#[derive(Clone, Copy, Debug, Default)]
struct Sightings {
    count: u32,
    /// As a context.
    followed: u32,
    different: u32,
}

/// The n-grams of all that was learned, by hashes of their words.
#[derive(Clone, Debug, Default)]
pub(crate) struct NGrams {
    seen: HashMap<u64, Sightings, FxBuildHasher>,
}

/// Words in reading order, the last of them `last`.
fn key(context_last_first: &[u32], last: Option<u32>) -> u64 {
    let mut hasher = FxHasher::default();
    for &word in context_last_first.iter().rev() {
        hasher.write_u32(word);
    }
    if let Some(word) = last {
        hasher.write_u32(word);
    }
    let length = context_last_first.len() + usize::from(last.is_some());
    hasher.write_usize(length);
    hasher.finish()
}

impl NGrams {
    pub fn add(&mut self, words: &[u32]) {
        // The last word first, as states have them.
        let mut context = vec![BEGIN];
        for &word in words.iter().chain([&END]) {
            for length in 0..=context.len().min(CONTEXT) {
                let before = &context[..length];
                let gram = self.seen.entry(key(before, Some(word))).or_default();
                gram.count += 1;
                let new = gram.count == 1;
                let before = self.seen.entry(key(before, None)).or_default();
                before.followed += 1;
                before.different += u32::from(new);
            }
            context.insert(0, word);
            context.truncate(CONTEXT);
        }
    }

    pub fn begin(&self) -> State {
        self.shortened(&[BEGIN])
    }

    /// As much of the context as was ever followed by something.
    fn shortened(&self, context: &[u32]) -> State {
        let mut length = 0;
        while length < context.len().min(CONTEXT) && self.followed(&context[..=length]).followed > 0
        {
            length += 1;
        }
        State::of_context(&context[..length])
    }

    fn followed(&self, context: &[u32]) -> Sightings {
        self.seen
            .get(&key(context, None))
            .copied()
            .unwrap_or_default()
    }

    /// What is to be added to the logarithm of a word's probability, and the state after the word. `logarithm` is asked only
    /// for words that were seen.
    pub fn gain(
        &self,
        strengths: &Strengths,
        state: &State,
        word: u32,
        logarithm: impl FnOnce() -> f32,
    ) -> (f32, State) {
        let context = state.context();
        let seen = self.seen.contains_key(&key(&[], Some(word)));
        let before = if seen {
            f64::from(logarithm()).exp()
        } else {
            0.0
        };
        // Without a sighting all that happens is that the model's share shrinks.
        let (mut probability, mut shrunk) = (before, 0.0);
        for length in 0..=context.len() {
            let context = &context[..length];
            let of_context = self.followed(context);
            if of_context.followed == 0 {
                break;
            }
            let gram = match seen {
                true => self
                    .seen
                    .get(&key(context, Some(word)))
                    .map_or(0, |gram| gram.count),
                false => 0,
            };
            let share = f64::from(match length {
                0 => strengths.text,
                _ => strengths.context * of_context.different as f32,
            });
            let total = f64::from(of_context.followed) + share;
            probability = (f64::from(gram) + share * probability) / total;
            shrunk += (share / total).ln();
        }
        let gain = match seen && before > 0.0 {
            true => (probability / before).ln(),
            false => shrunk,
        };
        let mut next: Vec<u32> = Vec::with_capacity(CONTEXT);
        next.push(word);
        next.extend(context.iter().take(CONTEXT - 1));
        (gain as f32, self.shortened(&next))
    }

    /// The same for the end of the sentence.
    pub fn gain_of_end(
        &self,
        strengths: &Strengths,
        state: &State,
        logarithm: impl FnOnce() -> f32,
    ) -> f32 {
        self.gain(strengths, state, END, logarithm).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Probabilities after any context still add up to one: what sightings take, the model loses.
    #[test]
    fn gains_leave_a_distribution() {
        let mut grams = NGrams::default();
        grams.add(&[1, 2, 3, 1, 2]);
        grams.add(&[2, 2, 1]);
        let strengths = Strengths {
            text: 7.0,
            context: 0.5,
            ..Strengths::default()
        };
        let base = [0.1_f32, 0.3, 0.2, 0.15, 0.05, 0.2]; // words 0 to 4, and the end
        let mut state = grams.begin();
        for word in [2, 2, 1, 2, 3, 4, 1] {
            let gain = |at: usize| match at {
                5 => grams.gain_of_end(&strengths, &state, || base[5].ln()),
                word => {
                    grams
                        .gain(&strengths, &state, word as u32, || base[word].ln())
                        .0
                }
            };
            let total: f32 = (0..6).map(|at| base[at] * gain(at).exp()).sum();
            assert!(
                (total - 1.0).abs() < 1e-5,
                "{total} after {:?}",
                state.context()
            );
            state = grams
                .gain(&strengths, &state, word, || base[word as usize].ln())
                .1;
        }
        let nothing = NGrams::default();
        assert_eq!(
            nothing.gain(&strengths, &nothing.begin(), 1, || -1.0),
            (0.0, State::empty())
        );
    }

    #[test]
    fn a_state_remembers_only_what_matters() {
        let mut grams = NGrams::default();
        grams.add(&[1, 2]);
        let state = grams
            .gain(&Strengths::default(), &grams.begin(), 9, || -1.0)
            .1;
        assert_eq!(state, State::empty());
        let state = grams.gain(&Strengths::default(), &state, 1, || -1.0).1;
        assert_eq!(state.context(), [1]);
    }
}
