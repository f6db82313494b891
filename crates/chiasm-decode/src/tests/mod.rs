//! Tests that need what the crate does not show.

mod exhaustive;
mod joint;
mod learned;
mod operations;
