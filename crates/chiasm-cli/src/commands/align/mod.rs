//! `chiasm align`: word alignment of a corpus, or of new text with a saved model.

mod outputs;

use super::destination;
use crate::context::{Context, print_out, tell};
use chiasm_align::{
    Bitext, JOINED_EXPECTED, LinkSettings, Method, Model, Preset, Settings, align_corpus,
    align_texts, passes, split_joined, train,
};
use chiasm_phrases::{AlignedFiles, IndexedCorpus, Lexicon};
use chiasm_text::{Batch, Lines, ParallelLines};
use chiasm_work::MemorySize;
use clap::Args;
use outputs::Outputs;
use std::path::{Path, PathBuf};

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// Source text, a sentence a line, tokens between spaces. Without --source and --target, lines
    /// `source ||| target` are read from standard input.
    #[arg(long, value_name = "FILE", requires = "target")]
    source: Option<PathBuf>,
    /// Target text.
    #[arg(long, value_name = "FILE", requires = "source")]
    target: Option<PathBuf>,
    /// fast: log-linear IBM Model 2; standard, best: hidden Markov model with fertilities, sampled.
    #[arg(long, default_value = "standard", conflicts_with = "model")]
    preset: Preset,
    /// The links, a line a sentence pair: 0-0 1-2 ...
    #[arg(long, short, value_name = "LINKS", default_value = "-")]
    output: PathBuf,
    /// Also write each target word's link, before both directions are made one.
    #[arg(long, value_name = "LINKS")]
    forward_output: Option<PathBuf>,
    /// Also write each source word's link, before both directions are made one.
    #[arg(long, value_name = "LINKS")]
    reverse_output: Option<PathBuf>,
    /// Save the model for aligning new text.
    #[arg(long, value_name = "MODEL", conflicts_with = "model")]
    save: Option<PathBuf>,
    /// Align with a saved model instead of estimating one.
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,
    /// Also write LINKS.scores: the posterior probability of every link, in the order of the links.
    #[arg(long)]
    scores: bool,
    /// Also write the word translation tables PREFIX.f2e and PREFIX.e2f that the links give.
    #[arg(long, value_name = "PREFIX", requires = "source")]
    lexicon: Option<PathBuf>,
    /// How both directions are made one: union, intersection, grow, grow-diag, grow-diag-final,
    /// grow-diag-final-and, forward, reverse.
    #[arg(long, value_name = "METHOD", default_value = "grow-diag-final-and")]
    symmetrise: Method,
    /// The share of words without a counterpart, a priori [default: by preset]. Smaller values leave
    /// fewer words unaligned: good for phrase tables, less so for the alignment error rate.
    #[arg(long, value_name = "P", conflicts_with = "model")]
    null_probability: Option<f32>,
    /// A word gets no link if having none is this many times as probable as its best link; larger
    /// values leave fewer words unaligned.
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    null_bias: f32,
    /// About how much memory estimating the model may take; if the corpus needs more, the model is
    /// estimated on an even sample of it.
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "4G",
        conflicts_with = "model"
    )]
    memory: MemorySize,
    /// The same seed gives the same links.
    #[arg(long, value_name = "S", default_value_t = 1, conflicts_with = "model")]
    seed: u64,
    /// Passes over the corpus [default: by preset and corpus size].
    #[arg(long, value_name = "N", conflicts_with = "model", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    iterations: Option<u32>,
    /// Independent samplers [default: by preset].
    #[arg(long, value_name = "N", conflicts_with = "model", value_parser = clap::value_parser!(u32).range(1..=64))]
    samplers: Option<u32>,
    /// Print a summary as JSON, on standard error if the links go to standard output.
    #[arg(long)]
    json: bool,
}

/// Estimates and aligns, or only aligns.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let to_stdout = arguments.output.as_os_str() == "-";
    if to_stdout && (arguments.scores || arguments.lexicon.is_some()) {
        anyhow::bail!("--scores and --lexicon need a file name for the links: -o LINKS");
    }
    if !(arguments.null_bias > 0.0 && arguments.null_bias.is_finite()) {
        anyhow::bail!("--null-bias must be a number above 0");
    }
    if arguments
        .null_probability
        .is_some_and(|p| !(p > 0.0 && p < 1.0))
    {
        anyhow::bail!("--null-probability must be between 0 and 1");
    }
    destination::check(
        &[
            &outputs::paths(&arguments),
            &arguments.save,
            &destination::with_endings(&arguments.lexicon, &destination::LEXICON),
        ],
        &[&arguments.source, &arguments.target, &arguments.model],
    )?;
    let mut summary = match &arguments.model {
        Some(model) => align_new(&arguments, model)?,
        None => align_corpus_itself(&arguments, context)?,
    };
    if let (Some(prefix), Some(source), Some(target)) =
        (&arguments.lexicon, &arguments.source, &arguments.target)
    {
        write_lexicon(prefix, source, target, &arguments.output)?;
    }
    summary["seconds"] = context.seconds().into();
    summary["peak_memory_bytes"] = chiasm_work::peak_memory_bytes().into();
    if arguments.json && to_stdout {
        tell(&summary.to_string());
    } else if arguments.json {
        print_out(summary)?;
    } else {
        let share = summary["unaligned_share"].as_f64().unwrap_or(0.0);
        context.say(format!(
            "{}: {} pairs, {} links, {:.1} % of the words unaligned",
            arguments.output.display(),
            summary["pairs"],
            summary["links"],
            100.0 * share
        ));
    }
    Ok(())
}

