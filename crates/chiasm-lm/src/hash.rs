//! The hash of an n-gram. It is part of the file format and never changes.
//!
//! An n-gram is hashed from its last word to its first, so that the hashes of all suffixes come
//! on the way: one folded multiplication (64 x 64 -> 128 bits, both halves combined) a word.

const START: u64 = 0x243f_6a88_85a3_08d3;
const WORD: u64 = 0x9e37_79b9_7f4a_7c15;
const FOLD: u64 = 0xa076_1d64_78bd_642f;

/// The hash of one word.
#[inline(always)]
pub(crate) fn start(word: u32) -> u64 {
    extend(START, word)
}

/// The hash of an n-gram with one more word on its left.
#[inline(always)]
pub(crate) fn extend(hash: u64, word: u32) -> u64 {
    let mixed = hash ^ (u64::from(word) + 1).wrapping_mul(WORD);
    let product = u128::from(mixed) * u128::from(FOLD);
    (product as u64) ^ ((product >> 64) as u64)
}

/// The hash of an n-gram given in reading order.
pub(crate) fn ngram(words: &[u32]) -> u64 {
    let mut words = words.iter().rev();
    let first = words.next().map_or(START, |&word| start(word));
    words.fold(first, |hash, &word| extend(hash, word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn small_ids_do_not_collide_and_order_matters() {
        let mut seen = HashSet::new();
        for a in 0..300 {
            for b in 0..300 {
                assert!(seen.insert(ngram(&[a, b])));
                assert_eq!(ngram(&[a, b]), extend(start(b), a));
            }
        }
    }

    #[test]
    fn the_hash_is_part_of_the_file_format() {
        assert_eq!(ngram(&[7]), start(7));
        assert_eq!(ngram(&[1, 2, 3]), extend(extend(start(3), 2), 1));
        assert_eq!(start(0), 0x85b425b44a4aeb16);
    }

    #[test]
    fn the_upper_bits_spread_evenly() {
        let mut counts = [0u32; 64];
        for a in 0..100u32 {
            for b in 0..100u32 {
                counts[(ngram(&[a, b]) >> 58) as usize] += 1;
            }
        }
        assert!(
            counts.iter().all(|&c| (100..220).contains(&c)),
            "{counts:?}"
        );
    }
}
