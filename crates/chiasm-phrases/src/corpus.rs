//! A word-aligned corpus as numbers, read once and kept in an unnamed temporary file.

use crate::alignment::Alignment;
use crate::files::{AlignedFiles, LONGEST_SENTENCE, Passed};
use crate::moses_text::{SEPARATOR, separator_complaint};
use crate::{Error, Result};
use chiasm_text::{Batch, Link, MappedText, ParallelLines, Vocabulary};
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
    /// A side with these words, in whatever order they come.
    pub fn of_words<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut vocabulary = Vocabulary::new();
        vocabulary.intern(SEPARATOR);
        words.for_each(|word| {
            vocabulary.intern(word);
        });
        let (vocabulary, new_numbers) = vocabulary.by_spelling();
        let separator = new_numbers[0];
        let ranks = 0..vocabulary.len() as u32;
        Side {
            separator,
            new_numbers: std::iter::once(separator).chain(ranks).collect(),
            vocabulary,
        }
    }

    /// The number of a word in a file whose words are these, as if they had arrived in their order after the separator.
    pub(crate) fn arrival(&self, word: &str) -> Option<u32> {
        let rank = self.vocabulary.get(word)?;
        Some(if rank == self.separator { 0 } else { rank + 1 })
    }

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
    /// With how many alignments each sentence pair is visited, one after the other.
    pub alignments: usize,
    /// The tags of source words, if they have any.
    pub tags: Option<Vocabulary>,
    spool: File,
    folder: PathBuf,
}

/// Where the tags of source words stand: parts of speech, or whatever else somebody knows of each word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SourceTags {
    /// Nowhere.
    #[default]
    None,
    /// Behind each word of the source text: `word|tag`.
    Inline,
    /// In a file of their own, a line a sentence, a tag a word.
    File(PathBuf),
}

/// The word and the tag of `word|tag`; a word may have bars of its own.
pub fn split_tag(token: &str) -> Option<(&str, &str)> {
    let parts = token.rsplit_once('|');
    parts.filter(|(word, tag)| !word.is_empty() && !tag.is_empty())
}

