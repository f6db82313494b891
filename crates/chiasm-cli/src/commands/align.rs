//! `chiasm align`: word alignment of a corpus, or of new text with a saved model.

use super::destination;
use crate::context::{Context, print_out, tell};
use chiasm_align::{
    AlignRequest, Estimation, LinkFiles, LinkSettings, Method, ModelSource, Preset,
};
use chiasm_phrases::{AlignedFiles, IndexedCorpus, Lexicon};
use chiasm_work::MemorySize;
use clap::Args;
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
    let outputs = arguments.outputs();
    destination::check(
        &[
            &outputs.paths(),
            &arguments.save,
            &destination::with_endings(&arguments.lexicon, &destination::LEXICON),
        ],
        &[&arguments.source, &arguments.target, &arguments.model],
    )?;
    let aligned = arguments.request(outputs).run(context)?;
    if let (Some(prefix), Some(source), Some(target)) =
        (&arguments.lexicon, &arguments.source, &arguments.target)
    {
        write_lexicon(prefix, source, target, &arguments.output)?;
    }
    let mut summary = aligned.json();
    summary["seconds"] = context.seconds().into();
    summary["peak_memory_bytes"] = chiasm_work::peak_memory_bytes().into();
    if arguments.json && to_stdout {
        tell(&summary.to_string());
    } else if arguments.json {
        print_out(summary)?;
    } else {
        context.say(format!(
            "{}: {} pairs, {} links, {:.1} % of the words unaligned",
            arguments.output.display(),
            aligned.counts.pairs,
            aligned.counts.links,
            100.0 * aligned.counts.unaligned_share()
        ));
    }
    Ok(())
}

impl Arguments {
    fn outputs(&self) -> LinkFiles {
        LinkFiles {
            links: self.output.clone(),
            forward: self.forward_output.clone(),
            reverse: self.reverse_output.clone(),
            scores: self.scores,
        }
    }

    fn request(&self, outputs: LinkFiles) -> AlignRequest {
        AlignRequest {
            texts: self.source.clone().zip(self.target.clone()).map(Into::into),
            settings: LinkSettings {
                method: self.symmetrise,
                null_bias: self.null_bias,
            },
            outputs,
            model: match &self.model {
                Some(model) => ModelSource::Saved(model.clone()),
                None => ModelSource::Estimated(Estimation {
                    preset: self.preset,
                    seed: self.seed,
                    memory: self.memory,
                    null_probability: self.null_probability,
                    passes: self.iterations,
                    samplers: self.samplers,
                    save: self.save.clone(),
                }),
            },
        }
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
