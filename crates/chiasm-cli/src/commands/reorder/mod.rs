//! `chiasm reorder`: models of how phrases move.

use crate::context::Context;
use clap::{Args, Subcommand};

mod evaluate;
mod explain;
mod merge;
mod options;
mod table;
pub mod train;

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
    /// Learn a model of how phrases move.
    Train(Box<train::Arguments>),
    /// Score a model on other sentences.
    Evaluate(evaluate::Arguments),
    /// Say why a model gives a phrase this orientation.
    Explain(explain::Arguments),
    /// Add two naive Bayes models up to the model of both corpora.
    Merge(merge::Arguments),
}

/// Does what was asked.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    match arguments.command {
        Command::Table(arguments) => table::run(arguments, context),
        Command::Train(arguments) => train::run(*arguments, context),
        Command::Evaluate(arguments) => evaluate::run(arguments, context),
        Command::Explain(arguments) => explain::run(arguments, context),
        Command::Merge(arguments) => merge::run(arguments, context),
    }
}
