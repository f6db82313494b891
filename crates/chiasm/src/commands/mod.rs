//! One module a verb: its arguments, and `run`, which checks them and calls the libraries.

use crate::context::Context;
use clap::{CommandFactory, Subcommand};

mod completions;

/// The verbs.
#[derive(Subcommand)]
pub enum Command {
    /// Print shell completions or the manual page.
    Completions(completions::Arguments),
}

/// Does what was asked.
pub fn run(command: Command, context: &Context) -> anyhow::Result<()> {
    match command {
        Command::Completions(arguments) => {
            completions::run(arguments, crate::Chiasm::command(), context)
        }
    }
}
