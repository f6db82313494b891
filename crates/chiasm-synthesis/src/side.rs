//! One side of a sentence pair as it is being said: words, what each says, and where every constituent begins and ends.

use crate::meaning::{Expression, Id, NONE};

/// Kept and cleared, so that no sentence allocates.
#[derive(Default, Debug)]
pub struct Side {
    /// Numbers of the words.
    pub words: Vec<u32>,
    /// The leaf that each word says.
    pub leaves: Vec<Id>,
    /// The words of every block, see [`crate::links`].
    pub members: Vec<Member>,
    /// Begin and end (exclusive) by number of the constituent or leaf; begin past end if it is not said here.
    pub spans: Vec<(u16, u16)>,
}

/// A word of a block.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Number of the constituent that the block is made of.
    pub block: Id,
    /// The word.
    pub position: u16,
    /// One that others may be linked with, not one that only leans on them.
    pub core: bool,
}

/// The span of what is not said.
pub const UNSAID: (u16, u16) = (u16::MAX, 0);

impl Side {
    /// Makes room for a sentence of so many leaves and constituents.
    pub fn clear(&mut self, ids: u16) {
        self.words.clear();
        self.leaves.clear();
        self.members.clear();
        self.spans.clear();
        self.spans.resize(ids as usize, UNSAID);
    }

    /// Says a word.
    pub fn say(&mut self, word: u32, leaf: Id) {
        let position = self.words.len() as u16;
        self.words.push(word);
        self.leaves.push(leaf);
        if leaf != NONE {
            let span = &mut self.spans[leaf as usize];
            span.0 = span.0.min(position);
            span.1 = span.1.max(position + 1);
        }
    }

    /// The word just said is at the core of a block.
    pub fn core(&mut self, block: Id) {
        self.core_at(block, self.here().saturating_sub(1));
    }

    /// The word at `position` is at the core of a block.
    pub fn core_at(&mut self, block: Id, position: u16) {
        self.join(block, position, true);
    }

    /// The word just said leans on a block.
    pub fn lean(&mut self, block: Id) {
        self.join(block, self.here().saturating_sub(1), false);
    }

    fn join(&mut self, block: Id, position: u16, core: bool) {
        self.members.push(Member {
            block,
            position,
            core,
        });
    }

    /// Says a fixed expression: words with their parts.
    pub fn express(&mut self, words: &[(u32, u8)], expression: Expression) {
        let start = self.here();
        for &(word, part) in words {
            self.say(word, expression.leaf + Id::from(part));
            self.core(expression.id);
        }
        self.close(expression.id, start);
    }

    /// Is the leaf said here?
    pub fn says(&self, leaf: Id) -> bool {
        leaf != NONE && self.spans[leaf as usize] != UNSAID
    }

    /// Where the next word will stand.
    pub fn here(&self) -> u16 {
        self.words.len() as u16
    }

    /// A constituent that began at `start` ends here.
    pub fn close(&mut self, id: Id, start: u16) {
        if self.here() > start {
            self.spans[id as usize] = (start, self.here());
        }
    }
}
