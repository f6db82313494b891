//! Memory maps and the typed slices that live in them: `unsafe` code, which no other module has but `chiasm-neural/src/product.rs`.
#![allow(unsafe_code)]

use crate::{Error, Result};
use std::fs::File;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use zerocopy::{FromBytes, Immutable, KnownLayout};

/// A whole file, mapped read-only. Processes that open the same file share its pages.
#[derive(Debug)]
pub struct MappedFile {
    path: PathBuf,
    file: File,
    map: Option<memmap2::Mmap>,
    watch: Option<&'static Watch>,
}

impl MappedFile {
    /// Maps `path`. Cost does not depend on its size.
    pub fn open(path: impl AsRef<Path>) -> Result<Arc<Self>> {
        let path = path.as_ref().to_path_buf();
        let file = File::open(&path).map_err(|e| Error::io(&path, e))?;
        let metadata = file.metadata().map_err(|e| Error::io(&path, e))?;
        if !metadata.is_file() {
            return Err(Error::corrupt(
                &path,
                "not a regular file, so it cannot be mapped",
            ));
        }
        let map = if metadata.len() == 0 {
            None
        } else {
            // SAFETY: the map is read-only and private to this value. The bytes would change under
            // us only if another process wrote into the file in place; the project's own writers
            // never do (they rename a new file over the old one, and the old one stays mapped).
            Some(unsafe { memmap2::Mmap::map(&file) }.map_err(|e| Error::io(&path, e))?)
        };
        let watch = map.as_deref().and_then(Watch::begin);
        Ok(Arc::new(MappedFile {
            path,
            file,
            map,
            watch,
        }))
    }

    /// Fills `buffer` with the bytes at `offset`, read and not mapped: what is no longer there is an
    /// error here and nothing worse, and checking a large file does not fill the memory with it.
    pub(crate) fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<()> {
        read_exact_at(&self.file, buffer, offset).map_err(|e| Error::io(&self.path, e))
    }

    /// Were all pages there whenever they were looked at? `false` only under [`survive_lost_pages`].
    pub fn is_whole(&self) -> bool {
        self.watch
            .is_none_or(|watch| !watch.lost.load(Ordering::Relaxed))
    }

    /// The file's name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the pages that were looked at back to the system; who looks again finds them in its cache or on disk.
    pub(crate) fn release(&self) {
        #[cfg(unix)]
        if let Some(map) = &self.map {
            // SAFETY: the map is shared and never written to, so that its pages come back as they were.
            let _ = unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }

    /// Tells the system that the pages will be needed in no particular order.
    pub fn advise_random(&self) {
        if let Some(map) = &self.map {
            let _ = map.advise(memmap2::Advice::Random);
        }
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.map.as_deref().unwrap_or(&[])
    }
}

impl Drop for MappedFile {
    fn drop(&mut self) {
        // Before the map goes: its addresses may be somebody else's right after.
        if let Some(watch) = self.watch {
            watch.start.store(FREE, Ordering::Release);
        }
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
    let mut done = 0;
    while done < buffer.len() {
        let at = offset + done as u64;
        match std::os::windows::fs::FileExt::seek_read(file, &mut buffer[done..], at)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            count => done += count,
        }
    }
    Ok(())
}

/// Where a map lies, for the handler of [`survive_lost_pages`], which may not take a lock.
#[derive(Debug)]
struct Watch {
    start: AtomicUsize,
    end: AtomicUsize,
    lost: AtomicBool,
}

const FREE: usize = 0;
const TAKEN: usize = 1;
/// Maps beyond so many at a time are used unwatched.
const WATCHES: usize = 1024;
static WATCHED: [Watch; WATCHES] = [const {
    Watch {
        start: AtomicUsize::new(FREE),
        end: AtomicUsize::new(0),
        lost: AtomicBool::new(false),
    }
}; WATCHES];

impl Watch {
    fn begin(map: &[u8]) -> Option<&'static Watch> {
        let range = map.as_ptr_range();
        let take = |watch: &&Watch| {
            let taken = (Ordering::Acquire, Ordering::Relaxed);
            let start = &watch.start;
            start
                .compare_exchange(FREE, TAKEN, taken.0, taken.1)
                .is_ok()
        };
        let watch = WATCHED.iter().find(take)?;
        watch.lost.store(false, Ordering::Relaxed);
        watch.end.store(range.end as usize, Ordering::Relaxed);
        watch.start.store(range.start as usize, Ordering::Release);
        Some(watch)
    }

