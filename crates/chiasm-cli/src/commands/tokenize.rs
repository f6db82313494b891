//! `chiasm tokenize`, `chiasm detokenize`, `chiasm truecase`: from raw text to tokens and back, a line at a time.

use super::destination;
use crate::context::Context;
use chiasm_text::{
    Detokenizer, LineBlock, Lines, TextOutput, ToText, ToTokens, Truecaser, TruecaserTrainer,
    convert_blocks,
};
use chiasm_work::Progress;
use clap::Args;
use std::path::PathBuf;

/// What was typed after `tokenize`.
#[derive(Args)]
pub struct TokenizeArguments {
    /// ISO 639 code: en, de, fr and others as Moses does, ar with its spelling unified, zh, ja, th segmented.
    #[arg(long, value_name = "CODE", value_parser = chiasm_text::language_code)]
    language: String,
    /// First write quotation marks, dashes and spaces in one way.
    #[arg(long)]
    normalize: bool,
    /// Write every word in small letters.
    #[arg(long, conflicts_with = "truecase")]
    lowercase: bool,
    /// Write each word in its most frequent case, by a model of `chiasm truecase`.
    #[arg(long, value_name = "MODEL")]
    truecase: Option<PathBuf>,
    /// Write & | < > ' " [ ] as entities, as Moses does.
    #[arg(long)]
    escape: bool,
}

/// What was typed after `detokenize`.
#[derive(Args)]
pub struct DetokenizeArguments {
    /// ISO 639 code.
    #[arg(long, value_name = "CODE", value_parser = chiasm_text::language_code)]
    language: String,
    /// Begin every sentence with a capital.
    #[arg(long)]
    capitalize: bool,
    /// First write each word in its most frequent case, by a model of `chiasm truecase`.
    #[arg(long, value_name = "MODEL")]
    truecase: Option<PathBuf>,
}

/// What was typed after `truecase`.
#[derive(Args)]
pub struct TruecaseArguments {
    /// Tokenised text to learn from; - is standard input.
    #[arg(long, value_name = "TEXT", default_value = "-")]
    text: PathBuf,
    /// Where the model goes.
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,
}

/// Lines a block.
const ROWS: usize = 2048;

/// Standard input to standard output, line by line, on all threads.
fn filter(
    context: &Context,
    stage: &str,
    convert: impl Fn(&LineBlock, &mut String) + Sync,
) -> anyhow::Result<()> {
    let mut lines = Lines::open("-")?;
    let mut output = TextOutput::create("-")?;
    let progress = context.progress(stage, "lines", None);
    let convert = |block: &LineBlock, text: &mut String| {
        text.clear();
        convert(block, text);
    };
    convert_blocks(&mut lines, ROWS, context.threads, convert, |text, count| {
        output.write_text(text.as_bytes())?;
        progress.advance(count);
        Ok(())
    })?;
    Ok(output.finish()?)
}

/// Splits into tokens.
pub fn tokenize(arguments: TokenizeArguments, context: &Context) -> anyhow::Result<()> {
    let tokens = ToTokens {
        truecaser: arguments.truecase.map(Truecaser::open).transpose()?,
        language: arguments.language,
        normalize: arguments.normalize,
        lowercase: arguments.lowercase,
        escape: arguments.escape,
    };
    filter(context, "tokenize", |block, output| {
        tokens.convert(block, output)
    })
}

/// Joins tokens.
pub fn detokenize(arguments: DetokenizeArguments, context: &Context) -> anyhow::Result<()> {
    let text = ToText {
        truecaser: arguments.truecase.map(Truecaser::open).transpose()?,
        detokenizer: Detokenizer::new(&arguments.language),
        capitalize: arguments.capitalize,
    };
    filter(context, "detokenize", |block, output| {
        text.convert(block, output)
    })
}

/// Learns a truecasing model.
pub fn truecase(arguments: TruecaseArguments, context: &Context) -> anyhow::Result<()> {
    destination::check(&[&arguments.output], &[&arguments.text])?;
    let mut lines = Lines::open(&arguments.text)?;
    let mut trainer = TruecaserTrainer::new();
    let progress = context.progress("truecase", "lines", None);
    while let Some(line) = lines.next_line()? {
        trainer.add_line(line);
        progress.advance(1);
    }
    trainer.save(&arguments.output)?;
    Ok(())
}
