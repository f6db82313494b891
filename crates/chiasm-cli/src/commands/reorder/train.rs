//! `chiasm reorder train`: a model of orientation from a word-aligned corpus.

use super::options::{FeatureOptions, Method, Switch, method, read_corpus};
use super::table::LARGEST_SMOOTHING;
use crate::commands::corpus_options::{BudgetOptions, CorpusOptions, ExtractionOptions};
use crate::commands::learner_options::{self, LearnerKind, LearnerOptions};
use crate::commands::strength::Strength;
use crate::commands::{destination, extract};
use crate::context::{Context, print_out};
use anyhow::Context as _;
use chiasm_learn::{Examples, Report, libsvm};
use chiasm_phrases::{CountedPairs, IndexedCorpus};
use chiasm_reorder::{
    ClassTable, ExampleOptions, ExampleSet, FeatureCounts, LexicalisedModel, OrientationModel,
    Smoothing, StoredModel,
};
use clap::Args;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// With fewer sentence pairs too few can be kept aside for auto to be the default.
const ENOUGH_TO_CHOOSE: u64 = 1000;

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
    #[arg(long, value_name = "METHOD", value_parser = method, default_value = "svm")]
    learner: Method,
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
        default_value_t = 0.5,
        allow_negative_numbers = true
    )]
    smoothing: f64,
    /// Also write the examples as a LIBSVM file (of a model of both directions: the backward ones).
    #[arg(long, value_name = "FILE")]
    export_libsvm: Option<PathBuf>,
    /// Where the model goes.
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Print how training went as JSON.
    #[arg(long)]
    json: bool,
}

/// Trains, writes, reports.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let inputs = arguments.corpus.paths();
    destination::check(&arguments.output, &inputs)?;
    if let Some(export) = &arguments.export_libsvm {
        destination::check(export, &inputs)?;
        anyhow::ensure!(
            *export != arguments.output,
            "{}: the model and the examples cannot have one name",
            export.display()
        );
    }
    match arguments.learner {
        Method::Learned(_) => train(&arguments, context),
        Method::Lexicalised => count(&arguments, context),
    }
}

fn count(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let usable = arguments.smoothing > 0.0 && arguments.smoothing <= LARGEST_SMOOTHING;
    anyhow::ensure!(
        usable,
        "--smoothing {}: a positive number of at most {LARGEST_SMOOTHING:e} is expected",
        arguments.smoothing
    );
    anyhow::ensure!(
        arguments.held_out.is_none() && arguments.export_libsvm.is_none(),
        "--held-out and --export-libsvm are not for the lexicalised model, which counts all pairs and has no features"
    );
    let folder = arguments.budget.folder(&arguments.output);
    let mut corpus = read_corpus(&arguments.corpus, &folder, context)?;
    extract::warn(&corpus.passed, context);
    let task = arguments.features.task(&arguments.extraction);
    let progress = context.progress("extract", "pairs", Some(corpus.passed.sentence_pairs));
    let budget = arguments.budget.bytes();
    let pairs = CountedPairs::count(&mut corpus, &task.extraction, budget, &folder, &progress)?;
    drop(progress);
    let examples = pairs.totals.total;
    let smoothing = Smoothing::Constant(arguments.smoothing);
    let model = LexicalisedModel::new(task, smoothing, pairs, &corpus)?;
    let (features, parameters) = (model.len(), model.len() * model.columns());
    let model = StoredModel::Lexicalised(model);
    model.save(&arguments.output)?;
    context.say(format!(
        "lexicalised: {examples} examples, {features} phrase pairs"
    ));
    if arguments.json {
        let summary = json!({
            "learner": "lexicalised",
            "model": task.to_string(),
            "examples": examples,
            "features": features,
            "parameters": parameters,
            "primal_objective": null,
            "dual_objective": null,
            "relative_gap": null,
            "iterations": 1,
            "active_share": [1.0],
            "seconds": context.seconds(),
            "peak_memory_bytes": chiasm_work::peak_memory_bytes(),
            "model_bytes": std::fs::metadata(&arguments.output)?.len(),
        });
        print_out(serde_json::to_string_pretty(&summary)?)?;
    }
    Ok(())
}

