//! `chiasm completions`: shell completions and the manual page.

use crate::context::Context;
use clap::Args;
use std::io::Write;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// bash, zsh, fish, elvish, powershell, or man for the manual page.
    #[arg(value_parser = ["bash", "zsh", "fish", "elvish", "powershell", "man"])]
    shell: String,
}

/// Prints to standard output.
pub fn run(arguments: Arguments, mut command: clap::Command, _: &Context) -> anyhow::Result<()> {
    let mut text = Vec::new();
    match arguments.shell.parse::<clap_complete::Shell>() {
        Ok(shell) => clap_complete::generate(shell, &mut command, "chiasm", &mut text),
        Err(_) => clap_mangen::Man::new(command).render(&mut text)?,
    }
    std::io::stdout().write_all(&text)?;
    Ok(())
}
