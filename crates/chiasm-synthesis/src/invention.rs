//! Made-up words: number in, pronounceable word out, no two numbers the same word.
//!
//! A word is a number written in syllables. A multiplication modulo the size of the space scatters neighbours, so that
//! words of near rank do not look alike; since the syllables can be read off a word in one way only, words are distinct.

use crate::Language;

const ARABIC_CONSONANTS: &[&str] = &[
    "ب", "ث", "ج", "ح", "خ", "د", "ذ", "ر", "ز", "س", "ش", "ص", "ض", "ط", "ع", "غ", "ف", "ق", "ك",
    "ل", "ن", "ه",
];
const ARABIC_VOWELS: &[&str] = &["", "ا", "و", "ي"];
const JAPANESE_CONSONANTS: &[&str] = &[
    "k", "s", "t", "n", "h", "m", "r", "g", "z", "d", "b", "p", "y", "w",
];
const ENGLISH_CONSONANTS: &[&str] = &[
    "b", "bl", "br", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "kl", "l", "m", "n", "p",
    "pr", "r", "s", "st", "t", "tr", "v", "z",
];
const VOWELS: &[&str] = &["a", "e", "i", "o", "u"];
const ENGLISH_CODAS: &[&str] = &["b", "d", "g", "k", "l", "m", "n", "p", "r", "t"];
const JAPANESE_CODAS: &[&str] = &["", "n"];
const NO_CODAS: &[&str] = &[""];

/// The sounds of a language.
pub struct Sounds {
    consonants: &'static [&'static str],
    vowels: &'static [&'static str],
    codas: &'static [&'static str],
    shortest: u32,
}

impl Sounds {
    /// Of the source side.
    pub fn source(language: Language) -> Self {
        match language {
            Language::ArabicLike => Sounds {
                consonants: ARABIC_CONSONANTS,
                vowels: ARABIC_VOWELS,
                codas: NO_CODAS,
                shortest: 3,
            },
            Language::JapaneseLike => Sounds {
                consonants: JAPANESE_CONSONANTS,
                vowels: VOWELS,
                codas: JAPANESE_CODAS,
                shortest: 3,
            },
        }
    }

    /// Of the English side.
    pub fn english() -> Self {
        Sounds {
            consonants: ENGLISH_CONSONANTS,
            vowels: VOWELS,
            codas: ENGLISH_CODAS,
            shortest: 2,
        }
    }

    /// Word number `number`, written into `word`.
    pub fn write(&self, mut number: u64, word: &mut String) {
        word.clear();
        let base = (self.consonants.len() * self.vowels.len()) as u64;
        let mut syllables = self.shortest;
        let mut size = base.pow(syllables) * self.codas.len() as u64;
        while number >= size {
            number -= size;
            syllables += 1;
            size *= base;
        }
        let mut scattered = scatter(number, size);
        let coda = self.codas[(scattered % self.codas.len() as u64) as usize];
        scattered /= self.codas.len() as u64;
        for _ in 0..syllables {
            let syllable = (scattered % base) as usize;
            scattered /= base;
            word.push_str(self.consonants[syllable / self.vowels.len()]);
            word.push_str(self.vowels[syllable % self.vowels.len()]);
        }
        word.push_str(coda);
    }
}

/// A bijection of 0..size: multiplication by a prime that shares no factor with it.
fn scatter(number: u64, size: u64) -> u64 {
    // 2^61-1 is prime and larger than any size here, so it is coprime to all of them.
    const PRIME: u128 = (1 << 61) - 1;
    ((u128::from(number) * PRIME + u128::from(size / 3)) % u128::from(size)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_distinct() {
        for sounds in [
            Sounds::source(Language::ArabicLike),
            Sounds::source(Language::JapaneseLike),
            Sounds::english(),
        ] {
            let mut seen = std::collections::HashSet::new();
            let mut word = String::new();
            for number in (0..300_000).chain(5_000_000..5_010_000) {
                sounds.write(number, &mut word);
                assert!(seen.insert(word.clone()), "{word} twice, at {number}");
                assert!(word.chars().count() <= 12, "{word}");
            }
        }
    }
}
