//! `chiasm export`: a system becomes models of other tools.

use super::destination;
use crate::context::Context;
use chiasm_decode::{System, moses};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    to: To,
}

/// For whom.
#[derive(Subcommand)]
enum To {
    /// moses.ini, phrase-table.gz, reordering-table.N.gz, lmN.arpa.gz.
    Moses(MosesArguments),
}

/// What was typed.
#[derive(Args)]
struct MosesArguments {
    /// The system.
    #[arg(short, long, value_name = "FILE")]
    system: PathBuf,
    /// The folder to write into.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// The ARPA file of a language model, which cannot be read back from the system; by default the
    /// one it was made from. Once for each model, in their order.
    #[arg(long, value_name = "ARPA")]
    lm: Vec<PathBuf>,
    /// Text that the language model was estimated on, tokenised, from which it is written if there is no ARPA file [default:
    /// what `train` left in SYSTEM.stages].
    #[arg(long, value_name = "T")]
    lm_text: Option<PathBuf>,
    /// Leave out what Moses cannot have: learned reordering models, language models of word classes.
    #[arg(long)]
    drop: bool,
}

/// Exports.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let To::Moses(arguments) = arguments.to;
    if arguments.output.is_dir() {
        let models = (0..arguments.lm.len()).map(|number| format!("lm{number}.arpa.gz"));
        let names = models.chain(["moses.ini".to_string(), "phrase-table.gz".to_string()]);
        let outputs: Vec<PathBuf> = names.map(|name| arguments.output.join(name)).collect();
        destination::check(
            &[&outputs],
            &[&arguments.system, &arguments.lm, &arguments.lm_text],
        )?;
    }
    let system = System::open(&arguments.system)?;
    let options = moses::ExportOptions {
        drop: arguments.drop,
        language_models: arguments.lm,
        text: arguments.lm_text,
    };
    for name in moses::export(system, &arguments.output, &options)? {
        context.say(format!("{name}: left out; tune again without it"));
    }
    context.say(format!("{}: written", arguments.output.display()));
    Ok(())
}
