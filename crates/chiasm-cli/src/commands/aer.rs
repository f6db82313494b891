//! `chiasm aer`: links beside hand-made ones.

use crate::context::{Context, print_out};
use chiasm_align::aer::{Agreement, ComparedPair, compare, read_words};
use chiasm_align::matrix;
use chiasm_text::TextOutput;
use clap::Args;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// Hand-made links, a line a sentence pair: 0-0 sure, 1p2 possible.
    #[arg(long, value_name = "LINKS")]
    gold: PathBuf,
    /// The links in question; lines beyond the last hand-made one are not looked at.
    #[arg(long, value_name = "LINKS")]
    links: PathBuf,
    /// Source text, for showing sentences.
    #[arg(long, value_name = "FILE", requires = "target")]
    source: Option<PathBuf>,
    /// Target text, for showing sentences.
    #[arg(long, value_name = "FILE", requires = "source")]
    target: Option<PathBuf>,
    /// How many of the worst sentences are listed (with --source and --target: shown as matrices).
    #[arg(long, value_name = "N", default_value_t = 0)]
    worst: usize,
    /// Write a page with the figures and the matrices of the worst sentences (20 unless --worst says
    /// otherwise).
    #[arg(long, value_name = "FILE", requires = "source")]
    html: Option<PathBuf>,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

const WORST_ON_PAGE: usize = 20;

/// Compares and prints.
pub fn run(arguments: Arguments, _: &Context) -> anyhow::Result<()> {
    let pairs = compare(&arguments.gold, &arguments.links)?;
    let mut total = Agreement::default();
    pairs.iter().for_each(|pair| total.add(&pair.agreement));
    let mut worst: Vec<&ComparedPair> = pairs.iter().collect();
    worst.sort_by_key(|pair| (std::cmp::Reverse(pair.agreement.mistakes()), pair.line));
    let words = match (&arguments.source, &arguments.target) {
        (Some(source), Some(target)) => Some(read_words(source, target, pairs.len())?),
        _ => None,
    };
    let listed = &worst[..arguments.worst.min(worst.len())];
    if arguments.json {
        print_out(as_json(&total, pairs.len(), listed))?;
    } else {
        print_out(as_text(&total, listed, words.as_deref()).trim_end())?;
    }
    if let (Some(path), Some(words)) = (&arguments.html, &words) {
        let count = if arguments.worst == 0 {
            WORST_ON_PAGE
        } else {
            arguments.worst
        };
        let shown = worst.iter().take(count).map(|&pair| {
            let (source, target) = &words[pair.line as usize - 1];
            (pair, source.as_slice(), target.as_slice())
        });
        let page = matrix::html(&total, &shown.collect::<Vec<_>>());
        let mut output = TextOutput::create(path)?;
        output.write_text(page.as_bytes())?;
        output.finish()?;
    }
    Ok(())
}

fn as_json(total: &Agreement, pairs: usize, worst: &[&ComparedPair]) -> serde_json::Value {
    let sentence = |pair: &&ComparedPair| {
        serde_json::json!({
            "line": pair.line,
            "aer": pair.agreement.error_rate(),
            "mistakes": pair.agreement.mistakes(),
        })
    };
    serde_json::json!({
        "aer": total.error_rate(),
        "precision": total.precision(),
        "recall": total.recall(),
        "f_measure": total.f_measure(),
        "links": total.links,
        "sure": total.sure,
        "pairs": pairs,
        "worst": worst.iter().map(sentence).collect::<Vec<_>>(),
    })
}

fn as_text(
    total: &Agreement,
    worst: &[&ComparedPair],
    words: Option<&[(Vec<String>, Vec<String>)]>,
) -> String {
    let mut text = format!(
        "AER {:.4}  precision {:.4}  recall {:.4}  F-measure {:.4}  links {}\n",
        total.error_rate(),
        total.precision(),
        total.recall(),
        total.f_measure(),
        total.links
    );
    if words.is_some() && !worst.is_empty() {
        text += &format!("{}\n", matrix::LEGEND);
    }
    for pair in worst {
        let agreement = &pair.agreement;
        text += &format!(
            "line {}: AER {:.4}, {} mistakes\n",
            pair.line,
            agreement.error_rate(),
            agreement.mistakes()
        );
        if let Some((source, target)) = words.and_then(|words| words.get(pair.line as usize - 1)) {
            text += &format!("{}\n", matrix::text(pair, source, target));
        }
    }
    text
}
