//! Parts of a corpus as files of their own.

use super::runner::Corpus;
use chiasm_text::{Batch, ParallelLines, TextOutput};
use std::path::Path;

/// How many sentence pairs a corpus has.
pub fn count(corpus: &Corpus) -> crate::Result<u64> {
    let mut lines = ParallelLines::open(&[&corpus.source, &corpus.target, &corpus.links])?;
    let mut batch = Batch::default();
    let mut total = 0;
    while lines.next_batch(&mut batch, 1000)? {
        total += batch.len() as u64;
    }
    Ok(total)
}

/// Writes `pairs` of all `total` sentence pairs, spread evenly, to `sample.{source,target,links}`.
pub fn spread(corpus: &Corpus, sample: &Path, pairs: u64, total: u64) -> crate::Result<Corpus> {
    let name = sample.file_name().unwrap_or_default().to_string_lossy();
    let folder = sample.parent().unwrap_or(Path::new("."));
    part(corpus, folder, &name, |index| {
        index * pairs / total != (index + 1) * pairs / total
    })
}

/// Writes the sentence pairs for which `wanted` holds to `folder/name.{source,target,links}`.
pub fn part(
    corpus: &Corpus,
    folder: &Path,
    name: &str,
    wanted: impl Fn(u64) -> bool,
) -> crate::Result<Corpus> {
    let file = |ending: &str| folder.join(format!("{name}.{ending}"));
    let part = Corpus {
        source: file("source"),
        target: file("target"),
        links: file("links"),
    };
    let mut outputs = [&part.source, &part.target, &part.links]
        .map(TextOutput::create)
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    let mut lines = ParallelLines::open(&[&corpus.source, &corpus.target, &corpus.links])?;
    let mut batch = Batch::default();
    let mut index = 0;
    while lines.next_batch(&mut batch, 1000)? {
        for row in 0..batch.len() {
            if wanted(index) {
                for (column, output) in outputs.iter_mut().enumerate() {
                    output.write_text(batch.line(column, row).as_bytes())?;
                    output.write_text(b"\n")?;
                }
            }
            index += 1;
        }
    }
    for output in outputs {
        output.finish()?;
    }
    Ok(part)
}
