//! The text stage: two files (and links, if they are given) become clean training text and a
//! development set.
//!
//! Pairs that nobody should train on are left out and counted: an empty side, too long, too
//! unequal, invalid UTF-8, a token that is a separator of phrase tables. If no development set is
//! given, one is cut evenly from what remains, and pairs equal to it leave the training text.

use super::settings::TextSettings;
use crate::context::Context;
use anyhow::{Context as _, bail};
use chiasm_phrases::moses_text::SEPARATOR;
use chiasm_text::cleaning::{Cleaner, Limits, Verdict};
use chiasm_text::{Lines, TextOutput, Tokenizer};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// What the text stage starts from.
#[derive(Clone, Debug)]
pub struct Raw {
    /// Source text.
    pub source: PathBuf,
    /// Target text.
    pub target: PathBuf,
    /// Word alignment of exactly these lines, if it is known.
    pub links: Option<PathBuf>,
    /// Development source and its references.
    pub dev: Option<(PathBuf, Vec<PathBuf>)>,
    /// The languages, if the text is to be tokenised and lower-cased; none if it is ready.
    pub languages: Option<(String, String)>,
}

/// The files of the stage.
pub const TRAIN_SOURCE: &str = "train.source";
/// The training text's target side.
pub const TRAIN_TARGET: &str = "train.target";
/// The links of the training text, if they were given.
pub const TRAIN_LINKS: &str = "train.links";
/// The development set's source side.
pub const DEV_SOURCE: &str = "dev.source";

/// The development set's reference of this number.
pub fn dev_target(number: usize) -> String {
    format!("dev.target{number}")
}

/// Does the stage's work in `folder`.
pub fn prepare(
    raw: &Raw,
    settings: &TextSettings,
    folder: &Path,
    context: &Context,
) -> anyhow::Result<()> {
    let mut reader = Reader::open(raw, settings)?;
    let mut pairs = Vec::new();
    while let Some(pair) = reader.next()? {
        pairs.push(pair);
    }
    reader.report(pairs.len(), context);
    if pairs.is_empty() {
        bail!(
            "{}: no sentence pair is left to train on; see the counts above",
            raw.source.display()
        );
    }
    match &raw.dev {
        Some((source, targets)) => copy_dev(raw, source, targets, folder)?,
        None => cut_dev(&mut pairs, settings, folder, context)?,
    }
    let column = |name: &str, text: fn(&Pair) -> &str| -> anyhow::Result<()> {
        write_lines(&folder.join(name), pairs.iter().map(text))
    };
    column(TRAIN_SOURCE, |pair| &pair.source)?;
    column(TRAIN_TARGET, |pair| &pair.target)?;
    if raw.links.is_some() {
        column(TRAIN_LINKS, |pair| &pair.links)?;
    }
    Ok(())
}

/// A pair that is worth training on.
struct Pair {
    source: String,
    target: String,
    links: String,
}

/// Tokenises and lower-cases, or leaves ready text as it is.
pub enum Normaliser {
    /// Text that is tokenised already.
    Ready,
    /// Text as people write it, in a language.
    Raw(Box<Tokenizer>),
}

impl Normaliser {
    /// For a language, or for ready text.
    pub fn new(language: Option<&str>) -> Self {
        match language {
            None => Normaliser::Ready,
            Some(language) => Normaliser::Raw(Box::new(Tokenizer::new(language))),
        }
    }

    /// One line.
    pub fn line(&mut self, line: &str) -> String {
        match self {
            Normaliser::Ready => line.to_string(),
            Normaliser::Raw(tokenizer) => tokenizer.tokenize(line).to_lowercase(),
        }
    }
}

/// Reads pairs side by side and passes over those that are no good.
struct Reader {
    source: Lines,
    target: Lines,
    links: Option<Lines>,
    cleaner: Cleaner,
    normalisers: [Normaliser; 2],
    invalid: u64,
    separators: u64,
}

