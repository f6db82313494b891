//! One module a verb: its arguments, and `run`, which checks them and calls the libraries.

use crate::context::Context;
use clap::{CommandFactory, Subcommand};

mod completions;
mod score;
mod symmetrise;

/// The verbs.
#[derive(Subcommand)]
pub enum Command {
    /// Make one word alignment of two one-sided ones.
    Symmetrise(symmetrise::Arguments),
    /// Score translations: BLEU, NIST, chrF, TER, with significance against a baseline.
    Score(score::Arguments),
    /// Print shell completions or the manual page.
    Completions(completions::Arguments),
}

/// Does what was asked.
pub fn run(command: Command, context: &Context) -> anyhow::Result<()> {
    match command {
        Command::Symmetrise(arguments) => symmetrise::run(arguments, context),
        Command::Score(arguments) => score::run(arguments, context),
        Command::Completions(arguments) => {
            completions::run(arguments, crate::Chiasm::command(), context)
        }
    }
}
