//! `chiasm synthesise`: a corpus of a built-in language pair.

use crate::context::{Context, print_out};
use chiasm_synthesis::{Language, MAXIMUM_VOCABULARY, write_corpus};
use clap::Args;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// arabic-like (verb first) or japanese-like (verb last); the other side is English.
    #[arg(long, value_parser = language)]
    language: Language,
    /// How many sentence pairs. The first of a longer run are those of a shorter one.
    #[arg(long, value_name = "N")]
    pairs: u64,
    /// The same seed gives the same files.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Made-up words besides the real ones, so that the vocabulary of a large corpus keeps growing.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=i64::from(MAXIMUM_VOCABULARY)))]
    vocabulary: u32,
    /// The folder for the files source, target, links, orientations and gold (sure and possible links, for `aer`).
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
    /// Print how much was written as JSON.
    #[arg(long)]
    json: bool,
}

fn language(name: &str) -> Result<Language, String> {
    Language::from_name(name).ok_or_else(|| "arabic-like or japanese-like expected".to_string())
}

/// Generates and writes.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let generator = arguments
        .language
        .generator(arguments.seed, arguments.vocabulary);
    let progress = context.progress("synthesise", "pairs", Some(arguments.pairs));
    let summary = write_corpus(&generator, arguments.pairs, &arguments.output, &progress)?;
    drop(progress);
    if arguments.json {
        let report = serde_json::json!({
            "pairs": summary.pairs,
            "source_tokens": summary.source_tokens,
            "target_tokens": summary.target_tokens,
            "links": summary.links,
            "possible_links": summary.possible_links,
            "phrases": summary.phrases,
            "seconds": context.seconds(),
        });
        print_out(report)?;
    }
    context.say(format!(
        "{}: {} pairs, {} source and {} target words, {} links, {} phrases",
        arguments.output.display(),
        summary.pairs,
        summary.source_tokens,
        summary.target_tokens,
        summary.links,
        summary.phrases
    ));
    Ok(())
}
