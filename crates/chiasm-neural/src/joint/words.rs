//! The words that a joint model tells apart.

use chiasm_store::{Result, Sections, Writer};
use chiasm_text::{MappedText, StoredVocabulary, Vocabulary};

/// Stands where nobody knows which word there is.
pub const NOTHING: u32 = 0;
/// Stands before the first and after the last word of a sentence.
pub const EDGE: u32 = 1;
/// All words that were too rare to be learned one by one.
pub(crate) const RARE: u32 = 2;
/// The first word that is a word.
pub(crate) const FIRST: u32 = 3;

/// Words seen less often are rare.
const LEAST: u64 = 2;

/// The words of one language with numbers of their own, frequent ones first.
pub(crate) struct Words(StoredVocabulary);

impl Words {
    /// The most frequent words of a text, at most `most`; and the number of each word of the text.
    pub fn of_text(text: &MappedText, most: usize) -> (Self, Vec<u32>) {
        let counts = text.counts();
        let mut order: Vec<usize> = (0..counts.len())
            .filter(|&word| counts[word] >= LEAST)
            .collect();
        order.sort_by_key(|&word| (std::cmp::Reverse(counts[word]), word));
        order.truncate(most);
        let mut numbers = vec![RARE; counts.len()];
        let mut vocabulary = Vocabulary::new();
        for &word in &order {
            numbers[word] = FIRST + vocabulary.intern(text.vocabulary().word(word as u32));
        }
        (Words(StoredVocabulary::new(&vocabulary)), numbers)
    }

    /// All numbers that words may have.
    pub fn len(&self) -> usize {
        self.0.len() + FIRST as usize
    }

    /// The number of a word.
    pub fn get(&self, word: &str) -> u32 {
        self.0.get(word).map_or(RARE, |number| FIRST + number)
    }

    pub fn write_sections(&self, writer: &mut Writer) -> Result<()> {
        self.0.write_sections(writer)
    }

    pub fn from_sections(sections: &Sections) -> Result<Self> {
        Ok(Words(StoredVocabulary::from_sections(sections)?))
    }
}
