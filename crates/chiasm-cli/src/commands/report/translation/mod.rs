//! `chiasm report translation`: the papers' translation tables on any corpus.

mod contenders;
mod views;

use super::page;
use crate::commands::learner_options::one_of;
use crate::commands::train::{Inputs, Presets};
use crate::context::Context;
use anyhow::Context as _;
use chiasm_store::OutputFile;
use chiasm_train::Tuner;
use chiasm_train::cache::Cache;
use chiasm_train::experiment::{self, Contender, TestSet};
use chiasm_train::normalise::Side;
use chiasm_train::plan::Plan;
use chiasm_train::{Request, prepared_text};
use clap::Args;
use contenders::{BASELINE, Kind};
use std::io::Write;
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
    /// Tuners to compare (mert, pro, mira). MERT does not tune sparse features.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "mert,pro",
        value_parser = one_of::<Tuner>(["mert", "pro", "mira"])
    )]
    tuners: Vec<Tuner>,
    /// How often each system is tuned, with other seeds.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=100))]
    seeds: u64,
    /// Leave out sparse features.
    #[arg(long)]
    no_sparse: bool,
    /// The page; the table of all systems goes beside it as .csv, everything as .json. Systems are
    /// kept in FILE.stages, so a second run goes on where the first was interrupted.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// All systems of one tuner.
pub struct Tuned {
    tuner: Tuner,
    kinds: Vec<Kind>,
    contenders: Vec<Contender>,
}

/// Trains, translates, writes.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let kinds = contenders::kinds(&arguments.learners, &arguments.sets, !arguments.no_sparse)?;
    let folder = with_ending(&arguments.output, "stages");
    let mut cache = Cache::open(folder.clone(), context)?;
    let request = arguments
        .inputs
        .request(&arguments.presets, folder.clone())?;
    let test = read_test(&arguments, &request, &mut cache, context)?;
    let mut all = Vec::new();
    for tuner in &arguments.tuners {
        let mut tuned = Tuned {
            tuner: *tuner,
            kinds: Vec::new(),
            contenders: Vec::new(),
        };
        for kind in kinds
            .iter()
            .filter(|kind| !kind.sparse || *tuner != Tuner::Mert)
        {
            let mut contender = Contender::new(kind.name.clone());
            for seed in 1..=arguments.seeds {
                context.say(format!("== {}, {tuner}, seed {seed}", kind.name));
                let mut request = request.clone();
                kind.apply(&mut request.settings);
                request.settings.tune.method = *tuner;
                // Links, phrases and models are the same for all seeds of tuning.
                request.settings.tune.seed = seed;
                let run = experiment::run(&request, &test, &mut cache, context);
                contender.runs.push(run.with_context(|| kind.name.clone())?);
            }
            tuned.kinds.push(kind.clone());
            tuned.contenders.push(contender);
        }
        experiment::score(&mut tuned.contenders, &test, BASELINE, 1)?;
        let shown = experiment::table(&tuned.contenders, test.source.len());
        context.say(format!("\n{tuner}\n{shown}"));
        all.push(tuned);
    }
    write(&arguments, &all, &test)
}

/// The test set, normalised as the training text is.
fn read_test(
    arguments: &Arguments,
    request: &Request,
    cache: &mut Cache,
    context: &Context,
) -> anyhow::Result<TestSet> {
    let text = prepared_text(request, &Plan::new(request)?, cache, context)?;
    let mut source = request.normaliser(Side::Source, &text)?;
    let mut target = request.normaliser(Side::Target, &text)?;
    let source = source.lines(&arguments.test_source)?;
    let name = arguments.test_source.display();
    anyhow::ensure!(!source.is_empty(), "{name}: no sentences");
    let mut references = Vec::new();
    for path in &arguments.test_target {
        let lines = target.lines(path)?;
        anyhow::ensure!(
            lines.len() == source.len(),
            "{}: {} lines, but {name} has {}",
            path.display(),
            lines.len(),
            source.len()
        );
        references.push(lines);
    }
    Ok(TestSet { source, references })
}

fn write(arguments: &Arguments, all: &[Tuned], test: &TestSet) -> anyhow::Result<()> {
    let command: Vec<String> = std::env::args().collect();
    let items = views::items(all, test, &command.join(" "));
    let introduction = format!(
        "{} test sentences, {} reference(s), BLEU on tokens as they are. Means over {} seed(s) of tuning; p is the \
         significance of the difference to \u{201c}{BASELINE}\u{201d} of the same tuner (paired bootstrap over sentences, \
         1,000 samples, on the means). MB is the whole system; ms is CPU time of decoding.",
        test.source.len(),
        test.references.len(),
        arguments.seeds
    );
    let page = page::html("Reordering models in translation", &introduction, &items);
    let json = serde_json::to_string_pretty(&page::as_json(&items))?;
    for (ending, text) in [
        ("html", page),
        ("csv", views::csv(all, test)),
        ("json", json),
    ] {
        let mut file = OutputFile::create(with_ending(&arguments.output, ending))?;
        file.write_all(text.as_bytes())?;
        file.finish()?;
    }
    Ok(())
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    match path.extension() {
        Some(own) if own == "html" || ending != "html" => path.with_extension(ending),
        _ => path.to_path_buf(),
    }
}
