//! `chiasm inspect`: what is in a file that Chiasm wrote.

use crate::context::{Context, write_text};
use chiasm_decode::Inspection;
use chiasm_reorder::export::weights_text;
use clap::Args;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// A system, a model, or any other file with sections.
    file: PathBuf,
    /// Check the contents of every section against its checksum.
    #[arg(long)]
    verify: bool,
    /// Look up the translations of a source phrase.
    #[arg(long, value_name = "WORDS")]
    phrase: Option<String>,
    /// Print the weights of a learned model, features named as in a file that reorder train --export-libsvm wrote.
    #[arg(long, value_name = "NAMES")]
    weights: Option<Option<PathBuf>>,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

/// Looks.
pub fn run(arguments: Arguments, _: &Context) -> anyhow::Result<()> {
    let found = Inspection::open(&arguments.file, arguments.verify)?;
    let text = match (&arguments.phrase, &arguments.weights) {
        (Some(phrase), _) => {
            let entries = found.phrase(&arguments.file, phrase)?;
            if arguments.json {
                format!("{}\n", entries.json())
            } else {
                entries.text()?
            }
        }
        (None, Some(names)) => weights_text(&arguments.file, names.as_deref())?,
        (None, None) if arguments.json => format!("{}\n", found.json()),
        (None, None) => found.text(),
    };
    write_text("-", &text)
}
