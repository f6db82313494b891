//! `chiasm predict`: what a classifier says about the examples of a LIBSVM file.

use crate::context::{Context, print_out};
use chiasm_learn::evaluation::most_probable;
use chiasm_learn::{Evaluation, Model, Row, libsvm, model};
use clap::Args;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// The model, as `chiasm learn` writes it.
    #[arg(long, value_name = "MODEL")]
    model: PathBuf,
    /// Examples, a line each: class feature:value feature:value ...; may be compressed; - is standard input.
    #[arg(long, value_name = "FILE")]
    libsvm: PathBuf,
    /// Print accuracy, log loss and confusion as JSON instead of a line an example.
    #[arg(long)]
    json: bool,
}

/// Prints the most probable class and the probabilities of all classes, a line an example.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let model = Model::open(&arguments.model)?;
    let mut evaluation = Evaluation::new(model.class_names());
    let mut output = BufWriter::new(std::io::stdout().lock());
    let mut failure = None;
    let mut logarithms = vec![0.0; model.class_names().len()];
    let (mut features, mut values) = (Vec::new(), Vec::new());
    let input = chiasm_text::open(&arguments.libsvm)?;
    let mut unknown = 0u64;
    let counts = matches!(model.form(), model::Form::NaiveBayes(_));
    libsvm::for_each_line(input, &arguments.libsvm, |line, number| {
        features.clear();
        values.clear();
        line.entries.sort_unstable_by_key(|&(id, _)| id);
        for &(id, value) in &line.entries {
            if value < 0.0 && counts {
                let reason = format!("{id}:{value}: naive Bayes counts; no negative value");
                return Err(chiasm_learn::Error::line(&arguments.libsvm, number, reason));
            }
            match model.feature_number(id).filter(|&n| n != model::UNKNOWN) {
                Some(feature) if features.last() == Some(&feature) => {
                    if let Some(last) = values.last_mut() {
                        *last += value;
                    }
                }
                Some(feature) => {
                    features.push(feature);
                    values.push(value);
                }
                None => {}
            }
        }
        let row = Row {
            features: &features,
            values: &values,
        };
        model.log_probabilities(row, &mut logarithms);
        let label = line.label.to_string();
        match model.class_names().iter().position(|name| *name == label) {
            Some(truth) => evaluation.add(&logarithms, truth, 1.0),
            None if arguments.json => {
                let known = model.class_names().join(", ");
                let reason = format!("class {label} is not one of the model's: {known}");
                return Err(chiasm_learn::Error::line(&arguments.libsvm, number, reason));
            }
            None => unknown += 1,
        }
        if !arguments.json && failure.is_none() {
            failure = print_line(&mut output, &model, &logarithms).err();
        }
        Ok(())
    })?;
    if let Some(failure) = failure {
        return Err(failure.into());
    }
    output.flush()?;
    conclude(&arguments, &evaluation, unknown, context)
}

fn print_line(output: &mut impl Write, model: &Model, logarithms: &[f64]) -> std::io::Result<()> {
    write!(output, "{}", model.class_names()[most_probable(logarithms)])?;
    for logarithm in logarithms {
        write!(output, " {}", logarithm.exp())?;
    }
    writeln!(output)
}

fn conclude(
    arguments: &Arguments,
    evaluation: &Evaluation,
    unknown: u64,
    context: &Context,
) -> anyhow::Result<()> {
    let examples = evaluation.examples();
    anyhow::ensure!(
        examples > 0.0 || !arguments.json,
        "{}: no examples to score",
        arguments.libsvm.display()
    );
    if arguments.json {
        let classes: Vec<_> = (0..evaluation.class_names.len())
            .map(|class| {
                let quality = evaluation.class_quality(class);
                serde_json::json!({
                    "class": evaluation.class_names[class],
                    "precision": quality.precision,
                    "recall": quality.recall,
                    "f1": quality.f1,
                })
            })
            .collect();
        let whole = |row: &Vec<f64>| row.iter().map(|&n| n as u64).collect::<Vec<_>>();
        let json = serde_json::json!({
            "accuracy": evaluation.accuracy(),
            "error": 1.0 - evaluation.accuracy(),
            "log_loss": evaluation.log_loss(),
            "examples": examples as u64,
            "majority": evaluation.majority_share(),
            "confusion": evaluation.confusion.iter().map(whole).collect::<Vec<_>>(),
            "classes": classes,
        });
        print_out(serde_json::to_string_pretty(&json)?)?;
    } else if examples > 0.0 {
        context.say(format!(
            "accuracy {:.4} of {examples} examples, log loss {:.4} nats",
            evaluation.accuracy(),
            evaluation.log_loss(),
        ));
    }
    if unknown > 0 {
        context.say(format!(
            "note: {unknown} examples have a class that the model does not know"
        ));
    }
    Ok(())
}
