//! One direction of alignment: every child word has one parent word on the other side, or none.

use crate::cells::Cells;
use chiasm_text::Text;

/// A direction over a corpus. Forward, the source words are the parents.
#[derive(Clone, Copy)]
pub struct Direction<'a> {
    /// The side that is linked to.
    pub parents: &'a Text,
    /// The side whose every word links to one parent or none.
    pub children: &'a Text,
    /// How many words the parents' vocabulary has.
    pub parent_words: usize,
    /// How many words the children's vocabulary has.
    pub child_words: usize,
    /// The matrix cells of both directions.
    pub cells: &'a Cells,
    /// Are the source words the parents?
    pub forward: bool,
}

impl<'a> Direction<'a> {
    /// A direction over sentences whose words are below `words` (source, target).
    pub fn new(
        (source, target): (&'a Text, &'a Text),
        words: (usize, usize),
        cells: &'a Cells,
        forward: bool,
    ) -> Self {
        let (parents, children) = if forward {
            (source, target)
        } else {
            (target, source)
        };
        let (parent_words, child_words) = if forward { words } else { (words.1, words.0) };
        Direction {
            parents,
            children,
            parent_words,
            child_words,
            cells,
            forward,
        }
    }

    /// How many sentence pairs.
    pub fn sentences(&self) -> usize {
        self.parents.len()
    }

    /// Steps in the cells of a sentence pair from one parent, and from one child, to the next.
    #[inline]
    pub fn strides(&self, parents: usize, children: usize) -> (usize, usize) {
        strides(self.forward, parents, children)
    }

    /// The parent's word of an entry's words.
    #[inline]
    pub fn parent_word(&self, words: (u32, u32)) -> usize {
        (if self.forward { words.0 } else { words.1 }) as usize
    }
}

/// Steps in a source-major matrix from one parent, and from one child, to the next.
#[inline]
pub fn strides(forward: bool, parents: usize, children: usize) -> (usize, usize) {
    if forward { (children, 1) } else { (1, parents) }
}
