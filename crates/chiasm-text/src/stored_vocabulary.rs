//! A vocabulary in a file, ready for look-ups as soon as it is mapped.

use crate::Vocabulary;
use chiasm_store::{Array, Result, Sections, Writer};
use xxhash_rust::xxh3::xxh3_64;

const EMPTY: u32 = u32::MAX;

/// An immutable vocabulary that can live in a memory map: spelling, ends, and an open-addressing
/// hash table of ids (xxh3, linear probing, at most half full).
#[derive(Clone, Debug)]
pub struct StoredVocabulary {
    bytes: Array<u8>,
    ends: Array<u32>,
    slots: Array<u32>,
}

impl StoredVocabulary {
    /// Freezes a vocabulary.
    pub fn new(vocabulary: &Vocabulary) -> Self {
        let mut bytes = Vec::new();
        let mut ends = Vec::with_capacity(vocabulary.len());
        let mut slots = vec![EMPTY; (vocabulary.len() * 2).next_power_of_two().max(2)];
        let mask = slots.len() - 1;
        for (id, word) in vocabulary.words().enumerate() {
            bytes.extend_from_slice(word.as_bytes());
            ends.push(bytes.len() as u32);
            let mut slot = xxh3_64(word.as_bytes()) as usize & mask;
            while slots[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            slots[slot] = id as u32;
        }
        StoredVocabulary {
            bytes: bytes.into(),
            ends: ends.into(),
            slots: slots.into(),
        }
    }

    /// Writes sections `words`, `ends`, `slots`.
    pub fn write_sections(&self, writer: &mut Writer) -> Result<()> {
        writer.bytes("words", &self.bytes)?;
        writer.array("ends", &self.ends)?;
        writer.array("slots", &self.slots)
    }

    /// Reads what `write_sections` wrote. The contents are checked at every look-up.
    pub fn from_sections(sections: &Sections) -> Result<Self> {
        let bytes = sections.array("words")?;
        let ends = sections.array::<u32>("ends")?;
        let slots = sections.array::<u32>("slots")?;
        if !slots.len().is_power_of_two() || slots.len() <= ends.len() {
            return Err(sections.corrupt("slots", "has an impossible size"));
        }
        Ok(StoredVocabulary { bytes, ends, slots })
    }

    /// How many words.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The word with number `id`; empty if there is none or the file is damaged.
    pub fn word(&self, id: u32) -> &str {
        std::str::from_utf8(self.spelling(id)).unwrap_or("")
    }

    fn spelling(&self, id: u32) -> &[u8] {
        let index = id as usize;
        let Some(&end) = self.ends.get(index) else {
            return &[];
        };
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.bytes.get(start as usize..end as usize).unwrap_or(&[])
    }

    /// The number of a word, if it is known.
    pub fn get(&self, word: &str) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let start = xxh3_64(word.as_bytes()) as usize;
        // The loop is bounded even if a damaged table has no empty slot.
        for step in 0..self.slots.len() {
            let id = self.slots[(start + step) & mask];
            if id == EMPTY {
                return None;
            }
            if self.spelling(id) == word.as_bytes() && (id as usize) < self.len() {
                return Some(id);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chiasm_store::Container;

    #[test]
    fn survives_the_file() {
        let mut vocabulary = Vocabulary::new();
        for word in ["كتاب", "", "the", "a", "|||"] {
            vocabulary.intern(word);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("v");
        let mut writer = Writer::create(&path, "vocabulary", 1).unwrap();
        StoredVocabulary::new(&vocabulary)
            .write_sections(&mut writer)
            .unwrap();
        writer.finish().unwrap();
        let sections = Container::open(&path)
            .unwrap()
            .expect_kind("vocabulary", 1)
            .unwrap();
        let stored = StoredVocabulary::from_sections(&sections).unwrap();
        assert_eq!(stored.len(), 5);
        for (id, word) in vocabulary.words().enumerate() {
            assert_eq!(stored.word(id as u32), word);
            assert_eq!(stored.get(word), Some(id as u32));
        }
        assert_eq!(stored.get("an"), None);
        assert_eq!(stored.word(99), "");
    }
}
