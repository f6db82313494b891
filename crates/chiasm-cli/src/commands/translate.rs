//! `chiasm translate`: sentences in, translations out, in order.

use super::destination;
use crate::context::Context;
use anyhow::Context as _;
use chiasm_adapt::Memory;
use chiasm_decode::formats::Form;
use chiasm_decode::{
    Decoder, Glossary, JumpLimit, LineTranslator, Markup, Preparation, PrintedLine,
    SENTENCES_AHEAD, SearchAlgorithm, SearchSettings, System, Unknown, Wanted,
};
use chiasm_text::{Lines, TextOutput};
use chiasm_work::InOrder;
use clap::Args;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// The system.
    #[arg(short, long, value_name = "FILE")]
    system: PathBuf,
    /// What to translate; standard input by default.
    #[arg(long, value_name = "FILE", default_value = "-")]
    input: PathBuf,
    /// Where the translations go; standard output by default.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Print the N best translations with features and links, as Moses does.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    nbest: Option<u32>,
    /// Only translations with different words among the N best.
    #[arg(long)]
    distinct: bool,
    /// The input is tokenised, the output shall be. Without it, a system that knows its languages
    /// tokenises (not with --xml-input) and joins the words of the translation.
    #[arg(long)]
    tokenized: bool,
    /// Lines of a source phrase, a tab and the translation it must get.
    #[arg(long, value_name = "TSV")]
    glossary: Option<PathBuf>,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
    /// cube (cube pruning) or stack (every option of every hypothesis) [default: as the system says].
    #[arg(long, value_name = "cube|stack")]
    search: Option<SearchAlgorithm>,
    /// Hypotheses kept for each number of translated words [default: as the system says].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    stack: Option<u32>,
    /// Hypotheses made by cube pruning for each number of translated words [default: as the system says].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pop_limit: Option<u32>,
    /// Drop what is less probable than the best by this factor, e.g. 0.00001; 0 keeps all [default: as the system says].
    #[arg(long, value_name = "X")]
    beam_threshold: Option<f32>,
    /// The longest jump in source words, or none [default: as the system says].
    #[arg(long, value_name = "N|none")]
    distortion_limit: Option<JumpLimit>,
    /// Translations considered for a source phrase; 0 is all [default: as the system says].
    #[arg(long, value_name = "N")]
    table_limit: Option<usize>,
    /// Translate longer inputs in windows of at most this many words [default: as the system says].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=1000))]
    window: Option<u16>,
    /// Translate line by line what looks like HTML, XML, USFM or an archive, too.
    #[arg(long)]
    plain: bool,
    /// Only orders in which every join of neighbouring blocks is straight or inverted.
    #[arg(long)]
    itg: bool,
    /// Leave the translation of a line that is not UTF-8 empty instead of stopping.
    #[arg(long)]
    skip_bad_lines: bool,
    /// What to do with <x translation="..."> in the input.
    #[arg(
        long,
        value_name = "exclusive|inclusive|ignore|pass-through",
        default_value = "pass-through"
    )]
    xml_input: Markup,
    /// Whether the system's neural ranker chooses among translations [default: as the system says].
    #[arg(long, value_parser = ["on", "off"])]
    ranker: Option<String>,
    /// What becomes of words that the phrase table does not know: copied, or translated as the nearest known form of them
    /// [default: as the system says].
    #[arg(long, value_name = "copy|nearest")]
    unknown: Option<Unknown>,
    /// Also write word alignments, in Pharaoh form.
    #[arg(long, value_name = "FILE")]
    alignment: Option<PathBuf>,
    /// What the system was taught with `chiasm adapt`.
    #[arg(long, value_name = "FILE")]
    memory: Option<PathBuf>,
    /// The beginning of the translations: they go on from here, whatever it is.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["nbest", "json", "alignment", "confidence"])]
    prefix: Option<String>,
    /// Also write how sure the system is of each word, from 0 to 1.
    #[arg(long, value_name = "FILE")]
    confidence: Option<PathBuf>,
    /// Also write what the search looked at: a graph of phrases in JSON, a line a sentence.
    #[arg(long, value_name = "FILE")]
    word_graph: Option<PathBuf>,
}

impl Arguments {
    fn settings(&self, system: &System) -> SearchSettings {
        let mut settings = system.configuration().search.clone();
        settings.algorithm = self.search.unwrap_or(settings.algorithm);
        settings.stack = self.stack.map_or(settings.stack, |stack| stack as usize);
        settings.pop_limit = self
            .pop_limit
            .map_or(settings.pop_limit, |limit| limit as usize);
        settings.beam_threshold = self.beam_threshold.unwrap_or(settings.beam_threshold);
        if let Some(limit) = self.distortion_limit {
            settings.distortion_limit = limit.0;
        }
        settings.table_limit = self.table_limit.unwrap_or(settings.table_limit);
        settings.window = self.window.map_or(settings.window, usize::from);
        settings.itg |= self.itg;
        settings.unknown = self.unknown.unwrap_or(settings.unknown);
        if self.ranker.as_deref() == Some("off") {
            settings.ranked = 0;
        }
        settings
    }

