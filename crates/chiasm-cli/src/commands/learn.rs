//! `chiasm learn`: a classifier from a LIBSVM file.

use super::destination;
use super::learner_options::{LearnerOptions, names, one_of};
use crate::context::{Context, print_out};
use chiasm_learn::{Examples, Method, libsvm};
use clap::Args;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// Examples, a line each: class feature:value feature:value ...; may be compressed; - is standard input.
    #[arg(long, value_name = "FILE")]
    libsvm: PathBuf,
    /// The method: multiclass SVM, MaxEnt by its dual, by L-BFGS or by stochastic gradient descent, naive Bayes with
    /// the most probable parameters or averaged over all.
    #[arg(long, value_parser = one_of::<Method>(names(Method::NAMES)))]
    learner: Method,
    #[command(flatten)]
    options: LearnerOptions,
    /// Keep equal examples apart instead of merging them (slower, the same optimum).
    #[arg(long)]
    no_merge: bool,
    /// Examples on which --calibrate fits the temperature and auto chooses [default: a tenth of the
    /// training examples].
    #[arg(long, value_name = "FILE")]
    held_out: Option<PathBuf>,
    /// Where the model goes.
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,
    /// Print how training went as JSON.
    #[arg(long)]
    json: bool,
}

/// Trains, writes the model, reports.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let recipe = arguments.options.recipe(arguments.learner);
    recipe.check()?;
    for remark in recipe.remarks() {
        context.say(format!("note: {remark}"));
    }
    destination::check(
        &[&arguments.output],
        &[&arguments.libsvm, &arguments.held_out],
    )?;
    let read = |path: &PathBuf| -> anyhow::Result<Examples> {
        let input = chiasm_text::open(path)?;
        Ok(libsvm::read(input, path, !arguments.no_merge)?)
    };
    let examples = read(&arguments.libsvm)?;
    let held_out = arguments.held_out.as_ref().map(read).transpose()?;
    let progress = context.progress("learning", "iterations", None);
    let trained = recipe.train(examples, held_out.as_ref(), &progress)?;
    drop(progress);
    let (model, mut report) = trained;
    model.save(&arguments.output)?;
    report.model_bytes = std::fs::metadata(&arguments.output).map_or(0, |m| m.len());
    report.lines().iter().for_each(|line| context.say(line));
    if arguments.json {
        print_out(serde_json::to_string_pretty(&report)?)?;
    }
    Ok(())
}
