//! Files that appear whole or not at all.

use crate::{Error, Result};
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

const BUFFER: usize = 1 << 18;

/// Temporary neighbours that exist now; an interrupt removes them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Removes every output that was begun and not finished. For interrupt handlers and fatal exits.
pub fn remove_unfinished() {
    if let Ok(mut paths) = UNFINISHED.lock() {
        for path in paths.drain(..) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// An output that is written to a temporary neighbour and renamed by [`OutputFile::finish`].
/// Dropped without `finish`, nothing remains. `-` is standard output; pipes and devices are
/// written directly, for they cannot be renamed over.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    temporary: Option<PathBuf>,
    writer: Option<BufWriter<File>>,
}

impl OutputFile {
    /// Begins an output at `path`.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_path_buf();
        if path.as_os_str() == "-" {
            return Ok(Self::direct("standard output".into(), duplicate_stdout()?));
        }
        if std::fs::metadata(&path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            let file = File::options()
                .write(true)
                .open(&path)
                .map_err(|e| Error::io(&path, e))?;
            return Ok(Self::direct(path, file));
        }
        if path.is_dir() {
            return Err(Error::corrupt(&path, "is a folder, not a file"));
        }
        let temporary = temporary_neighbour(&path);
        let file = File::options()
            .write(true)
            .create_new(true)
            .open(&temporary)
            .map_err(|e| Error::io(&path, e))?;
        if let Ok(mut paths) = UNFINISHED.lock() {
            paths.push(temporary.clone());
        }
        Ok(OutputFile {
            path,
            temporary: Some(temporary),
            writer: Some(BufWriter::with_capacity(BUFFER, file)),
        })
    }

    fn direct(path: PathBuf, file: File) -> Self {
        OutputFile {
            path,
            temporary: None,
            writer: Some(BufWriter::with_capacity(BUFFER, file)),
        }
    }

    /// Where the output will appear.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Flushes, syncs and renames: from here on the output exists.
    pub fn finish(mut self) -> Result<()> {
        self.finish_inner().map_err(|e| Error::io(&self.path, e))
    }

    fn finish_inner(&mut self) -> io::Result<()> {
        let Some(mut writer) = self.writer.take() else {
            return Ok(());
        };
        writer.flush()?;
        if let Some(temporary) = &self.temporary {
            writer.get_ref().sync_all()?;
            drop(writer);
            std::fs::rename(temporary, &self.path)?;
            forget(temporary);
            self.temporary = None;
        }
        Ok(())
    }

    fn writer(&mut self) -> io::Result<&mut BufWriter<File>> {
        self.writer
            .as_mut()
            .ok_or_else(|| io::Error::other("the output is already finished"))
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer()?.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer()?.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer()?.flush()
    }
}

impl Seek for OutputFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.writer()?.seek(position)
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if let Some(temporary) = self.temporary.take() {
            // What is still in the buffer belongs to a failed output: it must not be written.
            if let Some(writer) = self.writer.take() {
                let _ = writer.into_parts();
            }
            let _ = std::fs::remove_file(&temporary);
            forget(&temporary);
        }
    }
}

fn forget(temporary: &Path) {
    if let Ok(mut paths) = UNFINISHED.lock() {
        paths.retain(|path| path != temporary);
    }
}

fn temporary_neighbour(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".{name}.{}-{number}.tmp", std::process::id()))
}

/// A handle of our own on standard output, so that large blocks bypass the line buffer.
fn duplicate_stdout() -> Result<File> {
    use std::os::fd::AsFd;
    let handle = io::stdout()
        .as_fd()
        .try_clone_to_owned()
        .map_err(|e| Error::io("standard output", e))?;
    Ok(File::from(handle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appears_only_when_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut output = OutputFile::create(&path).unwrap();
        output.write_all(b"half").unwrap();
        output.flush().unwrap();
        assert!(!path.exists());
        output.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"half");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn leaves_nothing_behind_when_dropped_and_keeps_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        std::fs::write(&path, b"old").unwrap();
        let mut output = OutputFile::create(&path).unwrap();
        output.write_all(b"new").unwrap();
        drop(output);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = OutputFile::create("/no/such/folder/out")
            .unwrap_err()
            .to_string();
        assert_eq!(error, "/no/such/folder/out: no such file or directory");
    }

    #[test]
    fn a_full_disk_is_an_error_not_a_panic() {
        if !Path::new("/dev/full").exists() {
            return;
        }
        let mut output = OutputFile::create("/dev/full").unwrap();
        output.write_all(b"x").unwrap();
        let error = output.finish().unwrap_err().to_string();
        assert_eq!(error, "/dev/full: no space left on device");
    }
}
