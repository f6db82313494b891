//! The systems that are served: opened once, found by name or by language.

use crate::graphs::Graphs;
use crate::memories::Memories;
use crate::problem::Problem;
use crate::reload::Stamp;
use crate::{Error, Result};
use chiasm_decode::{Configuration, Decoder, Input, Preparation, System};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockWriteGuard};

/// A system that answers.
pub struct ServedSystem {
    pub name: String,
    pub decoder: Decoder,
    raw: Preparation,
    ready: Preparation,
    origin: Option<Origin>,
    /// What users have taught it.
    pub memories: Memories,
    /// Graphs of sentences whose translations are being typed.
    pub graphs: Graphs,
    /// Why it answers no more: its file was spoilt under it.
    spoilt: OnceLock<String>,
}

/// The file of a system, and what it was when it was opened.
struct Origin {
    path: PathBuf,
    stamp: Option<Stamp>,
    /// The file that stands in its place and cannot be opened, so that it is tried once.
    refused: Mutex<Option<Stamp>>,
}

/// The systems, in the order in which they were given; the first is the one that answers if nobody
/// says otherwise. A file that is replaced is served in its place.
#[derive(Default)]
pub struct Systems {
    list: RwLock<Vec<Arc<ServedSystem>>>,
}

/// The code of a language that a system does not name.
pub const UNKNOWN_LANGUAGE: &str = "und";

impl ServedSystem {
    fn open(name: &str, path: &Path) -> Result<Self> {
        // Before it is opened: what changes meanwhile is noticed later.
        let stamp = Stamp::of(path);
        let origin = Origin {
            path: path.to_path_buf(),
            stamp,
            refused: Mutex::default(),
        };
        Self::new(name, System::open(path)?, Some(origin))
    }

    fn new(name: &str, system: System, origin: Option<Origin>) -> Result<Self> {
        let raw = Preparation::new(&system);
        Ok(ServedSystem {
            name: name.to_string(),
            decoder: Decoder::new(Arc::new(system))?,
            raw,
            ready: Preparation::tokenized(),
            origin,
            memories: Memories::default(),
            graphs: Graphs::default(),
            spoilt: OnceLock::new(),
        })
    }

    fn unspoilt(self: Arc<Self>) -> std::result::Result<Arc<Self>, Problem> {
        match self.spoilt.get() {
            None => Ok(self),
            Some(reason) => Err(Problem::failed(reason)),
        }
    }

    pub fn system(&self) -> &System {
        self.decoder.system()
    }

    fn configuration(&self) -> &Configuration {
        self.system().configuration()
    }

    pub fn source_language(&self) -> &str {
        let language = self.configuration().source_language.as_deref();
        language.unwrap_or(UNKNOWN_LANGUAGE)
    }

    pub fn target_language(&self) -> &str {
        let language = self.configuration().target_language.as_deref();
        language.unwrap_or(UNKNOWN_LANGUAGE)
    }

    pub fn preparation(&self, tokenized: bool) -> &Preparation {
        if tokenized { &self.ready } else { &self.raw }
    }

    /// The sentence of a line, if it is not too long.
    pub fn input(
        &self,
        line: &str,
        tokenized: bool,
        words: usize,
    ) -> std::result::Result<Input, Problem> {
        // A list may have lines within its entries; a sentence has none.
        let line = line.replace(['\n', '\r'], " ");
        let input = Input::from_line(&self.preparation(tokenized).source_tokens(&line));
        let count = input.tokens.len();
        if count > words {
            let message = format!("{count} words; at most {words} are translated at once");
            return Err(Problem::too_long(message));
        }
        Ok(input)
    }
}

impl Systems {
    /// Opens a file and serves it under its name without the ending.
    pub fn open(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let stem = path.file_stem().unwrap_or_default();
        self.open_as(&stem.to_string_lossy(), path)
    }

    /// Opens a file and serves it under a name.
    pub fn open_as(&mut self, name: &str, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        if self.list().iter().any(|system| system.name == name) {
            return Err(Error::SameName {
                path: path.to_path_buf(),
                name: name.to_string(),
            });
        }
        let system = ServedSystem::open(name, path)?;
        self.write().push(Arc::new(system));
        Ok(())
    }

