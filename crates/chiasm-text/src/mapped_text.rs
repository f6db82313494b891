//! One side of a corpus in a file that is mapped, so that text is parsed once however many read it.

use crate::{Result, Text, Vocabulary};
use chiasm_store::{Array, Container, Sections, Writer};
use std::path::{Path, PathBuf};

const KIND: &str = "text";
const VERSION: u32 = 1;

/// Sentences of word ids, as in [`Text`], with their words. Words are numbered in the order of
/// their first appearance, and every one appears.
#[derive(Clone, Debug)]
pub struct MappedText {
    path: PathBuf,
    vocabulary: Vocabulary,
    offsets: Array<u64>,
    tokens: Array<u32>,
}

impl MappedText {
    /// Writes sentences, one a line, to `path`.
    pub fn write<'a>(
        path: impl AsRef<Path>,
        lines: impl IntoIterator<Item = &'a str>,
    ) -> Result<()> {
        let (mut text, mut vocabulary) = (Text::new(), Vocabulary::new());
        for line in lines {
            text.push_line(line, &mut vocabulary);
        }
        let mut spelling = String::new();
        let mut ends = Vec::with_capacity(vocabulary.len());
        for word in vocabulary.words() {
            spelling.push_str(word);
            ends.push(spelling.len() as u64);
        }
        let mut writer = Writer::create(path, KIND, VERSION)?;
        writer.bytes("words", spelling.as_bytes())?;
        writer.array("ends", &ends)?;
        writer.array("offsets", &text.offsets)?;
        writer.array("tokens", &text.tokens)?;
        Ok(writer.finish()?)
    }

    /// Maps what [`MappedText::write`] wrote. All of it is checked here, so that nothing that is
    /// read later can be out of bounds.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let sections = Container::open(&path)?.expect_kind(KIND, VERSION)?;
        sections.verify()?;
        let vocabulary = read_words(&sections)?;
        let offsets = sections.array::<u64>("offsets")?;
        let tokens = sections.array::<u32>("tokens")?;
        let whole = offsets.first() == Some(&0) && offsets.last() == Some(&(tokens.len() as u64));
        if !whole || !offsets.is_sorted() {
            return Err(sections
                .corrupt("offsets", "do not divide the tokens")
                .into());
        }
        // The first appearances of words are in the order of their numbers.
        let seen = tokens.iter().try_fold(0, |seen, &word| {
            (word <= seen).then_some(seen.max(word.saturating_add(1)))
        });
        if seen.map(|seen| seen as usize) != Some(vocabulary.len()) {
            return Err(sections.corrupt("tokens", "are not of these words").into());
        }
        Ok(MappedText {
            path: path.as_ref().to_path_buf(),
            vocabulary,
            offsets,
            tokens,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The words.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// How many sentences.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One sentence.
    #[inline]
    pub fn sentence(&self, index: usize) -> &[u32] {
        &self.tokens[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// All sentences.
    pub fn sentences(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|index| self.sentence(index))
    }

    /// How often each word occurs.
    pub fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.vocabulary.len()];
        self.tokens
            .iter()
            .for_each(|&word| counts[word as usize] += 1);
        counts
    }

    /// The text in memory with other numbers for its words: `new[old]`.
    pub fn renumbered(&self, new: &[u32]) -> Text {
        let tokens = self.tokens.iter().map(|&word| new[word as usize]);
        Text {
            offsets: self.offsets.to_vec(),
            tokens: tokens.collect(),
        }
    }
}

fn read_words(sections: &Sections) -> Result<Vocabulary> {
    let spelling = sections.text("words")?;
    let ends = sections.array::<u64>("ends")?;
    let mut vocabulary = Vocabulary::new();
    let mut start = 0;
    for (number, &end) in ends.iter().enumerate() {
        let end = usize::try_from(end).unwrap_or(usize::MAX);
        let word = spelling.get(start..end);
        if word.map(|word| vocabulary.intern(word) as usize) != Some(number) {
            return Err(sections.corrupt("ends", "do not divide the words").into());
        }
        start = end;
    }
    Ok(vocabulary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        let lines = ["die Katze sieht die Maus", "", " كتاب  die\t"];
        MappedText::write(&path, lines).unwrap();
        let (mut text, mut vocabulary) = (Text::new(), Vocabulary::new());
        for line in lines {
            text.push_line(line, &mut vocabulary);
        }
        let mapped = MappedText::open(&path).unwrap();
        let words: Vec<&str> = mapped.vocabulary().words().collect();
        assert_eq!(words, vocabulary.words().collect::<Vec<_>>());
        let same: Vec<u32> = (0..words.len() as u32).collect();
        assert_eq!(mapped.renumbered(&same), text);
        assert!(mapped.sentences().eq(text.sentences()));
        assert_eq!(mapped.counts(), [3, 1, 1, 1, 1]);
    }

    #[test]
    fn no_sentences_are_a_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        MappedText::write(&path, []).unwrap();
        assert!(MappedText::open(&path).unwrap().is_empty());
    }

    #[test]
    fn damage_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        let open = |words: &str, ends: &[u64], offsets: &[u64], tokens: &[u32]| {
            let mut writer = Writer::create(&path, KIND, VERSION).unwrap();
            writer.bytes("words", words.as_bytes()).unwrap();
            writer.array("ends", ends).unwrap();
            writer.array("offsets", offsets).unwrap();
            writer.array("tokens", tokens).unwrap();
            writer.finish().unwrap();
            MappedText::open(&path)
        };
        assert!(open("äb", &[2, 3], &[0, 1, 3], &[0, 1, 0]).is_ok());
        let not_divided: [&[u64]; 4] = [&[1, 3], &[2, 9], &[3, 2], &[2, u64::MAX]];
        for ends in not_divided {
            assert!(open("äb", ends, &[0, 2], &[0, 1]).is_err(), "{ends:?}");
        }
        assert!(open("aa", &[1, 2], &[0, 2], &[0, 1]).is_err());
        let not_whole: [&[u64]; 5] = [&[], &[0], &[1, 2], &[0, 3], &[0, 2, 1, 2]];
        for offsets in not_whole {
            assert!(
                open("ab", &[1, 2], offsets, &[0, 1]).is_err(),
                "{offsets:?}"
            );
        }
        let foreign: [&[u32]; 4] = [&[0, 2], &[1, 0], &[0, 0], &[0, u32::MAX]];
        for tokens in foreign {
            assert!(open("ab", &[1, 2], &[0, 2], tokens).is_err(), "{tokens:?}");
        }
    }
}
