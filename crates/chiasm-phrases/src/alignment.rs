//! The links of one sentence pair, laid out for quick questions.

use crate::span::{PhraseLink, Span, Spans};
use chiasm_text::Link;
use std::ops::Range;

/// A range of positions, both ends included; `NONE` where there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    pub low: i32,
    pub high: i32,
}

impl Reach {
    pub const NONE: Reach = Reach {
        low: i32::MAX,
        high: -1,
    };

    pub fn is_none(self) -> bool {
        self.high < 0
    }

    pub fn include(&mut self, other: Reach) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
    }
}

/// The links of one sentence pair. Reused from pair to pair: loading allocates nothing once the
/// longest sentence has been seen.
#[derive(Clone, Debug, Default)]
pub struct Alignment {
    pub(crate) source_length: usize,
    pub(crate) target_length: usize,
    /// For each source position, the target positions that it reaches.
    pub(crate) of_source: Vec<Reach>,
    /// For each target position, the source positions that it reaches.
    pub(crate) of_target: Vec<Reach>,
    /// Links by target: the source positions of target `t` are
    /// `sources[target_offsets[t]..target_offsets[t + 1]]`, rising.
    target_offsets: Vec<u32>,
    sources: Vec<u32>,
}

impl Alignment {
    /// Takes the links (sorted by source, within the lengths) of a sentence pair.
    pub fn load(&mut self, links: &[Link], source_length: usize, target_length: usize) {
        self.source_length = source_length;
        self.target_length = target_length;
        for (reach, length) in [
            (&mut self.of_source, source_length),
            (&mut self.of_target, target_length),
        ] {
            reach.clear();
            reach.resize(length, Reach::NONE);
        }
        self.target_offsets.clear();
        self.target_offsets.resize(target_length + 1, 0);
        self.sources.clear();
        self.sources.resize(links.len(), 0);
        for link in links {
            let (source, target) = (link.source as i32, link.target as i32);
            self.of_source[link.source as usize].include(Reach {
                low: target,
                high: target,
            });
            self.of_target[link.target as usize].include(Reach {
                low: source,
                high: source,
            });
            self.target_offsets[link.target as usize] += 1;
        }
        let mut end = 0;
        for offset in &mut self.target_offsets {
            end += *offset;
            *offset = end;
        }
        // From the back, so that each offset ends as the start of its row and rows rise.
        for link in links.iter().rev() {
            let offset = &mut self.target_offsets[link.target as usize];
            *offset -= 1;
            self.sources[*offset as usize] = link.source;
        }
    }

    /// Words of the source sentence.
    pub fn source_length(&self) -> usize {
        self.source_length
    }

    /// Words of the target sentence.
    pub fn target_length(&self) -> usize {
        self.target_length
    }

    /// The source positions linked to a target position, rising.
    #[inline]
    pub fn sources(&self, target: usize) -> &[u32] {
        let (start, end) = (self.target_offsets[target], self.target_offsets[target + 1]);
        &self.sources[start as usize..end as usize]
    }

    /// How many links the words of a target span have.
    #[inline]
    pub(crate) fn links_of(&self, target: Span) -> usize {
        let Range { start, end } = target.range();
        (self.target_offsets[end] - self.target_offsets[start]) as usize
    }

    /// The links inside a phrase pair, by target then source.
    #[inline]
    pub fn links_inside(&self, spans: Spans) -> impl Iterator<Item = PhraseLink> {
        spans.target.range().flat_map(move |position| {
            let target = (position as u32 - spans.target.start) as u8;
            let sources = self.sources(position).iter();
            sources.map(move |&source| PhraseLink {
                source: (source - spans.source.start) as u8,
                target,
            })
        })
    }

    /// Is a target position of the sentence linked to each of two source positions? Positions
    /// outside the sentence never are.
    #[inline]
    pub(crate) fn linked(&self, target: usize, sources: [i32; 2]) -> [bool; 2] {
        let mut linked = [false; 2];
        for &source in self.sources(target) {
            linked[0] |= source as i32 == sources[0];
            linked[1] |= source as i32 == sources[1];
        }
        linked
    }
}
