//! `chiasm report translation`: the papers' translation tables on any corpus.

use super::write_report;
use crate::commands::destination;
use crate::commands::learner_options::one_of;
use crate::commands::train::{Inputs, Presets};
use crate::context::{Context, print_out};
use chiasm_report::translation::{Design, Direction, Request, TestFiles, plan, report};
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
    #[arg(
        long,
        value_name = "F",
        requires = "test_target",
        required_unless_present = "test_set"
    )]
    test_source: Option<PathBuf>,
    /// Its translation; more than one may be given.
    #[arg(long, value_name = "E", requires = "test_source")]
    test_target: Vec<PathBuf>,
    /// Another test set: its name, source and references, with commas between; more than one may be given.
    #[arg(long, value_name = "NAME,F,E")]
    test_set: Vec<TestFiles>,
    #[command(flatten)]
    wanted: Wanted,
    /// Say what would be done and about how long it takes, and do nothing.
    #[arg(long)]
    dry_run: bool,
    /// Keep every tuned system, not only its translations, in FILE.stages.
    #[arg(long)]
    keep_systems: bool,
    /// The page; the table of all systems goes beside it as .csv, everything as .json. Models and
    /// translations are kept in FILE.stages, so a second run goes on where the first was interrupted.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Which systems are compared.
#[derive(Args)]
struct Wanted {
    /// The papers' design: hier-msd-backward, S6 and S7, without and with sparse features of the phrase (200 words), MERT, PRO
    /// and MIRA, five seeds; or the rows of one paper's table with its tuner (nb, mlr, svm). What is given beside it has the
    /// last word.
    #[arg(long, value_name = "WHICH", value_parser = Design::NAMES)]
    design: Option<String>,
    /// Learners to compare [default: nb-map,nb-bayes,lbfgs,dual,svm].
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    learners: Option<Vec<String>>,
    /// Numbers of their feature sets [default: 6,7,9,15].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=15))]
    sets: Option<Vec<u32>>,
    /// Orientations of lexicalised tables; hier is always there [default: word,phrase,hier].
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    tables: Option<Vec<String>>,
    /// Tuners to compare (mert, pro, pro-classic as published, mira). MERT does not tune sparse features
    /// [default: mert,pro].
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = one_of::<Tuner>(["mert", "pro", "pro-classic", "mira"])
    )]
    tuners: Option<Vec<Tuner>>,
    /// How often each system is tuned, with other seeds [default: 3].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100))]
    seeds: Option<u64>,
    /// Jumps that the models know of: both, or backward as in the papers [default: both].
    #[arg(long, value_name = "WHICH")]
    direction: Option<Direction>,
    /// Sparse features as well: none, those of the phrase alone (phrase, without word classes), or all [default: all].
    #[arg(long, value_name = "WHICH", value_parser = ["none", "phrase", "all"])]
    sparse: Option<String>,
    /// Frequent words of sparse features.
    #[arg(long, value_name = "N")]
    sparse_words: Option<usize>,
    /// Hypotheses of the search while tuning, in place of those of the configuration.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    tune_pop_limit: Option<u32>,
}

impl Wanted {
    fn design(self) -> Design {
        let named = self.design.as_deref().and_then(Design::named);
        let base = named.unwrap_or_else(Design::usual);
        let sparse = self.sparse.as_deref();
        Design {
            learners: self.learners.unwrap_or(base.learners),
            sets: self.sets.unwrap_or(base.sets),
            tables: self.tables.unwrap_or(base.tables),
            direction: self.direction.unwrap_or(base.direction),
            combined: base.combined,
            sparse: sparse.map_or(base.sparse, |sparse| sparse != "none"),
            phrase_alone: sparse.map_or(base.phrase_alone, |sparse| sparse == "phrase"),
            as_printed: base.as_printed,
            sparse_words: self.sparse_words.or(base.sparse_words),
            tuners: self.tuners.unwrap_or(base.tuners),
            seeds: self.seeds.unwrap_or(base.seeds),
        }
    }
}

/// Trains, translates, writes.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let outputs = ["html", "csv", "json"].map(|ending| with_ending(&arguments.output, ending));
    let tests = test_files(&arguments);
    let read: Vec<PathBuf> = tests
        .iter()
        .flat_map(|test| std::iter::once(&test.source).chain(&test.targets))
        .cloned()
        .collect();
    let (inputs, config) = (&arguments.inputs, &arguments.presets.config);
    destination::check(&[&outputs.to_vec()], &[inputs, config, &read])?;
    let folder = with_ending(&arguments.output, "stages");
    let mut training = arguments.inputs.request(&arguments.presets, folder)?;
    if let Some(limit) = arguments.wanted.tune_pop_limit {
        training.settings.tune.pop_limit = limit as usize;
    }
    let command: Vec<String> = std::env::args().collect();
    let request = Request {
        training,
        tests,
        design: arguments.wanted.design(),
        keep_systems: arguments.keep_systems,
        command: command.join(" "),
    };
    if arguments.dry_run {
        return plan(&request)?.into_iter().try_for_each(print_out);
    }
    let report = report(&request, context)?;
    write_report(&report, |ending| with_ending(&arguments.output, ending))
}

/// The test sets in the order in which they are shown.
fn test_files(arguments: &Arguments) -> Vec<TestFiles> {
    let first = arguments.test_source.iter().map(|source| TestFiles {
        name: "test".into(),
        source: source.clone(),
        targets: arguments.test_target.clone(),
    });
    first.chain(arguments.test_set.iter().cloned()).collect()
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    match path.extension() {
        Some(own) if own == "html" || ending != "html" => path.with_extension(ending),
        _ => path.to_path_buf(),
    }
}
