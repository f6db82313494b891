//! `chiasm tune`: the weights of a system that make a development set score best.

use super::destination;
use super::learner_options::one_of;
use super::whole_text::{check_count, read};
use crate::context::Context;
use anyhow::{Context as _, bail};
use chiasm_decode::{SearchSettings, System};
use chiasm_text::TextOutput;
use chiasm_train::Tuner;
use chiasm_train::settings::TuneSettings;
use chiasm_tune::system_decoder::SystemDecoder;
use chiasm_tune::tune::{Settings, forget};
use chiasm_tune::{Outcome, Round, plot, tune};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

static USUAL: LazyLock<TuneSettings> = LazyLock::new(TuneSettings::default);

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// The system whose weights are tuned.
    #[arg(long, short, value_name = "SYSTEM")]
    system: PathBuf,
    /// Source sentences of the development set, tokenised as the system was trained.
    #[arg(long, value_name = "F")]
    dev_source: PathBuf,
    /// Their reference translations, tokenised; more than one set may be given.
    #[arg(long, value_name = "E", required = true)]
    dev_target: Vec<PathBuf>,
    /// How weights are found.
    #[arg(long, default_value_t = USUAL.method, value_parser = one_of::<Tuner>(["mira", "mert", "pro"]))]
    method: Tuner,
    /// Seed of all random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// New weights at most this many times.
    #[arg(long, value_name = "N", default_value_t = USUAL.iterations)]
    iterations: usize,
    /// Stop after this many iterations without a better score.
    #[arg(long, value_name = "N", default_value_t = USUAL.patience as u16, value_parser = clap::value_parser!(u16).range(1..))]
    patience: u16,
    /// Length of the n-best lists.
    #[arg(long, value_name = "N", default_value_t = USUAL.nbest as u32, value_parser = clap::value_parser!(u32).range(1..))]
    nbest: u32,
    /// Hypotheses that the search makes for each number of translated words, while tuning.
    #[arg(long, value_name = "N", default_value_t = USUAL.pop_limit as u32, value_parser = clap::value_parser!(u32).range(1..))]
    pop_limit: u32,
    /// Where the tuned system goes; OUTPUT.tuning.html shows how it came about.
    #[arg(long, short, value_name = "TUNED")]
    output: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Reads the development set, tunes, and writes the system with its new weights.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let processor = chiasm_work::cpu_seconds();
    if arguments.output.as_os_str() == "-" {
        bail!("a system cannot be written to standard output; give -o a file");
    }
    destination::check(
        &[&arguments.output, &beside(&arguments.output, "tuning.html")],
        &[
            &arguments.system,
            &arguments.dev_source,
            &arguments.dev_target,
        ],
    )?;
    let Some(method) = arguments.method.method() else {
        bail!("a method of tuning is expected");
    };
    let source = read(&arguments.dev_source)?;
    if source.is_empty() {
        bail!("{}: no sentences", arguments.dev_source.display());
    }
    let mut targets = Vec::new();
    for path in &arguments.dev_target {
        let lines = read(path)?;
        check_count(path, lines.len(), &arguments.dev_source, source.len())?;
        targets.push(lines);
    }
    let system = Arc::new(System::open(&arguments.system)?);
    let search = SearchSettings {
        pop_limit: arguments.pop_limit as usize,
        ..system.configuration().search.clone()
    };
    let folder = beside(&arguments.output, "tuning");
    let settings = Settings {
        method,
        rounds: arguments.iterations,
        nbest: arguments.nbest as usize,
        patience: usize::from(arguments.patience),
        seed: arguments.seed,
        folder: Some(folder.clone()),
        fingerprint: fingerprint(&arguments, &search, &source, &targets)?,
    };
    let mut decoder = SystemDecoder::new(system.clone(), search, &source, context.threads);
    let references = decoder.references(&targets);
    let start = decoder.start();
    let mut report = |number: usize, round: &Round| say_round(context, number, round);
    let outcome = tune(&mut decoder, &references, &start, &settings, &mut report)
        .with_context(|| arguments.system.display().to_string())?;
    system.write_with_weights(&arguments.output, &decoder.named(&outcome.weights))?;
    let names = system.configuration().feature_names();
    let method = settings.method.name();
    let mut page = TextOutput::create(beside(&arguments.output, "tuning.html"))?;
    page.write_text(plot::page(&outcome, method, &names).as_bytes())?;
    page.finish()?;
    forget(&folder)?;
    let seconds = chiasm_work::cpu_seconds() - processor;
    print(&arguments, &outcome, &names, seconds, context)
}

