//! Lines of a file, whatever it was compressed with.

use crate::{Error, Result};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

const BUFFER: usize = 1 << 18;

/// Opens `path` (`-` is standard input) and decompresses gzip, zstd, xz or bzip2, told by the
/// first bytes, not by the name.
pub fn open(path: impl AsRef<Path>) -> Result<Box<dyn BufRead + Send>> {
    let path = path.as_ref();
    let raw: Box<dyn Read + Send> = if path.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        let file = File::open(path).map_err(|e| Error::io(path, e))?;
        if file.metadata().is_ok_and(|m| m.is_dir()) {
            return Err(chiasm_store::Error::corrupt(path, "is a folder, not a file").into());
        }
        Box::new(file)
    };
    let mut raw = BufReader::with_capacity(BUFFER, raw);
    let start = raw
        .fill_buf()
        .map_err(|e| Error::io(display_name(path), e))?;
    let decoder: Box<dyn Read + Send> = match start {
        [0x1f, 0x8b, ..] => Box::new(flate2::bufread::MultiGzDecoder::new(raw)),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            Box::new(zstd::stream::read::Decoder::with_buffer(raw).map_err(|e| Error::io(path, e))?)
        }
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(raw))
        }
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => Box::new(bzip2::bufread::MultiBzDecoder::new(raw)),
        _ => return without_mark(raw, path),
    };
    without_mark(BufReader::with_capacity(BUFFER, decoder), path)
}

/// Passes over a byte order mark, which is no part of the first word.
fn without_mark(
    mut reader: impl BufRead + Send + 'static,
    path: &Path,
) -> Result<Box<dyn BufRead + Send>> {
    let start = reader
        .fill_buf()
        .map_err(|e| read_error(&display_name(path), 1, e))?;
    if start.starts_with(&[0xef, 0xbb, 0xbf]) {
        reader.consume(3);
    }
    Ok(Box::new(reader))
}

/// How a file is called in messages.
pub(crate) fn display_name(path: &Path) -> PathBuf {
    if path.as_os_str() == "-" {
        "standard input".into()
    } else {
        path.to_path_buf()
    }
}

/// The lines of a file, checked as UTF-8 and numbered from 1.
pub struct Lines {
    reader: Box<dyn BufRead + Send>,
    path: PathBuf,
    number: u64,
    buffer: Vec<u8>,
}

impl Lines {
    /// Opens a file as [`open`] does.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Ok(Self::new(open(path)?, display_name(path)))
    }

    /// Lines of any reader; `path` is its name in messages.
    pub fn new(reader: Box<dyn BufRead + Send>, path: impl Into<PathBuf>) -> Self {
        Lines {
            reader,
            path: path.into(),
            number: 0,
            buffer: Vec::new(),
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
        self.buffer.clear();
        let read = self.reader.read_until(b'\n', &mut self.buffer);
        let length = read.map_err(|e| read_error(&self.path, self.number + 1, e))?;
        if length == 0 {
            return Ok(None);
        }
        self.number += 1;
        let line = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// The next line as text.
    pub fn next_line(&mut self) -> Result<Option<&str>> {
        if self.next_bytes()?.is_none() {
            return Ok(None);
        }
        let line = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match std::str::from_utf8(line) {
            Ok(text) => Ok(Some(text)),
            Err(error) => {
                let message = format!("invalid UTF-8 at byte {}", error.valid_up_to() + 1);
                Err(Error::line(&self.path, self.number, message))
            }
        }
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

/// What went wrong while a line was read.
fn read_error(path: &Path, line: u64, error: io::Error) -> Error {
    let message = match error.kind() {
        io::ErrorKind::UnexpectedEof => "the compressed data ends too soon".to_string(),
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other => {
            format!("the compressed data is damaged ({error})")
        }
        _ => return Error::io(path, error),
    };
    Error::line(path, line, message)
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
    fn invalid_utf8_names_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad");
        std::fs::write(&path, b"good\nba\xffd\n").unwrap();
        let message = read(&path).unwrap_err().to_string();
        assert!(
            message.ends_with("bad: line 2: invalid UTF-8 at byte 3"),
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
