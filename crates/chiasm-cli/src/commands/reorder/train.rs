//! `chiasm reorder train`: a model of orientation from a word-aligned corpus.

use super::options::{FeatureOptions, LearnerName, Switch, learner_name, read_corpus};
use crate::commands::corpus_options::{BudgetOptions, CorpusOptions, ExtractionOptions};
use crate::commands::learner_options::LearnerOptions;
use crate::commands::{destination, extract};
use crate::context::{Context, print_out};
use anyhow::Context as _;
use chiasm_learn::{Examples, libsvm};
use chiasm_reorder::recipe::SMOOTHING;
use chiasm_reorder::trainer::{self, Preparation, Workplace};
use chiasm_reorder::{Method, Recipe, StoredModel};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    corpus: CorpusOptions,
    #[command(flatten)]
    extraction: ExtractionOptions,
    #[command(flatten)]
    budget: BudgetOptions,
    /// The method: one of those of `chiasm learn`, or lexicalised.
    #[arg(long, value_name = "METHOD", value_parser = learner_name, default_value = "svm")]
    learner: LearnerName,
    #[command(flatten)]
    features: FeatureOptions,
    #[command(flatten)]
    options: LearnerOptions,
    /// Keep so many sentence pairs aside, spread over the corpus, and score the model on them. Auto chooses
    /// on them [default: none; auto chooses on a twentieth, at most 1000, and the model then learns from all].
    #[arg(long, value_name = "N")]
    held_out: Option<u64>,
    /// Keep equal examples apart instead of merging them (slower, the same optimum).
    #[arg(long)]
    no_merge: bool,
    /// Keep the counts of all features in a naive Bayes model, so that it can be merged
    /// [default: on, off where features are multiplied, selected or cut by sentence pairs].
    #[arg(long, value_enum)]
    keep_counts: Option<Switch>,
    /// What is added to every count [lexicalised].
    #[arg(
        long,
        value_name = "S",
        default_value_t = SMOOTHING,
        allow_negative_numbers = true
    )]
    smoothing: f64,
    /// Also write the examples as a LIBSVM file (of a model of both directions: the backward ones).
    #[arg(long, value_name = "FILE")]
    export_libsvm: Option<PathBuf>,
    /// With --json: the normalised mutual information of features and classes at N + 1 ranks, from the lowest to the
    /// highest.
    #[arg(long, value_name = "N", requires = "json", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    information: Option<u32>,
    /// Where the model goes.
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Print how training went as JSON.
    #[arg(long)]
    json: bool,
}

/// Trains, writes, reports.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let features = &arguments.features;
    destination::check(
        &[&arguments.output, &arguments.export_libsvm],
        &[
            &arguments.corpus,
            &features.source_classes,
            &features.target_classes,
        ],
    )?;
    let recipe = arguments.recipe();
    recipe.check()?;
    let workplace = Workplace {
        memory: arguments.budget.bytes(),
        folder: arguments.budget.folder(&arguments.output),
    };
    match recipe.method {
        Method::Learned(_) => train(&arguments, &recipe, &workplace, context),
        Method::Lexicalised(smoothing) => {
            anyhow::ensure!(
                arguments.export_libsvm.is_none(),
                "--held-out and --export-libsvm are not for the lexicalised model, which counts all pairs and has no features"
            );
            count(&arguments, &recipe, smoothing, &workplace, context)
        }
    }
}

impl Arguments {
    fn recipe(&self) -> Recipe {
        let method = match self.learner {
            LearnerName::Learned(learner) => Method::Learned(self.options.recipe(learner)),
            LearnerName::Lexicalised => Method::Lexicalised(self.smoothing),
        };
        Recipe {
            held_out: self.held_out,
            merging: !self.no_merge,
            keep_counts: self.keep_counts.map(|switch| switch == Switch::On),
            ..self.features.recipe(method, &self.extraction)
        }
    }
}

fn count(
    arguments: &Arguments,
    recipe: &Recipe,
    smoothing: f64,
    workplace: &Workplace,
    context: &Context,
) -> anyhow::Result<()> {
    let mut corpus = read_corpus(&arguments.corpus, &workplace.folder, context)?;
    extract::warn(&corpus.passed, context);
    let (model, examples) = trainer::count(recipe, smoothing, &mut corpus, workplace, context)?;
    let mut summary = model.summary(recipe, examples);
    StoredModel::Lexicalised(model).save(&arguments.output)?;
    if arguments.json {
        summary["seconds"] = context.seconds().into();
        summary["peak_memory_bytes"] = chiasm_work::peak_memory_bytes().into();
        summary["model_bytes"] = std::fs::metadata(&arguments.output)?.len().into();
        print_out(serde_json::to_string_pretty(&summary)?)?;
    }
    Ok(())
}

fn train(
    arguments: &Arguments,
    recipe: &Recipe,
    workplace: &Workplace,
    context: &Context,
) -> anyhow::Result<()> {
    let texts = [arguments.corpus.source.as_path(), &arguments.corpus.target];
    let classes = trainer::word_classes_of_files(recipe, texts, context)?;
    let mut corpus = read_corpus(&arguments.corpus, &workplace.folder, context)?;
    extract::warn(&corpus.passed, context);
    let mut ranks = None;
    let mut learned = if arguments.export_libsvm.is_none() && arguments.information.is_none() {
        trainer::learn(recipe, &mut corpus, classes, workplace, context)?
    } else {
        let prepared = Preparation::new(recipe, &mut corpus, classes, workplace, context)?;
        let examples = &prepared.set.examples[0];
        if let Some(path) = &arguments.export_libsvm {
            export(examples, path)?;
        }
        let count = arguments.information.map(|count| count as usize);
        ranks = count.map(|count| chiasm_learn::selection::ranked(examples, count));
        prepared.learn(context)?
    };
    drop(corpus);
    learned.model.save(&arguments.output)?;
    if arguments.json {
        let bytes = std::fs::metadata(&arguments.output)?.len();
        let mut summary = learned.summary(recipe, bytes);
        if let Some(ranks) = ranks {
            summary["information"] = ranks.into();
        }
        print_out(serde_json::to_string_pretty(&summary)?)?;
    }
    Ok(())
}

fn export(examples: &Examples, path: &PathBuf) -> anyhow::Result<()> {
    let mut output = chiasm_text::TextOutput::create(path)?;
    let mut buffer = Vec::new();
    // LIBSVM counts features from 1.
    libsvm::write(examples, 1, &mut buffer).with_context(|| path.display().to_string())?;
    output.write_all(&buffer)?;
    Ok(output.finish()?)
}
