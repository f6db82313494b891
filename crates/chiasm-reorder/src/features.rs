//! Which features describe a phrase in its sentence: the sets S1..S15 and free compositions (SPEC
//! section 2).
//!
//! A set is a phrase part (all words, boundaries, links), source words around the phrase, and the
//! degree of the ANOVA mapping; each part may be seen through word classes or the tags of source words, beside the
//! words or in their place. Features are generated as positions ([`BaseFeature`]); whoever counts, scores or
//! prints looks the words up.

use crate::hashing::{pair_hash, triple_hash};
use chiasm_phrases::{PhraseLink, SourceTags, Span};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The furthest that context words can be from the phrase.
pub const LARGEST_CONTEXT: u8 = 15;

/// What is taken from the phrase pair itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Parts {
    /// Every source word and every target word.
    pub words: bool,
    /// First and last word of each side.
    pub boundaries: bool,
    /// The two words of every inner link.
    pub alignments: bool,
    /// Every word of either side that no link touches.
    #[serde(default)]
    pub unaligned: bool,
    /// How many source words before, and after, the phrase.
    pub context: u8,
}

impl Parts {
    /// Nothing at all?
    pub fn is_empty(&self) -> bool {
        *self == Parts::default()
    }
}

/// What tells one context word from another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContextMarks {
    /// The word alone.
    None,
    /// The word and its side.
    Side,
    /// The word, its side and its distance.
    #[default]
    Distance,
}

/// Products of how many distinct base features are features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Anova {
    /// The base features.
    #[default]
    #[serde(rename = "1")]
    One,
    /// Every pair.
    #[serde(rename = "2")]
    Two,
    /// Both.
    #[serde(rename = "<=2")]
    UpToTwo,
    /// Every three.
    #[serde(rename = "3")]
    Three,
    /// Base features, pairs and threes.
    #[serde(rename = "<=3")]
    UpToThree,
}

impl Anova {
    /// Are base features features?
    pub fn has_single(self) -> bool {
        !matches!(self, Anova::Two | Anova::Three)
    }

    /// Are pairs features?
    pub fn has_pairs(self) -> bool {
        matches!(self, Anova::Two | Anova::UpToTwo | Anova::UpToThree)
    }

    /// Are products of three features?
    pub fn has_triples(self) -> bool {
        matches!(self, Anova::Three | Anova::UpToThree)
    }

    /// Of how many base features the largest products are.
    pub fn degree(self) -> u32 {
        match self {
            Anova::One => 1,
            Anova::Two | Anova::UpToTwo => 2,
            Anova::Three | Anova::UpToThree => 3,
        }
    }

    /// Calls `emit` with the hash and the value of every feature that these base features make, as long as the first
    /// of its factors is one of the first `heads`.
    #[inline]
    pub(crate) fn products(
        self,
        base: &[(u64, u32)],
        heads: usize,
        mut emit: impl FnMut(u64, u32),
    ) {
        let (pairs, triples) = (self.has_pairs(), self.has_triples());
        for (at, &(first, times)) in base.iter().enumerate().take(heads) {
            if self.has_single() {
                emit(first, times);
            }
            if self == Anova::One {
                continue;
            }
            for (next, &(second, second_times)) in base.iter().enumerate().skip(at + 1) {
                let times = times * second_times;
                if pairs {
                    emit(pair_hash(first, second), times);
                }
                if triples {
                    for &(third, third_times) in &base[next + 1..] {
                        emit(triple_hash(first, second, third), times * third_times);
                    }
                }
            }
        }
    }
}

/// A composition of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FeatureSet {
    /// Parts made of words.
    pub words: Parts,
    /// The same made of word classes.
    pub classes: Parts,
    /// The same made of the tags of source words; target words stay words.
    #[serde(default, skip_serializing_if = "Parts::is_empty")]
    pub tags: Parts,
    /// The phrase pair as a whole.
    #[serde(default, skip_serializing_if = "is_false")]
    pub pair: bool,
    /// Is every base feature one of this source phrase alone, so that each source phrase has a model of its own (Ni et
    /// al. 2011)?
    #[serde(default, skip_serializing_if = "is_false")]
    pub by_phrase: bool,
    /// The ANOVA mapping.
    pub anova: Anova,
    /// What tells one context word from another.
    pub marks: ContextMarks,
    /// Are positions beyond the sentence `<s>` and `</s>`?
    pub edges: bool,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// The kind of a base feature; part of its identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind(pub u8);

