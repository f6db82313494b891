//! Files that appear whole or not at all.

use crate::disk::{self, Disk};
use crate::place::{Place, duplicate_stderr, duplicate_stdout};
use crate::{Error, Result, temporary};
use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const BUFFER: usize = 1 << 18;

/// An output that is written to a temporary neighbour and renamed by [`OutputFile::finish`].
/// Dropped without `finish`, nothing remains. A file that was there passes its permissions on; a
/// link stays, and the file behind it is replaced. `-` is standard output; pipes and devices are
/// written directly, for they cannot be renamed over.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    replacing: Option<Replacing>,
    writer: Option<BufWriter<Disk>>,
}

/// A file on its way to its place.
#[derive(Debug)]
struct Replacing {
    temporary: PathBuf,
    place: PathBuf,
    permissions: Option<Permissions>,
}

impl OutputFile {
    /// Begins an output at `path`.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_path_buf();
        let (place, metadata) = match Place::of(&path)? {
            Place::StandardOutput => {
                return Ok(Self::direct("standard output".into(), duplicate_stdout()?));
            }
            Place::StandardError => {
                return Ok(Self::direct("standard error".into(), duplicate_stderr()?));
            }
            Place::Device(device) => {
                let file = File::options().write(true).open(device);
                let file = file.map_err(|e| Error::io(&path, e))?;
                return Ok(Self::direct(path, file));
            }
            Place::File(place, metadata) => (place, metadata),
        };
        let (temporary, file) = temporary::create(&place).map_err(|e| Error::io(&path, e))?;
        Ok(OutputFile {
            path,
            replacing: Some(Replacing {
                temporary,
                place,
                permissions: metadata.map(|metadata| metadata.permissions()),
            }),
            writer: Some(BufWriter::with_capacity(BUFFER, Disk(file))),
        })
    }

    fn direct(path: PathBuf, file: File) -> Self {
        OutputFile {
            path,
            replacing: None,
            writer: Some(BufWriter::with_capacity(BUFFER, Disk(file))),
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
        let Some(replacing) = &self.replacing else {
            return Ok(());
        };
        let file = writer.get_ref();
        if let Some(permissions) = &replacing.permissions {
            file.set_permissions(permissions.clone())?;
        }
        file.sync_all()?;
        // Windows renames no open file; elsewhere the lock holds until the neighbour has its name.
        let held = (!cfg!(windows)).then_some(writer);
        disk::rename(&replacing.temporary, &replacing.place)?;
        drop(held);
        temporary::forget(&replacing.temporary);
        sync_folder(&replacing.place);
        self.replacing = None;
        Ok(())
    }

    fn writer(&mut self) -> io::Result<&mut BufWriter<Disk>> {
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
        if let Some(replacing) = self.replacing.take() {
            // What is still in the buffer belongs to a failed output: it must not be written.
            if let Some(writer) = self.writer.take() {
                let _ = writer.into_parts();
            }
            temporary::remove(&replacing.temporary);
        }
    }
}

/// Makes the new name outlive a power cut. The output is whole with or without it, so a file system
/// that cannot do this is no failure.
#[cfg(unix)]
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| folder.as_os_str() != "");
    if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
        let _ = folder.sync_all();
    }
}

/// Windows has no such call for folders.
#[cfg(windows)]
fn sync_folder(_: &Path) {}

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

    #[test]
    fn a_name_of_250_bytes_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x".repeat(250));
        OutputFile::create(&path).unwrap().finish().unwrap();
        assert!(path.is_file());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_the_file_behind_it_keeps_its_mode() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = folder.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        let (file, link) = (elsewhere.join("file"), folder.path().join("link"));
        symlink("elsewhere/file", &link).unwrap();
        for text in ["new", "newer"] {
            let mut output = OutputFile::create(&link).unwrap();
            output.write_all(text.as_bytes()).unwrap();
            output.finish().unwrap();
            assert!(link.is_symlink());
            assert!(!file.is_symlink());
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
            std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        }
        OutputFile::create(&file).unwrap().finish().unwrap();
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 1);
    }
}
