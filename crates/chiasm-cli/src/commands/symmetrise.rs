//! `chiasm symmetrise`: two one-sided alignments become one.

use super::destination;
use crate::context::Context;
use chiasm_align::{Method, symmetrise_files};
use clap::Args;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// Links of the source-to-target side, written source-target.
    #[arg(long, value_name = "LINKS")]
    forward: PathBuf,
    /// Links of the target-to-source side, also written source-target.
    #[arg(long, value_name = "LINKS")]
    reverse: PathBuf,
    /// union, intersection, grow, grow-diag, grow-diag-final, grow-diag-final-and, forward, reverse.
    #[arg(long, default_value = "grow-diag-final-and")]
    method: Method,
    /// Where the links go; - is standard output.
    #[arg(long, short, value_name = "LINKS", default_value = "-")]
    output: PathBuf,
}

/// Makes both sides one.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    destination::check(
        &[&arguments.output],
        &[&arguments.forward, &arguments.reverse],
    )?;
    let progress = context.progress("symmetrise", "sentences", None);
    let Arguments {
        forward,
        reverse,
        method,
        output,
    } = &arguments;
    Ok(symmetrise_files(
        *method, forward, reverse, output, &progress,
    )?)
}
