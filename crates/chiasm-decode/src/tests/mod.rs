//! Tests that need what the crate does not show.

mod exhaustive;
mod learned;
mod operations;
