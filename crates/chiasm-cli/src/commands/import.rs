//! `chiasm import`: models of other tools become a system.

use super::destination;
use crate::context::Context;
use chiasm_decode::Precision;
use chiasm_decode::moses::{ImportOptions, describe, import_counting};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    from: From,
}

/// Whose model it is.
#[derive(Subcommand)]
enum From {
    /// A moses.ini with text tables and ARPA language models.
    Moses(MosesArguments),
}

/// What was typed.
#[derive(Args)]
struct MosesArguments {
    /// The configuration, of the current or the old dialect.
    #[arg(long, value_name = "FILE")]
    ini: PathBuf,
    /// The system to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Bits a score: 8, 16 (nothing is lost where a column has at most 65,536 different values)
    /// or 32 (nothing is lost).
    #[arg(long, value_name = "BITS", default_value = "16", value_parser = ["8", "16", "32"])]
    score_bits: String,
    /// Pass over lines of tables that are not UTF-8, and say how many they were, instead of stopping.
    #[arg(long)]
    skip_bad_lines: bool,
    /// Add a learned model of orientation (from chiasm reorder train) as a feature.
    #[arg(long, value_name = "MODEL")]
    reordering_model: Vec<PathBuf>,
    /// The source language, e.g. ar.
    #[arg(long, value_name = "CODE", value_parser = chiasm_text::language_code)]
    source_language: Option<String>,
    /// The target language, e.g. en.
    #[arg(long, value_name = "CODE", value_parser = chiasm_text::language_code)]
    target_language: Option<String>,
}

/// Imports.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let From::Moses(arguments) = arguments.from;
    destination::check(
        &[&arguments.output],
        &[&arguments.ini, &arguments.reordering_model],
    )?;
    let tables = describe(&arguments.ini)?.files();
    destination::check(&[&arguments.output], &[&tables])?;
    let options = ImportOptions {
        precision: match arguments.score_bits.as_str() {
            "8" => Precision::Eight,
            "32" => Precision::Exact,
            _ => Precision::Sixteen,
        },
        skip_bad_lines: arguments.skip_bad_lines,
        reordering_models: arguments.reordering_model,
        source_language: arguments.source_language,
        target_language: arguments.target_language,
    };
    let progress = context.progress("import", "table lines", None);
    let (system, passed_over) = import_counting(&arguments.ini, &options, &progress)?;
    drop(progress);
    if passed_over > 0 {
        context.say(format!(
            "note: {passed_over} lines are not UTF-8: passed over"
        ));
    }
    system.write(&arguments.output)?;
    context.say(format!(
        "{}: {} phrase pairs, {} features",
        arguments.output.display(),
        system.phrase_table().len(),
        system.configuration().feature_names().len()
    ));
    Ok(())
}
