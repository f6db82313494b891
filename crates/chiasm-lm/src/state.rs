//! What the decoder remembers between words.

use std::hash::{Hash, Hasher};

/// The longest n-grams a model may have.
pub const MAX_ORDER: usize = 6;

/// The longest context, one word less.
pub(crate) const MAX_CONTEXT: usize = MAX_ORDER - 1;

/// The shortest context that can matter to any word on the right.
///
/// Two hypotheses whose states are equal score every continuation alike, so they may be
/// recombined. Equality and hash look at the words only; the back-offs follow from them.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// The last word first.
    pub(crate) words: [u32; MAX_CONTEXT],
    /// `backoffs[i]` belongs to the context of the last `i + 1` words.
    pub(crate) backoffs: [f32; MAX_CONTEXT],
    pub(crate) length: u32,
}

impl State {
    /// No context.
    pub const fn empty() -> Self {
        State {
            words: [0; MAX_CONTEXT],
            backoffs: [0.0; MAX_CONTEXT],
            length: 0,
        }
    }

    /// A context of these words, the last one first, without back-offs: for models of other kinds that decode beside
    /// n-gram models.
    pub fn of_context(words: &[u32]) -> Self {
        let mut state = State::empty();
        let length = words.len().min(MAX_CONTEXT);
        state.words[..length].copy_from_slice(&words[..length]);
        state.length = length as u32;
        state
    }

    /// The words of the context, the last one first.
    #[inline]
    pub fn context(&self) -> &[u32] {
        &self.words[..(self.length as usize).min(MAX_CONTEXT)]
    }
}

impl Default for State {
    fn default() -> Self {
        State::empty()
    }
}

impl PartialEq for State {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.context() == other.context()
    }
}

impl Eq for State {}

impl Hash for State {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.context().hash(hasher);
    }
}
