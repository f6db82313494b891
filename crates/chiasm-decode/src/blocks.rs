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

/// May a phrase follow if every jump is to be a straight or inverted join of neighbours (Xiong et al. 2006), that is, if
/// the whole order is to be one of a binary tree? What lies between the phrase and the block on top must join the
/// two, since only neighbours on the stack are joined: so none of it may be part of another block. That suffices, too:
/// what lies between the two topmost blocks can always be translated next.
pub(crate) fn can_be_joined(
    top: Option<Span>,
    phrase: Span,
    is_covered: impl Fn(usize) -> bool,
) -> bool {
    let between = top.map_or(0..0, |top| words_between(top, phrase));
    !between.into_iter().any(is_covered)
}

/// The source words between two spans that do not overlap.
pub(crate) fn words_between(a: Span, b: Span) -> std::ops::Range<usize> {
    let (left, right) = if a.start <= b.start { (a, b) } else { (b, a) };
    left.end as usize..right.start.max(left.end) as usize
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

    /// Is the order one of a binary tree whose nodes join neighbours? By trying every way to cut it in two.
    fn is_binary(order: &[u32]) -> bool {
        let is_block = |words: &[u32]| {
            let (low, high) = (words.iter().min().unwrap(), words.iter().max().unwrap());
            (high - low) as usize + 1 == words.len()
        };
        order.len() == 1
            || (1..order.len()).any(|cut| {
                let (first, second) = order.split_at(cut);
                is_block(first) && is_block(second) && is_binary(first) && is_binary(second)
            })
    }

    /// Is every word of the order allowed, one after another?
    fn is_allowed(order: &[u32]) -> bool {
        let mut stacks = BlockStacks::default();
        let mut stack = NO_BLOCKS;
        order.iter().enumerate().all(|(done, &word)| {
            let covered = |position: usize| order[..done].contains(&(position as u32));
            let top = (stack != NO_BLOCKS).then(|| stacks.top(stack));
            let allowed = can_be_joined(top, span(word, word + 1), covered);
            stack = stacks.push(stack, span(word, word + 1));
            allowed
        })
    }

    fn for_each_order(words: u32, start: &mut Vec<u32>, found: &mut dyn FnMut(&[u32])) {
        if start.len() == words as usize {
            return found(start);
        }
        for word in 0..words {
            if !start.contains(&word) {
                start.push(word);
                for_each_order(words, start, found);
                start.pop();
            }
        }
    }

    #[test]
    fn joins_are_straight_or_inverted_in_binary_orders_and_no_others() {
        let mut counts = Vec::new();
        for words in 1..=7 {
            let mut allowed = 0;
            for_each_order(words, &mut Vec::new(), &mut |order| {
                assert_eq!(is_allowed(order), is_binary(order), "{order:?}");
                allowed += usize::from(is_allowed(order));
            });
            counts.push(allowed);
        }
        // The large Schröder numbers (Zens & Ney 2003).
        assert_eq!(counts, [1, 2, 6, 22, 90, 394, 1806]);
        assert!(!is_allowed(&[1, 3, 0, 2]) && !is_allowed(&[2, 0, 3, 1]));
    }

    #[test]
    fn what_is_allowed_can_be_completed() {
        for_each_order(6, &mut Vec::new(), &mut |order| {
            for length in 1..6 {
                let start = &order[..length];
                if is_allowed(start) {
                    let next = (0..6).filter(|word| !start.contains(word));
                    let mut longer = next.map(|word| [start, &[word]].concat());
                    assert!(longer.any(|longer| is_allowed(&longer)), "{start:?}");
                }
            }
        });
    }
}
