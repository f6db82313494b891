//! `chiasm align`: word alignment of a corpus, or of new text with a saved model.

use super::destination;
use crate::context::{Context, print_out, tell};
use chiasm_align::{
    AlignRequest, Estimation, LinkFiles, LinkSettings, Method, Model, ModelSource, PairInput,
    Preset,
};
use chiasm_phrases::Lexicon;
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
    /// Lines `source<TAB>target` in place of two files; - is standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["source", "joined"])]
    tsv: Option<PathBuf>,
    /// Lines `source ||| target` in place of two files.
    #[arg(long, value_name = "FILE", conflicts_with = "source")]
    joined: Option<PathBuf>,
    /// Stop at a line that is blank, broken or too long, in place of giving it no links and counting it.
    #[arg(long)]
    strict: bool,
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
    /// Count what a saved model has seen as seen before this text.
    #[arg(long, value_name = "MODEL", conflicts_with = "model")]
    priors: Option<PathBuf>,
    /// Begin with the links that a saved model finds.
    #[arg(long = "continue", value_name = "MODEL", conflicts_with = "model")]
    start: Option<PathBuf>,
    /// The least seconds between two checkpoints, LINKS.unfinished, from which the same command goes on after a kill.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    checkpoint: u64,
    /// Align with a saved model instead of estimating one.
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,
    /// Also write LINKS.scores: the posterior probability of every link, in the order of the links.
    #[arg(long)]
    scores: bool,
    /// Also write the word translation tables PREFIX.f2e and PREFIX.e2f that the links give.
    #[arg(long, value_name = "PREFIX")]
    lexicon: Option<PathBuf>,
    /// Also write how probable each pair is, forward and reverse: mean log-probabilities a word, a tab between.
    #[arg(long, value_name = "FILE")]
    sentence_scores: Option<PathBuf>,
    /// Align nothing: write the saved model's own word translation tables PREFIX.f2e and PREFIX.e2f.
    #[arg(long, value_name = "PREFIX", requires = "model")]
    write_table: Option<PathBuf>,
    /// Align nothing: make one model, -o, of models of parts of a corpus.
    #[arg(long, value_name = "MODEL", num_args = 1.., conflicts_with_all = ["model", "save"])]
    merge: Option<Vec<PathBuf>>,
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
    /// About how much memory may be taken. What is larger lies in temporary files beside the links, which stay the same.
    #[arg(long, value_name = "SIZE", default_value = "4G")]
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
    chiasm_store::return_freed_memory();
    if let Some(parts) = &arguments.merge {
        destination::check(&[&arguments.output], &[parts])?;
        return Ok(Model::merge_files(parts, &arguments.output)?);
    }
    if let (Some(prefix), Some(model)) = (&arguments.write_table, &arguments.model) {
        let tables = destination::with_endings(&arguments.write_table, &destination::LEXICON);
        destination::check(&[&tables], &[&arguments.model])?;
        return Ok(Model::open(model)?.write_tables(prefix)?);
    }
    let to_stdout = arguments.output.as_os_str() == "-";
    if to_stdout && (arguments.scores || arguments.lexicon.is_some()) {
        anyhow::bail!("--scores and --lexicon need a file name for the links: -o LINKS");
    }
    let mut request = arguments.request();
    destination::check(
        &[
            &request.outputs.paths(),
            &arguments.save,
            &destination::with_endings(&arguments.lexicon, &destination::LEXICON),
        ],
        &[&request.inputs()],
    )?;
    // What was read is what is counted, also of a pipe or around a broken line.
    let folder = arguments.output.parent().unwrap_or(Path::new(""));
    let copies = arguments.lexicon.as_ref();
    let copies = copies.map(|_| tempfile::tempdir_in(Path::new(".").join(folder)));
    let copies = copies.transpose()?;
    let copy = |name| copies.as_ref().map(|copies| copies.path().join(name));
    request.copies = copy("source").zip(copy("target")).map(Into::into);
    let aligned = request.run(context)?;
    if let (Some(prefix), Some([source, target])) = (&arguments.lexicon, request.copies) {
        Lexicon::write_of_files([source, target, arguments.output.clone()], prefix)?;
    }
    let mut summary = aligned.json();
    summary["seconds"] = context.seconds().into();
    summary["peak_memory_bytes"] = chiasm_work::peak_memory_bytes().into();
    if arguments.json && to_stdout {
        tell(&summary.to_string());
    } else if arguments.json {
        print_out(summary)?;
    } else {
        context.say(format!("{}: {aligned}", arguments.output.display()));
    }
    Ok(())
}

impl Arguments {
    fn request(&self) -> AlignRequest {
        AlignRequest {
            input: PairInput::choose(
                self.source.clone().zip(self.target.clone()).map(Into::into),
                self.tsv.clone(),
                self.joined.clone(),
            ),
            strict: self.strict,
            copies: None,
            settings: LinkSettings {
                method: self.symmetrise,
                null_bias: self.null_bias,
            },
            outputs: LinkFiles {
                links: self.output.clone(),
                forward: self.forward_output.clone(),
                reverse: self.reverse_output.clone(),
                scores: self.scores,
                sentence_scores: self.sentence_scores.clone(),
            },
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
                    priors: self.priors.clone(),
                    start: self.start.clone(),
                    checkpoint: self.checkpoint,
                }),
            },
        }
    }
}