    /// The watch of the map that an address lies in.
    #[cfg(unix)]
    fn of(address: usize) -> Option<&'static Watch> {
        WATCHED.iter().find(|watch| {
            let start = watch.start.load(Ordering::Acquire);
            start > TAKEN && (start..watch.end.load(Ordering::Relaxed)).contains(&address)
        })
    }
}

/// From here on a page of a mapped file that is no longer there, for the file was cut off in place or
/// its disk fails, reads as zeros instead of killing the process, and [`MappedFile::is_whole`] says
/// so. For programs: it takes the process's handler of that signal (and passes on what is not ours).
#[cfg(unix)]
pub fn survive_lost_pages() {
    // SAFETY: `sysconf` and `sigaction` are called with valid arguments; the handler only loads and
    // stores atomics and calls `mmap`, `sigaction` and nothing else.
    unsafe {
        let size = libc::sysconf(libc::_SC_PAGESIZE);
        PAGE.store(usize::try_from(size).unwrap_or(4096), Ordering::Relaxed);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = page_is_lost as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
        libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
    }
}

/// Windows keeps a mapped file from being cut off.
#[cfg(windows)]
pub fn survive_lost_pages() {}

#[cfg(unix)]
static PAGE: AtomicUsize = AtomicUsize::new(4096);

/// Puts a page of zeros where one is lost. Every read of a map is checked for sense, so zeros do no
/// harm; that the answer is worth nothing, [`MappedFile::is_whole`] says before it leaves.
#[cfg(unix)]
extern "C" fn page_is_lost(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system passes a valid `info`. The page is one of a read-only map of ours, which
    // lives, for somebody is just reading it; the new one lies exactly over it and is as readable.
    unsafe {
        let address = (*info).si_addr() as usize;
        let page = PAGE.load(Ordering::Relaxed);
        if let Some(watch) = Watch::of(address) {
            watch.lost.store(true, Ordering::Relaxed);
            let start = (address & !(page - 1)) as *mut libc::c_void;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
            if libc::mmap(start, page, libc::PROT_READ, flags, -1, 0) == start {
                return;
            }
        }
        // Not ours: as if there were no handler. The access happens again, and ends the process.
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = libc::SIG_DFL;
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}

/// Was standard output closed when the process began? Before `main`, Rust puts /dev/null in the place of closed streams, which would
/// swallow every answer; a redirection to /dev/null looks the same later on.
#[cfg(unix)]
pub(crate) static STANDARD_OUTPUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Run by the loader before Rust's own preparations, where the system's format has such a list.
// SAFETY: the list holds functions of this type; this one calls `fcntl`, which changes nothing and bears any number, and stores an
// atomic.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = {
    extern "C" fn look() {
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
        STANDARD_OUTPUT_WAS_CLOSED.store(flags == -1, Ordering::Relaxed);
    }
    look
};

/// For programs that hold large tables one after the other: from here on a block of a megabyte or more goes back to the system when it
/// is freed. glibc would raise that limit with the first large block that is freed, up to 32 MB, and keep what is freed thereafter:
/// on 32,000 sentence pairs `chiasm align` had a peak of 66 MB in place of 42. Elsewhere nothing happens.
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `mallopt` sets a number of the allocator under its lock, and bears any value.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
    }
}

