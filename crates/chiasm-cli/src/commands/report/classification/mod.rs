//! `chiasm report classification`: the papers' tables and figures on any word-aligned corpus.

mod experiments;
mod feature_sets;
mod growth;
mod logistic;
mod naive_bayes;
mod papers;
mod runner;
mod split;

use super::page;
use crate::commands::corpus_options::CorpusOptions;
use crate::context::{Context, on_interrupt};
use anyhow::Context as _;
use chiasm_learn::Strength;
use chiasm_store::OutputFile;
use clap::Args;
use runner::{Corpus, Run, Runner};
use std::io::Write;
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
    /// Fewer sets, sizes and repeats.
    #[arg(long)]
    quick: bool,
    /// The page; tables of all runs go beside it as .csv, everything as .json.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Measures and writes.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let fixed = |strength| match strength {
        Strength::Fixed(number) => number,
        Strength::Auto => 1.0,
    };
    for (name, value) in [
        ("--c", fixed(arguments.c)),
        ("--sigma2", fixed(arguments.sigma2)),
        ("--gap", arguments.gap),
    ] {
        anyhow::ensure!(
            value.is_finite() && value > 0.0,
            "{name} {value}: a positive number is expected"
        );
    }
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
    chiasm_store::check_outputs(&[&arguments.output], &inputs.concat())?;
    // For models and parts of the corpus; what counts is in the page.
    let beside = arguments.output.parent().filter(|p| p.as_os_str() != "");
    let beside = beside.unwrap_or(Path::new("."));
    let folder = tempfile::Builder::new()
        .prefix("report-")
        .tempdir_in(beside)
        .with_context(|| beside.display().to_string())?;
    let unfinished = folder.path().to_path_buf();
    on_interrupt(move || {
        let _ = std::fs::remove_dir_all(&unfinished);
        false
    });
    measure(&arguments, folder.path(), context)?;
    Ok(folder.close()?)
}

fn measure(arguments: &Arguments, folder: &Path, context: &Context) -> anyhow::Result<()> {
    let training = Corpus {
        source: arguments.corpus.source.clone(),
        target: arguments.corpus.target.clone(),
        links: arguments.corpus.links.clone(),
    };
    let test = Corpus {
        source: arguments.test_source.clone(),
        target: arguments.test_target.clone(),
        links: arguments.test_links.clone(),
    };
    let mut experiments = experiments::Experiments {
        runner: Runner::new(folder.to_path_buf(), context)?,
        training,
        test,
        c: arguments.c.to_string(),
        sigma2: arguments.sigma2.to_string(),
        gap: arguments.gap.to_string(),
        quick: arguments.quick,
    };
    experiments.settle_strengths()?;
    let items = experiments.all()?;
    let introduction = "Models of orientation trained on the training links and scored on the test \
        links. What the papers print stands beside what was measured here; their corpora are others, so \
        the figures compare in kind, not in value. Seconds are processor time; training alone, and with \
        reading, extraction and counting in brackets.";
    let page = page::html("How well orientations are told apart", introduction, &items);
    write(&arguments.output, page.as_bytes())?;
    let runs: Vec<&Run> = experiments.runner.runs().collect();
    write(
        &with_ending(&arguments.output, "csv"),
        csv(&runs).as_bytes(),
    )?;
    let json = serde_json::json!({
        "items": page::as_json(&items),
        "runs": runs.iter().map(|run| serde_json::json!({
            "label": run.label, "commands": run.commands, "training": run.training,
            "test": run.test, "total_cpu_seconds": run.total_seconds,
        })).collect::<Vec<_>>(),
    });
    let json = serde_json::to_string_pretty(&json)?;
    write(&with_ending(&arguments.output, "json"), json.as_bytes())?;
    context.say(format!("{}", arguments.output.display()));
    Ok(())
}

fn csv(runs: &[&Run]) -> String {
    let mut text = String::from(
        "options,examples,features,parameters,accuracy,error,log_loss,train_cpu_seconds,total_cpu_seconds,\
         peak_memory_bytes,model_bytes,relative_gap,iterations,train_command,evaluate_command\n",
    );
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    for run in runs {
        let mut cells = vec![quoted(&run.label)];
        for key in ["examples", "features", "parameters"] {
            cells.push(run.training[key].to_string());
        }
        for key in ["accuracy", "error", "log_loss"] {
            cells.push(run.test[key].to_string());
        }
        cells.push(run.training["cpu_seconds"].to_string());
        cells.push(run.total_seconds.to_string());
        for key in [
            "peak_memory_bytes",
            "model_bytes",
            "relative_gap",
            "iterations",
        ] {
            cells.push(run.training[key].to_string());
        }
        cells.extend(run.commands.iter().map(|command| quoted(command)));
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut output = OutputFile::create(path)?;
    output.write_all(bytes)?;
    Ok(output.finish()?)
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    path.with_extension(ending)
}