impl Kind {
    /// A source word of the phrase.
    pub const SOURCE: Kind = Kind(1);
    /// A target word of the phrase.
    pub const TARGET: Kind = Kind(2);
    /// The first or last source word.
    pub const SOURCE_BOUNDARY: Kind = Kind(3);
    /// The first or last target word.
    pub const TARGET_BOUNDARY: Kind = Kind(4);
    /// The two words of a link.
    pub const LINK: Kind = Kind(5);
    /// A context word without a mark.
    pub const CONTEXT: Kind = Kind(6);
    /// A source word of the phrase without a link.
    pub const UNALIGNED_SOURCE: Kind = Kind(7);
    /// A target word of the phrase without a link.
    pub const UNALIGNED_TARGET: Kind = Kind(8);
    /// The phrase pair: its source position is its start, its target position how many source words it has.
    pub const PAIR: Kind = Kind(9);
    /// What is only known by its hash.
    pub(crate) const HASHED: Kind = Kind(10);
    const BEFORE: u8 = 16;
    const AFTER: u8 = 32;
    const CLASS: u8 = 64;
    const TAG: u8 = 128;

    /// Is it made of classes rather than words?
    pub fn is_class(self) -> bool {
        self.0 & Self::CLASS != 0
    }

    /// Is its source side made of tags rather than words?
    pub fn is_tag(self) -> bool {
        self.0 & Self::TAG != 0
    }

    /// The same made of words.
    pub fn of_words(self) -> Kind {
        Kind(self.0 & !(Self::CLASS | Self::TAG))
    }

    /// Has it a source position?
    pub fn has_source(self) -> bool {
        !matches!(
            self.of_words(),
            Kind::TARGET
                | Kind::TARGET_BOUNDARY
                | Kind::UNALIGNED_TARGET
                | Kind::PAIR
                | Kind::HASHED
        )
    }

    /// Has it a target position?
    pub fn has_target(self) -> bool {
        matches!(
            self.of_words(),
            Kind::TARGET | Kind::TARGET_BOUNDARY | Kind::UNALIGNED_TARGET | Kind::LINK
        )
    }

    /// Is it a word without a link?
    pub fn is_unaligned(self) -> bool {
        matches!(
            self.of_words(),
            Kind::UNALIGNED_SOURCE | Kind::UNALIGNED_TARGET
        )
    }

    /// `-` or `+` and the distance (0: not marked), if it is a marked context word.
    pub fn mark(self) -> Option<(char, u8)> {
        match self.of_words().0 {
            code if code >= Self::AFTER => Some(('+', code - Self::AFTER)),
            code if code >= Self::BEFORE => Some(('-', code - Self::BEFORE)),
            _ => None,
        }
    }
}

/// A base feature as positions. Source positions count from the start of the sentence and may lie
/// beyond it, target positions from the start of the phrase; only those its kind has mean anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BaseFeature {
    /// Its kind.
    pub kind: Kind,
    /// Its source position.
    pub source: i32,
    /// Its target position.
    pub target: i32,
}

impl FeatureSet {
    /// The set S`number`, 1 to 15.
    pub fn numbered(number: usize) -> Option<Self> {
        let (words, boundaries, alignments) = match number {
            1 => (true, false, false),
            2 | 4..=6 | 10..=12 => (false, true, false),
            3 | 7..=9 | 13..=15 => (false, false, true),
            _ => return None,
        };
        let context = match number {
            ..=3 => 0,
            4..=9 => 1,
            _ => 3,
        };
        let anova = match number {
            5 | 8 | 11 | 14 => Anova::Two,
            6 | 9 | 12 | 15 => Anova::UpToTwo,
            _ => Anova::One,
        };
        let parts = Parts {
            words,
            boundaries,
            alignments,
            unaligned: false,
            context,
        };
        Some(FeatureSet {
            words: parts,
            classes: Parts::default(),
            tags: Parts::default(),
            pair: false,
            by_phrase: false,
            anova,
            marks: ContextMarks::default(),
            edges: true,
        })
    }

    /// What is used if nothing else is asked for: S7 and the words without a link.
    pub fn usual() -> Self {
        FeatureSet {
            words: Parts {
                alignments: true,
                unaligned: true,
                context: 1,
                ..Parts::default()
            },
            ..FeatureSet::nothing()
        }
    }

