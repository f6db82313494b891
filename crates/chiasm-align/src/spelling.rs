//! What spelling tells before any counting: names, numbers and cognates look alike.
//!
//! Every entry of the translation table has a Dirichlet prior. It is small, so that few
//! translations a word are learned, and larger where the two words are the same or begin
//! alike, which decides for rare words and is outvoted by counts for frequent ones.

use chiasm_text::Vocabulary;

/// One occurrence of a word pair, in the fixed point of counts and priors.
pub const UNIT: u32 = 1024;
/// Prior of any two words.
const BASE: u32 = 1;
/// Added where two words begin with the same letters.
const ALIKE: u32 = UNIT / 10;
/// Added where two words are the same.
const SAME: u32 = UNIT;
/// How many letters must be the same for two words to be alike.
const LETTERS: usize = 4;

/// Spellings reduced to what tells whether two words are alike: numbers to compare.
pub struct Spellings {
    /// A hash of the whole word and of its first letters (0 if it has fewer).
    hashes: Vec<(u64, u64)>,
}

impl Spellings {
    /// Of a vocabulary.
    pub fn of(vocabulary: &Vocabulary) -> Self {
        Spellings {
            hashes: vocabulary.words().map(hashes).collect(),
        }
    }

    /// The prior of word `word` of this vocabulary and word `other_word` of the other.
    #[inline]
    pub fn prior(&self, word: u32, other: &Spellings, other_word: u32) -> u32 {
        prior(
            self.hashes[word as usize],
            other.hashes[other_word as usize],
        )
    }
}

#[inline]
fn prior(one: (u64, u64), other: (u64, u64)) -> u32 {
    if one.0 == other.0 {
        BASE + SAME
    } else if one.1 == other.1 && one.1 != 0 {
        BASE + ALIKE
    } else {
        BASE
    }
}

/// The prior of two words given as text.
pub fn prior_of_words(source: &str, target: &str) -> u32 {
    prior(hashes(source), hashes(target))
}

fn hashes(word: &str) -> (u64, u64) {
    let whole = hash(word.as_bytes());
    let start = word.char_indices().nth(LETTERS - 1);
    let first = start.map_or(0, |(at, letter)| {
        hash(&word.as_bytes()[..at + letter.len_utf8()])
    });
    (whole, first)
}

/// FNV-1a: stable, and the words are short.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_and_alike_words_are_preferred() {
        assert_eq!(prior_of_words("2003", "2003"), BASE + SAME);
        assert_eq!(prior_of_words("a", "a"), BASE + SAME);
        assert_eq!(prior_of_words("political", "politický"), BASE + ALIKE);
        assert_eq!(prior_of_words("čtvrt", "čtvrť"), BASE + ALIKE);
        assert_eq!(prior_of_words("pol", "politik"), BASE);
        assert_eq!(prior_of_words("cat", "kočka"), BASE);
    }
}
