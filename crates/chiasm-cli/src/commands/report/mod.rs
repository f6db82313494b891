//! `chiasm report`: pages of tables and plots that say how good models are.

use crate::context::{Context, write_text};
use chiasm_report::Report;
use clap::{Args, Subcommand};
use std::path::PathBuf;

mod classification;
mod translation;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// What to report on.
#[derive(Subcommand)]
enum Command {
    /// How well models of orientation tell classes apart, beside the papers' figures.
    Classification(Box<classification::Arguments>),
    /// What reordering models do for translation, with every tuner, beside the papers' figures.
    Translation(Box<translation::Arguments>),
}

/// Does what was asked.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    match arguments.command {
        Command::Classification(arguments) => classification::run(*arguments, context),
        Command::Translation(arguments) => translation::run(*arguments, context),
    }
}

/// The page and, beside it, the table of all runs and everything that was measured.
fn write_report(report: &Report, place: impl Fn(&str) -> PathBuf) -> anyhow::Result<()> {
    let json = serde_json::to_string_pretty(&report.json)?;
    write_text(place("html"), &report.html)?;
    write_text(place("csv"), &report.csv)?;
    write_text(place("json"), &json)
}
