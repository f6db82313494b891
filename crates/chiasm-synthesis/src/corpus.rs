//! A whole corpus on disk: blocks of sentences are generated in parallel and written in order.

use crate::generator::{Generator, Workspace};
use crate::words::Words;
use chiasm_store::OutputFile;
use chiasm_work::Progress;
use rayon::prelude::*;
use std::io::Write;
use std::path::Path;

/// Sentences a block; also the unit of work of a thread.
const BLOCK: u64 = 4096;
/// Blocks in memory at a time, a thread.
const BLOCKS_A_THREAD: usize = 4;

/// What was written.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Sentence pairs.
    pub pairs: u64,
    /// Source words.
    pub source_tokens: u64,
    /// Target words.
    pub target_tokens: u64,
    /// Sure links.
    pub links: u64,
    /// Possible links that are not sure.
    pub possible_links: u64,
    /// Gold phrases.
    pub phrases: u64,
}

/// The lines of one block.
#[derive(Default)]
struct Block {
    files: [Vec<u8>; 5],
    summary: Summary,
}

/// Writes `folder`/{source,target,links,orientations,gold}: all five appear when everything is written. The folder is
/// created if it does not exist.
///
/// `links` has the sure links, `gold` these and the possible ones after them (`3-4`, `3p4`).
/// A line of `orientations` has one entry a gold phrase in target order,
/// `first source-last source:first target-last target:orientation`, words counted from 0.
pub fn write_corpus(
    generator: &Generator,
    pairs: u64,
    folder: &Path,
    progress: &dyn Progress,
) -> chiasm_store::Result<Summary> {
    std::fs::create_dir_all(folder).map_err(|error| chiasm_store::Error::io(folder, error))?;
    let mut outputs = Vec::new();
    for name in ["source", "target", "links", "orientations", "gold"] {
        outputs.push(OutputFile::create(folder.join(name))?);
    }
    let mut summary = Summary::default();
    let blocks: Vec<u64> = (0..pairs.div_ceil(BLOCK)).collect();
    for batch in blocks.chunks(rayon::current_num_threads() * BLOCKS_A_THREAD) {
        let written: Vec<Block> = batch
            .par_iter()
            .map_init(Workspace::default, |workspace, &block| {
                let end = pairs.min((block + 1) * BLOCK);
                generate_block(generator, block * BLOCK..end, workspace)
            })
            .collect();
        for block in &written {
            for (output, bytes) in outputs.iter_mut().zip(&block.files) {
                let path = output.path().to_path_buf();
                output
                    .write_all(bytes)
                    .map_err(|error| chiasm_store::Error::io(&path, error))?;
            }
            summary.add(&block.summary);
            progress.advance(block.summary.pairs);
        }
    }
    for output in outputs {
        output.finish()?;
    }
    Ok(summary)
}

impl Summary {
    fn add(&mut self, other: &Summary) {
        self.pairs += other.pairs;
        self.source_tokens += other.source_tokens;
        self.target_tokens += other.target_tokens;
        self.links += other.links;
        self.possible_links += other.possible_links;
        self.phrases += other.phrases;
    }
}

fn generate_block(
    generator: &Generator,
    range: std::ops::Range<u64>,
    workspace: &mut Workspace,
) -> Block {
    let mut block = Block::default();
    let lexicon = generator.lexicon();
    for index in range {
        generator.generate(index, workspace);
        let [source, target, links, orientations, gold] = &mut block.files;
        write_words(source, &lexicon.source, &workspace.source.words);
        write_words(target, &lexicon.english, &workspace.target.words);
        write_links(links, b'-', &workspace.links.sure);
        end_line(links);
        write_links(gold, b'-', &workspace.links.sure);
        write_links(gold, b'p', &workspace.links.possible);
        end_line(gold);
        write_phrases(orientations, &workspace.phrases);
        block.summary.add(&Summary {
            pairs: 1,
            source_tokens: workspace.source.words.len() as u64,
            target_tokens: workspace.target.words.len() as u64,
            links: workspace.links.sure.len() as u64,
            possible_links: workspace.links.possible.len() as u64,
            phrases: workspace.phrases.len() as u64,
        });
    }
    block
}

/// Ends a line that was written with a space after every item.
fn end_line(bytes: &mut Vec<u8>) {
    match bytes.last_mut() {
        Some(last) if *last == b' ' => *last = b'\n',
        _ => bytes.push(b'\n'),
    }
}

fn write_words(bytes: &mut Vec<u8>, words: &Words, numbers: &[u32]) {
    for &number in numbers {
        bytes.extend_from_slice(words.spelling(number).as_bytes());
        bytes.push(b' ');
    }
    end_line(bytes);
}

fn write_number(bytes: &mut Vec<u8>, number: u16, after: u8) {
    let mut buffer = itoa::Buffer::new();
    bytes.extend_from_slice(buffer.format(number).as_bytes());
    bytes.push(after);
}

fn write_links(bytes: &mut Vec<u8>, between: u8, links: &[(u16, u16)]) {
    for &(source, target) in links {
        write_number(bytes, source, between);
        write_number(bytes, target, b' ');
    }
}

fn write_phrases(bytes: &mut Vec<u8>, phrases: &[crate::GoldPhrase]) {
    for phrase in phrases {
        write_number(bytes, phrase.source_start, b'-');
        write_number(bytes, phrase.source_end, b':');
        write_number(bytes, phrase.target_start, b'-');
        write_number(bytes, phrase.target_end, b':');
        bytes.extend_from_slice(phrase.orientation.name().as_bytes());
        bytes.push(b' ');
    }
    end_line(bytes);
}
