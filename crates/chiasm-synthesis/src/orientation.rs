//! Gold phrases and their gold orientations.
//!
//! Every leaf, noun phrase, adjunct and clause of the meaning that is said on both sides, in one piece, and consistently
//! (no word inside says anything that is said outside on the other side) is a gold phrase: a phrase pair that extraction
//! must find. Its orientation is the `word` one, backward: monotone if the source word just before the phrase and the target
//! word just before it say the same leaf, swap if the source word just after and the target word just before do, else
//! discontinuous; at the beginning of both sentences monotone. It is read off the meaning, not off the links, so that
//! it can check programs that start from the links.

use crate::meaning::{Id, NONE};
use crate::side::Side;

/// How a phrase stands to what was said before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Orientation {
    /// In the same order in both languages.
    Monotone,
    /// Exchanged with its neighbour.
    Swap,
    /// Neither.
    Discontinuous,
}

impl Orientation {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Orientation::Monotone => "monotone",
            Orientation::Swap => "swap",
            Orientation::Discontinuous => "discontinuous",
        }
    }
}

/// A gold phrase; spans are inclusive, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GoldPhrase {
    /// First target word.
    pub target_start: u16,
    /// Last target word.
    pub target_end: u16,
    /// First source word.
    pub source_start: u16,
    /// Last source word.
    pub source_end: u16,
    /// Backward, by word links.
    pub orientation: Orientation,
}

/// Collects the gold phrases in target order.
pub(crate) fn gold_phrases(source: &Side, target: &Side, phrases: &mut Vec<GoldPhrase>) {
    phrases.clear();
    for (&(source_start, source_end), &(target_start, target_end)) in
        source.spans.iter().zip(&target.spans)
    {
        if source_start >= source_end || target_start >= target_end {
            continue;
        }
        let (from, to) = ((source_start, source_end), (target_start, target_end));
        if is_consistent(source, from, &target.spans, to)
            && is_consistent(target, to, &source.spans, from)
        {
            phrases.push(GoldPhrase {
                target_start,
                target_end: target_end - 1,
                source_start,
                source_end: source_end - 1,
                orientation: orientation(source, from, target, to),
            });
        }
    }
    phrases.sort_unstable();
    phrases.dedup();
}

/// True if all that is said within `span` is said within `other_span` on the other side, and something is.
fn is_consistent(
    side: &Side,
    span: (u16, u16),
    other: &[(u16, u16)],
    other_span: (u16, u16),
) -> bool {
    let mut linked = false;
    for &leaf in &side.leaves[span.0 as usize..span.1 as usize] {
        if leaf == NONE {
            continue;
        }
        let (start, end) = other[leaf as usize];
        if start < end {
            linked = true;
            if start < other_span.0 || end > other_span.1 {
                return false;
            }
        }
    }
    linked
}

fn orientation(source: &Side, from: (u16, u16), target: &Side, to: (u16, u16)) -> Orientation {
    if to.0 == 0 {
        // Only the corner before both sentences counts as linked.
        return if from.0 == 0 {
            Orientation::Monotone
        } else {
            Orientation::Discontinuous
        };
    }
    let previous = target.leaves[to.0 as usize - 1];
    let says_the_same = |leaf: Option<&Id>| previous != NONE && leaf == Some(&previous);
    let before = from.0.checked_sub(1).map(usize::from);
    let left = says_the_same(before.and_then(|position| source.leaves.get(position)));
    let right = says_the_same(source.leaves.get(from.1 as usize));
    match (left, right) {
        (true, false) => Orientation::Monotone,
        (false, true) => Orientation::Swap,
        _ => Orientation::Discontinuous,
    }
}
