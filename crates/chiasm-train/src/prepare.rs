//! The text stage: two files (and links, if they are given) become clean training text and a
//! development set.
//!
//! Pairs that nobody should train on are left out and counted: an empty side, too long, too
//! unequal, invalid UTF-8, a token that is a separator of phrase tables. If no development set is
//! given, one is cut evenly from what remains, and pairs equal to it leave the training text.

use crate::input::{Input, Next, PairReader};
use crate::normalise::{Normaliser, Side};
use crate::settings::TextSettings;
use crate::{Error, Result};
use chiasm_decode::Case;
use chiasm_phrases::moses_text::SEPARATOR;
use chiasm_text::cleaning::{Cleaner, Limits, Verdict};
use chiasm_text::{MappedText, TextOutput, Truecaser, TruecaserTrainer};
use chiasm_work::Observer;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// What the text stage starts from.
#[derive(Clone, Debug)]
pub struct Raw {
    /// The training text.
    pub input: Input,
    /// Development source and its references.
    pub dev: Option<(PathBuf, Vec<PathBuf>)>,
    /// The languages, if the text is to be tokenised; none if it is ready.
    pub languages: Option<(String, String)>,
}

/// The training text's source side, a [`MappedText`] that every later stage reads.
pub const TRAIN_SOURCE: &str = "train.source";
/// Its target side, likewise.
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
    observer: &dyn Observer,
) -> Result<()> {
    let case = settings.case.case(raw.languages.is_none());
    let mut reader = Reader::open(raw, settings, case)?;
    let mut pairs = Vec::new();
    while let Some(pair) = reader.next()? {
        pairs.push(pair);
    }
    reader.report(pairs.len(), observer);
    if let Some(first) = reader
        .first_invalid
        .take_if(|_| reader.invalid * TOLERATED_INVALID > pairs.len() as u64)
    {
        let (invalid, good) = (reader.invalid, pairs.len());
        return Err(Error::Request(format!(
            "{first}; so are {invalid} lines beside {good} good ones: convert the text to UTF-8 first"
        )));
    }
    if pairs.is_empty() {
        return Err(Error::Request(format!(
            "{}: no sentence pair is left to train on; see the counts above",
            raw.input.name()
        )));
    }
    let mut normalisers = reader.normalisers;
    if case == Case::Truecased {
        let [source, target] = recase(&mut pairs, folder)?;
        let [first, second] = normalisers;
        normalisers = [first.with_casing(source), second.with_casing(target)];
    }
    match &raw.dev {
        Some((source, targets)) => copy_dev(&mut normalisers, source, targets, folder)?,
        None => cut_dev(&mut pairs, settings, folder, observer)?,
    }
    let source = pairs.iter().map(|pair| pair.source.as_str());
    MappedText::write(folder.join(TRAIN_SOURCE), source)?;
    let target = pairs.iter().map(|pair| pair.target.as_str());
    MappedText::write(folder.join(TRAIN_TARGET), target)?;
    if raw.input.has_links() {
        let links = pairs.iter().map(|pair| pair.links.as_str());
        write_lines(&folder.join(TRAIN_LINKS), links)?;
    }
    Ok(())
}

/// Learns how words are written inside sentences, writes that down and rewrites the text.
fn recase(pairs: &mut [Pair], folder: &Path) -> Result<[Truecaser; 2]> {
    let mut trainers = [TruecaserTrainer::new(), TruecaserTrainer::new()];
    for pair in pairs.iter() {
        trainers[0].add_line(&pair.source);
        trainers[1].add_line(&pair.target);
    }
    let casings = trainers.map(|trainer| trainer.finish());
    for pair in pairs.iter_mut() {
        pair.source = casings[0].truecase(&pair.source);
        pair.target = casings[1].truecase(&pair.target);
    }
    for (side, casing) in [Side::Source, Side::Target].into_iter().zip(&casings) {
        let mut output = TextOutput::create(folder.join(side.casing_file()))?;
        output.write_text(casing.to_text().as_bytes())?;
        output.finish()?;
    }
    Ok(casings)
}

/// A pair that is worth training on.
struct Pair {
    source: String,
    target: String,
    links: String,
}

/// Reads pairs and passes over those that are no good.
struct Reader {
    pairs: PairReader,
    cleaner: Cleaner,
    normalisers: [Normaliser; 2],
    invalid: u64,
    first_invalid: Option<chiasm_text::Error>,
    separators: u64,
}