    /// Serves a system that is there already.
    pub fn add(&mut self, name: &str, system: System) -> Result<()> {
        let system = ServedSystem::new(name, system, None)?;
        self.write().push(Arc::new(system));
        Ok(())
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.list().is_empty()
    }

    /// All names.
    pub fn names(&self) -> Vec<String> {
        let list = self.list();
        list.iter().map(|system| system.name.clone()).collect()
    }

    /// The systems as they are now.
    pub(crate) fn list(&self) -> Vec<Arc<ServedSystem>> {
        // Nothing that can panic runs while the lock is held.
        let list = self.list.read().unwrap_or_else(PoisonError::into_inner);
        list.clone()
    }

    fn write(&self) -> RwLockWriteGuard<'_, Vec<Arc<ServedSystem>>> {
        self.list.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the files that are not what they were, or all if `forced`, and serves what is whole. Returns what there is to
    /// say about it.
    pub(crate) fn refresh(&self, forced: bool) -> Vec<String> {
        let mut remarks = Vec::new();
        for (place, old) in self.list().into_iter().enumerate() {
            let Some(origin) = &old.origin else {
                continue;
            };
            let now = Stamp::of(&origin.path);
            let mut refused = origin
                .refused
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let known = now == origin.stamp || now == *refused;
            if now.is_none() || (known && !forced) {
                continue;
            }
            let name = &old.name;
            let opened = ServedSystem::open(name, &origin.path);
            match opened.and_then(|system| {
                system
                    .system()
                    .confirm()
                    .map(|()| system)
                    .map_err(Into::into)
            }) {
                Ok(system) => {
                    self.write()[place] = Arc::new(system);
                    remarks.push(format!("{name}: opened again"));
                }
                Err(error) => {
                    *refused = now;
                    let identity = |stamp: Option<Stamp>| stamp.and_then(|stamp| stamp.identity);
                    let same = identity(now) == identity(origin.stamp);
                    let end = match same {
                        true => "it answers no more",
                        false => "the one that was there before goes on answering",
                    };
                    if same {
                        let _ = old.spoilt.set(error.to_string());
                    }
                    remarks.push(format!("{name}: {error}; {end}"));
                }
            }
        }
        remarks
    }

    /// The system of a name, the first one without.
    pub(crate) fn named(
        &self,
        name: Option<&str>,
    ) -> std::result::Result<Arc<ServedSystem>, Problem> {
        let list = self.list();
        let found = match name {
            Some(name) => list.iter().find(|system| system.name == name),
            None => list.first(),
        };
        let found = found.cloned().ok_or_else(|| {
            let names = self.names().join(", ");
            Problem::not_found(format!("no such system; there are: {names}"))
        })?;
        found.unspoilt()
    }

    /// The first system that translates from `source` (any if `auto`) into `target`; if there is
    /// none, the first that may: one that does not name its languages.
    pub(crate) fn between(
        &self,
        source: &str,
        target: &str,
    ) -> std::result::Result<Arc<ServedSystem>, Problem> {
        let exactly = |system: &&Arc<ServedSystem>| {
            let from = source == "auto" || same_language(system.source_language(), source);
            from && same_language(system.target_language(), target)
        };
        let perhaps = |system: &&Arc<ServedSystem>| {
            let may = |own: &str, asked: &str| own == UNKNOWN_LANGUAGE || same_language(own, asked);
            let from = source == "auto" || may(system.source_language(), source);
            from && may(system.target_language(), target)
        };
        let list = self.list();
        let found = list.iter().find(exactly).or(list.iter().find(perhaps));
        let found = found.cloned().ok_or_else(|| {
            let pairs = list.iter().map(|system| {
                format!(
                    "{} to {}",
                    system.source_language(),
                    system.target_language()
                )
            });
            let pairs: Vec<String> = pairs.collect();
            Problem::bad(format!(
                "no system translates between these languages; there are: {}",
                pairs.join(", ")
            ))
        })?;
        found.unspoilt()
    }
}

/// `en` and `en-GB` are.
fn same_language(a: &str, b: &str) -> bool {
    let base = |code: &str| {
        let base = code.split(['-', '_']).next().unwrap_or(code);
        base.to_ascii_lowercase()
    };
    base(a) == base(b)
}
