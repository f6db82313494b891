//! `chiasm classes`: word classes by exchange clustering.

use super::destination;
use crate::context::{Context, print_out};
use chiasm_reorder::classes::{Clustered, ROUNDS};
use clap::Args;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// Text, a sentence a line, tokens between spaces.
    #[arg(long, value_name = "FILE")]
    text: PathBuf,
    /// How many classes.
    #[arg(long, value_name = "N", default_value_t = 50)]
    classes: usize,
    /// The most rounds over the vocabulary.
    #[arg(long, value_name = "N", default_value_t = ROUNDS)]
    rounds: u32,
    /// Where the classes go: a line a word, tab, class.
    #[arg(short, long, value_name = "CLASSES")]
    output: PathBuf,
    /// Print a summary as JSON.
    #[arg(long)]
    json: bool,
}

/// Clusters.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    destination::check(&[&arguments.output], &[&arguments.text])?;
    let (count, rounds) = (arguments.classes, arguments.rounds);
    let progress = context.progress("classes", "rounds", None);
    let clustered = Clustered::in_rounds(&arguments.text, count, rounds, &progress)?;
    drop(progress);
    let Clustered {
        text,
        vocabulary,
        found,
    } = clustered;
    found.write(&vocabulary, &arguments.output)?;
    let bigrams = (text.tokens.len() + text.len()) as f64;
    if arguments.json {
        let summary = serde_json::json!({
            "words": vocabulary.len(),
            "tokens": text.tokens.len(),
            "classes": count,
            "rounds": found.rounds,
            "objective": found.objective,
            "seconds": context.seconds(),
            "peak_memory_bytes": chiasm_work::peak_memory_bytes(),
        });
        print_out(serde_json::to_string_pretty(&summary)?)?;
    }
    context.say(format!(
        "{} words in {count} classes, {} rounds, mutual information of neighbours {:.4} nats, {:.1} s",
        vocabulary.len(),
        found.rounds,
        found.objective / bigrams + bigrams.ln(),
        context.seconds()
    ));
    Ok(())
}
