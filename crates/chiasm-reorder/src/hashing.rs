//! Words and features as 64-bit numbers that mean the same in every file and on every machine.
//!
//! A model needs no vocabulary: a feature is known by the hash of its kind and its words. Two
//! features of one model never share a place (the dictionary's builder checks), and an unknown one
//! is taken for a known one about once in a billion times.

use crate::features::{BaseFeature, Kind};
use xxhash_rust::xxh3::xxh3_64;

/// A word as a model sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordKey {
    /// Hash of its spelling.
    pub hash: u64,
    /// Its word class; 0 where the model has none for it.
    pub class: u32,
    /// Hash of the tag that it has where it stands; 0 where it has none.
    pub tag: u64,
}

impl WordKey {
    /// A word of which nothing but its spelling matters.
    pub fn of(word: &str) -> Self {
        WordKey {
            hash: word_hash(word),
            ..WordKey::default()
        }
    }

    /// The same with a tag.
    #[must_use]
    pub fn tagged(self, tag: &str) -> Self {
        WordKey {
            tag: word_hash(tag),
            ..self
        }
    }
}

/// The hash of a word's spelling.
pub fn word_hash(word: &str) -> u64 {
    xxh3_64(word.as_bytes())
}

pub(crate) const BEFORE_SENTENCE: u64 = 0x9ae1_6a3b_2f90_404f;
pub(crate) const AFTER_SENTENCE: u64 = 0xc949_d7c7_509e_6557;
const FIRST: u64 = 0xa076_1d64_78bd_642f;
const SECOND: u64 = 0xe703_7ed1_a0b4_28db;
const THIRD: u64 = 0x8ebc_6af0_9c88_c6e3;

/// Both halves of the product, so that every bit of either factor matters.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The hash of a base feature in its sentence. `target` holds the words of the target phrase.
#[inline]
pub fn base_hash(feature: BaseFeature, source: &[WordKey], target: &[WordKey]) -> u64 {
    let kind = feature.kind;
    if kind == Kind::PAIR {
        let start = feature.source as usize;
        let words = source.get(start..start + feature.target as usize);
        return hashed(phrase_pair_hash(words.unwrap_or(&[]), target));
    }
    let value = |word: &WordKey| {
        if kind.is_class() {
            u64::from(word.class)
        } else {
            word.hash
        }
    };
    let source_value = |word: &WordKey| if kind.is_tag() { word.tag } else { value(word) };
    let source = kind.has_source().then(|| {
        if feature.source < 0 {
            BEFORE_SENTENCE
        } else {
            source
                .get(feature.source as usize)
                .map_or(AFTER_SENTENCE, source_value)
        }
    });
    let target = kind
        .has_target()
        .then(|| target.get(feature.target as usize).map_or(0, value));
    key_hash(kind, source, target)
}

/// The hash of a kind with its source and target words (or classes).
#[inline]
pub(crate) fn key_hash(kind: Kind, source: Option<u64>, target: Option<u64>) -> u64 {
    combine(kind, source.unwrap_or(0), target.unwrap_or(0))
}

#[inline(always)]
fn combine(kind: Kind, source: u64, target: u64) -> u64 {
    let first = fold(source ^ FIRST, u64::from(kind.0) ^ SECOND);
    fold(first.rotate_left(29) ^ SECOND, target ^ THIRD)
}

/// The hash of the product of two base features, in either order.
#[inline(always)]
pub fn pair_hash(a: u64, b: u64) -> u64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    fold(low ^ THIRD, high.rotate_left(32) ^ FIRST)
}

/// The hash of the product of three base features, in any order.
#[inline(always)]
pub fn triple_hash(a: u64, b: u64, c: u64) -> u64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    let (low, rest) = if low < c { (low, c) } else { (c, low) };
    let (middle, high) = if rest < high {
        (rest, high)
    } else {
        (high, rest)
    };
    let first = fold(low ^ SECOND, middle.rotate_left(32) ^ THIRD);
    fold(first.rotate_left(29) ^ FIRST, high ^ SECOND)
}

/// The hash of a phrase pair.
pub fn phrase_pair_hash(source: &[WordKey], target: &[WordKey]) -> u64 {
    let hashes = |words: &[WordKey]| words.iter().map(|word| word.hash).collect::<Vec<_>>();
    pair_of_phrases(hashes(source).into_iter(), hashes(target).into_iter())
}

/// The same of the hashes of the words.
pub(crate) fn pair_of_phrases(
    source: impl Iterator<Item = u64>,
    target: impl Iterator<Item = u64>,
) -> u64 {
    phrase_hash(target, phrase_hash(source, SECOND) ^ THIRD)
}

fn phrase_hash(words: impl Iterator<Item = u64>, seed: u64) -> u64 {
    words.fold(seed, |hash, word| {
        fold(hash.rotate_left(23) ^ FIRST, word ^ SECOND)
    })
}

/// What the base features of a source phrase are joined with where each phrase has a model of its own.
pub(crate) fn owner(words: impl Iterator<Item = u64>) -> u64 {
    phrase_hash(words, THIRD)
}

/// How many bits of a hash stand in a feature that is only known by its hash.
pub(crate) const HASHED_BITS: u32 = 56;

/// A feature that is only known by its hash, of which counting has room for some bits.
#[inline(always)]
pub(crate) fn hashed(hash: u64) -> u64 {
    let kept = hash & ((1 << HASHED_BITS) - 1);
    combine(Kind::HASHED, kept, 0)
}

/// A base feature, of a source phrase alone if there is an owner.
#[inline(always)]
pub(crate) fn owned(hash: u64, owner: Option<u64>) -> u64 {
    match owner {
        Some(owner) => hashed(mix(hash, owner)),
        None => hash,
    }
}

/// A base feature and its owner as one hash.
#[inline(always)]
pub(crate) fn mix(hash: u64, owner: u64) -> u64 {
    fold(hash ^ THIRD, owner.rotate_left(17) ^ FIRST)
}
