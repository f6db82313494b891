//! `chiasm extract`: phrase pairs with orientations in Moses' text formats.

use super::corpus_options::{CorpusOptions, ExtractionOptions};
use super::destination;
use crate::context::{Context, print_out};
use chiasm_phrases::{ClassSet, OrientationKind};
use chiasm_phrases::{Passed, extract_to_moses_files};
use chiasm_reorder::recipe::orientation_name;
use clap::Args;
use std::path::{Path, PathBuf};

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    corpus: CorpusOptions,
    #[command(flatten)]
    extraction: ExtractionOptions,
    /// (word|phrase|hier)-(msd|mslr|monotonicity|leftright); wbe is word.
    #[arg(long, value_name = "NAME", default_value = "hier-msd", value_parser = orientation_name)]
    orientation: (OrientationKind, ClassSet),
    /// Writes PREFIX, PREFIX.inv and PREFIX.o.
    #[arg(short, long, value_name = "PREFIX")]
    output: PathBuf,
    /// Compress the three files (.gz).
    #[arg(long)]
    gzip: bool,
    /// Print a summary as JSON.
    #[arg(long)]
    json: bool,
}

/// Extracts.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let ending = if arguments.gzip { ".gz" } else { "" };
    let outputs = ["", ".inv", ".o"].map(|part| with_ending(&arguments.output, part, ending));
    destination::check(&[&outputs.to_vec()], &[&arguments.corpus])?;
    let progress = context.progress("extract", "pairs", None);
    let passed = extract_to_moses_files(
        &arguments.corpus.files(),
        &arguments.extraction.extraction(arguments.orientation.0),
        arguments.orientation.1,
        outputs,
        &progress,
    )?;
    drop(progress);
    report(&passed, arguments.json, context)
}

/// What went through, as JSON on standard output or as a line on standard error.
fn report(passed: &Passed, json: bool, context: &Context) -> anyhow::Result<()> {
    warn(passed, context);
    if json {
        print_out(summary(passed, context))?;
    } else {
        context.say(format!(
            "{} phrase pairs from {} sentence pairs in {:.1} s",
            passed.phrase_pairs,
            passed.sentence_pairs,
            context.seconds()
        ));
    }
    Ok(())
}

/// The summary as JSON.
fn summary(passed: &Passed, context: &Context) -> serde_json::Value {
    serde_json::json!({
        "sentence_pairs": passed.sentence_pairs,
        "phrase_pairs": passed.phrase_pairs,
        "without_links": passed.without_links,
        "too_long": passed.too_long,
        "threads": context.threads,
        "seconds": context.seconds(),
        "peak_memory_bytes": chiasm_work::peak_memory_bytes(),
    })
}

/// What became of the pairs in a table of `lines` lines.
pub fn report_table(
    passed: &Passed,
    lines: u64,
    spilled: usize,
    json: bool,
    context: &Context,
) -> anyhow::Result<()> {
    warn(passed, context);
    if json {
        let mut summary = summary(passed, context);
        summary["distinct_phrase_pairs"] = lines.into();
        summary["spilled_runs"] = spilled.into();
        print_out(summary)?;
    } else {
        context.say(format!(
            "{lines} distinct phrase pairs of {} from {} sentence pairs in {:.1} s",
            passed.phrase_pairs,
            passed.sentence_pairs,
            context.seconds()
        ));
    }
    Ok(())
}

/// Says what was passed over.
pub fn warn(passed: &Passed, context: &Context) {
    if passed.too_long > 0 {
        context.say(format!(
            "warning: {} sentence pairs with more than {} words on a side were passed over",
            passed.too_long,
            chiasm_phrases::LONGEST_SENTENCE
        ));
    }
    if passed.without_links > 0 {
        context.say(format!(
            "note: {} sentence pairs have no links",
            passed.without_links
        ));
    }
}

fn with_ending(prefix: &Path, part: &str, ending: &str) -> PathBuf {
    let mut name = prefix.as_os_str().to_owned();
    name.push(part);
    name.push(ending);
    name.into()
}
