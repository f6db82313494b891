//! `chiasm tokenize`, `chiasm detokenize`, `chiasm truecase`: from raw text to tokens and back, a line at a time.

use super::destination;
use crate::context::Context;
use chiasm_text::{
    Detokenizer, LineBlock, Lines, PunctuationNormalizer, TextOutput, Tokenizer, Truecaser,
    TruecaserTrainer, capitalize_sentences, cleaning, convert_blocks,
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
    let truecaser = arguments
        .truecase
        .as_ref()
        .map(Truecaser::open)
        .transpose()?;
    let normalizer = PunctuationNormalizer::new(&arguments.language);
    filter(context, "tokenize", |block, output| {
        let mut tokenizer = Tokenizer::new(&arguments.language).escaping(arguments.escape);
        for line in block.lines() {
            let start = output.len();
            if arguments.normalize {
                tokenizer.append(&normalizer.normalize(line), output);
            } else {
                tokenizer.append(line, output);
            }
            if let Some(truecaser) = &truecaser {
                let cased = truecaser.truecase(&output[start..]);
                output.truncate(start);
                output.push_str(&cased);
            } else if arguments.lowercase {
                let lower = output[start..].to_lowercase();
                output.truncate(start);
                output.push_str(&lower);
            }
            output.push('\n');
        }
    })
}

/// Joins tokens.
pub fn detokenize(arguments: DetokenizeArguments, context: &Context) -> anyhow::Result<()> {
    let truecaser = arguments
        .truecase
        .as_ref()
        .map(Truecaser::open)
        .transpose()?;
    let detokenizer = Detokenizer::new(&arguments.language);
    filter(context, "detokenize", |block, output| {
        for line in block.lines() {
            let mut line = cleaning::clean_line(line);
            if let Some(truecaser) = &truecaser {
                line = truecaser.truecase(&line);
            }
            if arguments.capitalize {
                line = capitalize_sentences(&line);
            }
            output.push_str(&detokenizer.detokenize(&line));
            output.push('\n');
        }
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
