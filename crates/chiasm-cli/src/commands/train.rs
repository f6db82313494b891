//! `chiasm train`: from two text files to a translation system.

use super::destination::{self, Paths};
use super::learner_options::{names, one_of};
use crate::context::{Context, print_out, write_text};
use anyhow::{Context as _, anyhow, bail};
use chiasm_store::beside;
use chiasm_train::cache::Cache;
use chiasm_train::input::Input;
use chiasm_train::plan::Plan;
use chiasm_train::prepare::Raw;
use chiasm_train::settings::{Preset, Settings};
use chiasm_train::{Request, deliver, train};
use clap::Args;
use std::path::{Path, PathBuf};

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    presets: Presets,
    /// Say what would be done, and do nothing.
    #[arg(long)]
    dry_run: bool,
    /// The system; its stages are kept beside it in OUTPUT.stages.
    #[arg(short, long, value_name = "SYSTEM")]
    output: PathBuf,
}

/// The text to learn from.
#[derive(Args)]
pub struct Inputs {
    /// Source text, a sentence a line; plain or compressed.
    #[arg(long, value_name = "F", requires = "target", required_unless_present_any = ["tsv", "tmx"], conflicts_with_all = ["tsv", "tmx"])]
    source: Option<PathBuf>,
    /// Target text, line by line its translation.
    #[arg(long, value_name = "E", requires = "source")]
    target: Option<PathBuf>,
    /// Tab-separated text instead: source and target in one line.
    #[arg(long, value_name = "FILE", conflicts_with = "tmx")]
    tsv: Option<PathBuf>,
    /// The columns of --tsv, counted from 1.
    #[arg(long, value_name = "S,T", default_value = "1,2", value_parser = columns)]
    columns: [usize; 2],
    /// A translation memory instead.
    #[arg(long, value_name = "FILE", conflicts_with = "tokenized")]
    tmx: Option<PathBuf>,
    /// The source language (en, de, ar, ja, ...), for tokenising.
    #[arg(long, value_name = "XX", conflicts_with = "tokenized", value_parser = chiasm_text::language_code)]
    source_language: Option<String>,
    /// The target language.
    #[arg(long, value_name = "XX", conflicts_with = "tokenized", value_parser = chiasm_text::language_code)]
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
    #[arg(long, value_name = "L", requires_all = ["tokenized", "source"])]
    links: Option<PathBuf>,
    /// A language model (ARPA or binary) [default: estimated here].
    #[arg(long, value_name = "LM", conflicts_with = "lm_text")]
    lm: Option<PathBuf>,
    /// More target text for the language model.
    #[arg(long, value_name = "T")]
    lm_text: Option<PathBuf>,
}

/// Two columns as people count them, from 0 as programs do.
fn columns(text: &str) -> Result<[usize; 2], String> {
    let number = |text: &str| {
        text.trim()
            .parse()
            .ok()
            .filter(|&column: &usize| column > 0)
    };
    let both = text
        .split_once(',')
        .and_then(|(source, target)| Some([number(source)? - 1, number(target)? - 1]));
    both.ok_or_else(|| "two columns expected, the first is 1: 1,2".to_string())
}

/// How to learn from it.
#[derive(Args)]
pub struct Presets {
    /// Where to begin before --config and the options have their say.
    #[arg(long, default_value = "standard", value_parser = one_of::<Preset>(names(Preset::NAMES)))]
    preset: Preset,
    /// A configuration; chiasm init writes a commented one.
    #[arg(long, value_name = "RUN.TOML")]
    pub config: Option<PathBuf>,
    /// Train a joint model, a neural model of target words that the search asks like a language model, or do without [default:
    /// on, with --preset quick off].
    #[arg(long, value_name = "on|off", num_args = 0..=1, default_missing_value = "on", value_parser = ["on", "off"])]
    joint: Option<String>,
    /// Train a neural ranker, which chooses among the translations that the search finds, or do without: most of the time of
    /// training is the ranker's [default: on, with --preset quick off].
    #[arg(long, value_name = "on|off", num_args = 0..=1, default_missing_value = "on", value_parser = ["on", "off"])]
    ranker: Option<String>,
    /// Seed of everything random [default: 1, or that of --config].
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Memory for aligning, counting and sorting [default: 4G].
    #[arg(long, value_name = "SIZE")]
    memory: Option<chiasm_work::MemorySize>,
}

