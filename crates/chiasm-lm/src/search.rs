//! The one way through a back-off model, whatever holds its n-grams.

use crate::entry;
use crate::state::{MAX_CONTEXT, State};

/// Something that finds an n-gram from its last word to its first.
pub(crate) trait Search {
    /// Where the search stands after some words.
    type Cursor: Copy;

    /// A word: probability and back-off as stored (see [`entry`]), and where the search stands.
    fn unigram(&self, word: u32) -> (f32, f32, Self::Cursor);

    /// The n-gram found so far with one more word on its left. `matched` is its length, less one.
    fn extend(
        &self,
        cursor: Self::Cursor,
        matched: usize,
        before: u32,
    ) -> Option<(f32, f32, Self::Cursor)>;
}

/// Log10 of the probability of `word` after `state`, the length of the n-gram that was found, and the state after it. The
/// caller has made sure that `word` is a number of the vocabulary.
#[inline(always)]
pub(crate) fn score<S: Search>(
    search: &S,
    state: &State,
    word: u32,
    next: &mut State,
) -> (f32, usize) {
    let (mut probability, backoff, mut cursor) = search.unigram(word);
    next.words[0] = word;
    next.backoffs[0] = backoff;
    next.length = u32::from(entry::extends_right(backoff));
    let context = state.context();
    let mut matched = 0;
    while matched < context.len() && entry::extends_left(probability) {
        let before = context[matched];
        let Some((stored, backoff, further)) = search.extend(cursor, matched, before) else {
            break;
        };
        (probability, cursor) = (stored, further);
        matched += 1;
        // The longest n-grams have no back-off and are in no state.
        if matched < MAX_CONTEXT {
            next.words[matched] = before;
            next.backoffs[matched] = backoff;
            if entry::extends_right(backoff) {
                next.length = matched as u32 + 1;
            }
        }
    }
    // Back off from the contexts that are longer than the one that was found.
    let mut total = entry::probability(probability);
    for backoff in &state.backoffs[matched..context.len()] {
        total += backoff;
    }
    (total, matched + 1)
}

/// Log10 of probability and back-off of the n-gram of these words, if it is there; the vocabulary has so many.
pub(crate) fn ngram<S: Search>(search: &S, words: &[u32], vocabulary: usize) -> Option<(f32, f32)> {
    let (&last, before) = words.split_last()?;
    if words.iter().any(|&word| word as usize >= vocabulary) {
        return None;
    }
    let (mut stored, mut backoff, mut cursor) = search.unigram(last);
    for (matched, &word) in before.iter().rev().enumerate() {
        if !entry::extends_left(stored) {
            return None;
        }
        (stored, backoff, cursor) = search.extend(cursor, matched, word)?;
    }
    Some((entry::probability(stored), backoff + 0.0))
}
