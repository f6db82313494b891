//! Two files of one-sided links become one file of links.

use crate::Result;
use crate::symmetrise::{Method, Symmetriser};
use chiasm_text::{Batch, Link, ParallelLines, TextOutput, links};
use chiasm_work::Progress;
use std::path::Path;

const ROWS: usize = 4096;

/// Reads both sides line by line, so that memory does not grow with the corpus; `-` is a standard stream.
pub fn symmetrise_files(
    method: Method,
    forward: impl AsRef<Path>,
    reverse: impl AsRef<Path>,
    output: impl AsRef<Path>,
    progress: &dyn Progress,
) -> Result<()> {
    let mut files = ParallelLines::open(&[forward.as_ref(), reverse.as_ref()])?;
    let mut output = TextOutput::create(output)?;
    let mut symmetriser = Symmetriser::new();
    let (mut batch, mut text) = (Batch::default(), String::new());
    let (mut forward, mut reverse, mut both) = (Vec::new(), Vec::new(), Vec::new());
    while files.next_batch(&mut batch, ROWS)? {
        text.clear();
        for row in 0..batch.len() {
            parse(&files, &batch, 0, row, &mut forward)?;
            parse(&files, &batch, 1, row, &mut reverse)?;
            symmetriser.symmetrise(method, &forward, &reverse, &mut both);
            links::format(&both, &mut text);
            text.push('\n');
        }
        output.write_text(text.as_bytes())?;
        progress.advance(batch.len() as u64);
    }
    Ok(output.finish()?)
}

fn parse(
    files: &ParallelLines,
    batch: &Batch,
    column: usize,
    row: usize,
    into: &mut Vec<Link>,
) -> Result<()> {
    into.clear();
    let parsed = links::parse(batch.line(column, row), usize::MAX, usize::MAX, into);
    parsed.map_err(|message| {
        let line = batch.line_number(row);
        chiasm_text::Error::line(files.path(column), line, message).into()
    })
}
