//! ARPA in: one n-gram after another, checked.

use crate::{Error, MAX_ORDER, Result, UNKNOWN};
use chiasm_text::{Lines, Vocabulary};
use std::path::{Path, PathBuf};

/// Reads an ARPA file n-gram by n-gram, order by order.
pub struct Reader {
    lines: Lines,
    path: PathBuf,
    counts: Vec<u64>,
    vocabulary: Vocabulary,
    /// Whether the number of a word came from a 1-gram line; `<unk>` has number 0 in any case.
    has_unknown: bool,
    order: usize,
    read: u64,
    words: Vec<u32>,
    ended: bool,
}

/// One n-gram; its words are in [`Reader::words`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Item {
    /// Log10 probability, at most 0.
    pub probability: f32,
    /// Log10 back-off, 0 if the line has none.
    pub backoff: f32,
}

impl Reader {
    /// Opens a file, plain or compressed, and reads its header.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::new(Lines::open(path)?)
    }

    /// Reads the header from `lines`.
    pub fn new(mut lines: Lines) -> Result<Self> {
        let path = lines.path().to_path_buf();
        let counts = read_header(&mut lines)?;
        let mut vocabulary = Vocabulary::new();
        vocabulary.intern("<unk>");
        Ok(Reader {
            lines,
            path,
            counts,
            vocabulary,
            has_unknown: false,
            order: 1,
            read: 0,
            words: Vec::with_capacity(MAX_ORDER),
            ended: false,
        })
    }

    /// How many n-grams of each order the header promises.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The highest order.
    pub fn order(&self) -> usize {
        self.counts.len()
    }

    /// The words so far, complete after the 1-grams; number 0 is `<unk>`.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Did the 1-grams have `<unk>`?
    pub fn has_unknown(&self) -> bool {
        self.has_unknown
    }

    /// The words of the n-gram read last.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The file's name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The line read last.
    pub fn line(&self) -> u64 {
        self.lines.number()
    }

    /// The next n-gram of the current order; `None` after its last, and then the next call begins
    /// the next order.
    pub fn next_ngram(&mut self) -> Result<Option<Item>> {
        if self.read == self.counts[self.order - 1] {
            self.end_of_order()?;
            return Ok(None);
        }
        self.read += 1;
        let (path, number) = (&self.path, self.lines.number() + 1);
        let Some(line) = self.lines.next_line()? else {
            return Err(Error::line(
                path,
                number,
                too_few(self.order, self.read - 1, &self.counts),
            ));
        };
        if line.is_empty() || line.starts_with('\\') {
            return Err(Error::line(
                path,
                number,
                too_few(self.order, self.read - 1, &self.counts),
            ));
        }
        let parsed = parse_ngram(line, self.order, &mut self.vocabulary, &mut self.words);
        let item = parsed.map_err(|message| Error::line(&self.path, number, message))?;
        if self.words == [UNKNOWN] {
            if self.has_unknown {
                return Err(Error::line(
                    &self.path,
                    number,
                    "<unk> is here a second time",
                ));
            }
            self.has_unknown = true;
        }
        Ok(Some(item))
    }

    /// Reads to the next section's title, or to `\end\` and the end of the file.
    fn end_of_order(&mut self) -> Result<()> {
        if self.ended {
            return Ok(());
        }
        let last = self.order == self.counts.len();
        let expected = if last {
            "\\end\\".to_string()
        } else {
            format!("\\{}-grams:", self.order + 1)
        };
        let found = next_filled(&mut self.lines)?;
        match found {
            Some(line) if line.trim_end() == expected => {}
            Some(line) if !line.starts_with('\\') => {
                let message = format!(
                    "{expected} expected after {} {}-grams, as the header says; '{}' found",
                    self.read,
                    self.order,
                    shortened(&line)
                );
                return Err(self.lines.error(message).into());
            }
            Some(line) => {
                let message = format!("{expected} expected, '{}' found", shortened(&line));
                return Err(self.lines.error(message).into());
            }
            None => {
                let message = format!("the file ends where {expected} was expected");
                return Err(Error::line(&self.path, self.lines.number() + 1, message));
            }
        }
        if last {
            self.ended = true;
            if next_filled(&mut self.lines)?.is_some() {
                return Err(self.lines.error("nothing expected after \\end\\").into());
            }
        } else {
            self.order += 1;
        }
        self.read = 0;
        if last {
            self.read = self.counts[self.order - 1];
        }
        Ok(())
    }
}

