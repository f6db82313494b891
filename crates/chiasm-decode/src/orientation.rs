//! How a phrase lies with respect to the one before it: orientations of source spans.

use Orientation::{DiscontinuousLeft, DiscontinuousRight, Monotone, Swap};
use chiasm_phrases::{Orientation, Span};
/// Compares spans; before the first phrase `previous` is the empty span at 0.
pub fn between(previous: Span, next: Span) -> Orientation {
    if next.start == previous.end {
        Monotone
    } else if next.end == previous.start {
        Swap
    } else if next.start > previous.start {
        DiscontinuousRight
    } else {
        DiscontinuousLeft
    }
}

/// The forward orientation of a hierarchical model, known one step late: `next` need not touch
/// `previous` as long as what lies between can still become one block with it, that is, as long as
/// the word beside `previous` is uncovered.
pub fn forward_hier(previous: Span, next: Span, is_covered: impl Fn(usize) -> bool) -> Orientation {
    if next.start >= previous.end {
        if next.start == previous.end || !is_covered(previous.end as usize) {
            Monotone
        } else {
            DiscontinuousRight
        }
    } else if next.end == previous.start || !is_covered(previous.start as usize - 1) {
        Swap
    } else {
        DiscontinuousLeft
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    #[test]
    fn relations_of_spans() {
        assert_eq!(between(span(0, 0), span(0, 2)), Monotone);
        assert_eq!(between(span(0, 0), span(1, 2)), DiscontinuousRight);
        assert_eq!(between(span(3, 5), span(1, 3)), Swap);
        assert_eq!(between(span(3, 5), span(0, 2)), DiscontinuousLeft);
        assert_eq!(between(span(3, 5), span(7, 8)), DiscontinuousRight);
    }

    #[test]
    fn forward_hier_looks_at_the_word_beside() {
        let open = |_: usize| false;
        let closed = |_: usize| true;
        let (previous, right, left) = (span(3, 5), span(7, 8), span(0, 1));
        assert_eq!(forward_hier(previous, right, open), Monotone);
        assert_eq!(forward_hier(previous, right, closed), DiscontinuousRight);
        assert_eq!(forward_hier(previous, left, open), Swap);
        assert_eq!(forward_hier(previous, left, closed), DiscontinuousLeft);
    }
}
