//! Files on a disk that can fail. Every write, sync and rename of an output passes here, so that tests can let each fail in turn: in
//! builds with debug assertions, `CHIASM_FAIL_AT=N` in the environment makes the N-th of the process fail, as a full disk does.

use std::fs::{File, Permissions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// A file that is written.
#[derive(Debug)]
pub(crate) struct Disk(pub(crate) File);

impl Disk {
    pub(crate) fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        operation()?;
        self.0.set_permissions(permissions)
    }

    pub(crate) fn sync_all(&self) -> io::Result<()> {
        operation()?;
        self.0.sync_all()
    }
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        operation()?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for Disk {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.0.seek(position)
    }
}

/// Gives a file its name.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    operation()?;
    std::fs::rename(from, to)
}

#[cfg(not(debug_assertions))]
#[inline(always)]
pub(crate) fn operation() -> io::Result<()> {
    Ok(())
}

#[cfg(debug_assertions)]
pub(crate) use faults::operation;

#[cfg(debug_assertions)]
mod faults {
    use std::io;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static FAIL_AT: LazyLock<Option<u64>> =
        LazyLock::new(|| std::env::var("CHIASM_FAIL_AT").ok()?.parse().ok());
    static DONE: AtomicU64 = AtomicU64::new(0);

    /// Counts an operation; an error if it is the one that fails.
    pub(crate) fn operation() -> io::Result<()> {
        #[cfg(test)]
        tests::operation()?;
        match *FAIL_AT {
            Some(number) if DONE.fetch_add(1, Ordering::Relaxed) + 1 == number => {
                Err(io::ErrorKind::StorageFull.into())
            }
            _ => Ok(()),
        }
    }

    #[cfg(test)]
    mod tests {
        use crate::{Container, OutputFile, Record, Sorter, Writer};
        use std::cell::Cell;
        use std::io::{self, Write};
        use std::path::Path;

        thread_local! {
            /// Operations of this thread until the one that fails.
            static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
        }

        pub(super) fn operation() -> io::Result<()> {
            LEFT.with(|left| match left.get() {
                None => Ok(()),
                Some(0) => {
                    left.set(None);
                    Err(io::ErrorKind::StorageFull.into())
                }
                Some(more) => {
                    left.set(Some(more - 1));
                    Ok(())
                }
            })
        }

        /// Lets each operation of `work` fail in turn until none is left that can; how many there were.
        fn each_fails(mut work: impl FnMut() -> crate::Result<()>, mut check: impl FnMut()) -> u64 {
            for number in 0.. {
                LEFT.set(Some(number));
                let outcome = work();
                let reached = LEFT.take().is_none();
                if !reached {
                    outcome.unwrap();
                    return number;
                }
                let message = outcome.unwrap_err().to_string();
                assert!(message.contains("no storage space"), "{message}");
                check();
            }
            unreachable!("there are only so many numbers")
        }

        fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
            let entries = std::fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap());
            let read = |entry: std::fs::DirEntry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                (name, std::fs::read(entry.path()).unwrap())
            };
            entries.map(read).collect()
        }

        #[test]
        fn an_output_is_whole_or_what_was_there_before_whatever_fails() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("out");
            std::fs::write(&path, b"old").unwrap();
            let write = || {
                let mut output = OutputFile::create(&path)?;
                for _ in 0..5 {
                    let written = output.write_all(&[b'x'; 1 << 18]);
                    written.map_err(|error| crate::Error::io(&path, error))?;
                }
                output.finish()
            };
            let count = each_fails(write, || {
                assert_eq!(
                    contents(folder.path()),
                    [("out".to_string(), b"old".to_vec())]
                );
            });
            assert!(count >= 7, "{count}");
            assert_eq!(std::fs::read(&path).unwrap().len(), 5 << 18);
        }

        #[test]
        fn a_container_is_whole_or_not_there_whatever_fails() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("out");
            let write = || {
                let mut writer = Writer::create(&path, "numbers", 1)?;
                writer.array("some", &vec![7u32; 200_000])?;
                writer.within("part/", |writer| writer.bytes("more", &[1; 300_000]))?;
                writer.finish()
            };
            let count = each_fails(write, || assert!(contents(folder.path()).is_empty()));
            assert!(count >= 5, "{count}");
            Container::open(&path).unwrap().sections().verify().unwrap();
        }

        #[derive(
            Clone,
            Copy,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            zerocopy::FromBytes,
            zerocopy::IntoBytes,
            zerocopy::Immutable,
            zerocopy::KnownLayout,
        )]
        #[repr(transparent)]
        struct Number(u64);

        impl Record for Number {
            fn absorb(&mut self, _: &Self) {}
        }

        #[test]
        fn a_run_that_cannot_be_spilled_is_an_error() {
            let folder = tempfile::tempdir().unwrap();
            let sort = || {
                let mut sorter = Sorter::new(1, folder.path());
                for number in 0..5000 {
                    sorter.push(Number(number * 7919 % 5003))?;
                }
                let mut last = None;
                for number in sorter.finish()? {
                    let number = number?.0;
                    assert!(last.replace(number).is_none_or(|last| last < number));
                }
                Ok(())
            };
            let count = each_fails(sort, || assert!(contents(folder.path()).is_empty()));
            assert!(count >= 4, "{count}");
        }
    }
}
