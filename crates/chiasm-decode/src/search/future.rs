//! Estimates of what the untranslated words will cost.
//!
//! A span's estimate is that of its best segmentation, each phrase with its language model score in
//! isolation and its best orientations (Koehn 2004, with the reordering models' best case). To it
//! comes the least distance that is still to be jumped (Moore and Quirk 2007).

use crate::options::SentenceOptions;
use chiasm_phrases::Span;

/// Stands for "cannot be translated"; finite, so that sums stay numbers.
const IMPOSSIBLE: f32 = -1e6;

#[derive(Default)]
pub(crate) struct FutureCosts {
    length: usize,
    costs: Vec<f32>,
}

impl FutureCosts {
    pub fn compute(&mut self, options: &SentenceOptions) {
        self.length = options.source.len();
        let width = self.length + 1;
        self.costs.clear();
        self.costs.resize(width * width, 0.0);
        for start in (0..self.length).rev() {
            for end in start + 1..=self.length {
                let mut best = IMPOSSIBLE;
                for first in 1..=options.longest().min(end - start) {
                    if let Some(span) = options.span_at(first, start) {
                        let rest = self.costs[(start + first) * width + end];
                        best = best.max(options.spans[span].best + rest);
                    }
                }
                self.costs[start * width + end] = best;
            }
        }
    }

    /// The estimate of a span.
    #[inline]
    pub fn span(&self, span: Span) -> f32 {
        self.costs[span.start as usize * (self.length + 1) + span.end as usize]
    }

    pub fn gaps(&self, gaps: &[Span]) -> f32 {
        gaps.iter().map(|&gap| self.span(gap)).sum()
    }
}

/// An estimate of the distance that jumps will still add up to, for a hypothesis whose last phrase
/// ended before `position`: that of the cheaper of two orders, all gaps from left to right, or
/// first those to the right. A cleverer order may save a little.
pub(crate) fn least_distance(gaps: &[Span], position: u32) -> f32 {
    let (Some(first), Some(last)) = (gaps.first(), gaps.last()) else {
        return 0.0;
    };
    let covered_between = |gaps: &[Span]| -> u32 {
        let pairs = gaps.windows(2);
        pairs.map(|pair| pair[1].start - pair[0].end).sum()
    };
    let sweep = covered_between(gaps);
    let left_to_right = first.start.abs_diff(position) + sweep;
    let left = gaps.partition_point(|gap| gap.start < position);
    if left == 0 || left == gaps.len() {
        return left_to_right as f32;
    }
    let (before, after) = gaps.split_at(left);
    let right_first = (after[0].start - position)
        + covered_between(after)
        + (last.end - first.start)
        + covered_between(before);
    left_to_right.min(right_first) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Translates the gaps word by word in every order.
    fn by_permutation(words: &[u32], position: u32) -> u32 {
        if words.is_empty() {
            return 0;
        }
        (0..words.len())
            .map(|index| {
                let mut rest = words.to_vec();
                let word = rest.remove(index);
                word.abs_diff(position) + by_permutation(&rest, word + 1)
            })
            .min()
            .unwrap()
    }

    proptest! {
        #[test]
        fn is_what_some_order_costs_and_often_the_best(
            covered in prop::collection::vec(any::<bool>(), 1..8),
            position in 0u32..8,
        ) {
            let words: Vec<u32> = (0..covered.len() as u32)
                .filter(|&word| !covered[word as usize])
                .collect();
            let mut gaps: Vec<Span> = Vec::new();
            for &word in &words {
                match gaps.last_mut() {
                    Some(gap) if gap.end == word => gap.end += 1,
                    _ => gaps.push(Span { start: word, end: word + 1 }),
                }
            }
            let position = position.min(covered.len() as u32);
            // The word before the position has just been translated.
            prop_assume!(!gaps.iter().any(|gap| gap.start < position && position <= gap.end));
            let (estimate, least) = (least_distance(&gaps, position), by_permutation(&words, position) as f32);
            prop_assert!(estimate >= least);
            if gaps.first().is_none_or(|gap| gap.start >= position) {
                prop_assert_eq!(estimate, least);
            }
        }
    }
}
