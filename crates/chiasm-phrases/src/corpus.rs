//! A word-aligned corpus as numbers, read once and kept in an unnamed temporary file.

use crate::alignment::Alignment;
use crate::files::{AlignedFiles, LONGEST_SENTENCE, Passed};
use crate::moses_text::{SEPARATOR, separator_complaint};
use crate::{Error, Result};
use chiasm_text::{Batch, Link, ParallelLines, Vocabulary};
use chiasm_work::InOrder;
use chiasm_work::Progress;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use zerocopy::IntoBytes;

/// One side's words, numbered in the bytewise order of lines (so that sorting numbers sorts the
/// lines that are written), with the column separator among them.
#[derive(Clone, Debug)]
pub struct Side {
    /// The words; their numbers are their ranks.
    pub vocabulary: Vocabulary,
    /// The number of the separator, which ends phrases in sort keys.
    pub separator: u32,
    new_numbers: Vec<u32>,
}

impl Side {
    fn new(arrived: &Vocabulary) -> Self {
        let (vocabulary, new_numbers) = arrived.by_spelling();
        // It was the first to arrive.
        Side {
            separator: new_numbers[0],
            vocabulary,
            new_numbers,
        }
    }
}

/// The corpus; see the module's first line.
pub struct IndexedCorpus {
    /// Source words.
    pub source: Side,
    /// Target words.
    pub target: Side,
    /// What was read. Pairs without links are kept, those that are too long are not.
    pub passed: Passed,
    spool: File,
    folder: PathBuf,
}

/// One sentence pair of the corpus.
pub struct IndexedPair<'a> {
    /// Its source words.
    pub source: &'a [u32],
    /// Its target words.
    pub target: &'a [u32],
    /// Its links.
    pub alignment: &'a Alignment,
    /// Its links as they were written, sorted by source then target.
    pub links: &'a [Link],
    /// Its place in the corpus, counted from 0 over all lines.
    pub index: u64,
}

const ROWS: usize = 1000;

impl IndexedCorpus {
    /// Reads the three files; temporary data goes to `folder`.
    pub fn read(files: &AlignedFiles, folder: &Path, progress: &dyn Progress) -> Result<Self> {
        Self::read_several(files, &[], folder, progress)
    }

    /// Reads the three files, and `more` alignments of the same text: every sentence pair is
    /// visited with each of its alignments in turn.
    pub fn read_several(
        files: &AlignedFiles,
        more: &[PathBuf],
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let spool = tempfile::tempfile_in(folder).map_err(|e| Error::io(folder, e))?;
        let mut paths = vec![&files.source, &files.target, &files.links];
        paths.extend(more);
        let mut reader = Reader {
            paths: &paths,
            writer: BufWriter::with_capacity(1 << 18, spool),
            source: Vocabulary::new(),
            target: Vocabulary::new(),
            passed: Passed::default(),
            record: Vec::new(),
            links: Vec::new(),
            folder,
        };
        reader.source.intern(SEPARATOR);
        reader.target.intern(SEPARATOR);
        let mut lines = ParallelLines::open(&paths)?;
        let mut batch = Batch::default();
        while lines.next_batch(&mut batch, ROWS)? {
            for row in 0..batch.len() {
                reader.row(&batch, row)?;
            }
            progress.advance(batch.len() as u64);
        }
        let spool = reader
            .writer
            .into_inner()
            .map_err(|e| Error::io(folder, e.into_error()))?;
        Ok(IndexedCorpus {
            source: Side::new(&reader.source),
            target: Side::new(&reader.target),
            passed: reader.passed,
            spool,
            folder: folder.to_path_buf(),
        })
    }

    /// Calls `visit` with every sentence pair on all threads, and `consume` with the work of
    /// each stretch, and the number of pairs in it, in order.
    pub fn for_each_in_order<W: Default + Send>(
        &mut self,
        visit: impl Fn(&IndexedPair, &mut W) + Sync,
        mut consume: impl FnMut(&mut W, u64) -> Result<()> + Send,
    ) -> Result<()> {
        let folder = self.folder.clone();
        let fail = |error| Error::io(&folder, error);
        self.spool.seek(SeekFrom::Start(0)).map_err(fail)?;
        let mut reader = BufReader::with_capacity(1 << 18, &self.spool);
        let (source_numbers, target_numbers) = (&self.source.new_numbers, &self.target.new_numbers);
        InOrder::new(rayon::current_num_threads()).run(
            |block: &mut Vec<u32>| read_block(&mut reader, block).map_err(fail),
            |block, slot: &mut Slot<W>| {
                slot.pairs = 0;
                let mut rest = block.as_slice();
                while !rest.is_empty() {
                    rest = slot.visit(rest, source_numbers, target_numbers, &visit);
                }
                Ok(())
            },
            |slot| consume(&mut slot.work, slot.pairs),
        )
    }
}

