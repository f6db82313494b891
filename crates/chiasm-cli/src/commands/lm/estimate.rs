//! `chiasm lm estimate`: from text to a model.

use crate::commands::destination;
use crate::context::{Context, print_out};
use chiasm_lm::estimate::{Discounts, Options, SpecialWords, Summary, Thresholds, estimate};
use chiasm_lm::{MAX_ORDER, Model};
use chiasm_work::MemorySize;
use clap::Args;
use std::path::{Path, PathBuf};

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// The longest n-grams.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=MAX_ORDER as i64))]
    order: u8,
    /// Text, a sentence a line, plain or compressed; several are read one after another.
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    text: Vec<PathBuf>,
    /// Leave out n-grams that occur at most so often, one number an order; the last one holds for
    /// all further orders.
    #[arg(long, value_name = "\"0 1 2\"")]
    prune: Option<Thresholds>,
    /// Discounts for orders whose own cannot be estimated, as in very small texts.
    #[arg(long, value_name = "\"0.5 1 1.5\"", num_args = 0..=1, default_missing_value = "0.5 1 1.5",
          require_equals = true)]
    discount_fallback: Option<Discounts>,
    /// Leave out the words <s>, </s> and <unk> of the text instead of refusing it.
    #[arg(long)]
    skip_symbols: bool,
    /// Memory for sorting; past it, sorted runs go to disk. The result does not depend on it.
    #[arg(long, value_name = "SIZE", default_value = "4G")]
    memory: MemorySize,
    /// Where those runs go [default: the system's temporary folder].
    #[arg(long, value_name = "FOLDER")]
    temporary: Option<PathBuf>,
    /// The model: a binary if the name ends in .bin, else an ARPA file (.gz, .zst, .xz compress it).
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// A binary with probabilities and back-offs in eight bits: the smallest, slower.
    #[arg(long)]
    quantised: bool,
    /// Print a summary as JSON.
    #[arg(long)]
    json: bool,
}

/// Estimates.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    destination::check(&[&arguments.output], &[&arguments.text])?;
    let mut options = Options::new(usize::from(arguments.order));
    options.memory = arguments.memory.bytes();
    options.fallback = arguments.discount_fallback;
    if let Some(Thresholds(prune)) = arguments.prune {
        options.prune = prune;
    }
    if arguments.skip_symbols {
        options.special = SpecialWords::Skip;
    }
    if let Some(folder) = arguments.temporary {
        options.folder = folder;
    }
    let progress = context.progress("counting", "words", None);
    let estimate = estimate(&arguments.text, &options, &progress)?;
    drop(progress);
    let summary = estimate.summary().clone();
    let total = summary.counts.iter().sum();
    let progress = context.progress("writing", "n-grams", Some(total));
    if arguments.quantised || is_binary(&arguments.output) {
        let spelling = estimate
            .vocabulary()
            .words()
            .map(|word| word.len() as u64)
            .sum();
        super::build::announce(&summary.counts, spelling, arguments.quantised, context);
        let model = if arguments.quantised {
            Model::quantised(estimate.into_list(&progress)?, &arguments.output)?
        } else {
            estimate.into_model(&progress)?
        };
        model.save(&arguments.output)?;
    } else {
        estimate.write_arpa(&arguments.output, &progress)?;
    }
    drop(progress);
    report(&summary, arguments.json, context)
}

fn is_binary(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "bin")
}

fn report(summary: &Summary, json: bool, context: &Context) -> anyhow::Result<()> {
    if json {
        let discounts: Vec<[f64; 3]> = summary.discounts.iter().map(|d| d.0).collect();
        let report = serde_json::json!({
            "sentences": summary.sentences,
            "words": summary.tokens,
            "ngrams": summary.counts,
            "discounts": discounts,
            "seconds": context.seconds(),
            "peak_memory_bytes": chiasm_work::peak_memory_bytes(),
        });
        return print_out(report);
    }
    for (index, (count, discounts)) in summary.counts.iter().zip(&summary.discounts).enumerate() {
        let [one, two, three] = discounts.0;
        context.say(format!(
            "{count} {}-grams, discounts {one:.4} {two:.4} {three:.4}",
            index + 1
        ));
    }
    context.say(format!(
        "{} words in {} sentences, {:.1} s",
        summary.tokens,
        summary.sentences,
        context.seconds()
    ));
    Ok(())
}
