//! Lines of a file, whatever it was compressed with.

use crate::compression::{display_name, open, read_error};
use crate::recognition::{encoding_of, foreign_format};
use crate::{Error, Result};
use chiasm_work::cancel;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

/// A line of more bytes is no line of text, and must not fill the memory before that is said.
const LONGEST_LINE: u64 = 1 << 26;

/// The lines of a file, checked as UTF-8 and numbered from 1.
pub struct Lines {
    reader: Box<dyn BufRead + Send>,
    path: PathBuf,
    number: u64,
    buffer: Vec<u8>,
    sentences: bool,
    /// The line read last goes on beyond what was read of it.
    unfinished: bool,
}

impl Lines {
    /// Opens a file as [`open`] does.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Ok(Self::new(open(path)?, display_name(path)))
    }

    /// The same of a file that must be plain text, a sentence a line: what begins like a web page, an
    /// archive or a format of translators is an error.
    pub fn open_sentences(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Lines {
            sentences: true,
            ..Self::open(path)?
        })
    }

    /// Lines of any reader; `path` is its name in messages.
    pub fn new(reader: Box<dyn BufRead + Send>, path: impl Into<PathBuf>) -> Self {
        Lines {
            reader,
            path: path.into(),
            number: 0,
            buffer: Vec::new(),
            sentences: false,
            unfinished: false,
        }
    }

    /// The file's name as messages have it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of the line read last, from 1; 0 before the first.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The next line as bytes, without its end (`\n` or `\r\n`).
    pub fn next_bytes(&mut self) -> Result<Option<&[u8]>> {
        cancel::tick();
        self.buffer.clear();
        let mut reader = self.reader.by_ref().take(LONGEST_LINE);
        let read = reader.read_until(b'\n', &mut self.buffer);
        let length = read.map_err(|e| read_error(&self.path, self.number + 1, e))?;
        if length == 0 {
            return Ok(None);
        }
        self.number += 1;
        if length as u64 == LONGEST_LINE {
            self.unfinished = self.buffer.last() != Some(&b'\n');
            self.buffer = Vec::new();
            let most = LONGEST_LINE >> 20;
            return Err(self.error(format!("the line is longer than {most} MiB")));
        }
        if self.sentences
            && self.number == 1
            && let Some(format) = foreign_format(&self.buffer)
        {
            return Err(self.error(format!("{format}, not plain text with a sentence a line")));
        }
        let line = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// The next line as text; the inner `None` is one that is not UTF-8.
    pub fn next_readable(&mut self) -> Result<Option<Option<&str>>> {
        let line = self.next_bytes()?;
        Ok(line.map(|line| std::str::from_utf8(line).ok()))
    }

    /// The next line as text.
    pub fn next_line(&mut self) -> Result<Option<&str>> {
        if self.next_bytes()?.is_none() {
            return Ok(None);
        }
        self.text().map(Some)
    }

    /// The line read last as text.
    fn text(&self) -> Result<&str> {
        let line = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        std::str::from_utf8(line).map_err(|error| self.error(invalid_utf8(line, &error)))
    }

    /// The next line as text; the inner error is one of this line alone (it is not UTF-8, or far too long), and the lines
    /// after it can still be read.
    pub fn next_or_broken(&mut self) -> Result<Option<Result<&str>>> {
        match self.next_bytes().map(|line| line.is_some()) {
            Ok(false) => return Ok(None),
            Ok(true) => {}
            Err(error) if std::mem::take(&mut self.unfinished) => {
                let rest = self.reader.skip_until(b'\n');
                rest.map_err(|e| read_error(&self.path, self.number, e))?;
                return Ok(Some(Err(error)));
            }
            Err(error) => return Err(error),
        }
        Ok(Some(self.text()))
    }

    /// The bytes of the line read last as text, or the error that says what they are instead.
    pub fn checked(&self, line: Vec<u8>) -> Result<String> {
        let text = String::from_utf8(line);
        text.map_err(|error| self.error(invalid_utf8(error.as_bytes(), &error.utf8_error())))
    }

    /// Appends the next line to `into`; `false` at the end.
    pub fn append_line(&mut self, into: &mut String) -> Result<bool> {
        match self.next_line()? {
            Some(line) => {
                into.push_str(line);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// An error at the line read last.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::line(&self.path, self.number, message)
    }
}

/// Where a line stops being UTF-8, and what it may be instead.
pub(crate) fn invalid_utf8(line: &[u8], error: &std::str::Utf8Error) -> String {
    let at = error.valid_up_to() + 1;
    match encoding_of(line) {
        Some(encoding) => format!("invalid UTF-8 at byte {at}; it looks like {encoding}"),
        None => format!("invalid UTF-8 at byte {at}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TextOutput;
    use std::io::Write;

    const TEXT: &str = "first line\nthe second\r\n\nقرأ الطالب\nno end";

    fn read(path: &Path) -> Result<Vec<String>> {
        let mut lines = Lines::open(path)?;
        let mut all = Vec::new();
        while let Some(line) = lines.next_line()? {
            all.push(line.to_string());
        }
        Ok(all)
    }

    #[test]
    fn every_compression_is_told_by_its_bytes_and_every_truncation_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let expected = ["first line", "the second", "", "قرأ الطالب", "no end"];
        for ending in ["txt", "gz", "zst", "xz", "bz2"] {
            let named = folder.path().join(format!("text.{ending}"));
            let mut output = TextOutput::create(&named).unwrap();
            output.write_all(TEXT.as_bytes()).unwrap();
            output.finish().unwrap();
            let unnamed = folder.path().join("text");
            std::fs::rename(&named, &unnamed).unwrap();
            assert_eq!(read(&unnamed).unwrap(), expected, "{ending}");
            if ending == "txt" {
                continue;
            }
            let whole = std::fs::read(&unnamed).unwrap();
            for length in 8..whole.len() {
                std::fs::write(&unnamed, &whole[..length]).unwrap();
                let outcome = read(&unnamed);
                assert!(outcome.is_err(), "{ending} cut to {length}: {outcome:?}");
                let message = outcome.unwrap_err().to_string();
                assert!(message.contains("text: line "), "{message}");
            }
        }
    }

    #[test]
    fn a_line_without_end_is_refused_before_it_fills_the_memory() {
        let endless = std::io::BufReader::new(std::io::repeat(b'x'));
        let mut lines = Lines::new(Box::new(endless), "endless");
        let message = lines.next_bytes().unwrap_err().to_string();
        assert_eq!(message, "endless: line 1: the line is longer than 64 MiB");
    }

    #[test]
    fn after_a_broken_line_comes_the_next() {
        let long = std::io::repeat(b'x').take(LONGEST_LINE + 70_000);
        let text = b"a\n\xff\n".chain(long).chain(&b"\nb\n"[..]);
        let mut lines = Lines::new(Box::new(std::io::BufReader::new(text)), "mixed");
        let mut found = Vec::new();
        while let Some(line) = lines.next_or_broken().unwrap() {
            found.push(line.map_or_else(|error| error.to_string(), str::to_string));
        }
        assert_eq!(found[0], "a");
        assert!(found[1].starts_with("mixed: line 2: invalid UTF-8 at byte 1"));
        assert_eq!(
            found[2..],
            ["mixed: line 3: the line is longer than 64 MiB", "b"]
        );
    }

    #[test]
    fn a_web_page_is_no_list_of_sentences() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page");
        std::fs::write(&path, "<!DOCTYPE html>\n<p>Hello</p>\n").unwrap();
        assert!(read(&path).is_ok());
        let mut lines = Lines::open_sentences(&path).unwrap();
        let message = lines.next_line().unwrap_err().to_string();
        let expected = "page: line 1: this is HTML, not plain text with a sentence a line";
        assert!(message.ends_with(expected), "{message}");
    }

    #[test]
    fn invalid_utf8_names_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad");
        std::fs::write(&path, b"good\nba\xffd\n").unwrap();
        let message = read(&path).unwrap_err().to_string();
        assert!(
            message.ends_with("bad: line 2: invalid UTF-8 at byte 3; it looks like Latin-1"),
            "{message}"
        );
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_word() {
        let folder = tempfile::tempdir().unwrap();
        for ending in ["txt", "gz"] {
            let path = folder.path().join(format!("marked.{ending}"));
            let mut output = TextOutput::create(&path).unwrap();
            output
                .write_all("\u{feff}first\n\u{feff}\n".as_bytes())
                .unwrap();
            output.finish().unwrap();
            assert_eq!(read(&path).unwrap(), ["first", "\u{feff}"]);
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let message = read(Path::new("/no/such")).unwrap_err().to_string();
        assert_eq!(message, "/no/such: no such file or directory");
    }
}
