//! `chiasm report classification`: the papers' tables and figures on any word-aligned corpus.

use super::write_report;
use crate::commands::corpus_options::CorpusOptions;
use crate::context::{Context, on_signals};
use anyhow::Context as _;
use chiasm_learn::Strength;
use chiasm_report::classification::{Corpus, OwnProcesses, Request, report};
use clap::Args;
use std::path::{Path, PathBuf};

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    corpus: CorpusOptions,
    /// Source text to score on.
    #[arg(long, value_name = "FILE")]
    test_source: PathBuf,
    /// Target text to score on.
    #[arg(long, value_name = "FILE")]
    test_target: PathBuf,
    /// Word alignment to score on.
    #[arg(long, value_name = "FILE")]
    test_links: PathBuf,
    /// Cost of a unit of slack of the SVM, or auto: chosen with S7 on pairs of the training text.
    #[arg(long, value_name = "C", default_value_t = Strength::Auto, allow_negative_numbers = true)]
    c: Strength,
    /// Variance of the prior of MaxEnt, or auto.
    #[arg(long, value_name = "S", default_value_t = Strength::Auto, allow_negative_numbers = true)]
    sigma2: Strength,
    /// Relative duality gap at which training ends.
    #[arg(long, value_name = "G", default_value_t = 0.01)]
    gap: f64,
    /// Learn from so many sentence pairs at most, spread over the training text; they stay beside the page.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pairs: Option<u64>,
    /// Fewer sets, sizes and repeats.
    #[arg(long)]
    quick: bool,
    /// The page; tables of all runs go beside it as .csv, everything as .json.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Measures and writes.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let inputs = [
        &arguments.corpus.paths()[..],
        &[
            &arguments.test_source,
            &arguments.test_target,
            &arguments.test_links,
        ],
    ];
    let ending = arguments.output.extension();
    anyhow::ensure!(
        ending.is_some_and(|ending| ending == "html"),
        "{}: a name that ends in .html is expected; the tables go beside it as .csv and .json",
        arguments.output.display()
    );
    let endings = ["html", "sample.source", "sample.target", "sample.links"];
    let outputs = endings.map(|ending| arguments.output.with_extension(ending));
    chiasm_store::check_outputs(&outputs.each_ref(), &inputs.concat())?;
    // For models and parts of the corpus; what counts is in the page.
    let beside = arguments.output.parent().filter(|p| p.as_os_str() != "");
    let beside = beside.unwrap_or(Path::new("."));
    let folder = tempfile::Builder::new()
        .prefix("report-")
        .tempdir_in(beside)
        .with_context(|| beside.display().to_string())?;
    let unfinished = folder.path().to_path_buf();
    let remove = move || {
        let _ = std::fs::remove_dir_all(&unfinished);
        false
    };
    on_signals(remove.clone(), remove);
    measure(&arguments, folder.path(), context)?;
    Ok(folder.close()?)
}

fn measure(arguments: &Arguments, folder: &Path, context: &Context) -> anyhow::Result<()> {
    let request = Request {
        training: Corpus {
            source: arguments.corpus.source.clone(),
            target: arguments.corpus.target.clone(),
            links: arguments.corpus.links.clone(),
        },
        test: Corpus {
            source: arguments.test_source.clone(),
            target: arguments.test_target.clone(),
            links: arguments.test_links.clone(),
        },
        c: arguments.c,
        sigma2: arguments.sigma2,
        gap: arguments.gap,
        pairs: arguments.pairs,
        sample: arguments.output.with_extension("sample"),
        quick: arguments.quick,
        folder: folder.to_path_buf(),
        made_by: concat!("chiasm ", env!("CARGO_PKG_VERSION")).into(),
        date: httpdate::fmt_http_date(std::time::SystemTime::now()),
    };
    let commands = OwnProcesses {
        executable: std::env::current_exe()?,
        threads: context.threads,
    };
    let report = report(request, &commands, context)?;
    write_report(&report, |ending| arguments.output.with_extension(ending))?;
    context.say(format!("{}", arguments.output.display()));
    Ok(())
}
