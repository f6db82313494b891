//! One file of named sections behind a magic number, a kind and a version.
//!
//! ```text
//! offset  bytes
//!      0      8  magic "CHIASM\r\n"
//!      8     24  kind, e.g. "classifier", padded with zeros
//!     32      4  version of that kind
//!     36      4  number of sections
//!     40      8  length of the file
//!     48      8  offset of the section table
//!     56      8  xxh3 of the first 56 bytes and the section table
//!     64         sections, each at a multiple of 64
//!                section table: name (40 bytes), offset, length, xxh3 of the contents (8 each)
//! ```
//! Opening checks everything but the contents, in time that does not depend on their size;
//! [`Sections::confirm_in_background`] checks the contents meanwhile. Sections of a part live under a prefix (`lm/`), so
//! that a language model is the same bytes alone and inside a system.

use crate::{Array, Error, MappedFile, OutputFile, Result};
use std::collections::BTreeMap;
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use verification::Verification;
use xxhash_rust::xxh3::Xxh3;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

mod verification;

const MAGIC: &[u8; 8] = b"CHIASM\r\n";
const HEADER: usize = 64;
const KIND: usize = 24;
const NAME: usize = 40;
const ENTRY: usize = NAME + 24;
const ALIGNMENT: u64 = 64;

#[derive(Clone, Debug)]
struct Section {
    range: Range<usize>,
    checksum: u64,
}

/// Writes a container; it appears when [`Writer::finish`] returns.
pub struct Writer {
    output: OutputFile,
    kind: String,
    version: u32,
    position: u64,
    table: Vec<(String, u64, u64, u64)>,
    prefix: String,
}

impl Writer {
    /// Begins a container of `kind` at `path`.
    pub fn create(path: impl AsRef<Path>, kind: &str, version: u32) -> Result<Self> {
        let path = path.as_ref();
        if path.as_os_str() == "-" {
            return Err(Error::corrupt(
                "standard output",
                "a binary model needs a file name",
            ));
        }
        assert!(kind.len() <= KIND, "kind {kind:?} is too long");
        let mut output = OutputFile::create(path)?;
        output
            .write_all(&[0; HEADER])
            .map_err(|e| Error::io(path, e))?;
        Ok(Writer {
            output,
            kind: kind.to_string(),
            version,
            position: HEADER as u64,
            table: Vec::new(),
            prefix: String::new(),
        })
    }

    /// Sections written by `fill` get `prefix` before their names.
    pub fn within<T>(
        &mut self,
        prefix: &str,
        fill: impl FnOnce(&mut Writer) -> Result<T>,
    ) -> Result<T> {
        let outer = self.prefix.len();
        self.prefix.push_str(prefix);
        let result = fill(self);
        self.prefix.truncate(outer);
        result
    }

    /// Adds a section of raw bytes.
    pub fn bytes(&mut self, name: &str, contents: &[u8]) -> Result<()> {
        self.stream(name, |sink| sink.write_all(contents))
    }

    /// Adds a section of plain data.
    pub fn array<T: IntoBytes + Immutable>(&mut self, name: &str, contents: &[T]) -> Result<()> {
        self.bytes(name, contents.as_bytes())
    }