/// One sentence pair of the corpus.
pub struct IndexedPair<'a> {
    /// Its source words.
    pub source: &'a [u32],
    /// The tags of its source words; empty if the corpus has none.
    pub tags: &'a [u32],
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
        Self::read_with(files, &[], &SourceTags::None, folder, progress)
    }

    /// The same with tags of the source words.
    pub fn read_tagged(
        files: &AlignedFiles,
        tags: &SourceTags,
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Self> {
        Self::read_with(files, &[], tags, folder, progress)
    }

    /// Reads the three files, and `more` alignments of the same text: every sentence pair is
    /// visited with each of its alignments in turn.
    pub fn read_several(
        files: &AlignedFiles,
        more: &[PathBuf],
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Self> {
        Self::read_with(files, more, &SourceTags::None, folder, progress)
    }

    fn read_with(
        files: &AlignedFiles,
        more: &[PathBuf],
        tags: &SourceTags,
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let mut paths = vec![&files.source, &files.target, &files.links];
        paths.extend(more);
        let alignments = paths.len() - 2;
        if let SourceTags::File(path) = tags {
            paths.push(path);
        }
        let mut reader = Reader::new(folder)?;
        let mut tag_names = Vocabulary::new();
        let mut vocabularies = [Vocabulary::new(), Vocabulary::new()];
        for vocabulary in &mut vocabularies {
            vocabulary.intern(SEPARATOR);
        }
        let mut lines = ParallelLines::open(&paths)?;
        let mut batch = Batch::default();
        while lines.next_batch(&mut batch, ROWS)? {
            for row in 0..batch.len() {
                let number = batch.line_number(row);
                reader.tags.clear();
                for (side, vocabulary) in vocabularies.iter_mut().enumerate() {
                    let path = paths[side];
                    if side == 0 && *tags == SourceTags::Inline {
                        let tokens = chiasm_text::tokens(batch.line(0, row));
                        reader.tagged_words(tokens, vocabulary, &mut tag_names, path, number)?;
                        continue;
                    }
                    let words = chiasm_text::tokens(batch.line(side, row));
                    reader.words(
                        side,
                        words.map(|word| vocabulary.intern(word)),
                        path,
                        number,
                    )?;
                }
                if let SourceTags::File(path) = tags {
                    let names = chiasm_text::tokens(batch.line(2 + alignments, row));
                    reader.tags.extend(names.map(|name| tag_names.intern(name)));
                    reader.check_tags(path, number)?;
                }
                let columns = 2..2 + alignments;
                let links = columns.map(|column| (paths[column], batch.line(column, row)));
                reader.pair(links, number)?;
            }
            progress.advance(batch.len() as u64);
        }
        let tag_names = (*tags != SourceTags::None).then_some(tag_names);
        reader.finish(&vocabularies, alignments, tag_names)
    }

    /// Takes mapped texts and reads one or more files of links, as [`IndexedCorpus::read_several`]
    /// does.
    pub fn of_texts(
        texts: [&MappedText; 2],
        links: &[PathBuf],
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let unlinked = |number| Error::line(texts[0].path(), number, "no links for this sentence");
        if links.is_empty() {
            return Err(unlinked(1));
        }
        let mut reader = Reader::new(folder)?;
        let mut sides = texts.map(MappedText::sentences);
        let numbered = texts.map(numbered);
        let mut lines = ParallelLines::open(links)?;
        let mut batch = Batch::default();
        while lines.next_batch(&mut batch, ROWS)? {
            for row in 0..batch.len() {
                let number = batch.line_number(row);
                for (side, sentences) in sides.iter_mut().enumerate() {
                    let path = texts[side].path();
                    let missing = || Error::line(path, number, "more links than sentences");
                    let sentence = sentences.next().ok_or_else(missing)?;
                    let words = sentence.iter().map(|&word| numbered[side].1[word as usize]);
                    reader.words(side, words, path, number)?;
                }
                let files = links.iter().enumerate();
                let lines = files.map(|(column, path)| (path, batch.line(column, row)));
                reader.pair(lines, number)?;
            }
            progress.advance(batch.len() as u64);
        }
        if sides.iter().any(|rest| rest.len() > 0) {
            return Err(unlinked(lines.lines_read() + 1));
        }
        let vocabularies = numbered.map(|(vocabulary, _)| vocabulary);
        reader.finish(&vocabularies, links.len(), None)
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
        // A sentence pair and all its alignments are in one block.
        let rows = ROWS.next_multiple_of(self.alignments);
        let tagged = self.tags.is_some();
        InOrder::new(rayon::current_num_threads()).run(
            |block: &mut Vec<u32>| read_block(&mut reader, rows, tagged, block).map_err(fail),
            |block, slot: &mut Slot<W>| {
                slot.pairs = 0;
                let mut rest = block.as_slice();
                while !rest.is_empty() {
                    rest = slot.visit(rest, tagged, source_numbers, target_numbers, &visit);
                }
                Ok(())
            },
            |slot| consume(&mut slot.work, slot.pairs),
        )
    }
}

/// The words of a text after the separator, and the number that each has there.
fn numbered(text: &MappedText) -> (Vocabulary, Vec<u32>) {
    let mut vocabulary = Vocabulary::new();
    vocabulary.intern(SEPARATOR);
    let words = text.vocabulary().words();
    let numbers = words.map(|word| vocabulary.intern(word)).collect();
    (vocabulary, numbers)
}

/// Writes each pair as `source length, target length, links, index, words, words, tags, links`.
pub(crate) struct Reader {
    writer: BufWriter<File>,
    passed: Passed,
    record: Vec<u32>,
    /// The tags of the source words in `record`, if there are any.
    tags: Vec<u32>,
    links: Vec<Link>,
    folder: PathBuf,
}

const HEADER: usize = 4;

impl Reader {
    pub fn new(folder: &Path) -> Result<Self> {
        let spool = tempfile::tempfile_in(folder).map_err(|e| Error::io(folder, e))?;
        Ok(Reader {
            writer: BufWriter::with_capacity(1 << 18, spool),
            passed: Passed::default(),
            record: Vec::new(),
            tags: Vec::new(),
            links: Vec::new(),
            folder: folder.to_path_buf(),
        })
    }

    /// Takes source words with their tags behind them.
    fn tagged_words<'t>(
        &mut self,
        tokens: impl Iterator<Item = &'t str>,
        words: &mut Vocabulary,
        tags: &mut Vocabulary,
        path: &Path,
        number: u64,
    ) -> Result<()> {
        let mut numbers = Vec::new();
        for token in tokens {
            let Some((word, tag)) = split_tag(token) else {
                let message = format!("word|tag expected, {token:?} found");
                return Err(Error::line(path, number, message));
            };
            numbers.push(words.intern(word));
            self.tags.push(tags.intern(tag));
        }
        self.words(0, numbers.into_iter(), path, number)
    }

    /// As many tags as source words?
    fn check_tags(&self, path: &Path, number: u64) -> Result<()> {
        let (expected, found) = (self.record[0] as usize, self.tags.len());
        if expected == found {
            return Ok(());
        }
        let message = format!("{expected} tags expected, as many as source words, {found} found");
        Err(Error::line(path, number, message))
    }

    /// Takes the words of one side: the source, which begins a new pair, then the target.
    pub fn words(
        &mut self,
        side: usize,
        words: impl Iterator<Item = u32>,
        path: &Path,
        number: u64,
    ) -> Result<()> {
        let record = &mut self.record;
        if side == 0 {
            record.clear();
            record.resize(HEADER, 0);
        }
        let before = record.len();
        record.extend(words);
        if record[before..].contains(&0) {
            return Err(Error::line(path, number, separator_complaint()));
        }
        record[side] = (record.len() - before) as u32;
        Ok(())
    }

    /// Writes the pair whose words were taken, once with each of its links.
    pub fn pair<'l>(
        &mut self,
        lines: impl Iterator<Item = (&'l PathBuf, &'l str)>,
        number: u64,
    ) -> Result<()> {
        self.passed.sentence_pairs += 1;
        let too_long = self.record[0].max(self.record[1]) as usize > LONGEST_SENTENCE;
        self.passed.too_long += u64::from(too_long);
        for (alignment, (path, line)) in lines.enumerate() {
            self.links(line, path, number)?;
            self.passed.without_links += u64::from(alignment == 0 && self.links.is_empty());
            if !too_long {
                self.write_record(number)?;
            }
        }
        Ok(())
    }

    fn finish(
        self,
        vocabularies: &[Vocabulary; 2],
        alignments: usize,
        tags: Option<Vocabulary>,
    ) -> Result<IndexedCorpus> {
        let sides = [Side::new(&vocabularies[0]), Side::new(&vocabularies[1])];
        self.finish_with(sides, alignments, tags)
    }

    /// What was read so far.
    pub fn passed(&self) -> Passed {
        self.passed
    }

    /// The corpus, whose words have the numbers of these sides.
    pub fn finish_with(
        self,
        [source, target]: [Side; 2],
        alignments: usize,
        tags: Option<Vocabulary>,
    ) -> Result<IndexedCorpus> {
        let spool = self.writer.into_inner();
        Ok(IndexedCorpus {
            source,
            target,
            passed: self.passed,
            alignments,
            tags,
            spool: spool.map_err(|e| Error::io(&self.folder, e.into_error()))?,
            folder: self.folder,
        })
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
        record.extend_from_slice(&self.tags);
        let packed = |link: &Link| link.source << 16 | link.target;
        record.extend(self.links.iter().map(packed));
        self.writer
            .write_all(record.as_bytes())
            .map_err(|e| Error::io(&self.folder, e))
    }
}

