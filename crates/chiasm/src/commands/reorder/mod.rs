//! `chiasm reorder`: models of how phrases move.

use crate::context::Context;
use clap::{Args, Subcommand};

mod table;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// What to do with a reordering model.
#[derive(Subcommand)]
enum Command {
    /// Write the lexicalised model as Moses' reordering table.
    Table(table::Arguments),
}

/// Does what was asked.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    match arguments.command {
        Command::Table(arguments) => table::run(arguments, context),
    }
}
