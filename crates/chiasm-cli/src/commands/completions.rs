//! `chiasm completions`: shell completions and the manual pages.

use crate::context::Context;
use anyhow::Context as _;
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// bash, zsh, fish, elvish, powershell, or man for the manual page of `chiasm` itself.
    #[arg(value_parser = ["bash", "zsh", "fish", "elvish", "powershell", "man"])]
    shell: String,
    /// With man: write the pages of all commands into this folder instead.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Prints to standard output, or writes pages.
pub fn run(arguments: Arguments, mut command: clap::Command, _: &Context) -> anyhow::Result<()> {
    command = crate::help::with_examples(command, "");
    if let Some(folder) = arguments.output {
        anyhow::ensure!(arguments.shell == "man", "--output is for man alone");
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let written = clap_mangen::generate_to(command, &folder);
        return written.with_context(|| folder.display().to_string());
    }
    let mut text = Vec::new();
    match arguments.shell.parse::<clap_complete::Shell>() {
        Ok(shell) => clap_complete::generate(shell, &mut command, "chiasm", &mut text),
        Err(_) => clap_mangen::Man::new(command).render(&mut text)?,
    }
    std::io::stdout().write_all(&text)?;
    Ok(())
}
