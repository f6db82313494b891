//! Temporary neighbours of outputs: names that never block another run, and what dead runs left.

use std::fs::{File, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

/// Temporary neighbours that exist now; an interrupt removes them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Bytes of the output's own name in that of its neighbour, so that dots, random part and ending stay
/// within the 255 that file systems allow.
const LONGEST_NAME: usize = 200;
const ENDING: &str = ".tmp";
/// Letters of the random part.
const RANDOM: usize = 16;
/// What was written a moment ago may belong to a run that has not come to lock it yet.
const STALE: Duration = Duration::from_secs(60);
const TRIALS: usize = 100;

/// Removes every output that was begun and not finished. For interrupt handlers and fatal exits.
pub fn remove_unfinished() {
    if let Ok(mut paths) = UNFINISHED.lock() {
        for path in paths.drain(..) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Creates a temporary neighbour of `path`, locked as long as the file is open: a neighbour that
/// nobody has locked belongs to a run that died.
pub(crate) fn create(path: &Path) -> io::Result<(PathBuf, File)> {
    sweep(path);
    let prefix = prefix(path);
    for _ in 0..TRIALS {
        let random = RandomState::new().build_hasher().finish();
        let temporary = path.with_file_name(format!("{prefix}{random:0RANDOM$x}{ENDING}"));
        match File::options()
            .write(true)
            .create_new(true)
            .open(&temporary)
        {
            Ok(file) => {
                // Not every file system has locks. Without them nothing is ever swept.
                let _ = file.try_lock();
                if let Ok(mut paths) = UNFINISHED.lock() {
                    paths.push(temporary.clone());
                }
                return Ok((temporary, file));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("no free name for a temporary file"))
}

/// Removes a neighbour that was not finished.
pub(crate) fn remove(temporary: &Path) {
    let _ = std::fs::remove_file(temporary);
    forget(temporary);
}

/// The neighbour has become the output.
pub(crate) fn forget(temporary: &Path) {
    if let Ok(mut paths) = UNFINISHED.lock() {
        paths.retain(|path| path != temporary);
    }
}

fn prefix(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut end = name.len().min(LONGEST_NAME);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!(".{}.", &name[..end])
}

/// Removes what dead runs left of this output. Whatever is in doubt stays.
fn sweep(path: &Path) {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let prefix = prefix(path);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let random = name
            .to_str()
            .and_then(|name| name.strip_prefix(&prefix)?.strip_suffix(ENDING));
        if random.is_some_and(is_random) && is_abandoned(&entry.path()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn is_random(part: &str) -> bool {
    part.len() == RANDOM && part.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_abandoned(path: &Path) -> bool {
    let Ok(metadata) = std::fs::symlink_metadata(path) else {
        return false;
    };
    let age = metadata.modified().map(|time| time.elapsed());
    if !metadata.is_file() || !matches!(age, Ok(Ok(age)) if age > STALE) {
        return false;
    }
    match File::options().write(true).open(path) {
        Ok(file) => match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
        },
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    fn aged(file: &File) {
        let hours = Duration::from_secs(7200);
        file.set_modified(SystemTime::now() - hours).unwrap();
    }

    #[test]
    fn what_a_dead_run_left_is_swept_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out");
        let (living, living_file) = create(&output).unwrap();
        aged(&living_file);
        let (dead, dead_file) = create(&output).unwrap();
        aged(&dead_file);
        drop(dead_file);
        let (fresh, fresh_file) = create(&output).unwrap();
        drop(fresh_file);
        let other = folder.path().join(".out.notes.tmp");
        aged(&File::create(&other).unwrap());
        let (_, _file) = create(&output).unwrap();
        assert!(living.exists() && fresh.exists() && other.exists());
        assert!(!dead.exists());
    }

    #[test]
    fn long_names_have_neighbours_too() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["x".repeat(250), "語".repeat(83)] {
            let (temporary, _file) = create(&folder.path().join(name)).unwrap();
            assert!(temporary.file_name().unwrap().len() <= 255);
        }
    }
}
