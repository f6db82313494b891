//! Sort-and-reduce of fixed-size records within a memory budget.
//!
//! Records are gathered in memory; when the budget is full they are sorted, equal ones are
//! reduced to one, and the run is written (lz4) to an unnamed temporary file, which the system
//! removes whatever happens to the process. [`Sorter::finish`] merges the runs. The result is
//! the same for any budget, provided that [`Record::absorb`] is associative and commutative.

use crate::disk::Disk;
use crate::{Error, Result};
use chiasm_work::cancel;
use lz4_flex::frame::{BlockSize, FrameDecoder, FrameEncoder, FrameInfo};
use rayon::slice::ParallelSliceMut;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A plain record whose order (`Ord`) is that of its key; records with equal keys are reduced to one.
pub trait Record:
    Ord + Copy + Send + Sync + FromBytes + IntoBytes + Immutable + KnownLayout
{
    /// Takes in `other`, whose key is equal.
    fn absorb(&mut self, other: &Self);
}

/// Gathers records, spilling sorted runs to disk past a budget.
pub struct Sorter<R> {
    records: Vec<R>,
    capacity: usize,
    folder: PathBuf,
    runs: Vec<File>,
}

const SMALLEST_CAPACITY: usize = 1024;
const BLOCK: usize = 1 << 16;

impl<R: Record> Sorter<R> {
    /// A sorter that holds about `budget` bytes in memory and spills to `folder`.
    pub fn new(budget: usize, folder: impl AsRef<Path>) -> Self {
        let capacity = (budget / size_of::<R>()).max(SMALLEST_CAPACITY);
        Sorter {
            records: Vec::new(),
            capacity,
            folder: folder.as_ref().to_path_buf(),
            runs: Vec::new(),
        }
    }

    /// Takes one record.
    #[inline]
    pub fn push(&mut self, record: R) -> Result<()> {
        if self.records.len() == self.capacity {
            self.make_room()?;
        }
        self.records.push(record);
        Ok(())
    }

    /// Takes many records.
    pub fn extend(&mut self, records: &[R]) -> Result<()> {
        let mut rest = records;
        while !rest.is_empty() {
            if self.records.len() == self.capacity {
                self.make_room()?;
            }
            let (now, later) = rest.split_at(rest.len().min(self.capacity - self.records.len()));
            self.records.extend_from_slice(now);
            rest = later;
        }
        Ok(())
    }

    /// How many runs have been spilled so far.
    pub fn spilled_runs(&self) -> usize {
        self.runs.len()
    }

    /// Reducing may free enough; if it does not, the run goes to disk.
    fn make_room(&mut self) -> Result<()> {
        sort_and_reduce(&mut self.records);
        if self.records.len() > self.capacity / 2 {
            let run = self.write_run().map_err(|e| Error::io(&self.folder, e))?;
            self.runs.push(run);
            self.records.clear();
        }
        Ok(())
    }

    fn write_run(&self) -> std::io::Result<File> {
        let mut file = Disk(tempfile::tempfile_in(&self.folder)?);
        {
            let buffered = BufWriter::with_capacity(BLOCK, &mut file);
            let mut encoder = run_encoder(buffered);
            encoder.write_all(self.records.as_bytes())?;
            encoder.finish().map_err(std::io::Error::other)?.flush()?;
        }
        file.seek(SeekFrom::Start(0))?;
        Ok(file.0)
    }

    /// The records in order, each key once.
    pub fn finish(mut self) -> Result<Sorted<R>> {
        sort_and_reduce(&mut self.records);
        let mut sources = vec![Source::Memory(
            std::mem::take(&mut self.records).into_iter(),
        )];
        for run in self.runs {
            let decoder = FrameDecoder::new(BufReader::with_capacity(BLOCK, run));
            sources.push(Source::Disk(Box::new(decoder), Vec::new(), 0));
        }
        let mut sorted = Sorted {
            sources,
            heap: BinaryHeap::new(),
            folder: self.folder,
        };
        for index in 0..sorted.sources.len() {
            sorted.refill(index)?;
        }
        Ok(sorted)
    }
}

/// Compresses a run that will be merged. Every run that is merged holds two blocks: with the usual ones, of 4 MiB, a small budget, which
/// makes many runs, would take more memory than a large one.
pub fn run_encoder<W: Write>(writer: W) -> FrameEncoder<W> {
    let blocks = FrameInfo::new().block_size(BlockSize::Max64KB);
    FrameEncoder::with_frame_info(blocks, writer)
}

