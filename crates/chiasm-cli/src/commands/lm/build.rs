//! `chiasm lm build`: from ARPA to the binary.

use crate::commands::destination;
use crate::context::Context;
use chiasm_lm::Model;
use chiasm_lm::arpa::{NgramList, Reader};
use chiasm_work::MemorySize;
use clap::Args;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// An ARPA file, plain or compressed.
    #[arg(long, value_name = "ARPA")]
    model: PathBuf,
    /// Round probabilities and back-offs to eight bits and pack them: the smallest file, slower.
    #[arg(long)]
    quantised: bool,
    /// The binary.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Builds.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    destination::check(&[&arguments.output], &[&arguments.model])?;
    if arguments.model.as_os_str() != "-" {
        // The header is enough to say how large the result will be; words are taken to have eight
        // letters.
        let reader = Reader::open(&arguments.model)?;
        announce(
            reader.counts(),
            reader.counts()[0] * 8,
            arguments.quantised,
            context,
        );
    }
    let model = if arguments.quantised {
        Model::quantised(NgramList::read(&arguments.model)?, &arguments.model)?
    } else {
        Model::open(&arguments.model)?
    };
    model.save(&arguments.output)?;
    let bytes = std::fs::metadata(&arguments.output).map_or(0, |file| file.len());
    context.say(format!("{bytes} bytes, {:.1} s", context.seconds()));
    Ok(())
}

/// Says, before the work, how large the binary will be.
pub fn announce(counts: &[u64], spelling: u64, quantised: bool, context: &Context) {
    let bytes = MemorySize(Model::estimate_bytes(counts, spelling, quantised));
    let ngrams: u64 = counts.iter().sum();
    context.say(format!("{ngrams} n-grams will take about {bytes}"));
}
