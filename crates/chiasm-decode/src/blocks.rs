//! The shift-reduce stack of source blocks (Galley and Manning 2008).

use chiasm_phrases::Span;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// The stack before the first phrase.
pub(crate) const NO_BLOCKS: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Block {
    span: Span,
    below: u32,
}

/// All stacks of one sentence, each stored once, so that equal stacks have equal numbers and a
/// hypothesis carries its stack as one `u32`.
#[derive(Default)]
pub(crate) struct BlockStacks {
    blocks: Vec<Block>,
    numbers: HashMap<(Span, u32), u32, FxBuildHasher>,
}

impl BlockStacks {
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.numbers.clear();
    }

    /// The block on top; the empty span at 0 before the first phrase.
    pub fn top(&self, stack: u32) -> Span {
        self.blocks
            .get(stack as usize)
            .map_or(Span::default(), |block| block.span)
    }

    /// Shifts a phrase and reduces as long as the two topmost blocks touch.
    pub fn push(&mut self, stack: u32, phrase: Span) -> u32 {
        let (mut span, mut below) = (phrase, stack);
        while let Some(top) = self.blocks.get(below as usize) {
            if top.span.end == span.start {
                span.start = top.span.start;
            } else if span.end == top.span.start {
                span.end = top.span.end;
            } else {
                break;
            }
            below = top.below;
        }
        let next = self.blocks.len() as u32;
        let blocks = &mut self.blocks;
        *self.numbers.entry((span, below)).or_insert_with(|| {
            blocks.push(Block { span, below });
            next
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn span(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The slow and obvious version: a vector of spans.
    fn push_slowly(stack: &mut Vec<Span>, phrase: Span) {
        stack.push(phrase);
        while stack.len() >= 2 {
            let (a, b) = (stack[stack.len() - 2], stack[stack.len() - 1]);
            if a.end != b.start && b.end != a.start {
                break;
            }
            stack.truncate(stack.len() - 2);
            stack.push(span(a.start.min(b.start), a.end.max(b.end)));
        }
    }

    #[test]
    fn reduces_through_to_the_bottom() {
        let mut stacks = BlockStacks::default();
        let mut stack = NO_BLOCKS;
        for (start, end) in [(0, 1), (2, 3), (1, 2)] {
            stack = stacks.push(stack, span(start, end));
        }
        assert_eq!(stacks.top(stack), span(0, 3));
        assert_eq!(stack, stacks.push(NO_BLOCKS, span(0, 3)));
    }

    proptest! {
        #[test]
        fn equals_the_slow_version(order in Just((0u32..9).collect::<Vec<_>>()).prop_shuffle()) {
            let mut stacks = BlockStacks::default();
            let (mut stack, mut slow) = (NO_BLOCKS, Vec::new());
            for &word in &order {
                stack = stacks.push(stack, span(word, word + 1));
                push_slowly(&mut slow, span(word, word + 1));
                prop_assert_eq!(stacks.top(stack), slow[slow.len() - 1]);
            }
        }
    }
}
