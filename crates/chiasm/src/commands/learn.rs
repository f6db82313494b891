//! `chiasm learn`: a classifier from a LIBSVM file.

use super::learner_options::{self, LearnerKind, LearnerOptions};
use crate::context::Context;
use chiasm_learn::libsvm;
use clap::Args;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// Examples, a line each: class feature:value feature:value ...; may be compressed; - is standard input.
    #[arg(long, value_name = "FILE")]
    libsvm: PathBuf,
    /// The method.
    #[arg(long, value_enum)]
    learner: LearnerKind,
    #[command(flatten)]
    options: LearnerOptions,
    /// Keep equal examples apart instead of merging them (slower, the same optimum).
    #[arg(long)]
    no_merge: bool,
    /// Where the model goes.
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,
    /// Print how training went as JSON.
    #[arg(long)]
    json: bool,
}

/// Trains, writes the model, reports.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let options = &arguments.options;
    let learner = options.learner(arguments.learner)?;
    let bits = options.bits()?;
    let input = chiasm_text::open(&arguments.libsvm)?;
    let examples = libsvm::read(input, &arguments.libsvm, !arguments.no_merge)?;
    let progress = context.progress("learning", "iterations", None);
    let trained = learner.train(&examples, &progress)?;
    drop(progress);
    let mut report = trained.report;
    let model = trained.model.with_bits(bits).with_report(report.clone());
    model.save(&arguments.output)?;
    report.model_bytes = std::fs::metadata(&arguments.output).map_or(0, |m| m.len());
    learner_options::summary(&report, context);
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    }
    Ok(())
}
