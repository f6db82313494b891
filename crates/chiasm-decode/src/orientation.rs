//! How a phrase lies with respect to the one before it: orientations of source spans.

use Orientation::{DiscontinuousLeft, DiscontinuousRight, Monotone, Swap};
use chiasm_phrases::{Jump, Orientation, Span};

/// Compares spans; before the first phrase `previous` is the empty span at 0. What lies between them is counted from
/// the nearest word of one to the nearest word of the other, as extraction does.
pub fn between(previous: Span, next: Span) -> Jump {
    if next.start == previous.end {
        Monotone.into()
    } else if next.end == previous.start {
        Swap.into()
    } else if next.start > previous.start {
        to_the_right(previous, next)
    } else {
        to_the_left(previous, next)
    }
}

fn to_the_right(previous: Span, next: Span) -> Jump {
    let words = next.start.saturating_sub(previous.end);
    Jump::new(DiscontinuousRight, words as usize)
}

fn to_the_left(previous: Span, next: Span) -> Jump {
    let words = previous.start.saturating_sub(next.end);
    Jump::new(DiscontinuousLeft, words as usize)
}

/// The forward orientation of a hierarchical model, known one step late: `next` need not touch
/// `previous` as long as what lies between can still become one block with it, that is, as long as
/// the word beside `previous` is uncovered.
pub fn forward_hier(previous: Span, next: Span, is_covered: impl Fn(usize) -> bool) -> Jump {
    if next.start >= previous.end {
        if next.start == previous.end || !is_covered(previous.end as usize) {
            Monotone.into()
        } else {
            to_the_right(previous, next)
        }
    } else if next.end == previous.start || !is_covered(previous.start as usize - 1) {
        Swap.into()
    } else {
        to_the_left(previous, next)
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
        assert_eq!(between(span(0, 0), span(0, 2)), Monotone.into());
        assert_eq!(
            between(span(0, 0), span(1, 2)),
            Jump::new(DiscontinuousRight, 1)
        );
        assert_eq!(between(span(3, 5), span(1, 3)), Swap.into());
        assert_eq!(
            between(span(3, 5), span(0, 1)),
            Jump::new(DiscontinuousLeft, 2)
        );
        assert_eq!(
            between(span(3, 5), span(8, 9)),
            Jump::new(DiscontinuousRight, 3)
        );
    }

    #[test]
    fn forward_hier_looks_at_the_word_beside() {
        let open = |_: usize| false;
        let closed = |_: usize| true;
        let (previous, right, left) = (span(3, 5), span(7, 8), span(0, 1));
        assert_eq!(forward_hier(previous, right, open), Monotone.into());
        let far = Jump::new(DiscontinuousRight, 2);
        assert_eq!(forward_hier(previous, right, closed), far);
        assert_eq!(forward_hier(previous, left, open), Swap.into());
        let far = Jump::new(DiscontinuousLeft, 2);
        assert_eq!(forward_hier(previous, left, closed), far);
    }
}
