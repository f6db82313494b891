//! `chiasm reorder evaluate`: how well a model tells orientations apart on other sentences.

use super::options::read_corpus;
use crate::commands::corpus_options::CorpusOptions;
use crate::commands::extract;
use crate::context::{Context, print_out};
use chiasm_learn::Evaluation;
use chiasm_reorder::{Outcome, StoredModel};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// The model.
    #[arg(long, value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    corpus: CorpusOptions,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

/// Evaluates and prints.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let model = StoredModel::open(&arguments.model)?;
    let mut corpus = read_corpus(&arguments.corpus, &std::env::temp_dir(), context)?;
    extract::warn(&corpus.passed, context);
    let progress = context.progress("evaluate", "pairs", Some(corpus.passed.sentence_pairs));
    let outcomes = chiasm_reorder::evaluate(&*model, model.settings(), &mut corpus, &progress)?;
    drop(progress);
    anyhow::ensure!(
        outcomes
            .iter()
            .all(|outcome| outcome.evaluation.examples() > 0.0),
        "{}: no phrase pair is consistent with the links, so there is nothing to score",
        arguments.corpus.links.display()
    );
    if arguments.json {
        print_out(serde_json::to_string_pretty(&as_json(&outcomes))?)
    } else {
        let text: String = outcomes.iter().map(as_text).collect();
        print_out(text.trim_end())
    }
}

fn as_json(outcomes: &[Outcome]) -> Value {
    let mut all: Vec<Value> = outcomes.iter().map(outcome_json).collect();
    let mut first = match all.first() {
        Some(first) => first.clone(),
        None => json!({}),
    };
    if all.len() > 1 {
        first["directions"] = std::mem::take(&mut all).into();
    }
    first
}

/// The keys that scripts rely on, and more.
pub fn outcome_json(outcome: &Outcome) -> Value {
    let evaluation = &outcome.evaluation;
    let whole = |row: &Vec<f64>| row.iter().map(|&count| count as u64).collect::<Vec<_>>();
    let confusion: Vec<Vec<u64>> = evaluation.confusion.iter().map(whole).collect();
    let mut classes = serde_json::Map::new();
    for (class, name) in evaluation.class_names.iter().enumerate() {
        let quality = evaluation.class_quality(class);
        let value = json!({
            "precision": quality.precision, "recall": quality.recall, "f1": quality.f1
        });
        classes.insert(name.clone(), value);
    }
    json!({
        "direction": outcome.direction.to_string(),
        "accuracy": evaluation.accuracy(),
        "error": 1.0 - evaluation.accuracy(),
        "log_loss": evaluation.log_loss(),
        "examples": evaluation.examples() as u64,
        "majority_accuracy": evaluation.majority_share(),
        "unknown": outcome.unknown,
        "class_names": evaluation.class_names,
        "confusion": confusion,
        "classes": classes,
    })
}

fn as_text(outcome: &Outcome) -> String {
    let evaluation = &outcome.evaluation;
    format!(
        "{}: {} examples, accuracy {:.2} % (majority class {:.2} %), log loss {:.4} nats, {} unknown\n{}",
        outcome.direction,
        evaluation.examples(),
        100.0 * evaluation.accuracy(),
        100.0 * evaluation.majority_share(),
        evaluation.log_loss(),
        outcome.unknown,
        table(evaluation)
    )
}

fn table(evaluation: &Evaluation) -> String {
    let names = &evaluation.class_names;
    let columns: String = names.iter().map(|name| format!("{name:>20}")).collect();
    let mut text = format!(
        "{:<22}{columns}{:>11}{:>9}{:>9}\n",
        "truth \\ answer", "precision", "recall", "F1"
    );
    for (class, name) in names.iter().enumerate() {
        let row = evaluation.confusion[class].iter();
        let counts: String = row.map(|count| format!("{count:>20}")).collect();
        let quality = evaluation.class_quality(class);
        text += &format!(
            "{name:<22}{counts}{:>11.4}{:>9.4}{:>9.4}\n",
            quality.precision, quality.recall, quality.f1
        );
    }
    text
}