/// Checks, plans, trains, delivers.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let log = beside(&arguments.output, ".log");
    destination::check(
        &[&arguments.output, &log],
        &[&arguments.inputs, &arguments.presets.config],
    )?;
    let stages = beside(&arguments.output, ".stages");
    let request = arguments.inputs.request(&arguments.presets, stages)?;
    if arguments.dry_run {
        request.settings.check()?;
        for line in Plan::new(&request)?.describe(&request)? {
            print_out(line)?;
        }
        return Ok(());
    }
    let mut cache = Cache::open(request.cache.clone(), context)?;
    let tuned = train(&request, &mut cache, context)?;
    deliver(&tuned, &arguments.output)?;
    // The times go beside the system, not into it: the same input makes the same file.
    let times = cache.log(context.seconds());
    context.say(times.trim_end());
    write_text(log, &times)?;
    context.say(format!(
        "{}: ready in {:.0} s; try: chiasm translate -s {}",
        arguments.output.display(),
        context.seconds(),
        arguments.output.display()
    ));
    Ok(())
}

impl Paths for Inputs {
    fn paths(&self) -> Vec<&Path> {
        let one = [
            &self.source,
            &self.target,
            &self.tsv,
            &self.tmx,
            &self.dev_source,
            &self.links,
            &self.lm,
            &self.lm_text,
        ];
        let one = one.into_iter().flatten();
        one.chain(&self.dev_target).map(PathBuf::as_path).collect()
    }
}

impl Inputs {
    /// What the pipeline is asked for; stages are kept in `cache`.
    pub fn request(&self, presets: &Presets, cache: PathBuf) -> anyhow::Result<Request> {
        Ok(Request {
            raw: self.raw()?,
            lm_text: self.lm_text.clone(),
            lm: self.lm.clone(),
            settings: presets.settings()?,
            cache,
        })
    }

    fn raw(&self) -> anyhow::Result<Raw> {
        let languages = match (&self.source_language, &self.target_language) {
            (Some(source), Some(target)) => Some((source.clone(), target.clone())),
            _ if self.tokenized => None,
            _ => bail!(
                "say --source-language and --target-language, or --tokenized if the text is ready"
            ),
        };
        Ok(Raw {
            input: self.input(languages.as_ref())?,
            dev: self
                .dev_source
                .clone()
                .map(|source| (source, self.dev_target.clone())),
            languages,
        })
    }

    fn input(&self, languages: Option<&(String, String)>) -> anyhow::Result<Input> {
        Ok(match (&self.source, &self.target, &self.tsv, &self.tmx) {
            (Some(source), Some(target), ..) => Input::Lines {
                source: source.clone(),
                target: target.clone(),
                links: self.links.clone(),
            },
            (_, _, Some(file), _) => Input::TabSeparated {
                file: file.clone(),
                columns: self.columns,
            },
            (_, _, _, Some(file)) => Input::TranslationMemory {
                file: file.clone(),
                languages: languages
                    .cloned()
                    .context("--tmx needs --source-language and --target-language")?,
            },
            _ => bail!("say --source and --target, --tsv or --tmx"),
        })
    }
}

impl Presets {
    /// The preset, with the configuration and the options over it.
    pub fn settings(&self) -> anyhow::Result<Settings> {
        let mut settings = match &self.config {
            None => Settings::preset(self.preset),
            Some(path) => read_config(path, self.preset)?,
        };
        if let Some(seed) = self.seed {
            settings.seed = seed;
        }
        if let Some(wanted) = &self.joint {
            settings.joint.train = wanted == "on";
        }
        if let Some(wanted) = &self.ranker {
            settings.ranker.train = wanted == "on";
        }
        if let Some(memory) = self.memory {
            settings.memory = memory;
        }
        Ok(settings)
    }
}

fn read_config(path: &Path, preset: Preset) -> anyhow::Result<Settings> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Settings::read_over(preset, &text).map_err(|e| anyhow!("{}: {e}", path.display()))
}