/// Who keeps the memory of an [`Array`] alive.
enum Owner<T> {
    Map(#[allow(dead_code)] Arc<MappedFile>),
    Vector(#[allow(dead_code)] Arc<[T]>),
}

impl<T> Clone for Owner<T> {
    fn clone(&self) -> Self {
        match self {
            Owner::Map(map) => Owner::Map(map.clone()),
            Owner::Vector(vector) => Owner::Vector(vector.clone()),
        }
    }
}

/// An immutable slice of plain data in a memory map or in memory; cheap to clone, dereferences to `[T]`.
pub struct Array<T> {
    owner: Owner<T>,
    pointer: *const T,
    length: usize,
}

// SAFETY: an `Array` is a shared reference to immutable memory kept alive by an `Arc`.
unsafe impl<T: Send + Sync> Send for Array<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Array<T> {}

impl<T: FromBytes + Immutable + KnownLayout> Array<T> {
    /// A view of bytes `range` of `map`; `None` if the range is outside, misaligned, or not a
    /// whole number of elements.
    pub fn from_map(map: &Arc<MappedFile>, range: Range<usize>) -> Option<Self> {
        let bytes = map.get(range)?;
        // Checks size and alignment; `FromBytes` says that any bytes are a valid T.
        let slice = <[T]>::ref_from_bytes(bytes).ok()?;
        let (pointer, length) = (slice.as_ptr(), slice.len());
        Some(Array {
            owner: Owner::Map(map.clone()),
            pointer,
            length,
        })
    }
}

impl<T> Array<T> {
    /// An array in memory.
    pub fn from_vec(vector: Vec<T>) -> Self {
        let vector: Arc<[T]> = vector.into();
        let (pointer, length) = (vector.as_ptr(), vector.len());
        Array {
            owner: Owner::Vector(vector),
            pointer,
            length,
        }
    }
}

impl<T> Array<T> {
    /// If it lives in a memory map, the pages of the whole map no longer count as this process's memory until
    /// they are looked at again.
    pub fn release(&self) {
        if let Owner::Map(map) = &self.owner {
            map.release();
        }
    }

    /// Does it live in a memory map?
    pub fn is_mapped(&self) -> bool {
        matches!(self.owner, Owner::Map(_))
    }
}

impl<T> Clone for Array<T> {
    fn clone(&self) -> Self {
        Array {
            owner: self.owner.clone(),
            pointer: self.pointer,
            length: self.length,
        }
    }
}

impl<T> Deref for Array<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: pointer and length come from a slice that the owner keeps alive and unmoved
        // (the heap block of an `Arc<[T]>`, or the pages of a map) and nobody writes to.
        unsafe { std::slice::from_raw_parts(self.pointer, self.length) }
    }
}

impl<T> Default for Array<T> {
    fn default() -> Self {
        Self::from_vec(Vec::new())
    }
}

impl<T> From<Vec<T>> for Array<T> {
    fn from(vector: Vec<T>) -> Self {
        Self::from_vec(vector)
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Array of {} elements", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_check_bounds_alignment_and_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        std::fs::write(&path, [1u8, 0, 0, 0, 2, 0, 0, 0, 9]).unwrap();
        let map = MappedFile::open(&path).unwrap();
        assert_eq!(&Array::<u32>::from_map(&map, 0..8).unwrap()[..], &[1, 2]);
        assert!(Array::<u32>::from_map(&map, 0..8).unwrap().is_mapped());
        assert!(!Array::from_vec(vec![1u32, 2]).is_mapped());
        assert!(Array::<u32>::from_map(&map, 0..9).is_none());
        assert!(Array::<u32>::from_map(&map, 1..5).is_none());
        assert!(Array::<u32>::from_map(&map, 8..12).is_none());
        assert!(Array::<u32>::from_map(&map, 4..4).unwrap().is_empty());
    }

    #[cfg(all(unix, not(miri)))]
    #[test]
    fn a_file_cut_off_under_its_map_reads_as_zeros_and_says_so() {
        survive_lost_pages();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        std::fs::write(&path, vec![7u8; 1 << 20]).unwrap();
        let other = MappedFile::open(&path).unwrap();
        let map = MappedFile::open(&path).unwrap();
        let array = Array::<u32>::from_map(&map, 0..1 << 20).unwrap();
        assert_eq!(array[(1 << 18) - 1], 0x0707_0707);
        let file = File::options().write(true).open(&path).unwrap();
        file.set_len(10).unwrap();
        assert!(map.is_whole());
        assert_eq!(array[(1 << 18) - 1], 0);
        assert!(!map.is_whole() && other.is_whole());
        assert!(map.read_at(&mut [0; 8], 8).is_err());
        drop((array, map, other));
        // The place in the list is free again, and begins anew.
        assert!(MappedFile::open(&path).unwrap().is_whole());
    }

    #[test]
    fn an_array_outlives_its_container_and_moves_between_threads() {
        let array = Array::from_vec(vec![1u64, 2, 3]);
        let clone = array.clone();
        drop(array);
        let sum = std::thread::spawn(move || clone.iter().sum::<u64>())
            .join()
            .unwrap();
        assert_eq!(sum, 6);
    }
}
