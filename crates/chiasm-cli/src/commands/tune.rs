//! `chiasm tune`: the weights of a system that make a development set score best.

use super::destination;
use super::learner_options::one_of;
use crate::context::{Context, print_out};
use anyhow::bail;
use chiasm_train::settings::TuneSettings;
use chiasm_train::{TuneRequest, Tuner};
use clap::Args;
use std::path::PathBuf;
use std::sync::LazyLock;

static USUAL: LazyLock<TuneSettings> = LazyLock::new(TuneSettings::default);

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// The system whose weights are tuned.
    #[arg(long, short, value_name = "SYSTEM")]
    system: PathBuf,
    /// Source sentences of the development set, as `translate` would take them.
    #[arg(long, value_name = "F")]
    dev_source: PathBuf,
    /// Their reference translations; more than one set may be given.
    #[arg(long, value_name = "E", required = true)]
    dev_target: Vec<PathBuf>,
    /// Both are tokenised as the system was trained.
    #[arg(long)]
    tokenized: bool,
    /// How weights are found.
    #[arg(long, default_value_t = USUAL.method, value_parser = one_of::<Tuner>(["mira", "mert", "pro", "pro-classic"]))]
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
        &[&arguments.output, &TuneRequest::page(&arguments.output)],
        &[
            &arguments.system,
            &arguments.dev_source,
            &arguments.dev_target,
        ],
    )?;
    let json = arguments.json;
    let tuned = arguments.request().run(context)?;
    if !json {
        return print_out(tuned.text());
    }
    let mut value = tuned.json();
    value["seconds"] = context.seconds().into();
    value["cpu_seconds"] = (chiasm_work::cpu_seconds() - processor).into();
    value["peak_memory_bytes"] = chiasm_work::peak_memory_bytes().into();
    print_out(serde_json::to_string_pretty(&value)?)
}

impl Arguments {
    fn request(self) -> TuneRequest {
        TuneRequest {
            system: self.system,
            dev_source: self.dev_source,
            dev_targets: self.dev_target,
            tokenized: self.tokenized,
            settings: TuneSettings {
                method: self.method,
                iterations: self.iterations,
                patience: self.patience.into(),
                nbest: self.nbest as usize,
                pop_limit: self.pop_limit as usize,
                seed: self.seed,
                ..TuneSettings::default()
            },
            output: self.output,
        }
    }
}
