//! `chiasm score`: how good translations are, and whether the difference to a baseline is real.

use super::destination;
use super::whole_text::{check_count, read};
use crate::context::Context;
use anyhow::{Context as _, bail};
use chiasm_metrics::{Bleu, References, Smoothing, Tokenizer};
use chiasm_report::score::{System, Task, evaluate, html, print};
use chiasm_text::TextOutput;
use clap::Args;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// A system's output, a line a sentence; more than one may be given.
    #[arg(long, value_name = "H", required = true)]
    hypothesis: Vec<PathBuf>,
    /// Reference translations; more than one set may be given.
    #[arg(long, value_name = "R", required = true)]
    reference: Vec<PathBuf>,
    /// Output that every hypothesis is tested against with paired bootstrap resampling.
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
            &arguments.hypothesis,
            &arguments.reference,
            &arguments.baseline,
        ],
    )?;
    let task = prepare(&arguments)?;
    remark_on_tokens(&task, context);
    let results = evaluate::evaluate(&task)?;
    if let Some(path) = &arguments.html {
        let mut output = TextOutput::create(path)?;
        let page = html::page(&task, &results, arguments.html_sentences);
        output.write_text(page.as_bytes())?;
        output.finish()?;
    }
    if let Some(path) = &arguments.sentence_scores {
        let mut output = TextOutput::create(path)?;
        output.write_text(evaluate::sentence_scores(&task).as_bytes())?;
        output.finish()?;
    }
    let text = if arguments.json {
        print::json(&task, &results)
    } else {
        print::table(&task, &results)
    };
    let mut output = TextOutput::create("-")?;
    output.write_text(text.as_bytes())?;
    Ok(output.finish()?)
}

fn prepare(arguments: &Arguments) -> anyhow::Result<Task> {
    if let Some(value) = arguments.smooth_value
        && !(value.is_finite() && value > 0.0)
    {
        bail!("--smooth-value {value}: a positive number expected");
    }
    let files = arguments.hypothesis.iter().chain(&arguments.baseline);
    let inputs = files.clone().chain(&arguments.reference);
    if inputs.filter(|path| path.as_os_str() == "-").count() > 1 {
        bail!("standard input can be read once only, but - is given more than once");
    }
    let first = &arguments.reference[0];
    let mut sets = Vec::new();
    for path in &arguments.reference {
        let lines = read(path)?;
        if let Some(expected) = sets.first().map(Vec::len) {
            check_count(path, lines.len(), first, expected)?;
        }
        sets.push(lines);
    }
    let expected = sets[0].len();
    let references = References::new(sets).with_context(|| first.display().to_string())?;
    let mut systems = Vec::new();
    for path in files {
        let lines = read(path)?;
        check_count(path, lines.len(), first, expected)?;
        let name = path.display().to_string();
        systems.push(System { name, lines });
    }
    Ok(Task {
        references,
        systems,
        has_baseline: arguments.baseline.is_some(),
        bleu: Bleu {
            tokenizer: arguments.tokenize,
            smoothing: Smoothing::named(&arguments.smooth, arguments.smooth_value)?,
            lowercase: arguments.lowercase,
            effective_order: false,
        },
        samples: arguments.samples,
        seed: arguments.seed,
    })
}

/// Tokenising twice is the commonest mistake in reported BLEU scores.
fn remark_on_tokens(task: &Task, context: &Context) {
    const SUSPICIOUS: usize = 100;
    if task.bleu.tokenizer == Tokenizer::None {
        return;
    }
    for system in &task.systems {
        let ends = system.lines.iter().filter(|line| line.ends_with(" ."));
        if ends.count() >= SUSPICIOUS {
            context.say(format!(
                "{}: many lines end in ` .`, as if tokenised; --tokenize none scores them as they are",
                system.name
            ));
        }
    }
}
