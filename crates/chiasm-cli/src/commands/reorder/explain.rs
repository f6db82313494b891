//! `chiasm reorder explain`: class probabilities of phrases and the features that decide.

use crate::context::{Context, print_out};
use chiasm_phrases::Span;
use chiasm_reorder::{ExplainedPhrase, PairRequest, Target, explain_pair, open_learned};
use clap::Args;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// A learned model.
    #[arg(long, value_name = "MODEL")]
    model: PathBuf,
    /// The source sentence, tokens between spaces.
    #[arg(long, value_name = "TEXT")]
    sentence: String,
    /// Its translation: every phrase pair is explained.
    #[arg(
        long,
        value_name = "TEXT",
        requires = "links",
        required_unless_present = "phrase"
    )]
    translation: Option<String>,
    /// The links between sentence and translation (or, with --phrase, within the phrase pair): 0-0 1-2.
    #[arg(long, value_name = "LINKS", default_value = "")]
    links: String,
    /// Explain only phrase pairs with this source span, first and last position counted from 0: 2-4.
    #[arg(long, value_name = "FROM-TO", value_parser = span)]
    span: Option<Span>,
    /// The target phrase of one source span, instead of a whole translation.
    #[arg(
        long,
        value_name = "TEXT",
        requires = "span",
        conflicts_with = "translation"
    )]
    phrase: Option<String>,
    /// How many features to show.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

fn span(text: &str) -> Result<Span, String> {
    let complaint = || format!("'{text}' is not a span such as 2-4");
    let (from, to) = text.split_once('-').ok_or_else(complaint)?;
    let from: u32 = from.parse().map_err(|_| complaint())?;
    let to: u32 = to.parse().map_err(|_| complaint())?;
    if from > to {
        return Err(format!("'{text}': the span ends before it begins"));
    }
    Ok(Span::new(from, to.saturating_add(1)))
}

/// Explains and prints.
pub fn run(arguments: Arguments, _context: &Context) -> anyhow::Result<()> {
    let model = open_learned(
        &arguments.model,
        "it has no features to explain; its table says all",
    )?;
    let translation = arguments.translation.as_deref().unwrap_or("");
    let phrase = arguments.phrase.as_deref();
    let request = PairRequest {
        sentence: &arguments.sentence,
        target: phrase.map_or(Target::Translation(translation), Target::Phrase),
        links: &arguments.links,
        span: arguments.span,
        top: arguments.top,
    };
    let explained = explain_pair(&model, &request)?;
    if arguments.json {
        let all: Vec<_> = explained.iter().map(ExplainedPhrase::json).collect();
        return print_out(serde_json::to_string_pretty(&all)?);
    }
    for phrase in &explained {
        print_out(phrase.text())?;
    }
    if explained.is_empty() {
        print_out("no phrase pair is consistent with the links")?;
    }
    Ok(())
}
