//! `chiasm aer`: links beside hand-made ones.

use crate::context::{Context, print_out, write_text};
use chiasm_align::Comparison;
use clap::Args;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// Hand-made links, a line a sentence pair: 0-0 sure, 1p2 possible.
    #[arg(long, value_name = "LINKS")]
    gold: PathBuf,
    /// The links in question; lines beyond the last hand-made one are not looked at.
    #[arg(long, value_name = "LINKS")]
    links: PathBuf,
    /// Source text, for showing sentences.
    #[arg(long, value_name = "FILE", requires = "target")]
    source: Option<PathBuf>,
    /// Target text, for showing sentences.
    #[arg(long, value_name = "FILE", requires = "source")]
    target: Option<PathBuf>,
    /// How many of the worst sentences are listed (with --source and --target: shown as matrices).
    #[arg(long, value_name = "N", default_value_t = 0)]
    worst: usize,
    /// Write a page with the figures and the matrices of the worst sentences (20 unless --worst says
    /// otherwise).
    #[arg(long, value_name = "FILE", requires = "source")]
    html: Option<PathBuf>,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

const WORST_ON_PAGE: usize = 20;

/// Compares and prints.
pub fn run(arguments: Arguments, _: &Context) -> anyhow::Result<()> {
    let mut found = Comparison::read(&arguments.gold, &arguments.links)?;
    if let (Some(source), Some(target)) = (&arguments.source, &arguments.target) {
        found.read_words(source, target)?;
    }
    if arguments.json {
        print_out(found.json(arguments.worst))?;
    } else {
        print_out(found.text(arguments.worst).trim_end())?;
    }
    if let Some(path) = &arguments.html {
        let count = match arguments.worst {
            0 => WORST_ON_PAGE,
            count => count,
        };
        write_text(path, &found.html(count))?;
    }
    Ok(())
}
