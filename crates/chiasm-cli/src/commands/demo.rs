//! `chiasm demo`: the whole way on the built-in language pair, in minutes.

use super::serve;
use crate::context::{Context, write_text};
use chiasm_report::demo::{Outcome, Request, run as demonstrate};
use chiasm_synthesis::Language;
use clap::Args;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// japanese-like (verb last) or arabic-like (verb first).
    #[arg(long, default_value = "japanese-like", value_parser = language)]
    language: Language,
    /// Sentence pairs to train on.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(100..=1_000_000))]
    pairs: u64,
    /// Seed of everything random.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The folder for everything that is made.
    #[arg(long, short, value_name = "DIR", default_value = "chiasm-demo")]
    output: PathBuf,
    /// End by serving the systems with a page that shows how phrases move.
    #[arg(long)]
    serve: bool,
    /// Where --serve listens.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = serve::DEFAULT_ADDRESS)]
    listen: String,
}

fn language(name: &str) -> std::result::Result<Language, String> {
    Language::from_name(name).ok_or_else(|| "arabic-like or japanese-like expected".to_string())
}

/// Synthesises, trains, translates, compares, shows.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let request = Request {
        language: arguments.language,
        pairs: arguments.pairs,
        seed: arguments.seed,
        folder: arguments.output,
    };
    let outcome = demonstrate(&request, context)?;
    write_text("-", &outcome.text())?;
    let command: Vec<String> = std::env::args().collect();
    let page = outcome.html(&command.join(" "));
    write_text(request.folder.join("demo.html"), &page)?;
    context.say(format!(
        "everything is in {0}, demo.html shows it; try: chiasm translate -s {0}/demo.chiasm --json < {0}/text/test.source",
        request.folder.display()
    ));
    if arguments.serve {
        serve_systems(&arguments.listen, &outcome, context)?;
    }
    Ok(())
}

/// The page with all systems, and sentences to begin with.
fn serve_systems(address: &str, outcome: &Outcome, context: &Context) -> anyhow::Result<()> {
    let mut systems = chiasm_serve::Systems::default();
    for (name, file) in outcome.systems() {
        systems.open_as(name, file)?;
    }
    let settings = chiasm_serve::Settings {
        threads: context.threads,
        examples: outcome.examples(),
        ..chiasm_serve::Settings::default()
    };
    serve::serve(address, systems, settings, context)
}
