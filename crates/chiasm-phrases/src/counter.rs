//! Counting phrase pairs at any size: sort-and-reduce of variable-length records.
//!
//! A record is `source words, END, target words, END, packed links | counts`, all `u32`. Words
//! are numbered by spelling (see [`crate::corpus`]), so that the numeric order of records is the
//! bytewise order of the lines that will be written. Equal keys meet in a hash table over one
//! arena; past the budget the arena is sorted and written (lz4) to an unnamed temporary file, and
//! at the end the runs are merged. The result does not depend on the budget.

use crate::direction::Direction;
use crate::orientation::{Instance, Orientation};
use crate::span::PhraseLink;
use crate::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use rayon::slice::ParallelSliceMut;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::fs::File;
use std::hash::BuildHasher;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use zerocopy::IntoBytes;

/// Counts behind every key: occurrences, then backward and forward orientations.
pub(crate) const COUNTS: usize = 9;
/// Record header: how many words are in the key.
const HEADER: usize = 1;

/// How often a phrase pair occurred, and how it was oriented.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Occurrences.
    pub total: u32,
    /// By backward orientation.
    pub backward: [u32; 4],
    /// By forward orientation.
    pub forward: [u32; 4],
}

impl Counts {
    /// One occurrence.
    pub fn one(backward: Orientation, forward: Orientation) -> Self {
        let mut counts = Counts {
            total: 1,
            ..Default::default()
        };
        counts.backward[backward as usize] = 1;
        counts.forward[forward as usize] = 1;
        counts
    }

    /// By orientation with respect to one neighbour.
    pub fn of(&self, direction: Direction) -> &[u32; 4] {
        direction.of(&self.backward, &self.forward)
    }

    /// Adds others.
    pub fn add(&mut self, other: &Counts) {
        self.total += other.total;
        for class in 0..4 {
            self.backward[class] += other.backward[class];
            self.forward[class] += other.forward[class];
        }
    }

    fn from_words(words: &[u32]) -> Self {
        let mut counts = Counts {
            total: words[0],
            ..Default::default()
        };
        counts.backward.copy_from_slice(&words[1..5]);
        counts.forward.copy_from_slice(&words[5..9]);
        counts
    }
}

/// Gathers keys with counts within a memory budget.
pub(crate) struct Counter {
    arena: Vec<u32>,
    table: HashTable<u32>,
    hasher: FixedState,
    capacity: usize,
    folder: PathBuf,
    runs: Vec<File>,
}

/// Offsets into the arena are `u32` words: at most 16 GiB in memory at a time.
const LARGEST_ARENA: usize = u32::MAX as usize - 4096;
const SMALLEST_ARENA: usize = 1 << 14;

impl Counter {
    /// A counter that holds about `budget` bytes.
    pub fn new(budget: usize, folder: &Path) -> Self {
        // The arena doubles when it grows and the table stands beside it: half the budget.
        let capacity = (budget / 2 / size_of::<u32>()).clamp(SMALLEST_ARENA, LARGEST_ARENA);
        Counter {
            arena: Vec::new(),
            table: HashTable::new(),
            hasher: FixedState::default(),
            capacity,
            folder: folder.to_path_buf(),
            runs: Vec::new(),
        }
    }

    /// Adds one occurrence of a key (as [`pack`] made it).
    pub fn add(&mut self, key: &[u32], backward: u8, forward: u8) -> Result<()> {
        if self.arena.len() + key.len() + HEADER + COUNTS > self.capacity {
            self.spill()?;
        }
        let hash = self.hasher.hash_one(key);
        let arena = &self.arena;
        let counts = match self.table.find(hash, |&at| key_at(arena, at) == key) {
            Some(&at) => at as usize + HEADER + key.len(),
            None => self.insert(hash, key),
        };
        self.arena[counts] += 1;
        self.arena[counts + 1 + backward as usize] += 1;
        self.arena[counts + 5 + forward as usize] += 1;
        Ok(())
    }

    fn insert(&mut self, hash: u64, key: &[u32]) -> usize {
        let at = self.arena.len() as u32;
        self.arena.push(key.len() as u32);
        self.arena.extend_from_slice(key);
        let counts = self.arena.len();
        self.arena.extend_from_slice(&[0; COUNTS]);
        let (arena, hasher) = (&self.arena, &self.hasher);
        self.table
            .insert_unique(hash, at, |&at| hasher.hash_one(key_at(arena, at)));
        counts
    }