    fn preparation(&self, system: &System) -> Preparation {
        if self.tokenized {
            return Preparation::tokenized();
        }
        let raw = Preparation::new(system);
        match self.xml_input {
            Markup::PassThrough => raw,
            _ => raw.with_ready_source(),
        }
    }
}

/// A line of input with its number; `None` if it could not be read.
type NumberedLine = (usize, Option<String>);

/// Translates.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    destination::check(
        &[
            &arguments.output,
            &arguments.alignment,
            &arguments.confidence,
            &arguments.word_graph,
        ],
        &[
            &arguments.system,
            &arguments.input,
            &arguments.glossary,
            &arguments.memory,
        ],
    )?;
    let system = Arc::new(System::open(&arguments.system)?);
    if arguments.ranker.as_deref() == Some("on") && system.ranker().is_none() {
        anyhow::bail!("{}: has no ranker", arguments.system.display());
    }
    let settings = arguments.settings(&system);
    let decoder = Decoder::with_weights(system.clone(), &system.weights(), settings)?;
    let glossary = arguments
        .glossary
        .as_ref()
        .map(Glossary::read)
        .transpose()?;
    // Whoever types waits for the answer before typing on.
    let typed = arguments.input.as_os_str() == "-" && std::io::stdin().is_terminal();
    if typed {
        context.say("type a sentence and Enter; Ctrl-D ends");
    }
    let mut lines = match arguments.plain {
        true => Lines::open(&arguments.input)?,
        false => Lines::open_sentences(&arguments.input)?,
    };
    let mut output = TextOutput::create(&arguments.output)?;
    let create = |path: &Option<PathBuf>| path.as_ref().map(TextOutput::create).transpose();
    let mut beside = [
        create(&arguments.alignment)?,
        create(&arguments.confidence)?,
        create(&arguments.word_graph)?,
    ];
    let learned = match &arguments.memory {
        Some(path) => Some(Memory::existing(system.clone(), path)?.learned()),
        None => None,
    };
    let preparation = arguments.preparation(&system);
    let wanted = Wanted {
        count: arguments.nbest.map_or(1, |count| count as usize),
        distinct: arguments.distinct,
    };
    let form = match (arguments.json, arguments.nbest) {
        (true, nbest) => Form::Json {
            list: nbest.is_some(),
        },
        (false, Some(_)) => Form::Nbest,
        (false, None) => Form::Text,
    };
    if let Some(glossary) = &glossary {
        for entry in glossary.unmatchable(&preparation) {
            context.say(format!("glossary: {entry}"));
        }
    }
    let translator = LineTranslator {
        decoder,
        preparation,
        markup: arguments.xml_input,
        glossary,
        learned,
        wanted,
        form,
        prefix: arguments.prefix.clone(),
        graphs: arguments.confidence.is_some() || arguments.word_graph.is_some(),
    };
    let (name, mut number) = (lines.path().to_path_buf(), 0);
    let read = |input: &mut NumberedLine| -> anyhow::Result<bool> {
        let line = match arguments.skip_bad_lines {
            true => lines.next_readable()?,
            false => lines.next_line()?.map(Some),
        };
        if let Some(None) = line {
            let place = format!("{}: line {}", name.display(), number + 1);
            context.say(format!("{place}: not UTF-8; left empty"));
        }
        let Some(line) = line else { return Ok(false) };
        *input = (number, line.map(str::to_string));
        number += 1;
        Ok(true)
    };
    let process =
        |(number, line): &NumberedLine, printed: &mut PrintedLine| -> anyhow::Result<()> {
            let place = || format!("{}: line {}", name.display(), number + 1);
            *printed = match line {
                Some(line) => translator.translate(*number, line).with_context(place)?,
                None => translator.nothing(),
            };
            Ok(())
        };
    let threads = if typed { 1 } else { context.threads };
    let pool = InOrder::new(threads).ahead(SENTENCES_AHEAD);
    pool.run(read, process, |printed| {
        output.write_text(printed.text.as_bytes())?;
        let texts = [&printed.alignment, &printed.confidences, &printed.graph];
        for (output, text) in beside.iter_mut().zip(texts) {
            if let Some(output) = output {
                output.write_text(text.as_bytes())?;
            }
        }
        if typed {
            output.flush()?;
        }
        Ok(())
    })?;
    output.finish()?;
    for output in beside.into_iter().flatten() {
        output.finish()?;
    }
    Ok(())
}