fn link_settings(arguments: &Arguments) -> LinkSettings {
    LinkSettings {
        method: arguments.symmetrise,
        null_bias: arguments.null_bias,
    }
}

fn align_corpus_itself(
    arguments: &Arguments,
    context: &Context,
) -> anyhow::Result<serde_json::Value> {
    let bitext = match (&arguments.source, &arguments.target) {
        (Some(source), Some(target)) => Bitext::read(source, target)?,
        _ => Bitext::read_joined(&mut Lines::open("-")?)?,
    };
    let mut settings = Settings::preset(arguments.preset, bitext.len());
    settings.seed = arguments.seed;
    settings.memory = arguments.memory;
    if let Some(probability) = arguments.null_probability {
        settings.set_null_probability(probability);
    }
    if let Some(passes) = arguments.iterations {
        settings.set_passes(passes);
    }
    if let (Some(samplers), Some(sampling)) = (arguments.samplers, &mut settings.sampling) {
        sampling.chains = samplers;
    }
    // Outputs are opened before the long work, so that a wrong path is known at once.
    let mut outputs = Outputs::create(arguments)?;
    let progress = context.progress("estimate", "passes", Some(passes(&settings)));
    let trained = train(&bitext, &settings, &progress);
    drop(progress);
    if trained.spacing > 1 {
        context.say(format!(
            "{} of memory hold {} of {} pairs: the model was estimated on these and aligns the others",
            settings.memory,
            trained.sentences,
            bitext.len()
        ));
    }
    let progress = context.progress("align", "pairs", Some(bitext.len() as u64));
    let mut lengths = (0..bitext.len()).map(|at| {
        let (source, target) = (&bitext.source.text, &bitext.target.text);
        (source.sentence(at).len(), target.sentence(at).len())
    });
    align_corpus(
        &trained,
        &bitext,
        link_settings(arguments),
        &progress,
        |pair| {
            let (sources, targets) = lengths.next().unwrap_or_default();
            outputs.write(pair, sources, targets)
        },
    )?;
    drop(progress);
    let mut summary = outputs.finish()?;
    if let Some(path) = &arguments.save {
        trained.model.save(path)?;
        summary["model_bytes"] = std::fs::metadata(path)?.len().into();
    }
    summary["estimated_on"] = trained.sentences.into();
    summary["passes"] = passes(&settings).into();
    Ok(summary)
}

const ROWS: usize = 512;

fn align_new(arguments: &Arguments, model: &Path) -> anyhow::Result<serde_json::Value> {
    let model = Model::open(model)?;
    let mut outputs = Outputs::create(arguments)?;
    let mut reader = PairReader::open(arguments)?;
    let lengths = std::sync::Mutex::new(std::collections::VecDeque::new());
    align_texts(
        &model,
        link_settings(arguments),
        |lines| {
            let more = reader.next(lines)?;
            if let Ok(mut lengths) = lengths.lock() {
                let count = |line: &str| chiasm_text::tokens(line).count();
                lengths.extend(
                    lines
                        .iter()
                        .map(|(source, target)| (count(source), count(target))),
                );
            }
            Ok(more)
        },
        |pair| {
            let next = lengths
                .lock()
                .ok()
                .and_then(|mut lengths| lengths.pop_front());
            let (sources, targets) = next.unwrap_or_default();
            outputs.write(pair, sources, targets)
        },
    )?;
    outputs.finish()
}

/// Sentence pairs from two files or from standard input.
enum PairReader {
    Files(ParallelLines, Batch),
    Joined(Lines),
}

impl PairReader {
    fn open(arguments: &Arguments) -> anyhow::Result<Self> {
        Ok(match (&arguments.source, &arguments.target) {
            (Some(source), Some(target)) => {
                PairReader::Files(ParallelLines::open(&[source, target])?, Batch::default())
            }
            _ => PairReader::Joined(Lines::open("-")?),
        })
    }

    fn next(&mut self, lines: &mut Vec<(String, String)>) -> chiasm_align::Result<bool> {
        lines.clear();
        match self {
            PairReader::Files(files, batch) => {
                files.next_batch(batch, ROWS)?;
                let row = |row| {
                    (
                        batch.line(0, row).to_string(),
                        batch.line(1, row).to_string(),
                    )
                };
                lines.extend((0..batch.len()).map(row));
            }
            PairReader::Joined(input) => {
                while lines.len() < ROWS {
                    let Some(line) = input.next_line()? else {
                        break;
                    };
                    let Some((source, target)) = split_joined(line) else {
                        return Err(input.error(JOINED_EXPECTED).into());
                    };
                    lines.push((source.to_string(), target.to_string()));
                }
            }
        }
        Ok(!lines.is_empty())
    }
}

fn write_lexicon(prefix: &Path, source: &Path, target: &Path, links: &Path) -> anyhow::Result<()> {
    let folder = match links.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let files = AlignedFiles {
        source: source.to_path_buf(),
        target: target.to_path_buf(),
        links: links.to_path_buf(),
    };
    let mut corpus = IndexedCorpus::read(&files, folder, &())?;
    let lexicon = Lexicon::count(&mut corpus)?;
    lexicon.write(prefix, &corpus.source.vocabulary, &corpus.target.vocabulary)?;
    Ok(())
}