/// Writes each pair as `source length, target length, links, index, words, words, links`.
struct Reader<'a> {
    /// Source, target, and one or more files of links.
    paths: &'a [&'a PathBuf],
    writer: BufWriter<File>,
    source: Vocabulary,
    target: Vocabulary,
    passed: Passed,
    record: Vec<u32>,
    links: Vec<Link>,
    folder: &'a Path,
}

const HEADER: usize = 4;

impl Reader<'_> {
    fn row(&mut self, batch: &Batch, row: usize) -> Result<()> {
        let number = batch.line_number(row);
        let record = &mut self.record;
        record.clear();
        record.resize(HEADER, 0);
        for (column, vocabulary) in [&mut self.source, &mut self.target].into_iter().enumerate() {
            let before = record.len();
            record
                .extend(chiasm_text::tokens(batch.line(column, row)).map(|t| vocabulary.intern(t)));
            if record[before..].contains(&0) {
                let path = self.paths[column];
                return Err(Error::line(path, number, separator_complaint()));
            }
            record[column] = (record.len() - before) as u32;
        }
        self.passed.sentence_pairs += 1;
        let too_long = record[0].max(record[1]) as usize > LONGEST_SENTENCE;
        self.passed.too_long += u64::from(too_long);
        for column in 2..self.paths.len() {
            self.links(batch.line(column, row), self.paths[column], number)?;
            self.passed.without_links += u64::from(column == 2 && self.links.is_empty());
            if !too_long {
                self.write_record(number)?;
            }
        }
        Ok(())
    }

    /// Reads the links of the sentence pair in `record`.
    fn links(&mut self, line: &str, path: &Path, number: u64) -> Result<()> {
        let lengths = (self.record[0] as usize, self.record[1] as usize);
        self.links.clear();
        chiasm_text::links::parse(line, lengths.0, lengths.1, &mut self.links)
            .map_err(|message| Error::line(path, number, message))
    }

    fn write_record(&mut self, number: u64) -> Result<()> {
        let record = &mut self.record;
        let words = (record[0] + record[1]) as usize;
        record.truncate(HEADER + words);
        record[2] = self.links.len() as u32;
        record[3] = (number - 1) as u32;
        let packed = |link: &Link| link.source << 16 | link.target;
        record.extend(self.links.iter().map(packed));
        self.writer
            .write_all(record.as_bytes())
            .map_err(|e| Error::io(self.folder, e))
    }
}

/// Up to [`ROWS`] pairs; `false` at the end.
fn read_block(reader: &mut impl Read, block: &mut Vec<u32>) -> std::io::Result<bool> {
    block.clear();
    for _ in 0..ROWS {
        let start = block.len();
        block.resize(start + HEADER, 0);
        let header = block[start..].as_mut_bytes();
        if reader.read(&mut header[..1])? == 0 {
            block.truncate(start);
            break;
        }
        reader.read_exact(&mut header[1..])?;
        let length = block[start..start + 3].iter().sum::<u32>() as usize;
        block.resize(start + HEADER + length, 0);
        reader.read_exact(block[start + HEADER..].as_mut_bytes())?;
    }
    Ok(!block.is_empty())
}

/// The scratch memory of one block.
#[derive(Default)]
struct Slot<W> {
    pairs: u64,
    source: Vec<u32>,
    target: Vec<u32>,
    links: Vec<Link>,
    alignment: Alignment,
    work: W,
}

impl<W> Slot<W> {
    /// Visits the first pair of `block` and returns the rest.
    fn visit<'a>(
        &mut self,
        block: &'a [u32],
        source_numbers: &[u32],
        target_numbers: &[u32],
        visit: &impl Fn(&IndexedPair, &mut W),
    ) -> &'a [u32] {
        let (header, rest) = block.split_at(HEADER);
        let (source, rest) = rest.split_at(header[0] as usize);
        let (target, rest) = rest.split_at(header[1] as usize);
        let (links, rest) = rest.split_at(header[2] as usize);
        self.source.clear();
        self.source
            .extend(source.iter().map(|&word| source_numbers[word as usize]));
        self.target.clear();
        self.target
            .extend(target.iter().map(|&word| target_numbers[word as usize]));
        self.links.clear();
        let unpacked = links.iter().map(|link| Link {
            source: link >> 16,
            target: link & 0xffff,
        });
        self.links.extend(unpacked);
        self.alignment.load(&self.links, source.len(), target.len());
        self.pairs += 1;
        let pair = IndexedPair {
            source: &self.source,
            target: &self.target,
            alignment: &self.alignment,
            links: &self.links,
            index: header[3].into(),
        };
        visit(&pair, &mut self.work);
        rest
    }
}
