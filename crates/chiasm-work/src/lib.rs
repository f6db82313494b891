//! How long work behaves, whoever does it and whoever listens.
//!
//! `progress.rs` says how far work is and takes its remarks; `memory.rs` reads sizes of memory as
//! people write them and tells how much was used; `meter.rs` tells how much processor time was;
//! `ordered.rs` is the one pool of threads whose results come in the order of their inputs; `cancel.rs` ends work early.
//!
//! ```
//! use chiasm_work::{InOrder, Panicked};
//!
//! let mut numbers = 0..5;
//! let mut squares = Vec::new();
//! InOrder::new(2).run(
//!     |number: &mut usize| Ok(numbers.next().map(|next| *number = next).is_some()),
//!     |number, square: &mut usize| Ok(*square = number * number),
//!     |square| Ok(squares.push(*square)),
//! )?;
//! assert_eq!(squares, [0, 1, 4, 9, 16]);
//! # Ok::<(), Panicked>(())
//! ```
#![forbid(unsafe_code)]

pub mod as_text;
pub mod cancel;
mod memory;
mod meter;
mod observer;
mod ordered;
mod progress;

pub use cancel::{Cancel, Cancelled};
pub use memory::{MemorySize, peak_memory_bytes};
pub use meter::{children_cpu_seconds, cpu_seconds};
pub use observer::{Observer, Silent};
pub use ordered::{InOrder, Panicked};
pub use progress::Progress;
