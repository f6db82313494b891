//! The vocabulary of a model: spelling to number in one cache line, number to spelling.
//!
//! A word is looked up by the 64 bits of its xxh3 alone; two words of a vocabulary with the same
//! hash are refused when the model is built, and an unknown word is mistaken for a known one with
//! a probability of (words / 2^64).

use crate::{Error, Result};
use chiasm_store::{Array, Sections, Writer};
use chiasm_text::Vocabulary;
use xxhash_rust::xxh3::xxh3_64;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The number of every word that the model does not know.
pub const UNKNOWN: u32 = 0;

/// Slots of the index for each 2 words.
const SLOTS_FOR_TWO: usize = 3;

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct Slot {
    low: u32,
    high: u32,
    id: u32,
}

const EMPTY: u32 = u32::MAX;

/// Words by number and numbers by word; word 0 is `<unk>`.
#[derive(Clone)]
pub(crate) struct Words {
    bytes: Array<u8>,
    ends: Array<u32>,
    slots: Array<Slot>,
}

#[inline]
fn home(hash: u64, slots: usize) -> usize {
    ((u128::from(hash) * slots as u128) >> 64) as usize
}

impl Words {
    /// Freezes a vocabulary whose word 0 is `<unk>`.
    pub(crate) fn new(vocabulary: &Vocabulary) -> Result<Self> {
        let mut bytes = Vec::new();
        let mut ends = Vec::with_capacity(vocabulary.len());
        let mut hashes: Vec<(u64, u32)> = Vec::with_capacity(vocabulary.len());
        for (id, word) in vocabulary.words().enumerate() {
            bytes.extend_from_slice(word.as_bytes());
            ends.push(bytes.len() as u32);
            hashes.push((xxh3_64(word.as_bytes()), id as u32));
        }
        hashes.sort_unstable();
        if let Some(pair) = hashes.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let (first, second) = (vocabulary.word(pair[0].1), vocabulary.word(pair[1].1));
            return Err(Error::Impossible(format!(
                "the words '{first}' and '{second}' have the same hash"
            )));
        }
        let slots = index(&hashes);
        Ok(Words {
            bytes: bytes.into(),
            ends: ends.into(),
            slots: slots.into(),
        })
    }

    pub(crate) fn write_sections(&self, writer: &mut Writer) -> chiasm_store::Result<()> {
        writer.bytes("words", &self.bytes)?;
        writer.array("ends", &self.ends)?;
        writer.array("index", &self.slots)
    }

    pub(crate) fn from_sections(sections: &Sections) -> Result<Self> {
        let bytes = sections.array("words")?;
        let ends = sections.array::<u32>("ends")?;
        let slots = sections.array::<Slot>("index")?;
        if slots.is_empty() || slots.len() > ends.len().saturating_mul(4).max(64) {
            return Err(sections.corrupt("index", "has an impossible size").into());
        }
        Ok(Words { bytes, ends, slots })
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes that the sections of so many words take.
    pub(crate) fn estimate_bytes(count: usize, spelling: usize) -> u64 {
        let slots = slots_for(count) * size_of::<Slot>();
        (spelling + count * size_of::<u32>() + slots) as u64
    }

    /// The word with number `id`; empty if there is none or the file is damaged.
    pub(crate) fn word(&self, id: u32) -> &str {
        let index = id as usize;
        let Some(&end) = self.ends.get(index) else {
            return "";
        };
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        let spelling = self.bytes.get(start as usize..end as usize);
        std::str::from_utf8(spelling.unwrap_or(&[])).unwrap_or("")
    }

    /// The number of a word, [`UNKNOWN`] if the model does not know it.
    #[inline]
    pub(crate) fn id(&self, word: &[u8]) -> u32 {
        let hash = xxh3_64(word);
        let (low, high) = (hash as u32, (hash >> 32) as u32);
        let start = home(hash, self.slots.len());
        // Bounded also when a damaged index has no empty slot.
        for slot in self.slots[start..].iter().chain(&self.slots[..start]) {
            if slot.low == low && slot.high == high && (slot.id as usize) < self.ends.len() {
                return slot.id;
            }
            if slot.id == EMPTY {
                return UNKNOWN;
            }
        }
        UNKNOWN
    }
}

fn slots_for(count: usize) -> usize {
    (count * SLOTS_FOR_TWO).div_ceil(2).max(2) + 1
}

fn index(hashes: &[(u64, u32)]) -> Vec<Slot> {
    let empty = Slot {
        low: 0,
        high: 0,
        id: EMPTY,
    };
    let mut slots = vec![empty; slots_for(hashes.len())];
    for &(hash, id) in hashes {
        let mut at = home(hash, slots.len());
        while slots[at].id != EMPTY {
            at = (at + 1) % slots.len();
        }
        slots[at] = Slot {
            low: hash as u32,
            high: (hash >> 32) as u32,
            id,
        };
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_and_no_other() {
        let mut vocabulary = Vocabulary::new();
        for word in ["<unk>", "", "the", "كتاب", "a"] {
            vocabulary.intern(word);
        }
        for number in 0..2000 {
            vocabulary.intern(&format!("w{number}"));
        }
        let words = Words::new(&vocabulary).unwrap();
        for (id, word) in vocabulary.words().enumerate() {
            assert_eq!(words.id(word.as_bytes()), id as u32);
            assert_eq!(words.word(id as u32), word);
        }
        assert_eq!(words.id(b"w2000"), UNKNOWN);
        assert_eq!(words.word(99_999), "");
    }
}
