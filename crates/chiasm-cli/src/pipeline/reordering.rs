//! The stage of a learned reordering model: `chiasm reorder train` on the pipeline's own files.

use super::cache::Stage;
use super::prepare::{TRAIN_SOURCE, TRAIN_TARGET};
use super::settings::Settings;
use crate::commands::reorder::train;
use crate::context::Context;
use anyhow::anyhow;
use clap::Parser;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The model's file, if something could be learned.
pub const MODEL: &str = "moves.model";

/// The options of `chiasm reorder train`, so that a configuration says what one would type.
#[derive(Parser)]
#[command(name = "reordering.models", no_binary_name = true)]
struct Typed {
    #[command(flatten)]
    arguments: train::Arguments,
}

/// Trains one model. Text in which nothing can be learned of moves, such as a very small one or one
/// where every phrase stays in its place, makes none, and says so.
pub fn learn(
    text: &Stage,
    links: &Path,
    options: &str,
    settings: &Settings,
    folder: &Path,
    context: &Context,
) -> anyhow::Result<()> {
    let files = [
        ("--source", text.file(TRAIN_SOURCE)),
        ("--target", text.file(TRAIN_TARGET)),
        ("--links", links.to_path_buf()),
        ("--output", folder.join(MODEL)),
    ];
    let arguments = understood(options, settings, files)?;
    match train::run(arguments, context) {
        Err(error) if nothing_to_learn(&error) => {
            context.say(format!("left out: '{options}': {error}"));
            Ok(())
        }
        result => result,
    }
}

/// Are the options of all models understood?
pub fn check(settings: &Settings, context: &Context) -> anyhow::Result<()> {
    for options in &settings.reordering.models {
        let files = ["--source", "--target", "--links", "--output"]
            .map(|name| (name, PathBuf::from("later")));
        let arguments = understood(options, settings, files)?;
        let checked = arguments.check(context);
        checked.map_err(|error| anyhow!("reordering.models: '{options}': {error}"))?;
    }
    Ok(())
}

fn understood(
    options: &str,
    settings: &Settings,
    files: [(&str, PathBuf); 4],
) -> anyhow::Result<train::Arguments> {
    let mut typed: Vec<OsString> = options.split_whitespace().map(OsString::from).collect();
    for (name, path) in files {
        typed.push(name.into());
        typed.push(path.into());
    }
    typed.push("--memory".into());
    typed.push(settings.memory.clone().into());
    typed.push("--max-length".into());
    typed.push(settings.phrases.max_length.to_string().into());
    let typed = Typed::try_parse_from(typed).map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        let reason = first.strip_prefix("error: ").unwrap_or(first);
        anyhow!("reordering.models: '{options}': {reason}")
    })?;
    Ok(typed.arguments)
}

fn nothing_to_learn(error: &anyhow::Error) -> bool {
    use chiasm_learn::Error::Examples;
    use chiasm_reorder::Error::{Learn, NoFeatures};
    let direct = matches!(error.downcast_ref(), Some(Examples(_)));
    let through = error.downcast_ref();
    direct || matches!(through, Some(Learn(Examples(_)) | NoFeatures { .. }))
}
