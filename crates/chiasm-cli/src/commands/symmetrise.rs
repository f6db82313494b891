//! `chiasm symmetrise`: two one-sided alignments become one.

use super::destination;
use crate::context::Context;
use chiasm_align::{Method, Symmetriser};
use chiasm_text::{Batch, ParallelLines, TextOutput, links};
use chiasm_work::Progress;
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

const ROWS: usize = 4096;

/// Reads both sides line by line, so that memory does not grow with the corpus.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    destination::check(
        &[&arguments.output],
        &[&arguments.forward, &arguments.reverse],
    )?;
    let mut files = ParallelLines::open(&[&arguments.forward, &arguments.reverse])?;
    let mut output = TextOutput::create(&arguments.output)?;
    let progress = context.progress("symmetrise", "sentences", None);
    let mut symmetriser = Symmetriser::new();
    let (mut batch, mut text) = (Batch::default(), String::new());
    let (mut forward, mut reverse, mut both) = (Vec::new(), Vec::new(), Vec::new());
    while files.next_batch(&mut batch, ROWS)? {
        text.clear();
        for row in 0..batch.len() {
            for (column, side) in [&mut forward, &mut reverse].into_iter().enumerate() {
                side.clear();
                links::parse(batch.line(column, row), usize::MAX, usize::MAX, side).map_err(
                    |message| {
                        chiasm_text::Error::line(
                            files.path(column),
                            batch.line_number(row),
                            message,
                        )
                    },
                )?;
            }
            symmetriser.symmetrise(arguments.method, &forward, &reverse, &mut both);
            links::format(&both, &mut text);
            text.push('\n');
        }
        output.write_text(text.as_bytes())?;
        progress.advance(batch.len() as u64);
    }
    output.finish()?;
    Ok(())
}
