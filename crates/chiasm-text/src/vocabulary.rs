//! Words as `u32`.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// A growing set of words, numbered in the order of arrival.
#[derive(Clone)]
pub struct Vocabulary {
    bytes: String,
    ends: Vec<u32>,
    table: HashTable<u32>,
    hasher: FixedState,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Vocabulary of {} words", self.len())
    }
}

impl Vocabulary {
    /// No words.
    pub fn new() -> Self {
        Vocabulary {
            bytes: String::new(),
            ends: Vec::new(),
            table: HashTable::new(),
            hasher: FixedState::default(),
        }
    }

    /// How many words.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The word with number `id`. Panics if there is none, as indexing does.
    #[inline]
    pub fn word(&self, id: u32) -> &str {
        word_at(&self.bytes, &self.ends, id)
    }

    /// The number of a word, if it is known.
    pub fn get(&self, word: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(word);
        self.table.find(hash, |&id| self.word(id) == word).copied()
    }

    /// The number of a word, a new one if it was not known.
    ///
    /// Holds at most 4 GiB of distinct words; more panics, for no vocabulary is that large.
    #[inline]
    pub fn intern(&mut self, word: &str) -> u32 {
        let hash = self.hasher.hash_one(word);
        let (bytes, ends) = (&self.bytes, &self.ends);
        if let Some(&id) = self
            .table
            .find(hash, |&id| word_at(bytes, ends, id) == word)
        {
            return id;
        }
        let id = self.ends.len() as u32;
        self.bytes.push_str(word);
        let end = u32::try_from(self.bytes.len()).expect("a vocabulary holds at most 4 GiB");
        self.ends.push(end);
        let (bytes, ends, hasher) = (&self.bytes, &self.ends, &self.hasher);
        self.table
            .insert_unique(hash, id, |&id| hasher.hash_one(word_at(bytes, ends, id)));
        id
    }

    /// All words in the order of their numbers.
    pub fn words(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.ends.len() as u32).map(|id| self.word(id))
    }

    /// The same words numbered by falling frequency (ties: by spelling), and the new number of
    /// each old one. `counts[id]` is the frequency of word `id`.
    pub fn by_frequency(&self, counts: &[u64]) -> (Vocabulary, Vec<u32>) {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| {
            let (count_a, count_b) = (counts[a as usize], counts[b as usize]);
            count_b
                .cmp(&count_a)
                .then_with(|| self.word(a).cmp(self.word(b)))
        });
        self.reordered(&order)
    }

    /// The same words numbered in the bytewise order of lines that contain them (as if a space
    /// followed each), and the new number of each old one.
    pub fn by_spelling(&self) -> (Vocabulary, Vec<u32>) {
        let line = |id: u32| self.word(id).bytes().chain(std::iter::once(b' '));
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| line(a).cmp(line(b)));
        self.reordered(&order)
    }

    fn reordered(&self, order: &[u32]) -> (Vocabulary, Vec<u32>) {
        let mut sorted = Vocabulary::new();
        let mut new = vec![0; self.len()];
        for &id in order {
            new[id as usize] = sorted.intern(self.word(id));
        }
        (sorted, new)
    }
}

#[inline]
fn word_at<'a>(bytes: &'a str, ends: &[u32], id: u32) -> &'a str {
    let index = id as usize;
    let start = if index == 0 {
        0
    } else {
        ends[index - 1] as usize
    };
    &bytes[start..ends[index] as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn agrees_with_a_map(words in prop::collection::vec("[a-cé]{0,3}", 0..200)) {
            let mut vocabulary = Vocabulary::new();
            let mut map: HashMap<String, u32> = HashMap::new();
            for word in &words {
                let next = map.len() as u32;
                let expected = *map.entry(word.clone()).or_insert(next);
                prop_assert_eq!(vocabulary.intern(word), expected);
            }
            for (word, &id) in &map {
                prop_assert_eq!(vocabulary.get(word), Some(id));
                prop_assert_eq!(vocabulary.word(id), word);
            }
            prop_assert_eq!(vocabulary.get("zzz"), None);
        }
    }

    #[test]
    fn frequency_first_then_spelling() {
        let mut vocabulary = Vocabulary::new();
        for word in ["c", "b", "a"] {
            vocabulary.intern(word);
        }
        let (sorted, new) = vocabulary.by_frequency(&[1, 5, 1]);
        assert_eq!(sorted.words().collect::<Vec<_>>(), ["b", "a", "c"]);
        assert_eq!(new, [2, 0, 1]);
    }
}
