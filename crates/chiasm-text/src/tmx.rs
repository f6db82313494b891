//! Sentence pairs from translation memories (TMX, in UTF-8), one unit at a time, however large the file.

use crate::tokenizer::base_language;
use crate::{Error, Result, open};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::BTreeSet;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

/// A translation memory, of which two languages are read.
pub struct TranslationMemory {
    reader: Reader<CountingLines>,
    path: PathBuf,
    languages: [String; 2],
    /// Languages that it has, some of them if they are many, and pairs that were found.
    seen: BTreeSet<String>,
    pairs: u64,
    buffer: Vec<u8>,
}

/// Languages that a message names.
const MOST_NAMED: usize = 20;

/// Counts the lines that were consumed, so that errors can name them.
struct CountingLines {
    inner: Box<dyn BufRead + Send>,
    lines: u64,
    /// Bytes since the last tag began.
    since_tag: usize,
}

/// What stands between two tags is held in memory; more than this is no sentence.
const LONGEST_PIECE: usize = 1 << 26;

impl CountingLines {
    fn count(&mut self, passed: &[u8]) {
        self.lines += memchr::memchr_iter(b'\n', passed).count() as u64;
        self.since_tag = match memchr::memrchr(b'<', passed) {
            Some(at) => passed.len() - at,
            None => self.since_tag + passed.len(),
        };
    }

    fn check(&self) -> io::Result<()> {
        match self.since_tag > LONGEST_PIECE {
            true => Err(io::Error::other("64 MiB without a tag")),
            false => Ok(()),
        }
    }
}

impl Read for CountingLines {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.check()?;
        let length = self.inner.read(into)?;
        self.count(&into[..length]);
        Ok(length)
    }
}

impl BufRead for CountingLines {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.check()?;
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        let mut inner = std::mem::replace(&mut self.inner, Box::new(io::empty()));
        if let Ok(buffer) = inner.fill_buf() {
            self.count(&buffer[..amount.min(buffer.len())]);
        }
        inner.consume(amount);
        self.inner = inner;
    }
}

/// Where in a unit the reader is.
#[derive(Default)]
struct Unit {
    /// Inside `<tu>`.
    open: bool,
    /// Which of the two languages the variant is in.
    side: Option<usize>,
    /// Inside `<seg>`, and how deep inside elements whose text is markup (`<bpt>`, `<ph>`).
    segment: bool,
    markup: usize,
    texts: [Option<String>; 2],
}

impl TranslationMemory {
    /// Opens a file, plain or compressed. Languages match by their first part: `en` finds `en-GB`.
    pub fn open(path: impl AsRef<Path>, source: &str, target: &str) -> Result<Self> {
        let path = path.as_ref();
        let input = CountingLines {
            inner: open(path)?,
            lines: 0,
            since_tag: 0,
        };
        Ok(TranslationMemory {
            reader: Reader::from_reader(input),
            path: path.to_path_buf(),
            languages: [base_language(source), base_language(target)],
            seen: BTreeSet::new(),
            pairs: 0,
            buffer: Vec::new(),
        })
    }

    /// The line that the reader has come to.
    pub fn number(&self) -> u64 {
        self.reader.get_ref().lines + 1
    }

    fn error(&self, message: impl Into<String>) -> Error {
        Error::line(&self.path, self.number(), message)
    }

    /// The next pair, white space as single spaces; units that lack one of the languages are passed over.
    pub fn next_pair(&mut self) -> Result<Option<(String, String)>> {
        let mut unit = Unit::default();
        loop {
            self.buffer.clear();
            let mut buffer = std::mem::take(&mut self.buffer);
            let event = self.reader.read_event_into(&mut buffer);
            let event =
                event.map_err(|error| self.error(format!("well-formed XML expected: {error}")))?;
            if matches!(event, Event::Eof) {
                return match unit.open {
                    true => Err(self.error("</tu> expected, the file ends")),
                    false => self.end(),
                };
            }
            let pair = self.event(&event, &mut unit)?;
            self.buffer = buffer;
            if pair.is_some() {
                self.pairs += 1;
                return Ok(pair);
            }
        }
    }

    /// A memory without a pair is hardly what was wanted.
    fn end(&self) -> Result<Option<(String, String)>> {
        if self.pairs > 0 || self.seen.is_empty() {
            return Ok(None);
        }
        let [source, target] = &self.languages;
        let seen: Vec<&str> = self.seen.iter().map(String::as_str).collect();
        let message = format!(
            "no unit has both {source} and {target}; there are {}",
            seen.join(", ")
        );
        Err(chiasm_store::Error::corrupt(&self.path, message).into())
    }