impl Reader {
    fn open(raw: &Raw, settings: &TextSettings) -> anyhow::Result<Self> {
        if raw.links.is_some() && raw.languages.is_some() {
            bail!("--links are of tokenised text: say --tokenized");
        }
        let limits = Limits {
            maximum: settings.max_length,
            ratio: settings.max_ratio,
            drop_duplicates: settings.drop_duplicates,
            ..Default::default()
        };
        let language = |side: fn(&(String, String)) -> &String| {
            Normaliser::new(raw.languages.as_ref().map(|both| side(both).as_str()))
        };
        Ok(Reader {
            source: Lines::open(&raw.source)?,
            target: Lines::open(&raw.target)?,
            links: raw.links.as_ref().map(Lines::open).transpose()?,
            cleaner: Cleaner::new(limits),
            normalisers: [language(|both| &both.0), language(|both| &both.1)],
            invalid: 0,
            separators: 0,
        })
    }

    /// The next pair worth keeping.
    fn next(&mut self) -> anyhow::Result<Option<Pair>> {
        loop {
            let source = self.source.next_bytes()?.map(<[u8]>::to_vec);
            let target = self.target.next_bytes()?.map(<[u8]>::to_vec);
            let links = match &mut self.links {
                Some(lines) => lines.next_line()?.map(str::to_string),
                None => source.as_ref().map(|_| String::new()),
            };
            let (source, target, links) = match (source, target, links) {
                (Some(source), Some(target), Some(links)) => (source, target, links),
                (None, None, None) => return Ok(None),
                (None, None, Some(_)) if self.links.is_none() => return Ok(None),
                (source, target, _) => return Err(self.unequal(source.is_some(), target.is_some())),
            };
            let (Ok(source), Ok(target)) = (String::from_utf8(source), String::from_utf8(target))
            else {
                self.invalid += 1;
                continue;
            };
            let source = self.normalisers[0].line(&source);
            let target = self.normalisers[1].line(&target);
            if has_separator(&source) || has_separator(&target) {
                self.separators += 1;
                continue;
            }
            if self.cleaner.judge(&source, &target) == Verdict::Keep {
                let pair = Pair {
                    source,
                    target,
                    links,
                };
                return Ok(Some(pair));
            }
        }
    }

    fn unequal(&self, source: bool, target: bool) -> anyhow::Error {
        let (long, short) = match (source, target) {
            (true, false) => (&self.source, &self.target),
            (false, true) => (&self.target, &self.source),
            _ => match &self.links {
                Some(links) if source => (&self.source, links),
                Some(links) => (links, &self.source),
                None => (&self.source, &self.target),
            },
        };
        anyhow::anyhow!(
            "{}: the file ends after line {}, but {} has more lines",
            short.path().display(),
            short.number(),
            long.path().display()
        )
    }

    fn report(&self, kept: usize, context: &Context) {
        let mut left_out: BTreeMap<&str, u64> = BTreeMap::new();
        left_out.insert("with invalid UTF-8", self.invalid);
        left_out.insert("with the token |||", self.separators);
        for (verdict, name) in [
            (Verdict::TooShort, "with an empty side"),
            (Verdict::TooLong, "too long"),
            (Verdict::Ratio, "of too different lengths"),
            (Verdict::Duplicate, "seen before"),
        ] {
            left_out.insert(name, self.cleaner.count(verdict));
        }
        left_out.retain(|_, count| *count > 0);
        let list: Vec<String> = left_out
            .iter()
            .map(|(name, count)| format!("{count} {name}"))
            .collect();
        let list = if list.is_empty() {
            "none".to_string()
        } else {
            list.join(", ")
        };
        context.say(format!("{kept} sentence pairs; left out: {list}"));
    }
}

fn has_separator(line: &str) -> bool {
    chiasm_text::tokens(line).any(|token| token == SEPARATOR)
}

