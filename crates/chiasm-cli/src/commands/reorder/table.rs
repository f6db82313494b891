//! `chiasm reorder table`: the lexicalised model as Moses' reordering table.

use crate::commands::corpus_options::{BudgetOptions, CorpusOptions, ExtractionOptions};
use crate::commands::{destination, extract};
use crate::context::Context;
use chiasm_phrases::{CountedPairs, IndexedCorpus};
use chiasm_reorder::recipe::LARGEST_SMOOTHING;
use chiasm_reorder::{Smoothing, TableName, write_table};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    corpus: CorpusOptions,
    #[command(flatten)]
    extraction: ExtractionOptions,
    #[command(flatten)]
    budget: BudgetOptions,
    /// (wbe|phrase|hier)-(msd|mslr|monotonicity|leftright)-(backward|forward|bidirectional)-fe.
    #[arg(long, value_name = "NAME", default_value = "hier-msd-bidirectional-fe")]
    model: TableName,
    /// What is added to every count.
    #[arg(
        long,
        value_name = "S",
        default_value_t = 0.5,
        allow_negative_numbers = true
    )]
    smoothing: f64,
    /// Whether each class gets the same, or as much in all shared out by class frequency.
    #[arg(long, value_enum, default_value = "constant")]
    smooth_by: SmoothBy,
    /// The table; .gz, .zst, .xz or .bz2 compresses.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print a summary as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum SmoothBy {
    Constant,
    Counts,
}

/// Reads, counts, writes.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    anyhow::ensure!(
        (0.0..=LARGEST_SMOOTHING).contains(&arguments.smoothing),
        "--smoothing {}: a number from 0 to {LARGEST_SMOOTHING:e} is expected",
        arguments.smoothing
    );
    destination::check(&[&arguments.output], &[&arguments.corpus])?;
    let smoothing = match arguments.smooth_by {
        SmoothBy::Constant => Smoothing::Constant(arguments.smoothing),
        SmoothBy::Counts => Smoothing::ByCounts(arguments.smoothing),
    };
    let folder = arguments.budget.folder(&arguments.output);
    let progress = context.progress("read", "pairs", None);
    let mut corpus = IndexedCorpus::read(&arguments.corpus.files(), &folder, &progress)?;
    drop(progress);
    let extraction = arguments.extraction.extraction(arguments.model.kind);
    let progress = context.progress("extract", "pairs", Some(corpus.passed.sentence_pairs));
    let budget = arguments.budget.bytes();
    let pairs = CountedPairs::count(&mut corpus, &extraction, budget, &folder, &progress)?;
    drop(progress);
    let mut passed = corpus.passed;
    passed.phrase_pairs = pairs.totals.total;
    let spilled_runs = pairs.spilled_runs;
    let lines = write_table(
        arguments.model,
        smoothing,
        pairs,
        &corpus,
        &arguments.output,
    )?;
    extract::report(
        &passed,
        Some((lines, spilled_runs)),
        arguments.json,
        context,
    )?;
    Ok(())
}
