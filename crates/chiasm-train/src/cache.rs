//! Stages that are done once: each keeps its results in a folder named by what went into it.
//!
//! A stage's key is a hash of its name, of the code that runs it, of its settings as they are serialised and of the
//! keys or contents of its inputs, so that changed code never reuses what other code made. The
//! folder counts only with the file `done` in it, which is written last; whatever a killed run
//! left is taken up (tuning goes on from its last round) or made again. The same ingredients make
//! the same bytes, so it does not matter which run made them.

use crate::{Error, Result};
use chiasm_store::{MappedFile, OutputFile};
use chiasm_work::Observer;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// The folder of all stages of one system.
pub struct Cache<'a> {
    folder: PathBuf,
    observer: &'a dyn Observer,
    timings: Vec<Timing>,
    // Held as long as the cache is open, so that two runs do not work in one folder.
    _lock: File,
}

/// How long a stage took, or that it was there already.
#[derive(Clone, Debug)]
pub struct Timing {
    /// The stage.
    pub stage: String,
    /// Wall time; none if it was reused.
    pub seconds: Option<f64>,
}

/// A finished stage.
#[derive(Clone, Debug)]
pub struct Stage {
    folder: PathBuf,
}

impl Stage {
    /// A file that the stage made.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl<'a> Cache<'a> {
    /// Opens or makes the folder, for this run alone.
    pub fn open(folder: PathBuf, observer: &'a dyn Observer) -> Result<Self> {
        std::fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, error))?;
        let lock = folder.join("lock");
        let lock = File::create(&lock).map_err(|error| Error::io(&lock, error))?;
        if lock.try_lock().is_err() {
            let reason = format!("{}: another run is working there", folder.display());
            return Err(Error::Request(reason));
        }
        Ok(Cache {
            folder,
            observer,
            timings: Vec::new(),
            _lock: lock,
        })
    }

    /// Does `make` unless it was done before with the same ingredients. `make` writes its results
    /// into the folder that it is given.
    pub fn stage(
        &mut self,
        name: &str,
        ingredients: &[String],
        make: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<Stage> {
        let key = key_of(name, ingredients);
        let folder = self.folder.join(format!("{name}-{key}"));
        let stage = Stage { folder };
        let done = stage.file("done");
        if done.is_file() {
            self.observer.say(&format!("{name}: reused"));
            self.note(name, None);
            return Ok(stage);
        }
        let failed = |error| Error::io(&stage.folder, error);
        std::fs::create_dir_all(&stage.folder).map_err(failed)?;
        remove_leftovers(&stage.folder).map_err(failed)?;
        let started = Instant::now();
        make(&stage.folder).map_err(|error| Error::Stage {
            stage: name.to_string(),
            source: Box::new(error),
        })?;
        let mut mark = OutputFile::create(&done)?;
        let written = mark.write_all(ingredients.join("\n").as_bytes());
        written.map_err(|error| Error::io(&done, error))?;
        mark.finish()?;
        let seconds = started.elapsed().as_secs_f64();
        self.observer.say(&format!("{name}: {seconds:.1} s"));
        self.note(name, Some(seconds));
        Ok(stage)
    }

    fn note(&mut self, stage: &str, seconds: Option<f64>) {
        self.timings.push(Timing {
            stage: stage.to_string(),
            seconds,
        });
    }

    /// What each stage took, and all of them in so many seconds.
    pub fn log(&self, seconds: f64) -> String {
        let mut log = String::new();
        for timing in &self.timings {
            let cost = match timing.seconds {
                Some(seconds) => format!("{seconds:>9.1} s"),
                None => "   reused".to_string(),
            };
            log += &format!("{:<8} {cost}\n", timing.stage);
        }
        log += &format!("{:<8} {seconds:>9.1} s\n", "all");
        log + &format!("peak memory {} bytes\n", chiasm_work::peak_memory_bytes())
    }

    /// The stages so far.
    pub fn timings(&self) -> &[Timing] {
        &self.timings
    }
}

/// A stage's key and whether it is done, without doing it.
pub fn look(folder: &Path, name: &str, ingredients: &[String]) -> (String, bool) {
    let key = key_of(name, ingredients);
    let done = folder.join(format!("{name}-{key}")).join("done").is_file();
    (key, done)
}

fn key_of(name: &str, ingredients: &[String]) -> String {
    let mut hash = Xxh3::new();
    for part in [name, env!("CARGO_PKG_VERSION"), env!("CHIASM_SOURCES")]
        .into_iter()
        .chain(ingredients.iter().map(String::as_str))
    {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    format!("{:016x}", hash.digest())
}

/// A file's contents as an ingredient.
pub fn contents(path: &Path) -> Result<String> {
    let map = MappedFile::open(path)?;
    Ok(format!("{:032x}", xxh3_128(&map)))
}

/// Temporary neighbours of a run that was killed.
fn remove_leftovers(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.starts_with('.') && name.ends_with(".tmp") {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}