/// More target text, normalised like the training text, in `folder`.
pub fn normalised_copy(path: &Path, raw: &Raw, folder: &Path) -> anyhow::Result<PathBuf> {
    let mut normaliser = Normaliser::new(raw.languages.as_ref().map(|both| both.1.as_str()));
    let copy = folder.join("more.target");
    let mut lines = Lines::open(path)?;
    let mut output = TextOutput::create(&copy)?;
    while let Some(line) = lines.next_line()? {
        output.write_text(normaliser.line(line).as_bytes())?;
        output.write_text(b"\n")?;
    }
    output.finish()?;
    Ok(copy)
}

/// The development set as given, normalised like the training text.
fn copy_dev(raw: &Raw, source: &Path, targets: &[PathBuf], folder: &Path) -> anyhow::Result<()> {
    let languages = raw.languages.as_ref();
    let read = |path: &Path, language: Option<&str>| -> anyhow::Result<Vec<String>> {
        let mut normaliser = Normaliser::new(language);
        let mut lines = Lines::open(path)?;
        let mut all = Vec::new();
        while let Some(line) = lines.next_line()? {
            all.push(normaliser.line(line));
        }
        Ok(all)
    };
    let source_lines = read(source, languages.map(|both| both.0.as_str()))?;
    if source_lines.is_empty() {
        bail!("{}: no sentences", source.display());
    }
    write_lines(
        &folder.join(DEV_SOURCE),
        source_lines.iter().map(String::as_str),
    )?;
    for (number, path) in targets.iter().enumerate() {
        let lines = read(path, languages.map(|both| both.1.as_str()))?;
        if lines.len() != source_lines.len() {
            bail!(
                "{}: {} lines, but {} has {}",
                path.display(),
                lines.len(),
                source.display(),
                source_lines.len()
            );
        }
        let name = dev_target(number);
        write_lines(&folder.join(name), lines.iter().map(String::as_str))?;
    }
    Ok(())
}

/// Takes pairs evenly out of the training text, and their copies with them.
fn cut_dev(
    pairs: &mut Vec<Pair>,
    settings: &TextSettings,
    folder: &Path,
    context: &Context,
) -> anyhow::Result<()> {
    let all = pairs.len();
    // Never more than a tenth, never none.
    let wanted = settings.dev_pairs.min(all / 10).max(1);
    if all < 2 {
        bail!("one sentence pair is not enough for training text and a development set");
    }
    let chosen = |index: usize| index * wanted / all != (index + 1) * wanted / all;
    let dev: Vec<usize> = (0..all).filter(|&index| chosen(index)).collect();
    let column = |name: &str, text: fn(&Pair) -> &str| -> anyhow::Result<()> {
        write_lines(
            &folder.join(name),
            dev.iter().map(|&index| text(&pairs[index])),
        )
    };
    column(DEV_SOURCE, |pair| &pair.source)?;
    column(&dev_target(0), |pair| &pair.target)?;
    let held_out: HashSet<u128> = dev.iter().map(|&index| hash(&pairs[index])).collect();
    pairs.retain(|pair| !held_out.contains(&hash(pair)));
    context.say(format!(
        "no development set given: {} pairs were cut from the training text, {} remain",
        dev.len(),
        pairs.len()
    ));
    Ok(())
}

fn hash(pair: &Pair) -> u128 {
    let mut hash = Xxh3::new();
    hash.update(pair.source.as_bytes());
    hash.update(b"\n");
    hash.update(pair.target.as_bytes());
    hash.digest128()
}

fn write_lines<'a>(path: &Path, lines: impl Iterator<Item = &'a str>) -> anyhow::Result<()> {
    let mut output = TextOutput::create(path)?;
    for line in lines {
        output.write_text(line.as_bytes())?;
        output.write_text(b"\n")?;
    }
    output.finish().with_context(|| path.display().to_string())
}
