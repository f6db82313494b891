//! `chiasm translate`: sentences in, translations out, in order.

use super::destination;
use crate::context::Context;
use anyhow::{Context as _, bail};
use chiasm_decode::formats::{self, Form};
use chiasm_decode::{
    Decoder, Glossary, Input, Markup, Preparation, SENTENCES_AHEAD, SearchAlgorithm,
    SearchSettings, System, Wanted,
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
    #[arg(long, value_parser = ["cube", "stack"])]
    search: Option<String>,
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
    #[arg(long, value_name = "N|none", value_parser = parse_limit)]
    distortion_limit: Option<DistortionLimit>,
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
    #[arg(long, default_value = "pass-through",
          value_parser = ["exclusive", "inclusive", "ignore", "pass-through"])]
    xml_input: String,
    /// Whether the system's neural ranker chooses among translations [default: as the system says].
    #[arg(long, value_parser = ["on", "off"])]
    ranker: Option<String>,
    /// Also write word alignments, in Pharaoh form.
    #[arg(long, value_name = "FILE")]
    alignment: Option<PathBuf>,
}

#[derive(Clone, Copy)]
struct DistortionLimit(Option<u16>);

fn parse_limit(text: &str) -> Result<DistortionLimit, String> {
    match text {
        "none" | "-1" => Ok(DistortionLimit(None)),
        _ => {
            let number = text
                .parse()
                .map_err(|_| "a number or none expected".to_string())?;
            Ok(DistortionLimit(Some(number)))
        }
    }
}

impl Arguments {
    fn settings(&self, system: &System) -> SearchSettings {
        let mut settings = system.configuration().search.clone();
        match self.search.as_deref() {
            Some("cube") => settings.algorithm = SearchAlgorithm::Cube,
            Some("stack") => settings.algorithm = SearchAlgorithm::Stack,
            _ => {}
        }
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
        if self.ranker.as_deref() == Some("off") {
            settings.ranked = 0;
        }
        settings
    }

    fn markup(&self) -> Markup {
        match self.xml_input.as_str() {
            "exclusive" => Markup::Exclusive,
            "inclusive" => Markup::Inclusive,
            "ignore" => Markup::Ignore,
            _ => Markup::PassThrough,
        }
    }

    fn preparation(&self, system: &System) -> Preparation {
        if self.tokenized {
            return Preparation::tokenized();
        }
        let raw = Preparation::new(system);
        match self.markup() {
            Markup::PassThrough => raw,
            _ => raw.with_ready_source(),
        }
    }
}

/// A line of input with its number; `None` if it could not be read.
type NumberedLine = (usize, Option<String>);

/// What is printed for a line.
#[derive(Default)]
struct Printed {
    text: String,
    alignment: String,
}

/// Translates.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    destination::check(
        &[&arguments.output, &arguments.alignment],
        &[&arguments.system, &arguments.input, &arguments.glossary],
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
    let mut alignment = arguments
        .alignment
        .as_ref()
        .map(TextOutput::create)
        .transpose()?;
    let markup = arguments.markup();
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
    let (name, mut number) = (lines.path().to_path_buf(), 0);
    let read = |input: &mut NumberedLine| -> anyhow::Result<bool> {
        let Some(line) = read_line(&mut lines, arguments.skip_bad_lines, context)? else {
            return Ok(false);
        };
        *input = (number, line);
        number += 1;
        Ok(true)
    };
    let process = |(number, line): &NumberedLine, printed: &mut Printed| -> anyhow::Result<()> {
        let Some(line) = line else {
            (printed.text, printed.alignment) = (form.nothing().into(), "\n".into());
            return Ok(());
        };
        let place = || format!("{}: line {}", name.display(), number + 1);
        if let (true, Some(tag)) = (markup != Markup::PassThrough, Input::unclosed_element(line)) {
            bail!("{}: <{tag}> is opened and not closed", place());
        }
        let mut input = Input::from_marked_line(&preparation.source_tokens(line), markup);
        if let Some(glossary) = &glossary {
            glossary.apply(&mut input);
        }
        let found = decoder.nbest(&input, wanted).with_context(place)?;
        printed.text = form.print(&system, &preparation, (*number, &input.tokens), &found);
        printed.alignment = found.first().map(formats::pharaoh).unwrap_or_default() + "\n";
        Ok(())
    };
    let threads = if typed { 1 } else { context.threads };
    let pool = InOrder::new(threads).ahead(SENTENCES_AHEAD);
    pool.run(read, process, |printed| {
        output.write_text(printed.text.as_bytes())?;
        if let Some(alignment) = &mut alignment {
            alignment.write_text(printed.alignment.as_bytes())?;
        }
        if typed {
            output.flush()?;
        }
        Ok(())
    })?;
    output.finish()?;
    if let Some(alignment) = alignment {
        alignment.finish()?;
    }
    Ok(())
}

/// The next line; the inner `None` is one that is not UTF-8.
fn read_line(
    lines: &mut Lines,
    skip_bad: bool,
    context: &Context,
) -> anyhow::Result<Option<Option<String>>> {
    if !skip_bad {
        return Ok(lines.next_line()?.map(|line| Some(line.to_string())));
    }
    let Some(bytes) = lines.next_bytes()? else {
        return Ok(None);
    };
    let text = std::str::from_utf8(bytes).ok().map(str::to_string);
    if text.is_none() {
        let place = format!("{}: line {}", lines.path().display(), lines.number());
        context.say(format!("{place}: not UTF-8; left empty"));
    }
    Ok(Some(text))
}
