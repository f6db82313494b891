//! Word classes of one language inside a model: from the hash of a word to its class.

use crate::Result;
use crate::dictionary::Dictionary;
use crate::hashing::{WordKey, word_hash};
use chiasm_store::{Array, Sections, Writer};

/// Classes of words by their hashes. Class 0 is that of words without one.
#[derive(Clone, Debug, Default)]
pub struct ClassTable {
    dictionary: Dictionary,
    classes: Array<u16>,
}

impl ClassTable {
    /// From words with their classes (of which 65,535 is too large), all words different.
    pub fn new<'a>(words: impl Iterator<Item = (&'a str, u16)>) -> Result<Self> {
        let (hashes, classes): (Vec<u64>, Vec<u16>) = words
            .map(|(word, class)| (word_hash(word), class.saturating_add(1)))
            .unzip();
        let (dictionary, places) = Dictionary::build(&hashes)?;
        let mut placed = vec![0; classes.len()];
        for (&place, class) in places.iter().zip(classes) {
            placed[place as usize] = class;
        }
        Ok(ClassTable {
            dictionary,
            classes: placed.into(),
        })
    }

    /// A word and its class.
    pub fn word(&self, word: &str) -> WordKey {
        let hash = word_hash(word);
        let place = self.dictionary.find(hash);
        let class = place.and_then(|place| self.classes.get(place as usize));
        WordKey {
            hash,
            class: class.map_or(0, |&class| class.into()),
            tag: 0,
        }
    }

    /// Writes the sections of the table, if there are any classes.
    pub fn write_sections(&self, writer: &mut Writer) -> chiasm_store::Result<()> {
        if self.classes.is_empty() {
            return Ok(());
        }
        self.dictionary.write_sections(writer)?;
        writer.array("classes", &self.classes)
    }

    /// Reads what `write_sections` wrote.
    pub fn from_sections(sections: &Sections) -> chiasm_store::Result<Self> {
        if !sections.contains("classes") {
            return Ok(ClassTable::default());
        }
        let table = ClassTable {
            dictionary: Dictionary::from_sections(sections)?,
            classes: sections.array("classes")?,
        };
        if table.classes.len() != table.dictionary.len() {
            return Err(sections.corrupt("classes", "is not as long as the words"));
        }
        Ok(table)
    }
}
