//! The systems that are served: opened once, found by name or by language.

use crate::problem::Problem;
use crate::{Error, Result};
use chiasm_decode::{Configuration, Decoder, Input, Preparation, System};
use std::path::Path;
use std::sync::Arc;

/// A system that answers.
pub struct ServedSystem {
    pub name: String,
    pub decoder: Decoder,
    raw: Preparation,
    ready: Preparation,
}

/// The systems, in the order in which they were given; the first is the one that answers if nobody
/// says otherwise.
#[derive(Default)]
pub struct Systems {
    list: Vec<Arc<ServedSystem>>,
}

/// The code of a language that a system does not name.
pub const UNKNOWN_LANGUAGE: &str = "und";

impl ServedSystem {
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
        if self.by_name(name).is_some() {
            return Err(Error::SameName {
                path: path.to_path_buf(),
                name: name.to_string(),
            });
        }
        self.add(name, System::open(path)?)
    }

    /// Serves a system that is there already.
    pub fn add(&mut self, name: &str, system: System) -> Result<()> {
        let raw = Preparation::new(&system);
        self.list.push(Arc::new(ServedSystem {
            name: name.to_string(),
            decoder: Decoder::new(Arc::new(system))?,
            raw,
            ready: Preparation::tokenized(),
        }));
        Ok(())
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|system| system.name.as_str())
    }

    pub(crate) fn list(&self) -> &[Arc<ServedSystem>] {
        &self.list
    }

    fn by_name(&self, name: &str) -> Option<&Arc<ServedSystem>> {
        self.list.iter().find(|system| system.name == name)
    }

    /// The system of a name, the first one without.
    pub(crate) fn named(
        &self,
        name: Option<&str>,
    ) -> std::result::Result<Arc<ServedSystem>, Problem> {
        let found = match name {
            Some(name) => self.by_name(name),
            None => self.list.first(),
        };
        found.cloned().ok_or_else(|| {
            let names: Vec<&str> = self.names().collect();
            Problem::not_found(format!("no such system; there are: {}", names.join(", ")))
        })
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
        let mut list = self.list.iter();
        let found = list.find(exactly).or(self.list.iter().find(perhaps));
        found.cloned().ok_or_else(|| {
            let pairs = self.list.iter().map(|system| {
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
        })
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
