//! `chiasm phrases`: the phrase table with its four scores, in Moses' text format.

use super::corpus_options::{BudgetOptions, CorpusOptions, ExtractionOptions};
use super::{destination, extract};
use crate::context::Context;
use chiasm_phrases::{
    CountedPairs, IndexedCorpus, Lexicon, OrientationKind, PhraseSmoothing, PhraseTableWriter,
    score_pairs,
};
use chiasm_work::Progress;
use clap::Args;
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
    /// The phrase table; .gz, .zst, .xz or .bz2 compresses.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// How counts become probabilities: none (relative frequencies, as Moses has them), kneser-ney.
    #[arg(long, value_name = "NAME", default_value = "none")]
    smoothing: PhraseSmoothing,
    /// Also write the word translation tables PREFIX.f2e and PREFIX.e2f.
    #[arg(long, value_name = "PREFIX")]
    write_lexicon: Option<PathBuf>,
    /// Print a summary as JSON.
    #[arg(long)]
    json: bool,
}

const PROGRESS_STEP: u64 = 1000;

/// Reads, counts, scores, writes.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let lexicon = destination::with_endings(&arguments.write_lexicon, &destination::LEXICON);
    destination::check(&[&arguments.output, &lexicon], &[&arguments.corpus])?;
    let folder = arguments.budget.folder(&arguments.output);
    let budget = arguments.budget.bytes();
    let progress = context.progress("read", "pairs", None);
    let mut corpus = IndexedCorpus::read(&arguments.corpus.files(), &folder, &progress)?;
    drop(progress);
    let lexicon = Lexicon::count(&mut corpus)?;
    if let Some(prefix) = &arguments.write_lexicon {
        lexicon.write(prefix, &corpus.source.vocabulary, &corpus.target.vocabulary)?;
    }
    let progress = context.progress("extract", "pairs", Some(corpus.passed.sentence_pairs));
    let extraction = arguments.extraction.extraction(OrientationKind::Word);
    let pairs = CountedPairs::count(&mut corpus, &extraction, budget / 2, &folder, &progress)?;
    drop(progress);
    let mut passed = corpus.passed;
    passed.phrase_pairs = pairs.totals.total;
    let spilled_runs = pairs.spilled_runs;
    let progress = context.progress("score", "phrase pairs", None);
    let mut table = PhraseTableWriter::create(&arguments.output, &corpus)?;
    let mut written = 0u64;
    let lines = score_pairs(
        pairs,
        &lexicon,
        arguments.smoothing,
        budget / 4,
        &folder,
        |pair| {
            written += 1;
            if written.is_multiple_of(PROGRESS_STEP) {
                progress.advance(PROGRESS_STEP);
            }
            table.write(pair)
        },
    )?;
    table.finish()?;
    drop(progress);
    extract::report(
        &passed,
        Some((lines, spilled_runs)),
        arguments.json,
        context,
    )?;
    Ok(())
}
