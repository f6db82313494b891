//! What spelling tells before any counting: names, numbers and cognates look alike.
//!
//! Every pair of words has a Dirichlet prior. It is small, so that few translations a word are learned, and larger where the two
//! words are the same or begin alike, which decides for rare words and is outvoted by counts for frequent ones.

use chiasm_text::Vocabulary;
use std::collections::HashMap;

/// One occurrence of a word pair, in the fixed point of counts and priors.
pub const UNIT: u32 = 1024;
/// Prior of any two words.
pub const BASE: u32 = 1;
/// Added where two words begin with the same letters.
pub const ALIKE: u32 = UNIT / 10;
/// Added where two words are the same.
pub const SAME: u32 = UNIT;
/// How many letters must be the same for two words to be alike.
const LETTERS: usize = 4;

/// Two words that are not alike, whatever they are compared with: numbers that no word of the other side has.
const NO_PARENT: u32 = u32::MAX - 1;
const NO_CHILD: u32 = u32::MAX;

/// What the spellings of one direction come down to: numbers to compare.
pub struct Spellings {
    /// Of every parent word, the child word that is the same.
    twins: Vec<u32>,
    /// Of every parent word and of every child word, a number of its first letters.
    parents: Vec<u32>,
    children: Vec<u32>,
    /// Whether any child word begins like a parent.
    kin: Vec<bool>,
}

/// One word's.
#[derive(Clone, Copy)]
pub struct Spelling {
    twin: u32,
    beginning: u32,
}

impl Spellings {
    /// Of the words of two sides.
    pub fn new(parents: &Vocabulary, children: &Vocabulary) -> Self {
        let mut beginnings: HashMap<&str, u32> = HashMap::new();
        let mut number = |word| {
            let next = beginnings.len() as u32;
            beginning(word).map(|letters| *beginnings.entry(letters).or_insert(next))
        };
        let children_numbers: Vec<Option<u32>> = children.words().map(&mut number).collect();
        let known = children_numbers
            .iter()
            .flatten()
            .max()
            .map_or(0, |most| most + 1);
        let of_parents: Vec<Option<u32>> = parents.words().map(&mut number).collect();
        Spellings {
            twins: parents
                .words()
                .map(|word| children.get(word).unwrap_or(NO_CHILD))
                .collect(),
            kin: of_parents
                .iter()
                .map(|number| number.is_some_and(|number| number < known))
                .collect(),
            parents: of_parents
                .into_iter()
                .map(|number| number.unwrap_or(NO_PARENT))
                .collect(),
            children: children_numbers
                .into_iter()
                .map(|number| number.unwrap_or(NO_CHILD))
                .collect(),
        }
    }

    /// What a parent word is compared by.
    #[inline]
    pub fn of_parent(&self, word: u32) -> Spelling {
        Spelling {
            twin: self.twins[word as usize],
            beginning: self.parents[word as usize],
        }
    }

    /// What a child word is compared by, beside its number.
    #[inline]
    pub fn of_child(&self, word: u32) -> u32 {
        self.children[word as usize]
    }

    /// About what the priors of all children of a parent add up to, in units, if it stands beside so many words of so many
    /// different ones. Of children that begin like it, one is expected.
    pub fn mass(&self, word: u32, beside: u64, different: usize) -> f32 {
        let any = beside.min(different as u64) as f32 * BASE as f32;
        let own = if self.twins[word as usize] != NO_CHILD {
            SAME
        } else if self.kin[word as usize] {
            ALIKE
        } else {
            0
        };
        any + own as f32
    }
}

impl Spelling {
    /// The prior of this parent word and a child word, in units.
    #[inline]
    pub fn prior(self, child: u32, beginning: u32) -> u32 {
        if self.twin == child {
            BASE + SAME
        } else if self.beginning == beginning {
            BASE + ALIKE
        } else {
            BASE
        }
    }
}

/// The prior of two words given as text.
pub fn prior_of_words(source: &str, target: &str) -> u32 {
    if source == target {
        BASE + SAME
    } else if beginning(source).is_some_and(|letters| beginning(target) == Some(letters)) {
        BASE + ALIKE
    } else {
        BASE
    }
}

/// The first letters of a word that has so many.
fn beginning(word: &str) -> Option<&str> {
    let (at, letter) = word.char_indices().nth(LETTERS - 1)?;
    Some(&word[..at + letter.len_utf8()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_and_alike_words_are_preferred() {
        let pairs = [
            ("2003", "2003", BASE + SAME),
            ("a", "a", BASE + SAME),
            ("political", "politický", BASE + ALIKE),
            ("čtvrt", "čtvrť", BASE + ALIKE),
            ("pol", "politik", BASE),
            ("cat", "kočka", BASE),
        ];
        let (mut parents, mut children) = (Vocabulary::new(), Vocabulary::new());
        for (one, other, _) in pairs {
            parents.intern(one);
            children.intern(other);
        }
        let spellings = Spellings::new(&parents, &children);
        for (parent, one) in pairs.iter().enumerate() {
            for (child, other) in pairs.iter().enumerate() {
                let child = child as u32;
                let spelling = spellings.of_parent(parent as u32);
                let found = spelling.prior(child, spellings.of_child(child));
                assert_eq!(found, prior_of_words(one.0, other.1));
            }
            assert_eq!(prior_of_words(one.0, one.1), one.2);
        }
        assert_eq!(spellings.mass(0, 5, 3), (3 * BASE + SAME) as f32);
        assert_eq!(spellings.mass(2, 2, 3), (2 * BASE + ALIKE) as f32);
    }
}