    /// No features.
    pub(crate) fn nothing() -> Self {
        FeatureSet {
            words: Parts::default(),
            classes: Parts::default(),
            tags: Parts::default(),
            pair: false,
            by_phrase: false,
            anova: Anova::One,
            marks: ContextMarks::default(),
            edges: true,
        }
    }

    /// Does any part look at word classes?
    pub fn needs_classes(&self) -> bool {
        !self.classes.is_empty()
    }

    /// Does any part look at tags?
    pub fn needs_tags(&self) -> bool {
        !self.tags.is_empty()
    }

    /// Where the tags are that these features look at: in a file, or else behind the words.
    pub fn source_tags(&self, file: &Option<PathBuf>) -> SourceTags {
        match file {
            _ if !self.needs_tags() => SourceTags::None,
            Some(file) => SourceTags::File(file.clone()),
            None => SourceTags::Inline,
        }
    }

    /// How many source words before, and after, the phrase are looked at in any way.
    pub fn widest_context(&self) -> u8 {
        let all = [&self.words, &self.classes, &self.tags];
        all.map(|parts| parts.context)
            .into_iter()
            .max()
            .unwrap_or(0)
    }

    /// The parts, each with the mark of its kinds.
    fn views(&self) -> [(&Parts, u8); 3] {
        [
            (&self.words, 0),
            (&self.classes, Kind::CLASS),
            (&self.tags, Kind::TAG),
        ]
    }

    /// Calls `emit` with the base features that depend on the source sentence and the span alone:
    /// the context.
    pub fn context_features(&self, span: Span, length: usize, emit: &mut impl FnMut(BaseFeature)) {
        for (parts, view) in self.views() {
            for distance in 1..=i32::from(parts.context) {
                let before = span.start as i32 - distance;
                let after = span.end as i32 - 1 + distance;
                for (side, source) in [(Kind::BEFORE, before), (Kind::AFTER, after)] {
                    if !self.edges && (source < 0 || source >= length as i32) {
                        continue;
                    }
                    let kind = match self.marks {
                        ContextMarks::None => Kind::CONTEXT,
                        ContextMarks::Side => Kind(side),
                        ContextMarks::Distance => Kind(side + distance as u8),
                    };
                    emit(BaseFeature {
                        kind: Kind(kind.0 | view),
                        source,
                        target: 0,
                    });
                }
            }
        }
    }

    /// Calls `emit` with the base features of the phrase pair itself; `links` count from the start
    /// of both phrases.
    pub fn phrase_features(
        &self,
        span: Span,
        target_length: usize,
        links: &[PhraseLink],
        emit: &mut impl FnMut(BaseFeature),
    ) {
        let first = span.start as usize;
        if self.pair {
            emit(BaseFeature {
                kind: Kind::PAIR,
                source: first as i32,
                target: span.len() as i32,
            });
        }
        for (parts, view) in self.views() {
            // Target words have no tags: beside the same words they would only be repeated.
            let beside = view == Kind::TAG;
            let mut one = |kind: Kind, source: usize, target: usize| {
                emit(BaseFeature {
                    kind: Kind(kind.0 | view),
                    source: source as i32,
                    target: target as i32,
                });
            };
            if parts.words {
                span.range().for_each(|source| one(Kind::SOURCE, source, 0));
                if !(beside && self.words.words) {
                    (0..target_length).for_each(|target| one(Kind::TARGET, 0, target));
                }
            }
            if parts.boundaries {
                one(Kind::SOURCE_BOUNDARY, first, 0);
                if span.len() > 1 {
                    one(Kind::SOURCE_BOUNDARY, span.end as usize - 1, 0);
                }
                let ends = [0, target_length.saturating_sub(1)];
                let apart = usize::from(target_length > 1);
                if !(beside && self.words.boundaries) {
                    for &target in &ends[..1 + apart] {
                        one(Kind::TARGET_BOUNDARY, 0, target);
                    }
                }
            }
            if parts.alignments {
                for link in links {
                    let source = first + usize::from(link.source);
                    one(Kind::LINK, source, link.target.into());
                }
            }
            if parts.unaligned {
                for source in span.range() {
                    if (links.iter()).all(|link| first + usize::from(link.source) != source) {
                        one(Kind::UNALIGNED_SOURCE, source, 0);
                    }
                }
                for target in 0..target_length {
                    if beside && self.words.unaligned {
                        break;
                    }
                    if (links.iter()).all(|link| usize::from(link.target) != target) {
                        one(Kind::UNALIGNED_TARGET, 0, target);
                    }
                }
            }
        }
    }
}