fn sort_and_reduce<R: Record>(records: &mut Vec<R>) {
    records.par_sort_unstable_by(|a, b| {
        cancel::tick();
        a.cmp(b)
    });
    let mut kept = 0;
    for index in 1..records.len() {
        cancel::tick();
        let record = records[index];
        if records[kept].cmp(&record).is_eq() {
            records[kept].absorb(&record);
        } else {
            kept += 1;
            records[kept] = record;
        }
    }
    records.truncate((kept + 1).min(records.len()));
}

type Decoder = FrameDecoder<BufReader<File>>;

enum Source<R> {
    Memory(std::vec::IntoIter<R>),
    Disk(Box<Decoder>, Vec<R>, usize),
}

impl<R: Record> Source<R> {
    fn next(&mut self) -> std::io::Result<Option<R>> {
        match self {
            Source::Memory(records) => Ok(records.next()),
            Source::Disk(decoder, block, position) => {
                if *position == block.len() {
                    read_block(decoder, block)?;
                    *position = 0;
                }
                let record = block.get(*position).copied();
                *position += 1;
                Ok(record)
            }
        }
    }
}

fn read_block<R: Record>(decoder: &mut Decoder, block: &mut Vec<R>) -> std::io::Result<()> {
    let count = (BLOCK / size_of::<R>()).max(1);
    block.resize(count, R::new_zeroed());
    let bytes = block.as_mut_bytes();
    let mut filled = 0;
    while filled < bytes.len() {
        match decoder.read(&mut bytes[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    block.truncate(filled / size_of::<R>());
    Ok(())
}

/// The merged records of a [`Sorter`], in order, each key once.
pub struct Sorted<R> {
    sources: Vec<Source<R>>,
    heap: BinaryHeap<Reverse<(R, usize)>>,
    folder: PathBuf,
}

impl<R: Record> Sorted<R> {
    fn refill(&mut self, index: usize) -> Result<()> {
        let next = self.sources[index]
            .next()
            .map_err(|e| Error::io(&self.folder, e))?;
        if let Some(record) = next {
            self.heap.push(Reverse((record, index)));
        }
        Ok(())
    }

    fn pop(&mut self) -> Result<Option<R>> {
        // The common case: nothing was spilled.
        if let [Source::Memory(records)] = self.sources.as_mut_slice() {
            if let Some(Reverse((first, _))) = self.heap.pop() {
                return Ok(Some(first));
            }
            return Ok(records.next());
        }
        let Some(Reverse((mut record, index))) = self.heap.pop() else {
            return Ok(None);
        };
        self.refill(index)?;
        while let Some(Reverse((other, index))) = self.heap.peek().copied() {
            if record.cmp(&other).is_ne() {
                break;
            }
            self.heap.pop();
            record.absorb(&other);
            self.refill(index)?;
        }
        Ok(Some(record))
    }
}

impl<R: Record> Iterator for Sorted<R> {
    type Item = Result<R>;

    fn next(&mut self) -> Option<Result<R>> {
        cancel::tick();
        self.pop().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Ordering;
    use std::collections::BTreeMap;

    #[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
    #[repr(C)]
    struct Count {
        key: u32,
        count: u32,
    }
    impl Ord for Count {
        fn cmp(&self, other: &Self) -> Ordering {
            self.key.cmp(&other.key)
        }
    }
    impl PartialOrd for Count {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }
    impl PartialEq for Count {
        fn eq(&self, other: &Self) -> bool {
            self.key == other.key
        }
    }
    impl Eq for Count {}
    impl Record for Count {
        fn absorb(&mut self, other: &Self) {
            self.count += other.count;
        }
    }

    proptest! {
        #[test]
        fn spilling_equals_a_map(keys in prop::collection::vec(0u32..6000, 0..20000)) {
            let mut expected = BTreeMap::new();
            let folder = tempfile::tempdir().unwrap();
            let mut sorter = Sorter::new(1, folder.path());
            for &key in &keys {
                *expected.entry(key).or_insert(0u32) += 1;
                sorter.push(Count { key, count: 1 }).unwrap();
            }
            let found: Vec<(u32, u32)> =
                sorter.finish().unwrap().map(|r| r.map(|c| (c.key, c.count)).unwrap()).collect();
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn it_really_spills() {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = Sorter::new(1, folder.path());
        let records: Vec<Count> = (0..10_000)
            .map(|key| Count {
                key: key ^ 0x155,
                count: 1,
            })
            .collect();
        sorter.extend(&records).unwrap();
        assert!(sorter.spilled_runs() > 3);
        let keys: Vec<u32> = sorter.finish().unwrap().map(|r| r.unwrap().key).collect();
        assert!(keys.is_sorted());
        assert_eq!(keys.len(), 10_000);
    }
}
