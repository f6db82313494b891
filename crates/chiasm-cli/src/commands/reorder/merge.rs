//! `chiasm reorder merge`: the naive Bayes model of two corpora from the models of each.

use crate::commands::destination;
use crate::context::Context;
use anyhow::Context as _;
use chiasm_reorder::{StoredModel, open_learned};
use clap::Args;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// A naive Bayes model.
    first: PathBuf,
    /// Another, of the same kind and features.
    second: PathBuf,
    /// Where the model of both corpora goes.
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
}

/// Adds up.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    destination::check(&[&arguments.output], &[&arguments.first, &arguments.second])?;
    let open = |path| open_learned(path, "only naive Bayes models can be merged");
    let (first, second) = (open(&arguments.first)?, open(&arguments.second)?);
    let merged = first.merged(&second).with_context(|| {
        format!(
            "{} and {}",
            arguments.first.display(),
            arguments.second.display()
        )
    })?;
    if first.is_calibrated() || second.is_calibrated() {
        context.say("note: temperatures do not add up; the model of both corpora has none");
    }
    let features = merged.feature_count();
    StoredModel::Learned(Box::new(merged)).save(&arguments.output)?;
    context.say(format!("{features} features in the model of both corpora"));
    Ok(())
}
