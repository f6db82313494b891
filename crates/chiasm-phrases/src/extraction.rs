//! Which spans form a phrase pair (SPEC section 1).

use crate::alignment::{Alignment, Reach};
use crate::span::{Span, Spans};

/// Calls `found` with every phrase pair of at most `max_length` words a side that is consistent
/// with the links: at least one link inside, none from inside to outside, unaligned words at the
/// edges in or out. Ordered by target end, then falling target start.
pub fn extract(alignment: &Alignment, max_length: usize, mut found: impl FnMut(Spans)) {
    let max = max_length as i32;
    for target_end in 0..alignment.target_length as i32 {
        let mut source = Reach::NONE;
        let first = (target_end - max + 1).max(0);
        for target_start in (first..=target_end).rev() {
            source.include(alignment.of_target[target_start as usize]);
            if source.is_none() {
                continue;
            }
            if source.high - source.low >= max {
                break;
            }
            let target = closure(alignment, source);
            // The closure only grows as the start moves left, so what reaches right of the end
            // now will for good; what reaches left of the start may still come inside.
            if target.high > target_end {
                break;
            }
            if target.low < target_start {
                continue;
            }
            let target = Span::new(target_start as u32, target_end as u32 + 1);
            grow(alignment, source, max, |start, last| {
                let source = Span::new(start as u32, last as u32 + 1);
                found(Spans { source, target });
            });
        }
    }
}

/// The target positions that the source positions reach.
#[inline]
fn closure(alignment: &Alignment, source: Reach) -> Reach {
    let mut target = Reach::NONE;
    for reach in &alignment.of_source[source.low as usize..=source.high as usize] {
        target.include(*reach);
    }
    target
}

/// Every source span that adds only unaligned words at the edges.
#[inline]
fn grow(alignment: &Alignment, source: Reach, max: i32, mut found: impl FnMut(i32, i32)) {
    let mut start = source.low;
    loop {
        let mut end = source.high;
        while end - start < max {
            found(start, end);
            end += 1;
            if end as usize >= alignment.source_length
                || !alignment.of_source[end as usize].is_none()
            {
                break;
            }
        }
        start -= 1;
        if start < 0 || source.high - start >= max || !alignment.of_source[start as usize].is_none()
        {
            return;
        }
    }
}