/// `OUTPUT.ending`.
fn beside(output: &Path, ending: &str) -> PathBuf {
    let mut name = output.file_name().unwrap_or_default().to_os_string();
    name.push(".");
    name.push(ending);
    output.with_file_name(name)
}

fn say_round(context: &Context, number: usize, round: &Round) {
    let expected = match round.predicted {
        Some(bleu) => format!(", {bleu:.2} expected"),
        None => String::new(),
    };
    context.say(format!(
        "iteration {number}: BLEU {:.2}{expected}; length {:.3}; {} n-best entries, {} of them new",
        round.bleu, round.length_ratio, round.entries, round.new_entries
    ));
}

fn print(
    arguments: &Arguments,
    outcome: &Outcome,
    names: &[String],
    cpu_seconds: f64,
    context: &Context,
) -> anyhow::Result<()> {
    let (first, best) = (&outcome.rounds[0], &outcome.rounds[outcome.best]);
    let text = if arguments.json {
        let rounds: Vec<_> = outcome.rounds.iter().map(round_json).collect();
        let value = json!({
            "method": arguments.method.to_string(),
            "seed": arguments.seed,
            "start_bleu": first.bleu,
            "bleu": best.bleu,
            "best_iteration": outcome.best,
            "iterations": outcome.rounds.len() - 1,
            "resumed_iterations": outcome.resumed,
            "stopped": outcome.stop.describe(),
            "features": names,
            "weights": outcome.weights.dense,
            "sparse_weights": outcome.weights.sparse.len(),
            "rounds": rounds,
            "seconds": context.seconds(),
            "cpu_seconds": cpu_seconds,
            "peak_memory_bytes": chiasm_work::peak_memory_bytes(),
        });
        serde_json::to_string_pretty(&value)? + "\n"
    } else {
        let kept = match outcome.best {
            0 => "nothing better was found, the weights are as they were".to_string(),
            best => format!("the weights of iteration {best} were kept"),
        };
        format!(
            "BLEU {:.2} -> {:.2}: {kept}; {}\n",
            first.bleu,
            best.bleu,
            outcome.stop.describe()
        )
    };
    let mut output = TextOutput::create("-")?;
    output.write_text(text.as_bytes())?;
    Ok(output.finish()?)
}

fn round_json(round: &Round) -> serde_json::Value {
    json!({
        "bleu": round.bleu,
        "expected_bleu": round.predicted,
        "length_ratio": round.length_ratio,
        "entries": round.entries,
        "new_entries": round.new_entries,
        "weights": round.weights.dense,
    })
}

/// What an interrupted run must have in common with this one to be gone on with.
fn fingerprint(
    arguments: &Arguments,
    search: &SearchSettings,
    source: &[String],
    targets: &[Vec<String>],
) -> anyhow::Result<String> {
    let path = &arguments.system;
    let file = std::fs::metadata(path).map_err(|error| chiasm_store::Error::io(path, error))?;
    let changed = file.modified().ok();
    let since = changed.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let mut text = String::new();
    for line in source.iter().chain(targets.iter().flatten()) {
        text.push_str(line);
        text.push('\n');
    }
    Ok(format!(
        "system {} bytes, {:?}; search {search:?}; {} sets, text {:016x}",
        file.len(),
        since,
        targets.len(),
        chiasm_tune::tune::checksum(text.as_bytes())
    ))
}