fn train(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let Method::Learned(kind) = arguments.learner else {
        anyhow::bail!("a method that learns is expected");
    };
    arguments.options.check(kind, context)?;
    arguments
        .features
        .check_classes(&arguments.corpus, context)?;
    anyhow::ensure!(
        arguments.keep_counts != Some(Switch::On) || arguments.keeps_counts(kind),
        "--keep-counts on is for naive Bayes models without --select and --min-sentences"
    );
    let folder = arguments.budget.folder(&arguments.output);
    let mut corpus = read_corpus(&arguments.corpus, &folder, context)?;
    extract::warn(&corpus.passed, context);
    let classes = arguments
        .features
        .class_tables(&arguments.corpus, context)?;
    let mut wanted = arguments.features.example_options(
        &arguments.extraction,
        &arguments.budget,
        folder,
        arguments.held_out.unwrap_or(0),
    );
    wanted.merging = !arguments.no_merge;
    let min_count = wanted.min_count;
    let keep_counts = arguments.keeps_counts(kind);
    if keep_counts {
        wanted.min_count = 1;
    }
    let options = strengths(arguments, kind, &mut corpus, &wanted, &classes, context)?;
    let progress = context.progress("examples", "pairs", None);
    let mut set = ExampleSet::build(&mut corpus, wanted, classes, &progress)?;
    drop(progress);
    drop(corpus);
    let counts = if keep_counts {
        let counts = FeatureCounts::new(&set)?;
        set.cut(min_count)?;
        Some(counts)
    } else {
        None
    };
    context.say(format!(
        "{}: {} examples, {} features kept of {}, {:.1} s",
        set.options.features,
        set.examples[0].weight(),
        set.examples[0].features(),
        set.index.len() as u64 + set.index.dropped,
        context.seconds()
    ));
    if let Some(path) = &arguments.export_libsvm {
        export(&set.examples[0], path)?;
    }
    let mut models = Vec::new();
    let mut reports: Vec<Report> = Vec::new();
    for (direction, (examples, options)) in set.examples.iter().zip(&options).enumerate() {
        let progress = context.progress("learning", "iterations", None);
        let aside = set
            .held_out
            .get(direction)
            .filter(|_| set.options.held_out > 0);
        let (model, report) = options.train(kind, examples.clone(), aside, &progress)?;
        drop(progress);
        learner_options::summary(&report, context);
        if let Some(aside) = aside {
            let evaluation = chiasm_learn::evaluate(&model, aside)?;
            context.say(format!(
                "on {} held-out examples: accuracy {:.2} %, log loss {:.4} nats",
                evaluation.examples(),
                100.0 * evaluation.accuracy(),
                evaluation.log_loss()
            ));
        }
        models.push(model);
        reports.push(report);
    }
    let mut model = set.model(&models, min_count, arguments.options.select)?;
    if let Some(counts) = counts {
        model = model.with_counts(counts);
    }
    StoredModel::Learned(Box::new(model)).save(&arguments.output)?;
    if arguments.json {
        let bytes = std::fs::metadata(&arguments.output)?.len();
        let summary = summary(arguments, &set, &models, reports, bytes)?;
        print_out(serde_json::to_string_pretty(&summary)?)?;
    }
    Ok(())
}

/// The learner's options for one or two directions. Where auto is to choose and no pairs are kept aside for good, it
/// chooses on some that are kept aside for that alone, so that auto and the number it takes give the
/// same model.
fn strengths(
    arguments: &Arguments,
    kind: LearnerKind,
    corpus: &mut IndexedCorpus,
    wanted: &ExampleOptions,
    classes: &[ClassTable; 2],
    context: &Context,
) -> anyhow::Result<Vec<LearnerOptions>> {
    let pairs = corpus.passed.sentence_pairs;
    let options = if pairs < ENOUGH_TO_CHOOSE {
        arguments.options.clone()
    } else {
        arguments.options.or_auto()
    };
    let chooses = options.strength(kind) == Some(Strength::Auto) && wanted.held_out == 0;
    if !chooses {
        return Ok(vec![options; 2]);
    }
    let aside = ExampleOptions {
        held_out: (pairs / 20).clamp(1, 1000),
        ..wanted.clone()
    };
    let progress = context.progress("examples to choose with", "pairs", None);
    let set = ExampleSet::build(corpus, aside, classes.clone(), &progress)?;
    drop(progress);
    let mut chosen = Vec::new();
    for (examples, held_out) in set.examples.iter().zip(&set.held_out) {
        let progress = context.progress("choosing", "iterations", None);
        let choice = options.choose_strength(kind, examples, held_out, &progress)?;
        drop(progress);
        context.say(format!("strength {choice}"));
        chosen.push(options.with_strength(choice.strength));
    }
    Ok(chosen)
}

impl Arguments {
    /// Are the learner's options usable?
    pub fn check(&self, context: &Context) -> anyhow::Result<()> {
        match self.learner {
            Method::Learned(kind) => self.options.check(kind, context),
            Method::Lexicalised => Ok(()),
        }
    }

    /// Should the counts of all features go into the model?
    fn keeps_counts(&self, kind: LearnerKind) -> bool {
        let naive_bayes = matches!(kind, LearnerKind::NbMap | LearnerKind::NbBayes);
        let single = !self.features.features.anova.has_pairs();
        let wanted = self
            .keep_counts
            .map_or(single, |switch| switch == Switch::On);
        let by_sentences = self.features.min_sentences > 1;
        naive_bayes && wanted && self.options.select.is_none() && !by_sentences
    }
}

/// The first direction's report; with a list of both where there are two.
fn summary(
    arguments: &Arguments,
    set: &ExampleSet,
    models: &[chiasm_learn::Model],
    mut reports: Vec<Report>,
    bytes: u64,
) -> anyhow::Result<Value> {
    for report in &mut reports {
        report.model_bytes = bytes;
    }
    let mut summary = serde_json::to_value(&reports[0])?;
    summary["model"] = set.options.task.to_string().into();
    summary["feature_set"] = set.options.features.to_string().into();
    summary["features_kept_by_count"] = set.examples[0].features().into();
    summary["bits"] = arguments.options.bits.into();
    if set.options.held_out > 0 {
        let mut held_out = Vec::new();
        for (model, examples) in models.iter().zip(&set.held_out) {
            let evaluation = chiasm_learn::evaluate(model, examples)?;
            held_out.push(json!({
                "examples": evaluation.examples(),
                "accuracy": evaluation.accuracy(),
                "error": 1.0 - evaluation.accuracy(),
                "log_loss": evaluation.log_loss(),
                "temperature": model.temperature(),
            }));
        }
        summary["held_out"] = held_out.into();
    }
    if reports.len() > 1 {
        summary["directions"] = serde_json::to_value(&reports)?;
    }
    Ok(summary)
}

fn export(examples: &Examples, path: &PathBuf) -> anyhow::Result<()> {
    let mut output = chiasm_text::TextOutput::create(path)?;
    let mut buffer = Vec::new();
    // LIBSVM counts features from 1.
    libsvm::write(examples, 1, &mut buffer).with_context(|| path.display().to_string())?;
    output.write_all(&buffer)?;
    Ok(output.finish()?)
}