    /// Adds a section that is written piece by piece.
    pub fn stream(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<()> {
        let name = format!("{}{name}", self.prefix);
        assert!(name.len() <= NAME, "section name {name:?} is too long");
        assert!(
            self.table.iter().all(|entry| entry.0 != name),
            "section {name:?} twice"
        );
        self.pad()?;
        let mut sink = CheckedSink {
            output: &mut self.output,
            hash: Xxh3::new(),
            length: 0,
        };
        let outcome = fill(&mut sink);
        let (length, checksum) = (sink.length, sink.hash.digest());
        outcome.map_err(|e| Error::io(self.output.path(), e))?;
        self.table.push((name, self.position, length, checksum));
        self.position += length;
        Ok(())
    }

    fn pad(&mut self) -> Result<()> {
        let padding = (ALIGNMENT - self.position % ALIGNMENT) % ALIGNMENT;
        self.write(&[0; ALIGNMENT as usize][..padding as usize])?;
        self.position += padding;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.output
            .write_all(bytes)
            .map_err(|e| Error::io(self.output.path(), e))
    }

    /// Writes table and header; the file exists from here on.
    pub fn finish(mut self) -> Result<()> {
        self.pad()?;
        let mut table = Vec::with_capacity(self.table.len() * ENTRY);
        for (name, offset, length, checksum) in &self.table {
            let mut padded = [0u8; NAME];
            padded[..name.len()].copy_from_slice(name.as_bytes());
            table.extend_from_slice(&padded);
            for number in [offset, length, checksum] {
                table.extend_from_slice(&number.to_le_bytes());
            }
        }
        self.write(&table)?;
        let mut header = Vec::with_capacity(HEADER);
        header.extend_from_slice(MAGIC);
        header.extend_from_slice(self.kind.as_bytes());
        header.resize(8 + KIND, 0);
        header.extend_from_slice(&self.version.to_le_bytes());
        header.extend_from_slice(&(self.table.len() as u32).to_le_bytes());
        header.extend_from_slice(&(self.position + table.len() as u64).to_le_bytes());
        header.extend_from_slice(&self.position.to_le_bytes());
        let checksum = header_checksum(&header, &table);
        header.extend_from_slice(&checksum.to_le_bytes());
        self.output
            .seek(SeekFrom::Start(0))
            .map_err(|e| Error::io(self.output.path(), e))?;
        self.write(&header)?;
        self.output.finish()
    }
}

fn header_checksum(header: &[u8], table: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(header);
    hash.update(table);
    hash.digest()
}

struct CheckedSink<'a> {
    output: &'a mut OutputFile,
    hash: Xxh3,
    length: u64,
}

impl Write for CheckedSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.output.write_all(bytes)?;
        self.hash.update(bytes);
        self.length += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// An open container: its kind, its version, its sections.
#[derive(Debug)]
pub struct Container {
    kind: String,
    version: u32,
    sections: Sections,
}

impl Container {
    /// Does `path` begin like a container? (Text models are told from binary ones by this.)
    pub fn is_container(path: impl AsRef<Path>) -> bool {
        let mut start = [0u8; 8];
        std::fs::File::open(path)
            .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start))
            .is_ok_and(|()| &start == MAGIC)
    }

    /// Maps `path` and checks header and section table.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let map = MappedFile::open(path)?;
        let corrupt = |reason: String| Error::corrupt(map.path(), reason);
        if map.get(..8) != Some(MAGIC.as_slice()) {
            return Err(corrupt("not a file that Chiasm wrote".into()));
        }
        let header = map
            .get(..HEADER)
            .ok_or_else(|| corrupt("truncated in the header".into()))?;
        let number = |at: usize| u64_at(header, at);
        let length = number(40);
        if length != map.len() as u64 {
            return Err(corrupt(format!(
                "truncated: {length} bytes expected, {} found",
                map.len()
            )));
        }
        let count = u32_at(header, 36) as usize;
        let table = usize::try_from(number(48))
            .ok()
            .and_then(|start| map.get(start..))
            .filter(|table| count.checked_mul(ENTRY) == Some(table.len()))
            .ok_or_else(|| corrupt("damaged header: no section table where it should be".into()))?;
        if header_checksum(&header[..56], table) != number(56) {
            return Err(corrupt("damaged header: its checksum differs".into()));
        }
        let mut sections = BTreeMap::new();
        for entry in table.chunks_exact(ENTRY) {
            let name = padded_text(&entry[..NAME])
                .ok_or_else(|| corrupt("damaged section table: a name is not text".into()))?;
            let (start, length) = (u64_at(entry, NAME), u64_at(entry, NAME + 8));
            let end = start
                .checked_add(length)
                .filter(|&end| end <= map.len() as u64);
            let Some(end) = end else {
                return Err(corrupt(format!(
                    "section {name}: reaches past the end of the file"
                )));
            };
            let section = Section {
                range: start as usize..end as usize,
                checksum: u64_at(entry, NAME + 16),
            };
            sections.insert(name, section);
        }
        let kind = padded_text(&header[8..8 + KIND])
            .ok_or_else(|| corrupt("damaged header: the kind is not text".into()))?;
        let version = u32_at(header, 32);
        let sections = Sections {
            map,
            table: Arc::new(sections),
            prefix: String::new(),
            verification: Arc::default(),
        };
        Ok(Container {
            kind,
            version,
            sections,
        })
    }

    /// What the file holds.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The version of that kind's layout.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The sections, whatever the kind.
    pub fn sections(&self) -> &Sections {
        &self.sections
    }

    /// The sections, if the file is of this kind and version.
    pub fn expect_kind(self, kind: &str, version: u32) -> Result<Sections> {
        let path = self.sections.path().to_path_buf();
        if self.kind != kind {
            let reason = format!("holds a {}, not a {kind}", self.kind);
            return Err(Error::corrupt(path, reason));
        }
        if self.version != version {
            let reason = format!(
                "{kind} of version {}; this program reads version {version}",
                self.version
            );
            return Err(Error::corrupt(path, reason));
        }
        Ok(self.sections)
    }
}

