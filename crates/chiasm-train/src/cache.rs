//! Stages that are done once: each keeps its results in a folder named by what went into it.
//!
//! A stage's key is a hash of its name, of the code that runs it, of its settings as they are serialised and of the
//! keys or contents of its inputs, so that changed code never reuses what other code made. The
//! folder counts only with the file `done` in it, which is written last and lists every file with its
//! checksum; whatever a killed run left is taken up (tuning goes on from its last round) or made again, and so is
//! what no longer has its checksum. The same ingredients make the same bytes, so it does not matter which run made them.

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
        let done = stage.file(DONE);
        let failed = |error| Error::io(&stage.folder, error);
        match difference(&stage.folder) {
            None => {
                self.observer.say(&format!("{name}: reused"));
                self.note(name, None);
                return Ok(stage);
            }
            Some(Difference::NotDone) => {}
            Some(Difference::Damaged(file)) => {
                let place = stage.file(&file);
                let message = "is not what the stage made; it is made again";
                self.observer
                    .say(&format!("{name}: {}: {message}", place.display()));
                std::fs::remove_dir_all(&stage.folder).map_err(failed)?;
            }
        }
        std::fs::create_dir_all(&stage.folder).map_err(failed)?;
        remove_leftovers(&stage.folder).map_err(failed)?;
        let started = Instant::now();
        make(&stage.folder).map_err(|error| Error::Stage {
            stage: name.to_string(),
            source: Box::new(error),
        })?;
        let made = checksums(&stage.folder)?;
        let mut mark = OutputFile::create(&done)?;
        let written = mark.write_all(made.as_bytes());
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
    let folder = folder.join(format!("{name}-{key}"));
    (key, difference(&folder).is_none())
}

/// The file that says that a stage is done, and what it made: a line a file, its checksum and its name.
const DONE: &str = "done";

/// Why the folder of a stage is not what the stage made.
enum Difference {
    NotDone,
    /// This file is not there any more, or not as it was.
    Damaged(String),
}

fn difference(folder: &Path) -> Option<Difference> {
    let Ok(recorded) = std::fs::read_to_string(folder.join(DONE)) else {
        return Some(Difference::NotDone);
    };
    let damaged = |line: &str| {
        let (checksum, name) = line.split_once(' ').unwrap_or((line, DONE));
        let same = contents(&folder.join(name)).is_ok_and(|found| found == checksum);
        (!same).then(|| Difference::Damaged(name.to_string()))
    };
    // The last line counts the others, so that a list that was cut off is noticed, too.
    let mut lines: Vec<&str> = recorded.lines().collect();
    match lines.pop().map(str::parse::<usize>) {
        Some(Ok(count)) if lines.len() == count => lines.into_iter().find_map(damaged),
        _ => Some(Difference::Damaged(DONE.to_string())),
    }
}

/// What [`difference`] reads: every file of a stage, those in folders of its own included.
fn checksums(folder: &Path) -> Result<String> {
    let mut folders = vec![PathBuf::new()];
    let mut files = Vec::new();
    while let Some(inner) = folders.pop() {
        let place = folder.join(&inner);
        let failed = |error| Error::io(&place, error);
        for entry in std::fs::read_dir(&place).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            let name = inner.join(entry.file_name());
            match kind.is_dir() {
                true => folders.push(name),
                false => files.push(name),
            }
        }
    }
    files.sort();
    let mut text = String::new();
    for file in &files {
        text += &format!("{} {}\n", contents(&folder.join(file))?, file.display());
    }
    Ok(format!("{text}{}\n", files.len()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use chiasm_work::Silent;

    fn numbers(cache: &mut Cache, made: &mut usize) -> Stage {
        let make = |folder: &Path| {
            *made += 1;
            std::fs::create_dir_all(folder.join("inner")).unwrap();
            std::fs::write(folder.join("inner").join("a b"), b"one").unwrap();
            std::fs::write(folder.join("two"), b"two").unwrap();
            Ok(())
        };
        cache.stage("numbers", &["x".to_string()], make).unwrap()
    }

    #[test]
    fn a_stage_is_reused_only_as_it_was_made() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = Cache::open(folder.path().join("stages"), &Silent).unwrap();
        let mut made = 0;
        let stage = numbers(&mut cache, &mut made);
        numbers(&mut cache, &mut made);
        assert_eq!(made, 1);
        let damages: [fn(&Stage); 5] = [
            |stage| std::fs::write(stage.file("two"), b"").unwrap(),
            |stage| std::fs::write(stage.file("two"), b"twO").unwrap(),
            |stage| std::fs::remove_file(stage.file("inner").join("a b")).unwrap(),
            |stage| std::fs::write(stage.file(DONE), b"").unwrap(),
            |stage| {
                let done = std::fs::read_to_string(stage.file(DONE)).unwrap();
                std::fs::write(stage.file(DONE), &done[..20]).unwrap();
            },
        ];
        for (number, damage) in damages.into_iter().enumerate() {
            damage(&stage);
            numbers(&mut cache, &mut made);
            assert_eq!(made, number + 2);
            assert_eq!(std::fs::read(stage.file("two")).unwrap(), b"two");
            numbers(&mut cache, &mut made);
            assert_eq!(made, number + 2);
        }
    }
}