fn too_few(order: usize, read: u64, counts: &[u64]) -> String {
    let promised = counts[order - 1];
    format!("{promised} {order}-grams expected, as the header says; only {read} found")
}

fn shortened(line: &str) -> String {
    let mut short: String = line.chars().take(40).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

/// The next line that is not blank.
fn next_filled(lines: &mut Lines) -> Result<Option<String>> {
    while let Some(line) = lines.next_line()? {
        if !line.trim().is_empty() {
            return Ok(Some(line.to_string()));
        }
    }
    Ok(None)
}

/// Counts by order; the line `\1-grams:` has been read.
fn read_header(lines: &mut Lines) -> Result<Vec<u64>> {
    let mut seen = 0;
    loop {
        match lines.next_bytes()? {
            Some(line) if line.trim_ascii_end() == b"\\data\\" => break,
            Some(_) => seen += 1,
            None => {
                let path = lines.path().to_path_buf();
                return Err(Error::corrupt(
                    &path,
                    format!("not an ARPA file: no \\data\\ in its {seen} lines"),
                ));
            }
        }
    }
    let mut counts = Vec::new();
    loop {
        let Some(line) = next_filled(lines)? else {
            return Err(lines.error("the file ends in the header").into());
        };
        let line = line.trim_end();
        if line == "\\1-grams:" {
            break;
        }
        let count = parse_count(line, counts.len() + 1);
        counts.push(count.map_err(|message| lines.error(message))?);
    }
    match counts.len() {
        0 => Err(lines.error("the header counts no n-grams").into()),
        order if order > MAX_ORDER => {
            let message = format!("order {order}; this program reads up to order {MAX_ORDER}");
            Err(lines.error(message).into())
        }
        _ => Ok(counts),
    }
}

fn parse_count(line: &str, order: usize) -> std::result::Result<u64, String> {
    let complaint = || {
        format!(
            "'ngram {order}=COUNT' or '\\1-grams:' expected, '{}' found",
            shortened(line)
        )
    };
    let rest = line.strip_prefix("ngram").ok_or_else(complaint)?;
    let (number, count) = rest.split_once('=').ok_or_else(complaint)?;
    if number.trim().parse() != Ok(order) {
        return Err(complaint());
    }
    let count: u64 = count.trim().parse().map_err(|_| complaint())?;
    // Numbers of n-grams fit u32 in every table.
    if count >= u64::from(u32::MAX) {
        return Err(format!(
            "{count} {order}-grams are more than this program can hold"
        ));
    }
    Ok(count)
}

/// Fields are separated by tabs or spaces: probability, `order` words, back-off or none.
fn parse_ngram(
    line: &str,
    order: usize,
    vocabulary: &mut Vocabulary,
    words: &mut Vec<u32>,
) -> std::result::Result<Item, String> {
    let mut fields = chiasm_text::tokens(line);
    let probability = parse_log10(fields.next().unwrap_or(""), "log10 probability")?;
    if probability > 0.0 {
        return Err(format!("log10 probability {probability} is positive"));
    }
    words.clear();
    for _ in 0..order {
        let word = fields.next().ok_or_else(|| {
            format!(
                "a probability and {order} words expected, {} words found",
                words.len()
            )
        })?;
        words.push(word_number(word, order, vocabulary)?);
    }
    let backoff = match fields.next() {
        Some(field) => parse_log10(field, "log10 back-off")?,
        None => 0.0,
    };
    if fields.next().is_some() {
        return Err(format!(
            "more than a probability, {order} words and a back-off"
        ));
    }
    Ok(Item {
        probability,
        backoff,
    })
}

fn word_number(
    word: &str,
    order: usize,
    vocabulary: &mut Vocabulary,
) -> std::result::Result<u32, String> {
    if word == "<unk>" || word == "<UNK>" {
        return Ok(UNKNOWN);
    }
    if order > 1 {
        return vocabulary
            .get(word)
            .ok_or_else(|| format!("the word '{word}' is not among the 1-grams"));
    }
    let before = vocabulary.len();
    let number = vocabulary.intern(word);
    if number as usize != before {
        return Err(format!("'{word}' is here a second time"));
    }
    Ok(number)
}

fn parse_log10(field: &str, what: &str) -> std::result::Result<f32, String> {
    match field.parse::<f32>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(format!("{what} expected, '{}' found", shortened(field))),
    }
}
