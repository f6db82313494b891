//! Where an output really goes: through links to the file behind them, or straight to a device.

use crate::{Error, Result};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Links in a row before they are taken for a circle, as many as Linux follows.
const MOST_LINKS: usize = 40;

/// What an output's name stands for.
#[derive(Debug)]
pub(crate) enum Place {
    /// The program's own standard output: `-`, `/dev/stdout`.
    StandardOutput,
    /// The program's own standard error.
    StandardError,
    /// A pipe, a socket or a device, which is written directly.
    Device(PathBuf),
    /// A file, there or not yet, and what is known of the one that is there.
    File(PathBuf, Option<Metadata>),
}

impl Place {
    /// Follows links. A link stays what it is; the file behind it is the place.
    pub(crate) fn of(path: &Path) -> Result<Place> {
        if path.as_os_str() == "-" {
            return Ok(Place::StandardOutput);
        }
        let mut place = path.to_path_buf();
        for _ in 0..MOST_LINKS {
            if let Some(own) = own_stream(&place) {
                return Ok(own);
            }
            let Ok(metadata) = std::fs::symlink_metadata(&place) else {
                return Ok(Place::File(place, None));
            };
            if !metadata.is_symlink() {
                return classify(path, place, metadata);
            }
            let next = std::fs::read_link(&place).map_err(|e| Error::io(path, e))?;
            // What stands behind /dev/fd/3 may have no name ("pipe:[17]"); it can be opened all the same.
            let behind = std::fs::metadata(&place);
            if behind.is_ok_and(|behind| !behind.is_file() && !behind.is_dir()) {
                return Ok(Place::Device(place));
            }
            place = place.parent().unwrap_or(Path::new("")).join(next);
        }
        let circle = io::Error::other("too many links behind each other");
        Err(Error::io(path, circle))
    }
}

fn classify(asked: &Path, place: PathBuf, metadata: Metadata) -> Result<Place> {
    if metadata.is_dir() {
        return Err(Error::Folder {
            path: asked.to_path_buf(),
        });
    }
    if metadata.is_file() {
        return Ok(Place::File(place, Some(metadata)));
    }
    Ok(Place::Device(place))
}

/// Opened by name, a redirected standard output would be written from its beginning, over what others
/// have put there.
fn own_stream(path: &Path) -> Option<Place> {
    let is = |names: [&str; 4]| names.iter().any(|name| path == Path::new(name));
    if is([
        "/dev/stdout",
        "/dev/fd/1",
        "/proc/self/fd/1",
        "/proc/thread-self/fd/1",
    ]) {
        return Some(Place::StandardOutput);
    }
    is([
        "/dev/stderr",
        "/dev/fd/2",
        "/proc/self/fd/2",
        "/proc/thread-self/fd/2",
    ])
    .then_some(Place::StandardError)
}

/// A handle of our own on standard output, so that large blocks bypass the line buffer.
pub(crate) fn duplicate_stdout() -> Result<File> {
    #[cfg(unix)]
    if crate::array::STANDARD_OUTPUT_WAS_CLOSED.load(std::sync::atomic::Ordering::Relaxed) {
        let closed = io::Error::new(io::ErrorKind::NotConnected, "is closed");
        return Err(Error::io("standard output", closed));
    }
    duplicate(io::stdout()).map_err(|e| Error::io("standard output", e))
}

/// The same of standard error.
pub(crate) fn duplicate_stderr() -> Result<File> {
    duplicate(io::stderr()).map_err(|e| Error::io("standard error", e))
}

#[cfg(unix)]
fn duplicate(stream: impl std::os::fd::AsFd) -> io::Result<File> {
    Ok(File::from(stream.as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn duplicate(stream: impl std::os::windows::io::AsHandle) -> io::Result<File> {
    Ok(File::from(stream.as_handle().try_clone_to_owned()?))
}
