//! `chiasm reorder train`: a model of orientation from a word-aligned corpus.

use super::options::{FeatureOptions, LearnerName, Switch, learner_name, read_corpus};
use crate::commands::corpus_options::{BudgetOptions, CorpusOptions, ExtractionOptions};
use crate::commands::destination;
use crate::commands::learner_options::LearnerOptions;
use crate::context::{Context, print_out};
use chiasm_phrases::SourceTags;
use chiasm_reorder::export::export_training;
use chiasm_reorder::recipe::SMOOTHING;
use chiasm_reorder::trainer::{self, Preparation, Workplace};
use chiasm_reorder::{Filter, Method, Recipe, StoredModel};
use clap::Args;
use serde_json::Value;
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
    /// Learn only from phrase pairs that pass: any of pair-count=N (the pair occurs so often), length=N (neither side is
    /// longer) and distinct (the first with this pair, words around it and class), between commas.
    #[arg(long, value_name = "WHICH")]
    filter: Option<Filter>,
    /// Learn from so many of those at most, spread over the corpus.
    #[arg(long, value_name = "N")]
    sample: Option<u64>,
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
    /// Also write the (backward) examples as a LIBSVM file, and the names of their features into FILE.names.
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
    let exported = destination::with_endings(&arguments.export_libsvm, &["", ".names"]);
    destination::check(
        &[&arguments.output, &exported],
        &[
            &arguments.corpus,
            &features.source_tags,
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
    let summary = match recipe.method {
        Method::Learned(_) => train(&arguments, &recipe, &workplace, context)?,
        Method::Lexicalised(smoothing) => {
            anyhow::ensure!(
                arguments.export_libsvm.is_none(),
                "--held-out and --export-libsvm are not for the lexicalised model, which counts all pairs and has no features"
            );
            count(&arguments, &recipe, smoothing, &workplace, context)?
        }
    };
    if arguments.json {
        print_out(serde_json::to_string_pretty(&summary)?)?;
    }
    Ok(())
}

impl Arguments {
    fn recipe(&self) -> Recipe {
        let method = match self.learner {
            LearnerName::Learned(learner) => Method::Learned(self.options.recipe(learner)),
            LearnerName::Lexicalised => Method::Lexicalised(self.smoothing),
        };
        Recipe {
            held_out: self.held_out,
            filter: self.filter.unwrap_or_default(),
            sample: self.sample,
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
) -> anyhow::Result<Value> {
    let mut corpus = read_corpus(
        &arguments.corpus,
        &SourceTags::None,
        &workplace.folder,
        context,
    )?;
    let (model, examples) = trainer::count(recipe, smoothing, &mut corpus, workplace, context)?;
    let mut summary = model.summary(recipe, examples);
    StoredModel::Lexicalised(model).save(&arguments.output)?;
    summary["seconds"] = context.seconds().into();
    summary["peak_memory_bytes"] = chiasm_work::peak_memory_bytes().into();
    summary["model_bytes"] = std::fs::metadata(&arguments.output)?.len().into();
    Ok(summary)
}

fn train(
    arguments: &Arguments,
    recipe: &Recipe,
    workplace: &Workplace,
    context: &Context,
) -> anyhow::Result<Value> {
    let texts = [arguments.corpus.source.as_path(), &arguments.corpus.target];
    let classes = trainer::word_classes_of_files(recipe, texts, context)?;
    let tags = recipe.features.source_tags(&arguments.features.source_tags);
    let mut corpus = read_corpus(&arguments.corpus, &tags, &workplace.folder, context)?;
    let mut ranks = None;
    let mut learned = if arguments.export_libsvm.is_none() && arguments.information.is_none() {
        trainer::learn(recipe, &mut corpus, classes, workplace, context)?
    } else {
        let prepared = Preparation::new(recipe, &mut corpus, classes, workplace, context)?;
        let examples = &prepared.set.examples[0];
        let count = arguments.information.map(|count| count as usize);
        ranks = count.map(|count| chiasm_learn::selection::ranked(examples, count));
        let learned = prepared.learn(context)?;
        if let Some(path) = &arguments.export_libsvm {
            export_training(&prepared.set, &learned.model, &corpus, path)?;
        }
        learned
    };
    drop(corpus);
    learned.model.save(&arguments.output)?;
    let bytes = std::fs::metadata(&arguments.output)?.len();
    let mut summary = learned.summary(recipe, bytes);
    if let Some(ranks) = ranks {
        summary["information"] = ranks.into();
    }
    Ok(summary)
}
