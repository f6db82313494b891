//! LIBSVM text files: a line an example, `class feature:value feature:value ...`.
//!
//! Classes are integers (`+1`, `-1`, `3`), features are numbers from 0 to 4294967295, usually from
//! 1; a `#` begins a comment. Features may come in any order and repeat, in which case they add up.

use crate::{Builder, Error, Examples, Result, Row};
use std::io::{BufRead, Read, Write};
use std::path::Path;

/// The largest value of a feature: its square, and sums of them, stay far from the limits of a double.
const LARGEST: f64 = 1e30;

/// One line, taken apart.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// The class as written, without a plus sign.
    pub label: i64,
    /// The features with their values, as written.
    pub entries: Vec<(u32, f64)>,
}

/// Reads examples; classes are in increasing order of their labels, features are numbered by
/// frequency, and with `merging` rows with equal features become one.
pub fn read(input: impl BufRead, path: impl AsRef<Path>, merging: bool) -> Result<Examples> {
    let builder = Builder::new(Vec::new())?.merging(merging);
    read_into(builder, input, path)
}

/// As [`read`], with a builder that has no classes yet, for one that stays
/// [within a budget](Builder::within) of memory.
pub fn read_into(
    mut builder: Builder,
    input: impl BufRead,
    path: impl AsRef<Path>,
) -> Result<Examples> {
    let mut labels: Vec<i64> = Vec::new();
    for_each_line(input, path.as_ref(), |line, number| {
        let class = match labels.iter().position(|&label| label == line.label) {
            Some(class) => class,
            None => {
                labels.push(line.label);
                let added = builder.add_class(&line.label.to_string());
                added.map_err(|e| Error::line(path.as_ref(), number, e.to_string()))?
            }
        };
        let pushed = builder.push(&mut line.entries, class, 1.0);
        pushed.map_err(|e| Error::line(path.as_ref(), number, e.to_string()))
    })?;
    if labels.is_empty() {
        let reason = "no examples; at least one line `class feature:value ...` expected";
        return Err(chiasm_store::Error::corrupt(path, reason).into());
    }
    Ok(sort_classes(builder.finish()?, &labels))
}

/// Classes were numbered as they came; from here on in increasing order of their labels.
fn sort_classes(mut examples: Examples, labels: &[i64]) -> Examples {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by_key(|&class| labels[class]);
    if order.is_sorted() {
        return examples;
    }
    let mut rank = vec![0u8; order.len()];
    for (new, &old) in order.iter().enumerate() {
        rank[old] = new as u8;
    }
    let mut classes: Vec<u8> = examples
        .pair_classes
        .iter()
        .map(|&c| rank[c as usize])
        .collect();
    let mut weights = examples.pair_weights.to_vec();
    for row in examples.scan() {
        let range = examples.pairs_of(row);
        if range.len() > 1 {
            let mut pairs: Vec<(u8, f64)> = range
                .clone()
                .map(|pair| (classes[pair], examples.pair_weight(pair)))
                .collect();
            pairs.sort_by_key(|pair| pair.0);
            for (pair, (class, weight)) in range.zip(pairs) {
                classes[pair] = class;
                if let Some(slot) = weights.get_mut(pair) {
                    *slot = weight;
                }
            }
        }
    }
    let names = &examples.class_names;
    examples.class_names = order.iter().map(|&old| names[old].clone()).collect();
    examples.featureless = order
        .iter()
        .map(|&old| examples.featureless[old])
        .collect::<Vec<f64>>()
        .into();
    examples.pair_classes = classes.into();
    examples.pair_weights = weights.into();
    examples
}

/// A line of more bytes must not fill the memory before that is said.
const LONGEST_LINE: u64 = 1 << 28;

/// Calls `take` with every line that is not blank, and its number.
pub fn for_each_line(
    mut input: impl BufRead,
    path: impl AsRef<Path>,
    mut take: impl FnMut(&mut Line, u64) -> Result<()>,
) -> Result<()> {
    let path = path.as_ref();
    let mut bytes = Vec::new();
    let mut line = Line::default();
    let mut number = 0;
    loop {
        bytes.clear();
        let read = input
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut bytes);
        let length = read.map_err(|e| chiasm_store::Error::io(path, e))?;
        if length == 0 {
            return Ok(());
        }
        number += 1;
        if length as u64 == LONGEST_LINE {
            return Err(Error::line(path, number, "the line is longer than 256 MiB"));
        }
        if parse(&bytes, &mut line).map_err(|reason| Error::line(path, number, reason))? {
            take(&mut line, number)?;
        }
    }
}

