//! From three text files to Moses' extraction files, streaming, on all threads, in order.

use crate::alignment::Alignment;
use crate::class_set::ClassSet;
use crate::moses_text::{MosesText, OrientationStyle, TokenLine};
use crate::orientation::{Extractor, ForwardRule, OrientationKind};
use crate::{Error, Result};
use chiasm_text::{Batch, Link, ParallelLines, TextOutput};
use chiasm_work::InOrder;
use chiasm_work::Progress;
use std::path::PathBuf;

/// Pairs with a longer side are passed over and counted: no training uses them, and the search
/// for blocks of any length is quadratic in the length.
pub const LONGEST_SENTENCE: usize = 4096;

/// A word-aligned parallel corpus on disk.
#[derive(Clone, Debug)]
pub struct AlignedFiles {
    /// Source text, a sentence a line.
    pub source: PathBuf,
    /// Target text.
    pub target: PathBuf,
    /// Links in Pharaoh form.
    pub links: PathBuf,
}

/// What is extracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extraction {
    /// The longest phrase on either side.
    pub max_length: usize,
    /// What counts as a neighbour.
    pub kind: OrientationKind,
    /// Which blocks the forward orientation looks at.
    pub forward_rule: ForwardRule,
}

impl Extraction {
    /// An extractor for one thread.
    pub fn extractor(&self) -> Extractor {
        Extractor::new(self.max_length, self.kind, self.forward_rule)
    }
}

/// What went through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Sentence pairs read.
    pub sentence_pairs: u64,
    /// Phrase pairs extracted, repetitions included.
    pub phrase_pairs: u64,
    /// Sentence pairs without a link.
    pub without_links: u64,
    /// Sentence pairs longer than [`LONGEST_SENTENCE`].
    pub too_long: u64,
}

impl Passed {
    /// What people should know about pairs that were passed over or say nothing.
    pub fn remarks(&self) -> Vec<String> {
        let long = format!(
            "warning: {} sentence pairs with more than {LONGEST_SENTENCE} words on a side were passed over",
            self.too_long
        );
        let bare = format!("note: {} sentence pairs have no links", self.without_links);
        let remarks = [(self.too_long, long), (self.without_links, bare)];
        let some = remarks.into_iter().filter(|(count, _)| *count > 0);
        some.map(|(_, remark)| remark).collect()
    }

    /// Adds what another stretch has passed.
    pub fn add(&mut self, other: &Passed) {
        self.sentence_pairs += other.sentence_pairs;
        self.phrase_pairs += other.phrase_pairs;
        self.without_links += other.without_links;
        self.too_long += other.too_long;
    }
}

/// Writes `PREFIX`, `PREFIX.inv` and `PREFIX.o` as Moses does.
pub fn extract_to_moses_files(
    files: &AlignedFiles,
    extraction: &Extraction,
    classes: ClassSet,
    outputs: [PathBuf; 3],
    progress: &dyn Progress,
) -> Result<Passed> {
    if !classes.is_of_tables() {
        return Err(Error::Classes(classes));
    }
    let style = OrientationStyle::new(extraction.kind, classes);
    let [mut direct, mut inverse, mut orientations] = {
        let [a, b, c] = outputs;
        [
            TextOutput::create(a)?,
            TextOutput::create(b)?,
            TextOutput::create(c)?,
        ]
    };
    let mut passed = Passed::default();
    for_each_pair_in_order(
        files,
        |pair: &Pair, work: &mut (MosesText, Option<Extractor>, u64)| {
            let (text, extractor, count) = work;
            let extractor = extractor.get_or_insert_with(|| extraction.extractor());
            extractor.instances(pair.alignment, |instance| {
                *count += 1;
                text.push(&instance, pair.alignment, pair.source, pair.target, &style);
            });
        },
        |(text, _, count), some| {
            direct.write_text(text.direct.as_bytes())?;
            inverse.write_text(text.inverse.as_bytes())?;
            orientations.write_text(text.orientations.as_bytes())?;
            text.clear();
            passed.add(some);
            passed.phrase_pairs += std::mem::take(count);
            progress.advance(some.sentence_pairs);
            Ok(())
        },
    )?;
    direct.finish()?;
    inverse.finish()?;
    orientations.finish()?;
    Ok(passed)
}

/// One sentence pair, ready for extraction.
pub struct Pair<'a> {
    /// Its links.
    pub alignment: &'a Alignment,
    /// Its source words.
    pub source: &'a TokenLine,
    /// Its target words.
    pub target: &'a TokenLine,
}

/// The scratch memory of one batch.
#[derive(Default)]
struct Slot<W> {
    passed: Passed,
    alignment: Alignment,
    links: Vec<Link>,
    source: TokenLine,
    target: TokenLine,
    work: W,
}

/// Reads the files, checks every line, calls `visit` with the pairs that have links on all
/// threads, and `consume` with the work of each batch in order.
pub fn for_each_pair_in_order<W: Default + Send>(
    files: &AlignedFiles,
    visit: impl Fn(&Pair, &mut W) + Sync,
    mut consume: impl FnMut(&mut W, &Passed) -> Result<()> + Send,
) -> Result<Passed> {
    const ROWS: usize = 1000;
    let mut lines = ParallelLines::open(&[&files.source, &files.target, &files.links])?;
    let mut passed = Passed::default();
    InOrder::new(rayon::current_num_threads()).run(
        |batch: &mut Batch| Ok(lines.next_batch(batch, ROWS)?),
        |batch, slot: &mut Slot<W>| {
            slot.passed = Passed::default();
            for row in 0..batch.len() {
                slot.visit_row(files, batch, row, &visit)?;
            }
            Ok(())
        },
        |slot| {
            passed.add(&slot.passed);
            consume(&mut slot.work, &slot.passed)
        },
    )?;
    Ok(passed)
}

impl<W> Slot<W> {
    fn visit_row(
        &mut self,
        files: &AlignedFiles,
        batch: &Batch,
        row: usize,
        visit: &impl Fn(&Pair, &mut W),
    ) -> Result<()> {
        let number = batch.line_number(row);
        let fail = |path: &PathBuf, message| Error::line(path, number, message);
        self.source
            .load(batch.line(0, row))
            .map_err(|m| fail(&files.source, m))?;
        self.target
            .load(batch.line(1, row))
            .map_err(|m| fail(&files.target, m))?;
        self.links.clear();
        let (source_length, target_length) = (self.source.len(), self.target.len());
        chiasm_text::links::parse(
            batch.line(2, row),
            source_length,
            target_length,
            &mut self.links,
        )
        .map_err(|message| fail(&files.links, message))?;
        self.passed.sentence_pairs += 1;
        if self.links.is_empty() {
            self.passed.without_links += 1;
        } else if source_length.max(target_length) > LONGEST_SENTENCE {
            self.passed.too_long += 1;
        } else {
            self.alignment
                .load(&self.links, source_length, target_length);
            let pair = Pair {
                alignment: &self.alignment,
                source: &self.source,
                target: &self.target,
            };
            visit(&pair, &mut self.work);
        }
        Ok(())
    }
}