/// Up to `rows` pairs; `false` at the end.
fn read_block(
    reader: &mut impl Read,
    rows: usize,
    tagged: bool,
    block: &mut Vec<u32>,
) -> std::io::Result<bool> {
    block.clear();
    for _ in 0..rows {
        let start = block.len();
        block.resize(start + HEADER, 0);
        let header = block[start..].as_mut_bytes();
        if reader.read(&mut header[..1])? == 0 {
            block.truncate(start);
            break;
        }
        reader.read_exact(&mut header[1..])?;
        let tags = if tagged { block[start] } else { 0 };
        let length = (block[start..start + 3].iter().sum::<u32>() + tags) as usize;
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
        tagged: bool,
        source_numbers: &[u32],
        target_numbers: &[u32],
        visit: &impl Fn(&IndexedPair, &mut W),
    ) -> &'a [u32] {
        let (header, rest) = block.split_at(HEADER);
        let (source, rest) = rest.split_at(header[0] as usize);
        let (target, rest) = rest.split_at(header[1] as usize);
        let (tags, rest) = rest.split_at(if tagged { header[0] as usize } else { 0 });
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
            tags,
            target: &self.target,
            alignment: &self.alignment,
            links: &self.links,
            index: header[3].into(),
        };
        visit(&pair, &mut self.work);
        rest
    }
}
