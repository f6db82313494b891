//! `chiasm lm query`: scores of text.

use crate::context::Context;
use chiasm_lm::{Model, Score};
use chiasm_text::{Lines, TextOutput};
use chiasm_work::InOrder;
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
struct Block {
    text: String,
    ends: Vec<usize>,
}

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
    InOrder::new(rayon::current_num_threads()).run(
        |block: &mut Block| read_block(&mut lines, block),
        |block, scored: &mut Scored| {
            score_block(&model, block, print, scored);
            Ok(())
        },
        |scored| {
            total.add(&scored.total);
            output.write_text(&scored.printed)
        },
    )?;
    if arguments.json {
        let report = format!("{}\n", json(&total, context));
        output.write_text(report.as_bytes())?;
    }
    output.finish()?;
    say(&total, context);
    Ok(())
}

fn read_block(lines: &mut Lines, block: &mut Block) -> chiasm_text::Result<bool> {
    block.text.clear();
    block.ends.clear();
    while block.ends.len() < LINES && lines.append_line(&mut block.text)? {
        block.ends.push(block.text.len());
    }
    Ok(!block.ends.is_empty())
}

fn score_block(model: &Model, block: &Block, print: bool, scored: &mut Scored) {
    scored.printed.clear();
    scored.total = Score::default();
    let mut start = 0;
    for &end in &block.ends {
        let score = model.score_line(&block.text[start..end]);
        start = end;
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
