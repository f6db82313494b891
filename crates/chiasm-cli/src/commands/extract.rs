//! `chiasm extract`: phrase pairs with orientations in Moses' text formats.

use super::corpus_options::{CorpusOptions, ExtractionOptions};
use super::destination;
use crate::context::{Context, print_out};
use chiasm_phrases::{ClassSet, OrientationKind};
use chiasm_phrases::{Passed, extract_to_moses_files};
use chiasm_reorder::recipe::orientation_name;
use clap::Args;
use std::path::PathBuf;

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
    let outputs = ["", ".inv", ".o"].map(|part| {
        let name = [arguments.output.as_os_str(), part.as_ref(), ending.as_ref()];
        PathBuf::from(name.iter().copied().collect::<std::ffi::OsString>())
    });
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
    report(&passed, None, arguments.json, context)
}

/// What went through and, of a table, its distinct pairs and spilled runs: as JSON on standard output or as a line on standard error.
pub fn report(
    passed: &Passed,
    table: Option<(u64, usize)>,
    json: bool,
    context: &Context,
) -> anyhow::Result<()> {
    warn(passed, context);
    if json {
        let mut summary = serde_json::json!({
            "sentence_pairs": passed.sentence_pairs,
            "phrase_pairs": passed.phrase_pairs,
            "without_links": passed.without_links,
            "too_long": passed.too_long,
            "threads": context.threads,
            "seconds": context.seconds(),
            "peak_memory_bytes": chiasm_work::peak_memory_bytes(),
        });
        if let Some((lines, spilled)) = table {
            summary["distinct_phrase_pairs"] = lines.into();
            summary["spilled_runs"] = spilled.into();
        }
        return print_out(summary);
    }
    let distinct = table.map(|(lines, _)| format!("{lines} distinct phrase pairs of "));
    context.say(format!(
        "{}{}{} from {} sentence pairs in {:.1} s",
        distinct.as_deref().unwrap_or_default(),
        passed.phrase_pairs,
        if table.is_some() { "" } else { " phrase pairs" },
        passed.sentence_pairs,
        context.seconds()
    ));
    Ok(())
}

/// Says what was passed over.
pub fn warn(passed: &Passed, context: &Context) {
    passed
        .remarks()
        .iter()
        .for_each(|remark| context.say(remark));
}
