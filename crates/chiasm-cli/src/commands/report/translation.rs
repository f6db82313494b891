//! `chiasm report translation`: the papers' translation tables on any corpus.

use super::write_report;
use crate::commands::destination::{self, Paths};
use crate::commands::learner_options::one_of;
use crate::commands::train::{Inputs, Presets};
use crate::context::{Context, print_out};
use chiasm_report::translation::{Direction, Request, plan, report};
use chiasm_train::Tuner;
use clap::Args;
use std::path::{Path, PathBuf};

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    presets: Presets,
    /// Source side of the test set.
    #[arg(long, value_name = "F")]
    test_source: PathBuf,
    /// Its translation; more than one may be given.
    #[arg(long, value_name = "E", required = true)]
    test_target: Vec<PathBuf>,
    /// Learners to compare.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "nb-map,nb-bayes,lbfgs,dual,svm"
    )]
    learners: Vec<String>,
    /// Numbers of their feature sets.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "6,7,9,15", value_parser = clap::value_parser!(u32).range(1..=15))]
    sets: Vec<u32>,
    /// Tuners to compare (mert, pro, pro-classic as published, mira). MERT does not tune sparse features.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "mert,pro",
        value_parser = one_of::<Tuner>(["mert", "pro", "pro-classic", "mira"])
    )]
    tuners: Vec<Tuner>,
    /// How often each system is tuned, with other seeds.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=100))]
    seeds: u64,
    /// Jumps that the models know of: both, or backward as in the papers.
    #[arg(long, value_name = "WHICH", default_value = "both")]
    direction: Direction,
    /// Sparse features as well: none, those of the phrase alone (phrase, without word classes), or all.
    #[arg(long, value_name = "WHICH", default_value = "all", value_parser = ["none", "phrase", "all"])]
    sparse: String,
    /// The papers' design in place of the options above: hier-msd-backward, S6 and S7, without and with sparse features of the
    /// phrase, MERT, PRO and MIRA, five seeds.
    #[arg(long, value_name = "WHICH", value_parser = ["papers"])]
    design: Option<String>,
    /// Say what would be done and about how long it takes, and do nothing.
    #[arg(long)]
    dry_run: bool,
    /// Frequent words of sparse features.
    #[arg(long, value_name = "N")]
    sparse_words: Option<usize>,
    /// The page; the table of all systems goes beside it as .csv, everything as .json. Systems are
    /// kept in FILE.stages, so a second run goes on where the first was interrupted.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Trains, translates, writes.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let outputs = ["html", "csv", "json"].map(|ending| with_ending(&arguments.output, ending));
    let (inputs, config) = (&arguments.inputs, &arguments.presets.config);
    let tests = [&arguments.test_source as &dyn Paths, &arguments.test_target];
    destination::check(&[&outputs.to_vec()], &[inputs, config, tests[0], tests[1]])?;
    let folder = with_ending(&arguments.output, "stages");
    let command: Vec<String> = std::env::args().collect();
    let mut request = Request {
        training: arguments.inputs.request(&arguments.presets, folder)?,
        test_source: arguments.test_source,
        test_targets: arguments.test_target,
        learners: arguments.learners,
        sets: arguments.sets,
        tuners: arguments.tuners,
        seeds: arguments.seeds,
        direction: arguments.direction,
        sparse: arguments.sparse != "none",
        sparse_words: arguments.sparse_words,
        phrase_alone: arguments.sparse == "phrase",
        command: command.join(" "),
    };
    if arguments.design.is_some() {
        request = request.as_in_the_papers();
    }
    if arguments.dry_run {
        return plan(&request)?.into_iter().try_for_each(print_out);
    }
    let report = report(&request, context)?;
    write_report(&report, |ending| with_ending(&arguments.output, ending))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    match path.extension() {
        Some(own) if own == "html" || ending != "html" => path.with_extension(ending),
        _ => path.to_path_buf(),
    }
}
