//! What users teach: memories by name, so that a team shares a system and keeps its corrections apart.

use crate::problem::Problem;
use crate::settings::Settings;
use crate::systems::ServedSystem;
use chiasm_adapt::Memory;
use chiasm_decode::Learned;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The memories of one system that somebody has asked for.
#[derive(Default)]
pub struct Memories {
    open: Mutex<HashMap<String, Arc<Mutex<Memory>>>>,
}

/// Names become names of files.
const LONGEST_NAME: usize = 64;

impl ServedSystem {
    /// Where a memory lies.
    fn memory_path(&self, settings: &Settings, name: &str) -> Result<PathBuf, Problem> {
        let Some(folder) = &settings.memories else {
            let message = "this server learns nothing: it was started without --memories";
            return Err(Problem::forbidden("no_memory", message));
        };
        let plain = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'-' | b'_');
        if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(plain) {
            let message = format!(
                "memory: a name of at most {LONGEST_NAME} letters, digits, - and _ expected"
            );
            return Err(Problem::bad(message));
        }
        Ok(folder.join(format!("{}.{name}.memory", self.name)))
    }

    /// The memory of a name; `None` if there is none and none is to be begun.
    pub fn memory(
        &self,
        settings: &Settings,
        name: &str,
        begin: bool,
    ) -> Result<Option<Arc<Mutex<Memory>>>, Problem> {
        let path = self.memory_path(settings, name)?;
        let mut open = self
            .memories
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(memory) = open.get(name) {
            return Ok(Some(memory.clone()));
        }
        if !begin && !path.exists() {
            return Ok(None);
        }
        let memory = Memory::open(self.decoder.shared_system().clone(), path)?;
        let memory = Arc::new(Mutex::new(memory));
        open.insert(name.to_string(), memory.clone());
        Ok(Some(memory))
    }

    /// What was learned under a name, as it is now on the disk.
    pub fn learned(
        &self,
        settings: &Settings,
        name: Option<&str>,
    ) -> Result<Option<Arc<Learned>>, Problem> {
        let Some(name) = name else {
            return Ok(None);
        };
        let Some(memory) = self.memory(settings, name, false)? else {
            return Ok(None);
        };
        let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
        memory.refresh()?;
        Ok(Some(memory.learned()))
    }
}

impl From<chiasm_adapt::Error> for Problem {
    fn from(error: chiasm_adapt::Error) -> Self {
        use chiasm_adapt::Error;
        match error {
            Error::Pair(message) => Problem::bad(message),
            Error::Unknown { id, .. } => Problem::not_found(format!("no pair has the number {id}")),
            Error::NoAligner { .. } => {
                let message = "this system has no word aligner, so it cannot learn";
                Problem::forbidden("no_aligner", message)
            }
            other => Problem::failed(other.to_string()),
        }
    }
}
