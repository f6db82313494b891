//! The cellar of the house: how bytes rest on disk.
//!
//! - [`OutputFile`]: a file that appears whole or not at all, also after Ctrl-C; [`check_outputs`]: it
//!   can be written and replaces no input;
//! - [`container`]: one file of named, checksummed sections behind a magic number, a kind and a version;
//! - [`Array`]: a typed slice that lives in a memory map or in a vector, the reader need not care;
//! - [`Sorter`]: sort-and-reduce of fixed-size records within a memory budget.
//!
//! Everything on disk is little endian and plain data: offsets and values, no pointers.
//!
//! ```
//! use chiasm_store::container::{Container, Writer};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let path = folder.path().join("numbers.bin");
//! let mut writer = Writer::create(&path, "numbers", 1)?;
//! writer.array("primes", &[2u32, 3, 5, 7])?;
//! writer.finish()?;
//!
//! let file = Container::open(&path)?.expect_kind("numbers", 1)?;
//! let primes = file.array::<u32>("primes")?;
//! assert_eq!(&primes[..], &[2, 3, 5, 7]);
//! # Ok(())
//! # }
//! ```

#[cfg(target_endian = "big")]
compile_error!("Chiasm's files are little endian and are read in place; this target is big endian");

mod array;
pub mod container;
mod destination;
mod disk;
mod error;
mod output;
mod place;
mod sorter;
mod temporary;

pub use array::{Array, MappedFile, return_freed_memory, survive_lost_pages};
pub use container::{Container, Sections, Writer};
pub use destination::{beside, check_outputs};
pub use error::Error;
pub use output::OutputFile;
pub use sorter::{Record, Sorted, Sorter, run_encoder};
pub use temporary::remove_unfinished;

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Error>;
