//! `chiasm lm`: n-gram language models.

mod build;
mod estimate;
mod query;

use crate::context::Context;
use clap::{Args, Subcommand};

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Estimate a model with interpolated modified Kneser-Ney smoothing.
    Estimate(estimate::Arguments),
    /// Score text: a line a sentence, log10 and the number of unknown words, a tab between.
    Query(query::Arguments),
    /// Make a memory-mapped binary of an ARPA file.
    Build(build::Arguments),
}

/// Does what was asked.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    match arguments.verb {
        Verb::Estimate(arguments) => estimate::run(arguments, context),
        Verb::Query(arguments) => query::run(arguments, context),
        Verb::Build(arguments) => build::run(arguments, context),
    }
}
