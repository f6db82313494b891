//! Systems whose files change: a new file by rename is served, one that was spoilt in place is not.

use crate::systems::Systems;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, SystemTime};

/// How often files are looked at.
const INTERVAL: Duration = Duration::from_secs(2);

/// What tells a file from one that was put in its place, or was written to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stamp {
    /// The file itself, by whatever name.
    pub identity: Option<(u64, u64)>,
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    /// Of the file that is there now.
    pub fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        Some(Stamp {
            identity: identity(&metadata),
            length: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }
}

#[cfg(unix)]
fn identity(metadata: &std::fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(windows)]
fn identity(_: &std::fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// Looks at the files now and then, and at once when `asked`, until nobody can ask any more.
pub fn watch(systems: &Systems, asked: &Receiver<()>, say: &dyn Fn(String)) {
    loop {
        let forced = match asked.recv_timeout(INTERVAL) {
            Ok(()) => true,
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        for remark in systems.refresh(forced) {
            say(remark);
        }
    }
}