    /// Adds everything in a batch of packed instances (see [`pack`]).
    pub fn add_batch(&mut self, batch: &[u32]) -> Result<()> {
        let mut rest = batch;
        while let Some((&header, tail)) = rest.split_first() {
            let length = (header >> 4) as usize;
            let (key, tail) = tail.split_at(length);
            self.add(key, (header & 3) as u8, (header >> 2 & 3) as u8)?;
            rest = tail;
        }
        Ok(())
    }

    fn sorted_order(&self) -> Vec<(u64, u32)> {
        let arena = &self.arena;
        let mut order: Vec<(u64, u32)> = self
            .table
            .iter()
            .map(|&at| (prefix(key_at(arena, at)), at))
            .collect();
        order.par_sort_unstable_by(|a, b| {
            a.0.cmp(&b.0)
                .then_with(|| key_at(arena, a.1).cmp(key_at(arena, b.1)))
        });
        order
    }

    fn spill(&mut self) -> Result<()> {
        let order = self.sorted_order();
        let run = self
            .write_run(&order)
            .map_err(|e| Error::io(&self.folder, e))?;
        self.runs.push(run);
        self.table.clear();
        self.arena.clear();
        Ok(())
    }

    fn write_run(&self, order: &[(u64, u32)]) -> std::io::Result<File> {
        let mut file = tempfile::tempfile_in(&self.folder)?;
        {
            let buffered = BufWriter::with_capacity(1 << 16, &mut file);
            let mut encoder = chiasm_store::run_encoder(buffered);
            for &(_, at) in order {
                encoder.write_all(record_at(&self.arena, at).as_bytes())?;
            }
            encoder.finish().map_err(std::io::Error::other)?.flush()?;
        }
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }

    /// How many runs have been spilled.
    pub fn spilled_runs(&self) -> usize {
        self.runs.len()
    }

    /// The keys in order, each once.
    pub fn finish(mut self) -> Result<CountedKeys> {
        let order = self.sorted_order();
        self.table = HashTable::new();
        let mut sources = Vec::new();
        for run in std::mem::take(&mut self.runs) {
            let reader = BufReader::with_capacity(1 << 16, run);
            sources.push(Source::encoded(reader));
        }
        sources.push(Source::Memory {
            arena: self.arena,
            order: order.into_iter(),
        });
        CountedKeys::merge(sources, self.folder)
    }
}

#[inline]
fn key_at(arena: &[u32], at: u32) -> &[u32] {
    let at = at as usize;
    let length = arena[at] as usize;
    &arena[at + HEADER..at + HEADER + length]
}

#[inline]
fn record_at(arena: &[u32], at: u32) -> &[u32] {
    let at = at as usize;
    &arena[at..at + HEADER + arena[at] as usize + COUNTS]
}

/// The first two words of a key: most comparisons end here.
#[inline]
fn prefix(key: &[u32]) -> u64 {
    let second = key.get(1).copied().unwrap_or(0);
    u64::from(key.first().copied().unwrap_or(0)) << 32 | u64::from(second)
}

enum Source {
    Memory {
        arena: Vec<u32>,
        order: std::vec::IntoIter<(u64, u32)>,
    },
    /// A run, or several one after the other, as [`write_record`] and [`chiasm_store::run_encoder`] write them.
    Encoded(Box<lz4_flex::frame::FrameDecoder<Run>>),
}

/// Where a run is read from.
pub(crate) type Run = Box<dyn Read + Send>;

/// No phrase has so many words and links; a longer key is not one.
const LONGEST_KEY: u32 = 1 << 16;

impl Source {
    fn encoded(reader: impl Read + Send + 'static) -> Self {
        let reader: Run = Box::new(reader);
        Source::Encoded(Box::new(lz4_flex::frame::FrameDecoder::new(reader)))
    }

    /// The next record into `into`; `false` at the end.
    fn next(&mut self, into: &mut Vec<u32>) -> std::io::Result<bool> {
        into.clear();
        match self {
            Source::Memory { arena, order } => match order.next() {
                Some((_, at)) => into.extend_from_slice(record_at(arena, at)),
                None => return Ok(false),
            },
            Source::Encoded(decoder) => {
                let mut header = [0u8; 4];
                if decoder.read(&mut header[..1])? == 0 {
                    return Ok(false);
                }
                decoder.read_exact(&mut header[1..])?;
                let length = u32::from_le_bytes(header);
                if length > LONGEST_KEY {
                    let reason = format!("a key of {length} words in a run of phrase pairs");
                    return Err(std::io::Error::new(ErrorKind::InvalidData, reason));
                }
                into.resize(HEADER + length as usize + COUNTS, 0);
                into[0] = length;
                decoder.read_exact(into[HEADER..].as_mut_bytes())?;
            }
        }
        Ok(true)
    }
}

