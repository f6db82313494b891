//! What `chiasm adapt` is asked: learn, merge, forget, in this order.

use crate::{Error, Memory, Result};
use chiasm_decode::{Preparation, System};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A change of what a system was taught.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The system.
    pub system: PathBuf,
    /// The journal; by default it lies beside the system ([`beside`]).
    pub memory: Option<PathBuf>,
    /// Files of sentences and their translations.
    pub text: Option<(PathBuf, PathBuf)>,
    /// The text is tokenised.
    pub tokenized: bool,
    /// Another journal to learn from.
    pub merge: Option<PathBuf>,
    /// The number of a pair to forget.
    pub forget: Option<u64>,
    /// Forget the last pair.
    pub undo: bool,
    /// Where to write a system that knows what the journal holds.
    pub compact: Option<PathBuf>,
}

/// Where the journal of a system lies unless somebody wants it elsewhere.
pub fn beside(system: &Path) -> PathBuf {
    chiasm_store::beside(system, ".memory")
}

impl Request {
    /// The journal's place.
    pub fn journal(&self) -> PathBuf {
        self.memory.clone().unwrap_or_else(|| beside(&self.system))
    }

    /// Makes the change; returns how many pairs were learned, and the memory. Only learning begins a journal.
    pub fn run(&self) -> Result<(usize, Memory)> {
        let system = Arc::new(System::open(&self.system)?);
        system.confirm()?;
        let preparation = match self.tokenized {
            true => Preparation::tokenized(),
            false => Preparation::new(&system),
        };
        let path = self.journal();
        let mut memory = match self.text.is_some() || self.merge.is_some() {
            true => Memory::open(system, &path)?,
            false => Memory::existing(system, &path)?,
        };
        let mut learned = 0;
        if let Some((source, target)) = &self.text {
            learned += memory.learn_files(&preparation, source, target)?.len();
        }
        if let Some(other) = &self.merge {
            learned += memory.merge(other)?.len();
        }
        memory.keep_index();
        if let Some(id) = self.forget {
            memory.forget(id)?;
        }
        if self.undo && memory.undo()?.is_none() {
            return Err(Error::Empty { path });
        }
        if let Some(compact) = &self.compact {
            memory.compact(compact)?;
        }
        Ok((learned, memory))
    }
}
