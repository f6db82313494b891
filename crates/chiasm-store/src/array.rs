//! Memory maps and the typed slices that live in them: `unsafe` code, which no other module has but `chiasm-neural/src/product.rs`.
#![allow(unsafe_code)]

use crate::{Error, Result};
use std::fs::File;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zerocopy::{FromBytes, Immutable, KnownLayout};

/// A whole file, mapped read-only. Processes that open the same file share its pages.
#[derive(Debug)]
pub struct MappedFile {
    path: PathBuf,
    map: Option<memmap2::Mmap>,
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
        Ok(Arc::new(MappedFile { path, map }))
    }

    /// The file's name.
    pub fn path(&self) -> &Path {
        &self.path
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
