//! `chiasm predict`: what a classifier says about the examples of a LIBSVM file.

use crate::context::{Context, print_out};
use chiasm_learn::{Model, UnknownClass, predict_lines};
use chiasm_store::OutputFile;
use clap::Args;
use std::io::Write;
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
    let path = &arguments.libsvm;
    let input = chiasm_text::open(path)?;
    let mut output = OutputFile::create("-")?;
    let mut printed = Ok(());
    let unknown_class = match arguments.json {
        true => UnknownClass::Refuse,
        false => UnknownClass::Count,
    };
    let predicted = predict_lines(&model, input, path, unknown_class, |class, logarithms| {
        if !arguments.json && printed.is_ok() {
            printed = print_line(&mut output, class, logarithms);
        }
    })?;
    printed?;
    output.finish()?;
    let evaluation = &predicted.evaluation;
    let examples = evaluation.examples();
    if arguments.json {
        anyhow::ensure!(examples > 0.0, "{}: no examples to score", path.display());
        print_out(serde_json::to_string_pretty(&predicted.json())?)?;
    } else if examples > 0.0 {
        context.say(format!(
            "accuracy {:.4} of {examples} examples, log loss {:.4} nats",
            evaluation.accuracy(),
            evaluation.log_loss(),
        ));
    }
    if predicted.unknown > 0 {
        context.say(format!(
            "note: {} examples have a class that the model does not know",
            predicted.unknown
        ));
    }
    Ok(())
}

fn print_line(output: &mut impl Write, class: &str, logarithms: &[f64]) -> std::io::Result<()> {
    write!(output, "{class}")?;
    for logarithm in logarithms {
        write!(output, " {}", logarithm.exp())?;
    }
    writeln!(output)
}
