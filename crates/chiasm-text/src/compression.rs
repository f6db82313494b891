//! Files opened whatever they were compressed with, told by their first bytes however these arrive.

use crate::{Error, Result};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const BUFFER: usize = 1 << 18;

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const XZ: &[u8] = &[0xfd, b'7', b'z', b'X', b'Z', 0];
const BZIP2: &[u8] = b"BZh";
const MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// Text that expands to more than this is looked at:
const LARGE: u64 = 1 << 24;
/// no text is compressed so well, so it is no text, and nobody wants to wait for its end.
const MOST_EXPANSION: u64 = 1000;

/// Opens `path` (`-` is standard input) and decompresses gzip, zstd, xz or bzip2, told by the
/// first bytes, not by the name. A byte order mark is passed over: it is no part of the first word.
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
    open_reader(raw, &display_name(path))
}

fn open_reader(raw: Box<dyn Read + Send>, name: &Path) -> Result<Box<dyn BufRead + Send>> {
    let failed = |e| Error::io(name, e);
    let (start, raw) = peek(raw, &[GZIP, ZSTD, XZ, BZIP2]).map_err(failed)?;
    let packed = Counted::new(raw);
    let count = packed.count.clone();
    let raw = BufReader::with_capacity(BUFFER, packed);
    let decoder: Box<dyn Read + Send> = if start.starts_with(GZIP) {
        Box::new(flate2::bufread::MultiGzDecoder::new(raw))
    } else if start.starts_with(ZSTD) {
        Box::new(zstd::stream::read::Decoder::with_buffer(raw).map_err(failed)?)
    } else if start.starts_with(XZ) {
        Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(raw))
    } else if start.starts_with(BZIP2) {
        Box::new(bzip2::bufread::MultiBzDecoder::new(raw))
    } else {
        return without_mark(raw, name);
    };
    let unpacked = Unpacked {
        decoder,
        packed: count,
        length: 0,
    };
    without_mark(unpacked, name)
}

fn without_mark(
    reader: impl Read + Send + 'static,
    name: &Path,
) -> Result<Box<dyn BufRead + Send>> {
    let (start, mut reader) = peek(reader, &[MARK]).map_err(|e| read_error(name, 1, e))?;
    if start == MARK {
        reader.get_mut().0.set_position(MARK.len() as u64);
    }
    Ok(Box::new(BufReader::with_capacity(BUFFER, reader)))
}

/// The first bytes, as many as it takes to tell whether they are one of `magics`, and a reader that
/// begins with them again. No more is waited for: a person may be typing.
#[allow(clippy::type_complexity)]
fn peek<R: Read>(
    mut reader: R,
    magics: &[&[u8]],
) -> io::Result<(Vec<u8>, Chain<Cursor<Vec<u8>>, R>)> {
    let mut start = Vec::new();
    let undecided = |start: &[u8]| {
        let goes_on = |magic: &&&[u8]| magic.len() > start.len() && magic.starts_with(start);
        magics.iter().any(|magic| goes_on(&magic))
    };
    while undecided(&start) {
        let mut byte = [0];
        match reader.read(&mut byte) {
            Ok(0) => break,
            Ok(_) => start.push(byte[0]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok((start.clone(), Cursor::new(start).chain(reader)))
}

/// Counts the bytes that pass.
struct Counted<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R> Counted<R> {
    fn new(inner: R) -> Self {
        Counted {
            inner,
            count: Arc::default(),
        }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(into)?;
        self.count.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

/// What comes out of a decoder, as long as it is in proportion to what went in.
struct Unpacked {
    decoder: Box<dyn Read + Send>,
    packed: Arc<AtomicU64>,
    length: u64,
}

/// Says which error is this one.
const BOMB: &str = "expands to more than a thousand times its size, as no text does";

impl Read for Unpacked {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.decoder.read(into)?;
        self.length += length as u64;
        let packed = self.packed.load(Ordering::Relaxed);
        if self.length > LARGE && self.length / MOST_EXPANSION > packed {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, BOMB));
        }
        Ok(length)
    }
}

/// How a file is called in messages.
pub(crate) fn display_name(path: &Path) -> PathBuf {
    if path.as_os_str() == "-" {
        "standard input".into()
    } else {
        path.to_path_buf()
    }
}

/// What went wrong while a line was read.
pub(crate) fn read_error(path: &Path, line: u64, error: io::Error) -> Error {
    let message = match error.kind() {
        io::ErrorKind::UnexpectedEof => "the compressed data ends too soon".to_string(),
        io::ErrorKind::FileTooLarge => error.to_string(),
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

    /// A pipe that hands over a byte at a time.
    struct Dripping(Cursor<Vec<u8>>);

    impl Read for Dripping {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let length = into.len().min(1);
            self.0.read(&mut into[..length])
        }
    }

    fn read(bytes: Vec<u8>) -> Vec<u8> {
        let raw = Box::new(Dripping(Cursor::new(bytes)));
        let mut all = Vec::new();
        let mut reader = open_reader(raw, Path::new("drip")).unwrap();
        reader.read_to_end(&mut all).unwrap();
        all
    }

    #[test]
    fn bytes_that_come_one_by_one_are_recognised_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        for ending in ["txt", "gz", "zst", "xz", "bz2"] {
            let path = folder.path().join(format!("text.{ending}"));
            let mut output = TextOutput::create(&path).unwrap();
            output.write_all("\u{feff}first\n".as_bytes()).unwrap();
            output.finish().unwrap();
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(read(bytes), b"first\n", "{ending}");
        }
        for short in ["", "B", "BZ", "(", "x"] {
            assert_eq!(read(short.into()), short.as_bytes());
        }
        assert_eq!(read(vec![0xef, 0xbb]), [0xef, 0xbb]);
    }

    /// Panics if it is read beyond what tells that it is not compressed.
    struct Typing(Option<&'static [u8]>);

    impl Read for Typing {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let typed = self.0.take().expect("waited for a second line");
            into[0] = typed[0];
            self.0 = Some(&typed[1..]).filter(|rest| !rest.is_empty());
            Ok(1)
        }
    }

    #[test]
    fn nobody_waits_for_more_than_was_typed() {
        let raw = Box::new(Typing(Some(b"h")));
        open_reader(raw, Path::new("-")).unwrap();
    }

    #[test]
    fn what_expands_beyond_measure_is_refused() {
        struct Endless;
        impl Read for Endless {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                into.fill(b'\n');
                Ok(into.len())
            }
        }
        let mut bomb = Unpacked {
            decoder: Box::new(Endless),
            packed: Arc::new(AtomicU64::new(403)),
            length: 0,
        };
        let copied = io::copy(&mut bomb, &mut io::sink());
        assert_eq!(copied.unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(bomb.length < 2 * LARGE);
    }
}
