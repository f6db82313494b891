//! The stage of a learned reordering model: `chiasm reorder train` on the pipeline's own files.

use super::cache::Stage;
use super::prepare::{TRAIN_SOURCE, TRAIN_TARGET};
use super::settings::Settings;
use crate::commands::reorder::train;
use crate::context::Context;
use clap::Parser;
use std::ffi::OsString;
use std::path::Path;

/// The model's file.
pub const MODEL: &str = "moves.model";

/// The options of `chiasm reorder train`, so that a configuration says what one would type.
#[derive(Parser)]
#[command(name = "reordering.models", no_binary_name = true)]
struct Typed {
    #[command(flatten)]
    arguments: train::Arguments,
}

/// Trains one model.
pub fn learn(
    text: &Stage,
    links: &Path,
    options: &str,
    settings: &Settings,
    folder: &Path,
    context: &Context,
) -> anyhow::Result<()> {
    let mut typed: Vec<OsString> = options.split_whitespace().map(OsString::from).collect();
    for (name, path) in [
        ("--source", text.file(TRAIN_SOURCE)),
        ("--target", text.file(TRAIN_TARGET)),
        ("--links", links.to_path_buf()),
        ("--output", folder.join(MODEL)),
    ] {
        typed.push(name.into());
        typed.push(path.into());
    }
    typed.push("--memory".into());
    typed.push(settings.memory.clone().into());
    typed.push("--max-length".into());
    typed.push(settings.phrases.max_length.to_string().into());
    let typed = Typed::try_parse_from(typed).map_err(|error| {
        let first = error
            .to_string()
            .lines()
            .next()
            .unwrap_or_default()
            .to_string();
        anyhow::anyhow!("reordering.models: '{options}': {first}")
    })?;
    train::run(typed.arguments, context)
}