/// A text of which more than one line in so many is no UTF-8 is in another encoding as a whole.
const TOLERATED_INVALID: u64 = 20;

impl Reader {
    fn open(raw: &Raw, settings: &TextSettings, case: Case) -> Result<Self> {
        if raw.input.has_links() && raw.languages.is_some() {
            return Err(Error::Request(
                "--links are of tokenised text: say --tokenized".into(),
            ));
        }
        let limits = Limits {
            maximum: settings.max_length,
            ratio: settings.max_ratio,
            drop_duplicates: settings.drop_duplicates,
            ..Default::default()
        };
        let normaliser = |side| Normaliser::new(raw.languages.as_ref(), side, case);
        Ok(Reader {
            pairs: PairReader::open(&raw.input)?,
            cleaner: Cleaner::new(limits),
            normalisers: [normaliser(Side::Source), normaliser(Side::Target)],
            invalid: 0,
            first_invalid: None,
            separators: 0,
        })
    }

    /// The next pair worth keeping.
    fn next(&mut self) -> Result<Option<Pair>> {
        loop {
            let pair = match self.pairs.next_pair()? {
                Next::End => return Ok(None),
                Next::Invalid(error) => {
                    self.invalid += 1;
                    self.first_invalid.get_or_insert(error);
                    continue;
                }
                Next::Pair(pair) => pair,
            };
            let source = self.normalisers[0].line(&pair.source);
            let target = self.normalisers[1].line(&pair.target);
            if has_separator(&source) || has_separator(&target) {
                self.separators += 1;
                continue;
            }
            if self.cleaner.judge(&source, &target) == Verdict::Keep {
                return Ok(Some(Pair {
                    source,
                    target,
                    links: pair.links,
                }));
            }
        }
    }

    fn report(&self, kept: usize, observer: &dyn Observer) {
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
        observer.say(&format!("{kept} sentence pairs; left out: {list}"));
    }
}

fn has_separator(line: &str) -> bool {
    chiasm_text::tokens(line).any(|token| token == SEPARATOR)
}

/// More target text, normalised like the training text, in `folder`.
pub fn normalised_copy(path: &Path, normaliser: &mut Normaliser, folder: &Path) -> Result<PathBuf> {
    let copy = folder.join("more.target");
    let lines = normaliser.lines(path)?;
    write_lines(&copy, lines.iter().map(String::as_str))?;
    Ok(copy)
}

/// The development set as given, normalised like the training text.
fn copy_dev(
    normalisers: &mut [Normaliser; 2],
    source: &Path,
    targets: &[PathBuf],
    folder: &Path,
) -> Result<()> {
    let source_lines = normalisers[0].lines(source)?;
    if source_lines.is_empty() {
        return Err(Error::Request(format!(
            "{}: no sentences",
            source.display()
        )));
    }
    write_lines(
        &folder.join(DEV_SOURCE),
        source_lines.iter().map(String::as_str),
    )?;
    for (number, path) in targets.iter().enumerate() {
        let lines = normalisers[1].lines(path)?;
        if lines.len() != source_lines.len() {
            return Err(Error::Request(format!(
                "{}: {} lines, but {} has {}",
                path.display(),
                lines.len(),
                source.display(),
                source_lines.len()
            )));
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
    observer: &dyn Observer,
) -> Result<()> {
    let all = pairs.len();
    // Never more than a tenth, never none.
    let wanted = settings.dev_pairs.min(all / 10).max(1);
    if all < 2 {
        return Err(Error::Request(
            "one sentence pair is not enough for training text and a development set".into(),
        ));
    }
    let chosen = |index: usize| index * wanted / all != (index + 1) * wanted / all;
    let dev: Vec<usize> = (0..all).filter(|&index| chosen(index)).collect();
    let column = |name: &str, text: fn(&Pair) -> &str| -> Result<()> {
        write_lines(
            &folder.join(name),
            dev.iter().map(|&index| text(&pairs[index])),
        )
    };
    column(DEV_SOURCE, |pair| &pair.source)?;
    column(&dev_target(0), |pair| &pair.target)?;
    let held_out: HashSet<u128> = dev.iter().map(|&index| hash(&pairs[index])).collect();
    pairs.retain(|pair| !held_out.contains(&hash(pair)));
    observer.say(&format!(
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

fn write_lines<'a>(path: &Path, lines: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut output = TextOutput::create(path)?;
    for line in lines {
        output.write_text(line.as_bytes())?;
        output.write_text(b"\n")?;
    }
    Ok(output.finish()?)
}
