//! `chiasm lm query`: scores of text.

use crate::context::Context;
use chiasm_lm::{Model, Score};
use chiasm_text::{LineBlock, Lines, TextOutput, convert_blocks};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// The model, ARPA or binary.
    #[arg(long, value_name = "LM")]
    model: PathBuf,
    /// The text, a sentence a line.
    #[arg(long, value_name = "FILE", default_value = "-")]
    text: PathBuf,
    /// Print one JSON object with the totals instead of a line a sentence.
    #[arg(long)]
    json: bool,
}

/// Lines that one thread scores at a time.
const LINES: usize = 1024;

#[derive(Default)]
struct Scored {
    printed: Vec<u8>,
    total: Score,
}

/// Scores.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let model = Model::open(&arguments.model)?;
    let mut lines = Lines::open(&arguments.text)?;
    let mut output = TextOutput::create("-")?;
    let print = !arguments.json;
    let mut total = Score::default();
    let score = |block: &LineBlock, scored: &mut Scored| score_block(&model, block, print, scored);
    convert_blocks(&mut lines, LINES, context.threads, score, |scored, _| {
        total.add(&scored.total);
        model.confirm()?;
        output.write_text(&scored.printed)
    })?;
    model.confirm()?;
    if arguments.json {
        let report = format!("{}\n", json(&total, context));
        output.write_text(report.as_bytes())?;
    }
    output.finish()?;
    say(&total, context);
    Ok(())
}

fn score_block(model: &Model, block: &LineBlock, print: bool, scored: &mut Scored) {
    scored.printed.clear();
    scored.total = Score::default();
    for line in block.lines() {
        let score = model.score_line(line);
        scored.total.add(&score);
        if print {
            // Writing into a vector does not fail.
            let _ = writeln!(scored.printed, "{:.6}\t{}", score.log10, score.unknown);
        }
    }
}

fn json(total: &Score, context: &Context) -> serde_json::Value {
    serde_json::json!({
        "sentences": total.sentences,
        "words": total.words,
        "unknown": total.unknown,
        "log10": total.log10,
        "perplexity": total.perplexity(),
        "perplexity_without_unknown": total.perplexity_without_unknown(),
        "seconds": context.seconds(),
        "peak_memory_bytes": chiasm_work::peak_memory_bytes(),
    })
}

fn say(total: &Score, context: &Context) {
    context.say(format!(
        "{} sentences, {} words, {} unknown; perplexity {:.4}, without unknown words {:.4}",
        total.sentences,
        total.words,
        total.unknown,
        total.perplexity(),
        total.perplexity_without_unknown()
    ));
}
