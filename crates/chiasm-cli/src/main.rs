//! `chiasm`: the command line. What was typed becomes a checked configuration, then the work is
//! done by the library crates; this binary only reads arguments, shows progress and prints.

mod commands;
mod context;
mod help;

use clap::{CommandFactory as _, FromArgMatches as _, Parser};
use context::Context;
use std::process::ExitCode;

/// Phrase-based machine translation that learns how phrases move.
#[derive(Parser)]
#[command(
    name = "chiasm",
    version,
    max_term_width = 100,
    propagate_version = true
)]
struct Chiasm {
    #[command(flatten)]
    common: context::CommonArguments,
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    let command = help::with_examples(Chiasm::command(), "");
    let typed = command.try_get_matches();
    let parsed = match typed.and_then(|typed| Chiasm::from_arg_matches(&typed)) {
        Ok(parsed) => parsed,
        Err(error) if error.use_stderr() => {
            context::tell(error.to_string().trim_end());
            return ExitCode::from(2);
        }
        Err(help) => help.exit(),
    };
    match run(parsed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            context::tell(&format!("error: {}", one_line(&error)));
            ExitCode::FAILURE
        }
    }
}

fn run(parsed: Chiasm) -> anyhow::Result<()> {
    chiasm_store::survive_lost_pages();
    listen()?;
    let context = Context::new(&parsed.common)?;
    commands::run(parsed.command, &context)
}

/// Hears what the system has to say to the program, on a thread of its own.
#[cfg(unix)]
fn listen() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let hear = move || {
        for signal in signals.forever() {
            if signal != SIGHUP || !context::hang_up() {
                end();
            }
        }
    };
    std::thread::Builder::new().spawn(hear).map(drop)
}

#[cfg(windows)]
fn listen() -> anyhow::Result<()> {
    Ok(ctrlc::set_handler(end)?)
}

/// Ends the program, unless the command does so itself.
fn end() {
    if context::interrupt() {
        return;
    }
    chiasm_store::remove_unfinished();
    context::tell("error: interrupted; no output was written");
    std::process::exit(1);
}

/// The error and its causes on one line, without saying the same thing twice.
fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain().map(ToString::to_string) {
        let known = cause
            .split(" (os error")
            .next()
            .unwrap_or(&cause)
            .to_lowercase();
        if line.is_empty() {
            line = cause;
        } else if !line.to_lowercase().contains(&known) {
            line = format!("{line}: {cause}");
        }
    }
    line
}

/// `chiasm ... | head` is not a failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let direct = cause.downcast_ref::<std::io::Error>();
        direct.is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
