//! `chiasm train`: from two text files to a translation system.

use crate::context::Context;
use crate::pipeline::cache::Cache;
use crate::pipeline::plan::Plan;
use crate::pipeline::prepare::Raw;
use crate::pipeline::settings::{Preset, Settings};
use crate::pipeline::{Request, deliver, train};
use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use std::path::{Path, PathBuf};

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// Source text, a sentence a line; plain or compressed.
    #[arg(long, value_name = "F")]
    source: PathBuf,
    /// Target text, line by line its translation.
    #[arg(long, value_name = "E")]
    target: PathBuf,
    /// The source language (en, de, ar, ja, ...), for tokenising.
    #[arg(long, value_name = "XX", conflicts_with = "tokenized")]
    source_language: Option<String>,
    /// The target language.
    #[arg(long, value_name = "XX", conflicts_with = "tokenized")]
    target_language: Option<String>,
    /// The text is tokenised already: take what stands between spaces.
    #[arg(long)]
    tokenized: bool,
    /// Source side of a development set [default: cut from the training text].
    #[arg(long, value_name = "F", requires = "dev_target")]
    dev_source: Option<PathBuf>,
    /// Its translation; more than one may be given.
    #[arg(long, value_name = "E", requires = "dev_source")]
    dev_target: Vec<PathBuf>,
    /// Word alignment of the training text [default: made here].
    #[arg(long, value_name = "L", requires = "tokenized")]
    links: Option<PathBuf>,
    /// A language model (ARPA or binary) [default: estimated here].
    #[arg(long, value_name = "LM", conflicts_with = "lm_text")]
    lm: Option<PathBuf>,
    /// More target text for the language model.
    #[arg(long, value_name = "T")]
    lm_text: Option<PathBuf>,
    /// Where to begin before --config and the options have their say.
    #[arg(long, value_enum, default_value = "standard")]
    preset: Preset,
    /// A configuration; chiasm init writes a commented one.
    #[arg(long, value_name = "RUN.TOML")]
    config: Option<PathBuf>,
    /// Seed of everything random.
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Memory for counting and sorting.
    #[arg(long, value_name = "SIZE")]
    memory: Option<chiasm_store::MemorySize>,
    /// Say what would be done, and do nothing.
    #[arg(long)]
    dry_run: bool,
    /// The system; its stages are kept beside it in OUTPUT.stages.
    #[arg(short, long, value_name = "SYSTEM")]
    output: PathBuf,
}

/// Checks, plans, trains, delivers.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let request = request(&arguments)?;
    if arguments.dry_run {
        for line in Plan::new(&request)?.describe(&request)? {
            println!("{line}");
        }
        return Ok(());
    }
    let mut cache = Cache::open(request.cache.clone(), context)?;
    let tuned = train(&request, &mut cache, context)?;
    deliver(&tuned, &arguments.output)?;
    write_log(&arguments.output, &cache, context)?;
    context.say(format!(
        "{}: ready in {:.0} s; try: chiasm translate -s {}",
        arguments.output.display(),
        context.seconds(),
        arguments.output.display()
    ));
    Ok(())
}

fn request(arguments: &Arguments) -> anyhow::Result<Request> {
    let languages = match (&arguments.source_language, &arguments.target_language) {
        (Some(source), Some(target)) => Some((source.clone(), target.clone())),
        _ if arguments.tokenized => None,
        _ => bail!(
            "say --source-language and --target-language, or --tokenized if the text is ready"
        ),
    };
    let dev = arguments
        .dev_source
        .clone()
        .map(|source| (source, arguments.dev_target.clone()));
    Ok(Request {
        raw: Raw {
            source: arguments.source.clone(),
            target: arguments.target.clone(),
            links: arguments.links.clone(),
            dev,
            languages,
        },
        lm_text: arguments.lm_text.clone(),
        lm: arguments.lm.clone(),
        settings: settings(arguments)?,
        cache: beside(&arguments.output, ".stages"),
    })
}

fn settings(arguments: &Arguments) -> anyhow::Result<Settings> {
    let mut settings = match &arguments.config {
        None => Settings::preset(arguments.preset),
        Some(path) => read_config(path, arguments.preset)?,
    };
    if let Some(seed) = arguments.seed {
        settings.seed = seed;
    }
    if let Some(memory) = arguments.memory {
        settings.memory = memory.0.to_string();
    }
    Ok(settings)
}

fn read_config(path: &Path, preset: Preset) -> anyhow::Result<Settings> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Settings::read_over(preset, &text).map_err(|e| anyhow!("{}: {e}", path.display()))
}

/// The times go beside the system, not into it: the same input makes the same file.
fn write_log(system: &Path, cache: &Cache, context: &Context) -> anyhow::Result<()> {
    let mut log = String::new();
    for timing in cache.timings() {
        let cost = match timing.seconds {
            Some(seconds) => format!("{seconds:>9.1} s"),
            None => "   reused".to_string(),
        };
        log += &format!("{:<8} {cost}\n", timing.stage);
    }
    log += &format!("{:<8} {:>9.1} s\n", "all", context.seconds());
    log += &format!("peak memory {} bytes\n", chiasm_store::peak_memory_bytes());
    context.say(log.trim_end());
    let mut output = chiasm_text::TextOutput::create(beside(system, ".log"))?;
    output.write_text(log.as_bytes())?;
    Ok(output.finish()?)
}

/// `PATH` with `ending` behind its name.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(ending);
    path.with_file_name(name)
}
