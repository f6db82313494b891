//! `chiasm init`: a commented configuration for `chiasm train`.

use crate::context::Context;
use chiasm_train::configuration::TEMPLATE;
use clap::Args;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// Where it goes; - is standard output.
    #[arg(default_value = "-", value_name = "FILE")]
    output: PathBuf,
}

/// Writes the template; never over a file that is there.
pub fn run(arguments: Arguments, _: &Context) -> anyhow::Result<()> {
    if arguments.output.is_file() {
        anyhow::bail!("{}: is there already", arguments.output.display());
    }
    let mut output = chiasm_text::TextOutput::create(&arguments.output)?;
    output.write_text(TEMPLATE.as_bytes())?;
    Ok(output.finish()?)
}