/// The sections of a container under a prefix.
#[derive(Clone, Debug)]
pub struct Sections {
    map: Arc<MappedFile>,
    table: Arc<BTreeMap<String, Section>>,
    prefix: String,
    verification: Arc<Verification>,
}

impl Sections {
    /// The same file, seen from under `prefix`.
    pub fn within(&self, prefix: &str) -> Sections {
        Sections {
            prefix: format!("{}{prefix}", self.prefix),
            ..self.clone()
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.map.path()
    }

    /// Is there such a section?
    pub fn contains(&self, name: &str) -> bool {
        self.table.contains_key(&format!("{}{name}", self.prefix))
    }

    /// Names and lengths in bytes of the sections under the prefix.
    pub fn list(&self) -> impl Iterator<Item = (&str, usize)> {
        self.table.iter().filter_map(|(name, section)| {
            name.strip_prefix(self.prefix.as_str())
                .map(|rest| (rest, section.range.len()))
        })
    }

    fn find(&self, name: &str) -> Result<&Section> {
        self.table
            .get(&format!("{}{name}", self.prefix))
            .ok_or_else(|| self.corrupt(name, "is missing"))
    }

    /// The error for a section whose contents make no sense.
    pub fn corrupt(&self, name: &str, reason: &str) -> Error {
        Error::corrupt(
            self.path(),
            format!("section {}{name}: {reason}", self.prefix),
        )
    }

    /// The bytes of a section.
    pub fn bytes(&self, name: &str) -> Result<&[u8]> {
        let range = self.find(name)?.range.clone();
        self.map
            .get(range)
            .ok_or_else(|| self.corrupt(name, "is outside the file"))
    }

    /// A section as plain data.
    pub fn array<T: FromBytes + Immutable + KnownLayout>(&self, name: &str) -> Result<Array<T>> {
        let range = self.find(name)?.range.clone();
        Array::from_map(&self.map, range)
            .ok_or_else(|| self.corrupt(name, "is not a whole number of elements"))
    }

    /// A section as text.
    pub fn text(&self, name: &str) -> Result<&str> {
        std::str::from_utf8(self.bytes(name)?).map_err(|_| self.corrupt(name, "is not UTF-8"))
    }

    /// A number that differs between files of different contents, from their checksums.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Xxh3::new();
        for (name, section) in self.table.iter() {
            hash.update(name.as_bytes());
            hash.update(&section.checksum.to_le_bytes());
        }
        hash.digest()
    }

    /// The whole file's name, for messages of readers that own the path.
    pub fn path_buf(&self) -> PathBuf {
        self.path().to_path_buf()
    }
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(number)
}

fn padded_text(bytes: &[u8]) -> Option<String> {
    let end = bytes
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(bytes.len());
    let text = std::str::from_utf8(&bytes[..end]).ok()?;
    bytes[end..]
        .iter()
        .all(|&byte| byte == 0)
        .then(|| text.to_string())
}

#[cfg(test)]
mod tests;
