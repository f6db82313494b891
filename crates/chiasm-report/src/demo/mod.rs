//! What `chiasm demo` shows: sentences whose phrases moved, on the terminal and as a page.

pub mod drawing;
pub mod page;