/// A record in the merge heap; the smallest key is the greatest.
struct Pending {
    record: Vec<u32>,
    source: usize,
}

impl Pending {
    fn key(&self) -> &[u32] {
        &self.record[HEADER..self.record.len() - COUNTS]
    }
}

impl Ord for Pending {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(self.key())
    }
}

impl PartialOrd for Pending {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Pending {}

/// The keys of a [`Counter`] in order, each once.
pub(crate) struct CountedKeys {
    sources: Vec<Source>,
    heap: BinaryHeap<Pending>,
    spare: Vec<Vec<u32>>,
    folder: PathBuf,
}

impl CountedKeys {
    /// The keys of several sorted runs, which may have some in common.
    pub fn of_runs(runs: impl Iterator<Item = Run>, folder: &Path) -> Result<Self> {
        Self::merge(runs.map(Source::encoded).collect(), folder.to_path_buf())
    }

    fn merge(sources: Vec<Source>, folder: PathBuf) -> Result<Self> {
        let mut keys = CountedKeys {
            sources,
            heap: BinaryHeap::new(),
            spare: Vec::new(),
            folder,
        };
        for index in 0..keys.sources.len() {
            keys.refill(index, Vec::new())?;
        }
        Ok(keys)
    }

    fn refill(&mut self, source: usize, mut record: Vec<u32>) -> Result<()> {
        let more = self.sources[source]
            .next(&mut record)
            .map_err(|e| Error::io(&self.folder, e))?;
        if more {
            self.heap.push(Pending { record, source });
        } else {
            self.spare.push(record);
        }
        Ok(())
    }

    /// The next key into `key`, with its counts.
    pub fn next(&mut self, key: &mut Vec<u32>) -> Result<Option<Counts>> {
        let Some(first) = self.heap.pop() else {
            return Ok(None);
        };
        key.clear();
        key.extend_from_slice(first.key());
        let mut counts = Counts::from_words(&first.record[first.record.len() - COUNTS..]);
        self.refill(first.source, first.record)?;
        while self
            .heap
            .peek()
            .is_some_and(|pending| pending.key() == key.as_slice())
        {
            let Some(same) = self.heap.pop() else { break };
            counts.add(&Counts::from_words(
                &same.record[same.record.len() - COUNTS..],
            ));
            self.refill(same.source, same.record)?;
        }
        Ok(Some(counts))
    }
}

/// Appends one instance to a batch: a header (key length, orientations) and the key.
pub(crate) fn pack(
    instance: &Instance,
    source: &[u32],
    target: &[u32],
    alignment: &crate::Alignment,
    end: [u32; 2],
    into: &mut Vec<u32>,
) {
    let header = into.len();
    into.push(0);
    let spans = instance.spans;
    into.extend_from_slice(&source[spans.source.range()]);
    into.push(end[0]);
    into.extend_from_slice(&target[spans.target.range()]);
    into.push(end[1]);
    let links = alignment.links_inside(spans);
    pack_links(links.map(PhraseLink::packed), into);
    let length = (into.len() - header - 1) as u32;
    into[header] = length << 4 | (instance.forward as u32) << 2 | instance.backward as u32;
}

/// Writes a key with its counts, as runs have it.
pub(crate) fn write_record(
    key: &[u32],
    counts: &Counts,
    record: &mut Vec<u32>,
    run: &mut impl Write,
) -> std::io::Result<()> {
    record.clear();
    record.push(key.len() as u32);
    record.extend_from_slice(key);
    record.push(counts.total);
    record.extend_from_slice(&counts.backward);
    record.extend_from_slice(&counts.forward);
    run.write_all(record.as_bytes())
}

/// Links of 16 bits (`source << 8 | target`), two a word, the first in the high half so that
/// words order as link lists do; each plus one, so that zero is "no link".
pub(crate) fn pack_links(links: impl Iterator<Item = u32>, into: &mut Vec<u32>) {
    let mut half = None;
    for link in links {
        match half.take() {
            None => half = Some(link + 1),
            Some(first) => into.push(first << 16 | (link + 1)),
        }
    }
    if let Some(first) = half {
        into.push(first << 16);
    }
}

/// Undoes [`pack_links`]: source and target offsets within the phrase pair.
pub(crate) fn unpack_links(words: &[u32], into: &mut Vec<PhraseLink>) {
    into.clear();
    for &word in words {
        for half in [word >> 16, word & 0xffff] {
            if half != 0 {
                into.push(PhraseLink::unpacked(half - 1));
            }
        }
    }
}
