//! What `chiasm demo` does and shows: systems trained on the built-in language pair, and sentences whose phrases
//! moved, on the terminal and as a page.

pub mod drawing;
mod outcome;
pub mod page;
mod run;

pub use outcome::Outcome;
pub use run::{Request, run};
