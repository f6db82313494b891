//! What `--help` and the manual pages show beside the options: examples of every command.

use clap::Command;

/// A command without indentation, then its examples.
const EXAMPLES: &str = include_str!("examples.txt");

/// The command with the examples of everything below it; `path` is what is typed before.
pub fn with_examples(command: Command, path: &str) -> Command {
    let names = command.get_subcommands().map(|c| c.get_name().to_string());
    let names: Vec<String> = names.collect();
    names.into_iter().fold(command, |command, name| {
        let path = format!("{path} {name}");
        let examples = examples(path.trim());
        command.mut_subcommand(name, |inner| {
            with_examples(inner, &path).after_help(format!("Examples:\n{examples}"))
        })
    })
}

fn examples(path: &str) -> String {
    let lines = EXAMPLES.lines().skip_while(|line| *line != path).skip(1);
    let lines: Vec<&str> = lines.take_while(|line| line.starts_with(' ')).collect();
    lines.join("\n")
}