/// Takes a line apart; `false` if it is blank or only a comment.
fn parse(bytes: &[u8], line: &mut Line) -> std::result::Result<bool, String> {
    let bytes = match memchr::memchr(b'#', bytes) {
        Some(comment) => &bytes[..comment],
        None => bytes,
    };
    let mut words = bytes
        .split(|byte| byte.is_ascii_whitespace())
        .filter(|word| !word.is_empty());
    let Some(label) = words.next() else {
        return Ok(false);
    };
    line.label = parse_label(label)?;
    line.entries.clear();
    for word in words {
        let entry = parse_entry(word)
            .ok_or_else(|| format!("`{}`: feature:value expected", shown(word)))?;
        if !entry.1.is_finite() || entry.1.abs() > LARGEST {
            return Err(format!(
                "`{}`: the value must be a finite number of at most {LARGEST:e}",
                shown(word)
            ));
        }
        line.entries.push(entry);
    }
    Ok(true)
}

fn parse_label(word: &[u8]) -> std::result::Result<i64, String> {
    let text = std::str::from_utf8(word).unwrap_or_default();
    let whole = text.parse::<i64>().ok().or_else(|| {
        // LIBSVM files sometimes hold classes such as 1.0 or 1e0.
        let number = text.parse::<f64>().ok()?;
        (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64)
    });
    whole.ok_or_else(|| format!("`{}`: a class, an integer, expected", shown(word)))
}

fn parse_entry(word: &[u8]) -> Option<(u32, f64)> {
    let mut feature: u64 = 0;
    let mut position = 0;
    while let Some(digit) = word.get(position).filter(|byte| byte.is_ascii_digit()) {
        feature = feature * 10 + u64::from(digit - b'0');
        if feature > u64::from(u32::MAX) {
            return None;
        }
        position += 1;
    }
    if position == 0 || word.get(position) != Some(&b':') {
        return None;
    }
    let value = match &word[position + 1..] {
        [digit @ b'0'..=b'9'] => f64::from(digit - b'0'),
        text => std::str::from_utf8(text).ok()?.parse().ok()?,
    };
    Some((feature as u32, value))
}

fn shown(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(word);
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into_owned(),
    }
}

/// Writes examples, each as often as it weighs (weights must be whole numbers). A class whose name
/// is no integer is written as its number, from 1; features have their identities, plus `shift`
/// where identities begin at 0 and readers want them from 1.
pub fn write(examples: &Examples, shift: u32, output: &mut dyn Write) -> std::io::Result<()> {
    let mut text = String::new();
    let ids = examples.feature_ids();
    let mut entries = Vec::new();
    let names = labels(examples.class_names());
    for index in 0..examples.rows() {
        entries.clear();
        let row: Row = examples.row(index);
        entries.extend(row.entries().map(|(f, v)| (ids[f as usize] + shift, v)));
        entries.sort_unstable_by_key(|&(feature, _)| feature);
        text.clear();
        for (feature, value) in &entries {
            text.push_str(&format!(" {feature}:{value}"));
        }
        for pair in examples.pairs_of(index) {
            let name = &names[examples.pair_class(pair)];
            write_times(output, name, &text, examples.pair_weight(pair))?;
        }
    }
    for (name, &weight) in names.iter().zip(examples.featureless()) {
        write_times(output, name, "", weight)?;
    }
    Ok(())
}

fn labels(names: &[String]) -> Vec<String> {
    if names.iter().all(|name| name.parse::<i64>().is_ok()) {
        return names.to_vec();
    }
    (1..=names.len()).map(|number| number.to_string()).collect()
}

fn write_times(output: &mut dyn Write, name: &str, text: &str, weight: f64) -> std::io::Result<()> {
    if weight.fract() != 0.0 {
        let reason = format!("an example weighs {weight}; LIBSVM files have no weights");
        return Err(std::io::Error::other(reason));
    }
    for _ in 0..weight as u64 {
        writeln!(output, "{name}{text}")?;
    }
    Ok(())
}
