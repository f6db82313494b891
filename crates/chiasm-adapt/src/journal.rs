//! The file of what was learned: a line a record, only ever added to, each with its checksum.
//!
//! The first line names the format; every other is the xxh3 of the rest of the line in 16 hexadecimal digits, a space and a
//! record in JSON. A line without its end is what was being written when somebody pulled the plug: it is passed over, and the
//! next record is written in its place. Writers take turns by locking the file, and read what others have written first.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

const HEADER: &str = "chiasm memory 1\n";

/// A pair that somebody approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// Its number, counted from 1 and never used again.
    pub id: u64,
    /// The source as people write it.
    pub source: String,
    /// Its translation.
    pub target: String,
    /// The source as the system's tokens.
    pub source_tokens: String,
    /// The translation as tokens.
    pub target_tokens: String,
    /// Links between them, as `0-0 1-2`.
    pub links: String,
}

/// What stands in a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Record {
    Learn(Pair),
    Forget(u64),
}

/// A journal that is open.
pub(crate) struct Journal {
    path: PathBuf,
    /// `None` until there is something to write.
    file: Option<File>,
    /// How much of it was read.
    read: u64,
    lines: usize,
}

impl Journal {
    /// Opens a journal; one that is not there is begun with its first record.
    pub fn open(path: &Path) -> Result<Self> {
        let file = match OpenOptions::new().read(true).append(true).open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            opened => Some(checked(path, opened)?),
        };
        Ok(Journal {
            path: path.to_path_buf(),
            file,
            read: 0,
            lines: 0,
        })
    }

    /// Opens a journal of somebody else, who need not let us write.
    pub fn open_to_read(path: &Path) -> Result<Self> {
        let file = checked(path, File::open(path))?;
        Ok(Journal {
            path: path.to_path_buf(),
            file: Some(file),
            read: 0,
            lines: 0,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How much was read: bytes and records.
    pub fn position(&self) -> (u64, u64) {
        (self.read, self.lines.saturating_sub(1) as u64)
    }

    /// A hash of its first bytes.
    pub fn hash(&self, bytes: u64) -> Result<u64> {
        let io = |error| Error::io(&self.path, error);
        let mut text = Vec::new();
        let file = File::open(&self.path).map_err(io)?;
        file.take(bytes).read_to_end(&mut text).map_err(io)?;
        Ok(xxh3_64(&text))
    }

    /// The records that were added since the last time.
    pub fn news(&mut self) -> Result<Vec<Record>> {
        if self.file.is_none() {
            // Another program may have begun it meanwhile.
            self.file = Self::open(&self.path)?.file;
        }
        let Some(file) = &mut self.file else {
            return Ok(Vec::new());
        };
        let io = |error| Error::io(&self.path, error);
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(self.read)).map_err(io)?;
        file.read_to_end(&mut text).map_err(io)?;
        let mut records = Vec::new();
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            if self.read == 0 {
                // A header cut short is a journal that was just being begun.
                if !HEADER.as_bytes().starts_with(line) {
                    return Err(Error::Kind {
                        path: self.path.clone(),
                    });
                }
            }
            if line.last() != Some(&b'\n') {
                break;
            }
            self.lines += 1;
            if self.read > 0 {
                records.push(record(line).map_err(|reason| Error::Damaged {
                    path: self.path.clone(),
                    line: self.lines,
                    reason,
                })?);
            }
            self.read += line.len() as u64;
        }
        Ok(records)
    }

    /// Adds what `make` says, given what others have added meanwhile, and returns those and the new ones together. They are
    /// on the disk when this returns.
    pub fn add(
        &mut self,
        make: impl FnOnce(&[Record]) -> Result<Vec<Record>>,
    ) -> Result<Vec<Record>> {
        if self.file.is_none() {
            let mut options = OpenOptions::new();
            options.read(true).append(true).create(true);
            self.file = Some(checked(&self.path, options.open(&self.path))?);
        }
        let io = |error| Error::io(&self.path, error);
        let lock = self.file.as_ref().map(File::try_clone).transpose();
        let Some(lock) = lock.map_err(io)? else {
            return Ok(Vec::new());
        };
        lock.lock().map_err(io)?;
        let outcome = self.add_locked(&lock, make);
        let unlocked = lock.unlock();
        let records = outcome?;
        unlocked.map_err(|error| Error::io(&self.path, error))?;
        Ok(records)
    }

    fn add_locked(
        &mut self,
        mut file: &File,
        make: impl FnOnce(&[Record]) -> Result<Vec<Record>>,
    ) -> Result<Vec<Record>> {
        let mut records = self.news()?;
        let new = make(&records)?;
        let io = |error| Error::io(&self.path, error);
        let begins = self.read == 0;
        let mut text = match begins {
            true => HEADER.to_string(),
            false => String::new(),
        };
        for record in &new {
            let json =
                serde_json::to_string(record).map_err(|error| Error::Pair(error.to_string()))?;
            text.push_str(&format!("{:016x} {json}\n", xxh3_64(json.as_bytes())));
        }
        // What was cut off by a crash goes.
        if file.metadata().map_err(io)?.len() > self.read {
            file.set_len(self.read).map_err(io)?;
        }
        file.write_all(text.as_bytes()).map_err(io)?;
        file.sync_data().map_err(io)?;
        self.read += text.len() as u64;
        self.lines += new.len() + usize::from(begins);
        records.extend(new);
        Ok(records)
    }
}

/// A journal is a plain file.
fn checked(path: &Path, opened: std::io::Result<File>) -> Result<File> {
    let io = |error| Error::io(path, error);
    let file = opened.map_err(io)?;
    match file.metadata().map_err(io)?.is_file() {
        true => Ok(file),
        false => Err(Error::Kind { path: path.into() }),
    }
}

fn record(line: &[u8]) -> std::result::Result<Record, String> {
    let line = std::str::from_utf8(line).map_err(|_| "not UTF-8".to_string())?;
    let (sum, json) = line
        .trim_end_matches('\n')
        .split_once(' ')
        .ok_or("no checksum")?;
    let sum = u64::from_str_radix(sum, 16).map_err(|_| "no checksum".to_string())?;
    if sum != xxh3_64(json.as_bytes()) {
        return Err("its checksum is another".into());
    }
    serde_json::from_str(json).map_err(|error| error.to_string())
}