    fn event(&mut self, event: &Event, unit: &mut Unit) -> Result<Option<(String, String)>> {
        match event {
            Event::Start(start) => self.start(start, unit)?,
            Event::End(end) => return Ok(unit.end(end.name().as_ref())),
            Event::Text(text) => unit.push(text),
            Event::CData(text) => unit.push(text),
            Event::GeneralRef(reference) => {
                let name: &str = reference;
                let character = reference
                    .resolve_char_ref()
                    .map_err(|error| self.error(error.to_string()))?;
                match (character, quick_xml::escape::resolve_xml_entity(name)) {
                    (Some(c), _) => unit.push(c.encode_utf8(&mut [0; 4])),
                    (None, Some(text)) => unit.push(text),
                    (None, None) => return Err(self.error(format!("unknown entity &{name};"))),
                }
            }
            _ => {}
        }
        Ok(None)
    }

    fn start(&mut self, start: &BytesStart, unit: &mut Unit) -> Result<()> {
        match start.name().as_ref() {
            "tu" => {
                *unit = Unit {
                    open: true,
                    ..Unit::default()
                }
            }
            "tuv" if unit.open => {
                let language = self.language(start)?;
                unit.side = self.languages.iter().position(|wanted| *wanted == language);
                if self.seen.len() < MOST_NAMED {
                    self.seen.insert(language);
                }
            }
            "seg" if unit.side.is_some() => unit.segment = true,
            // The content of these is the code of another format, not text.
            "bpt" | "ept" | "ph" | "it" | "ut" if unit.segment => unit.markup += 1,
            _ => {}
        }
        Ok(())
    }

    /// `xml:lang`, or `lang` as older versions write it.
    fn language(&self, start: &BytesStart) -> Result<String> {
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| self.error(error.to_string()))?;
            if matches!(attribute.key.as_ref(), "xml:lang" | "lang") {
                return Ok(base_language(&attribute.value));
            }
        }
        Err(self.error("<tuv> without xml:lang"))
    }
}

impl Unit {
    fn push(&mut self, text: &str) {
        if let (true, 0, Some(side)) = (self.segment, self.markup, self.side) {
            self.texts[side].get_or_insert_default().push_str(text);
        }
    }

    /// The pair, if this was the end of a unit that has both languages.
    fn end(&mut self, name: &str) -> Option<(String, String)> {
        match name {
            "seg" => self.segment = false,
            "tuv" => self.side = None,
            "bpt" | "ept" | "ph" | "it" | "ut" => self.markup = self.markup.saturating_sub(1),
            "tu" => {
                self.open = false;
                let spaced = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
                let [source, target] = std::mem::take(&mut self.texts);
                return Some((spaced(source?), spaced(target?)));
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMORY: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en-GB"><seg>Fish &amp; <bpt i="1">&lt;b></bpt>chips<ept i="1"/> &#233;</seg></tuv>
 <tuv xml:lang="DE"><seg>Fisch und
   Pommes</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>only English</seg></tuv></tu>
<tu><tuv lang="de"><seg>Ja</seg></tuv><tuv lang="fr"><seg>Oui</seg></tuv><tuv lang="en"><seg><![CDATA[Y<es]]></seg></tuv></tu>
</body></tmx>
"#;

    fn read(text: &str) -> Result<Vec<(String, String)>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.tmx");
        std::fs::write(&path, text).unwrap();
        let mut memory = TranslationMemory::open(&path, "de", "en")?;
        let mut pairs = Vec::new();
        while let Some(pair) = memory.next_pair()? {
            pairs.push(pair);
        }
        Ok(pairs)
    }

    #[test]
    fn pairs_with_entities_markup_and_other_languages() {
        let pairs = read(MEMORY).unwrap();
        let expected = [("Fisch und Pommes", "Fish & chips é"), ("Ja", "Y<es")];
        assert_eq!(pairs, expected.map(|(s, t)| (s.to_string(), t.to_string())));
    }

    #[test]
    fn a_memory_without_the_languages_says_which_it_has() {
        let message = read(
            &MEMORY
                .replace("\"DE\"", "\"fr\"")
                .replace("\"de\"", "\"it\""),
        );
        let message = message.unwrap_err().to_string();
        let expected = "memory.tmx: no unit has both de and en; there are en, fr, it";
        assert!(message.ends_with(expected), "{message}");
    }

    #[test]
    fn a_cut_file_never_panics_and_a_cut_unit_is_an_error_with_its_line() {
        for length in (0..MEMORY.len()).filter(|&length| MEMORY.is_char_boundary(length)) {
            let outcome = read(&MEMORY[..length]);
            assert!(
                outcome.is_err() || outcome.unwrap().len() <= 2,
                "cut to {length}"
            );
        }
        let inside = MEMORY.find("only").unwrap();
        let message = read(&MEMORY[..inside]).unwrap_err().to_string();
        assert!(message.contains("memory.tmx: line 6: "), "{message}");
        let broken = MEMORY.replace(
            "</seg></tuv></tu>\n<tu><tuv lang",
            "</sag></tuv></tu>\n<tu><tuv lang",
        );
        let message = read(&broken).unwrap_err().to_string();
        assert!(
            message.contains("line 6: well-formed XML expected"),
            "{message}"
        );
    }
}
