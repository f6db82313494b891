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
    let value = |word: &WordKey| {
        if kind.is_class() {
            u64::from(word.class)
        } else {
            word.hash
        }
    };
    let source = kind.has_source().then(|| {
        if feature.source < 0 {
            BEFORE_SENTENCE
        } else {
            source
                .get(feature.source as usize)
                .map_or(AFTER_SENTENCE, value)
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

/// The hash of a phrase pair.
pub fn phrase_pair_hash(source: &[WordKey], target: &[WordKey]) -> u64 {
    let phrase = |words: &[WordKey], seed: u64| {
        words.iter().fold(seed, |hash, word| {
            fold(hash.rotate_left(23) ^ FIRST, word.hash ^ SECOND)
        })
    };
    phrase(target, phrase(source, SECOND) ^ THIRD)
}
