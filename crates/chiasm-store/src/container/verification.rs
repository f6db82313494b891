//! Contents checked against their checksums while the first work is done: opening stays a matter of milliseconds, and no
//! answer from damaged contents leaves unnoticed.

use super::{Section, Sections};
use crate::{Error, Result};
use std::sync::OnceLock;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Bytes that are read at a time.
const PIECE: usize = 1 << 18;

/// What the one check of a whole file found; nothing yet before it has run.
#[derive(Debug, Default)]
pub(super) struct Verification(OnceLock<std::result::Result<(), String>>);

impl Sections {
    /// Begins to check the contents of the whole file on a thread of its own; [`Sections::confirm`] waits for it.
    pub fn confirm_in_background(&self) {
        let sections = self.clone();
        let thread = std::thread::Builder::new().name("verification".into());
        // Where no thread can be had, the first `confirm` does the work.
        let _ = thread.spawn(move || sections.confirm());
    }

    /// Are the contents of the whole file what was written, and was all of it there whenever it was read? The first call
    /// reads the file (or waits until it has been read), later ones cost nothing: to be asked before an answer leaves.
    pub fn confirm(&self) -> Result<()> {
        let outcome = self.verification.0.get_or_init(|| {
            let mut sections = self.table.iter();
            sections.try_for_each(|(name, section)| self.check_section(name, section))
        });
        if let Err(reason) = outcome {
            return Err(Error::corrupt(self.path(), reason.clone()));
        }
        if !self.map.is_whole() {
            let reason = "was cut off or became unreadable while it was in use";
            return Err(Error::corrupt(self.path(), reason));
        }
        Ok(())
    }

    /// Checks the contents of every section under the prefix against its checksum, as the file is now.
    pub fn verify(&self) -> Result<()> {
        let under = self
            .table
            .iter()
            .filter(|(name, _)| name.starts_with(&self.prefix));
        for (name, section) in under {
            self.check_section(name, section)
                .map_err(|reason| Error::corrupt(self.path(), reason))?;
        }
        Ok(())
    }

    /// The same for a file that is read whole right after: what was mapped is looked at, and not read once more.
    pub fn verify_mapped(&self) -> Result<()> {
        for (name, section) in self.table.iter() {
            let contents = self.map.get(section.range.clone());
            if contents.map(xxh3_64) != Some(section.checksum) {
                let reason = format!("section {name}: damaged, its checksum differs");
                return Err(Error::corrupt(self.path(), reason));
            }
        }
        Ok(())
    }

    fn check_section(&self, name: &str, section: &Section) -> std::result::Result<(), String> {
        let mut hash = Xxh3::new();
        let mut buffer = vec![0; PIECE.min(section.range.len())];
        for start in section.range.clone().step_by(PIECE) {
            let piece = &mut buffer[..PIECE.min(section.range.end - start)];
            let read = self.map.read_at(piece, start as u64);
            read.map_err(|_| format!("section {name}: cannot be read any more"))?;
            hash.update(piece);
        }
        match hash.digest() == section.checksum {
            true => Ok(()),
            false => Err(format!("section {name}: damaged, its checksum differs")),
        }
    }
}
