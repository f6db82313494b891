//! `chiasm classes`: word classes by exchange clustering.

use super::reorder::ROUNDS;
use crate::context::Context;
use chiasm_reorder::classes::WordClasses;
use chiasm_text::{Text, Vocabulary};
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
    let mut vocabulary = Vocabulary::new();
    let mut text = Text::read(&arguments.text, &mut vocabulary)?;
    anyhow::ensure!(
        !vocabulary.is_empty(),
        "{}: no words, so no classes",
        arguments.text.display()
    );
    let mut counts = vec![0u64; vocabulary.len()];
    text.tokens
        .iter()
        .for_each(|&word| counts[word as usize] += 1);
    let (vocabulary, new) = vocabulary.by_frequency(&counts);
    text.renumber(&new);
    let progress = context.progress("classes", "rounds", None);
    let (count, rounds) = (arguments.classes, arguments.rounds);
    let found = WordClasses::cluster(&text, vocabulary.len(), count, rounds, &progress)?;
    drop(progress);
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
            "peak_memory_bytes": chiasm_store::peak_memory_bytes(),
        });
        println!("{}", serde_json::to_string_pretty(&summary)?);
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
