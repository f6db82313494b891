//! `chiasm score`: how good translations are, and whether the difference to a baseline is real.

use super::destination;
use crate::context::{Context, write_text};
use anyhow::bail;
use chiasm_metrics::{Bleu, Smoothing, Tokenizer};
use chiasm_report::score::{Files, Task, evaluate, html, print, runs};
use clap::Args;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// A system's output, a line a sentence, or that of several runs (A1,A2,A3); more than one may be given.
    #[arg(long, value_name = "H", required = true)]
    hypothesis: Vec<PathBuf>,
    /// Reference translations; more than one set may be given.
    #[arg(long, value_name = "R", required = true)]
    reference: Vec<PathBuf>,
    /// Output that every hypothesis is tested against: by paired bootstrap resampling, of several runs by shuffling.
    #[arg(long, value_name = "B")]
    baseline: Option<PathBuf>,
    /// How BLEU splits lines: none, 13a, intl, char. NIST is always as in mteval-v13a, TER as in
    /// Tercom.
    #[arg(long, default_value = "13a", value_name = "NAME")]
    tokenize: Tokenizer,
    /// What BLEU does about n-gram orders without a match: none, floor, add-k, exp.
    #[arg(long, default_value = "exp", value_name = "NAME", value_parser = ["none", "floor", "add-k", "exp"])]
    smooth: String,
    /// The parameter of floor [default: 0.1] and add-k [default: 1].
    #[arg(long, value_name = "X")]
    smooth_value: Option<f64>,
    /// Compare BLEU and chrF in lower case.
    #[arg(long)]
    lowercase: bool,
    /// Bootstrap samples; 0 for none.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    samples: usize,
    /// Seed of the bootstrap samples.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Write a page with the sentences that differ most (with one system alone, the worst).
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// How many sentences the page shows.
    #[arg(long, default_value_t = 50, value_name = "N")]
    html_sentences: usize,
    /// Write BLEU, chrF2 and TER of every sentence: a line a sentence, tabs between.
    #[arg(long, value_name = "FILE")]
    sentence_scores: Option<PathBuf>,
}

/// Reads everything, scores, and prints in the form asked for.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    destination::check(
        &[&arguments.html, &arguments.sentence_scores],
        &[
            &run_files(&arguments.hypothesis),
            &arguments.reference,
            &run_files(&Vec::from_iter(arguments.baseline.clone())),
        ],
    )?;
    let task = task(&arguments)?;
    for remark in task.remarks() {
        context.say(remark);
    }
    let results = evaluate::evaluate(&task)?;
    if let Some(path) = &arguments.html {
        write_text(path, &html::page(&task, &results, arguments.html_sentences))?;
    }
    if let Some(path) = &arguments.sentence_scores {
        write_text(path, &evaluate::sentence_scores(&task))?;
    }
    let text = if arguments.json {
        print::json(&task, &results)
    } else {
        print::table(&task, &results)
    };
    write_text("-", &text)
}

fn run_files(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().flat_map(|path| runs(path)).collect()
}

fn task(arguments: &Arguments) -> anyhow::Result<Task> {
    if let Some(value) = arguments.smooth_value
        && !(value.is_finite() && value > 0.0)
    {
        bail!("--smooth-value {value}: a positive number expected");
    }
    let files = Files {
        hypotheses: arguments.hypothesis.clone(),
        references: arguments.reference.clone(),
        baseline: arguments.baseline.clone(),
    };
    let bleu = Bleu {
        tokenizer: arguments.tokenize,
        smoothing: Smoothing::named(&arguments.smooth, arguments.smooth_value)?,
        lowercase: arguments.lowercase,
        effective_order: false,
    };
    Ok(Task::read(&files, bleu, arguments.samples, arguments.seed)?)
}
