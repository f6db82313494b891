//! Where phrases stand in sentences, and where links stand in phrases.

use serde::{Deserialize, Serialize};
use std::ops::Range;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Words `start..end` of a sentence; in files and JSON `[start, end]`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct Span {
    /// The first word.
    pub start: u32,
    /// The word after the last.
    pub end: u32,
}

impl Span {
    /// Words `start..end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Span { start, end }
    }

    /// How many words.
    #[inline]
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// No words.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// The same as a range of indices.
    #[inline]
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Have both spans a word in common?
    #[inline]
    pub const fn overlaps(self, other: Span) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The same words of a sentence with `words` more before them.
    #[must_use]
    pub const fn shifted(self, words: u32) -> Self {
        Span::new(self.start + words, self.end + words)
    }
}

impl From<(u32, u32)> for Span {
    fn from((start, end): (u32, u32)) -> Self {
        Span { start, end }
    }
}

impl From<Span> for (u32, u32) {
    fn from(span: Span) -> Self {
        (span.start, span.end)
    }
}

/// A phrase pair in a sentence pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spans {
    /// Its source words.
    pub source: Span,
    /// Its target words.
    pub target: Span,
}

/// A link inside a phrase pair, counted from the start of both phrases; in files and JSON
/// `[source, target]`.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    FromBytes,
    IntoBytes,
    Immutable,
    KnownLayout,
)]
#[serde(from = "(u8, u8)", into = "(u8, u8)")]
#[repr(C)]
pub struct PhraseLink {
    /// The source position.
    pub source: u8,
    /// The target position.
    pub target: u8,
}

impl PhraseLink {
    /// A link between two positions.
    pub const fn new(source: u8, target: u8) -> Self {
        PhraseLink { source, target }
    }

    /// The link as one number, which orders as links do.
    pub(crate) fn packed(self) -> u32 {
        u32::from(self.source) << 8 | u32::from(self.target)
    }

    /// Undoes `packed`.
    pub(crate) fn unpacked(number: u32) -> Self {
        PhraseLink::new((number >> 8) as u8, number as u8)
    }

    /// Do both positions lie in phrases of these lengths?
    pub fn is_within(self, source: usize, target: usize) -> bool {
        usize::from(self.source) < source && usize::from(self.target) < target
    }
}

impl From<(u8, u8)> for PhraseLink {
    fn from((source, target): (u8, u8)) -> Self {
        PhraseLink { source, target }
    }
}

impl From<PhraseLink> for (u8, u8) {
    fn from(link: PhraseLink) -> Self {
        (link.source, link.target)
    }
}
