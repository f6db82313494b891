//! `chiasm adapt`: what users teach a system, kept beside it.

use super::destination;
use crate::context::{Context, print_out};
use chiasm_adapt::Request;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
#[command(group = clap::ArgGroup::new("wanted").required(true).multiple(true).args(["source", "merge", "forget", "undo", "list", "compact"]))]
pub struct Arguments {
    /// The system; it is not changed.
    #[arg(short, long, value_name = "FILE")]
    system: PathBuf,
    /// What was learned [default: SYSTEM.memory].
    #[arg(long, value_name = "FILE")]
    memory: Option<PathBuf>,
    /// Sentences to learn; - is standard input.
    #[arg(long, value_name = "FILE", requires = "target")]
    source: Option<PathBuf>,
    /// Their translations.
    #[arg(long, value_name = "FILE", requires = "source")]
    target: Option<PathBuf>,
    /// The text is tokenised.
    #[arg(long)]
    tokenized: bool,
    /// Also learn what another memory holds.
    #[arg(long, value_name = "MEMORY")]
    merge: Option<PathBuf>,
    /// Forget the pair with this number.
    #[arg(long, value_name = "N")]
    forget: Option<u64>,
    /// Forget the pair that was learned last.
    #[arg(long)]
    undo: bool,
    /// Write a system that knows what was learned, without the memory; `-o` names it.
    #[arg(long, requires = "output")]
    compact: bool,
    /// The new system.
    #[arg(short, long, value_name = "FILE", requires = "compact")]
    output: Option<PathBuf>,
    /// Print what is learned: number, source, translation.
    #[arg(long)]
    list: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Learns, forgets, lists.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let request = Request {
        system: arguments.system,
        memory: arguments.memory,
        text: arguments.source.zip(arguments.target),
        tokenized: arguments.tokenized,
        merge: arguments.merge,
        forget: arguments.forget,
        undo: arguments.undo,
        compact: arguments.output,
    };
    let (source, target) = request.text.clone().unzip();
    destination::check(
        &[&request.journal(), &request.compact],
        &[&request.system, &source, &target, &request.merge],
    )?;
    let (learned, memory) = request.run()?;
    let pairs = memory.pairs();
    context.say(format!(
        "pairs learned: {learned}; in {}: {}",
        memory.path().display(),
        pairs.len()
    ));
    let listed = if arguments.list { pairs } else { &[] };
    match arguments.json {
        true => print_out(json!({"learned": learned, "pairs": pairs.len(), "list": listed})),
        false => listed.iter().try_for_each(|pair| {
            print_out(format!("{}\t{}\t{}", pair.id, pair.source, pair.target))
        }),
    }
}
