//! The lexicalised model as Moses' reordering table: `source ||| target ||| probabilities`.

use crate::Result;
use crate::columns::{OrientationColumns, Smoothing};
use crate::name::TableName;
use chiasm_phrases::numbers::write_number;
use chiasm_phrases::{CountedPair, CountedPairs, IndexedCorpus, Side, write_words};
use chiasm_text::TextOutput;
use std::path::Path;

/// Writes the table of all pairs; returns how many lines.
pub fn write_table(
    name: TableName,
    smoothing: Smoothing,
    mut pairs: CountedPairs,
    corpus: &IndexedCorpus,
    path: &Path,
) -> Result<u64> {
    let mut output = TextOutput::create(path)?;
    let columns = OrientationColumns::new(name.classes, name.directions, smoothing, &pairs.totals);
    let (mut pair, mut lines) = (CountedPair::default(), 0);
    let mut text = Vec::new();
    while pairs.next(&mut pair)? {
        write_table_line(&pair, &columns, [&corpus.source, &corpus.target], &mut text);
        lines += 1;
        if text.len() > 1 << 16 {
            output.write_text(&text)?;
            text.clear();
        }
    }
    output.write_text(&text)?;
    output.finish()?;
    Ok(lines)
}

/// Appends the line of a pair.
pub fn write_table_line(
    pair: &CountedPair,
    columns: &OrientationColumns,
    [source, target]: [&Side; 2],
    text: &mut Vec<u8>,
) {
    write_words(&pair.source, &source.vocabulary, text);
    text.extend_from_slice(b"||| ");
    write_words(&pair.target, &target.vocabulary, text);
    text.extend_from_slice(b"|||");
    for probability in columns.probabilities(&pair.counts) {
        text.push(b' ');
        write_number(probability, text);
    }
    text.push(b'\n');
}
