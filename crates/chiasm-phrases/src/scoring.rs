//! The phrase table's four scores: translation probabilities and lexical weights in both directions
//! (Koehn, Och & Marcu 2003), for tables of any size.
//!
//! Pairs come sorted by source, so the source's counts are known at the end of each group. Those of
//! the target need the other order: each pair sends (hash of its target, its number, its count)
//! through one sort, and the sums come back to the pair's number through a second one.

use crate::counter::Counts;
use crate::lexicon::Lexicon;
use crate::pairs::{CountedPair, CountedPairs};
use crate::smoothing::{CountsOfCounts, Marginal, PhraseSmoothing};
use crate::span::PhraseLink;
use crate::{Error, Result};
use chiasm_store::{Record, Sorter};
use std::cmp::Ordering;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_128;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A phrase pair with its scores.
#[derive(Clone, Debug, Default)]
pub struct ScoredPair {
    /// Words, links, counts.
    pub pair: CountedPair,
    /// `p(f|e), lex(f|e), p(e|f), lex(e|f)`.
    pub scores: [f64; 4],
    /// The source phrase, with any target.
    pub source: Marginal,
    /// The target phrase, with any source.
    pub target: Marginal,
}

/// Calls `each` with every pair and its scores, in the bytewise order of lines. Returns how many.
pub fn score_pairs(
    pairs: CountedPairs,
    lexicon: &Lexicon,
    smoothing: PhraseSmoothing,
    budget: usize,
    folder: &Path,
    mut each: impl FnMut(&ScoredPair) -> Result<()>,
) -> Result<u64> {
    let spooled = spool_groups(pairs, budget, folder)?;
    let estimator = smoothing.estimator(&spooled.counts_of_counts);
    let mut totals = spooled.totals.finish()?;
    let mut reader = GroupReader {
        reader: BufReader::with_capacity(1 << 18, spooled.file),
        left: 0,
        source: Marginal::default(),
    };
    let mut scored = ScoredPair::default();
    let mut count = 0;
    while reader.next(&mut scored).map_err(|e| Error::io(folder, e))? {
        scored.target = match totals.next() {
            Some(record) => record?.target,
            None => Marginal::default(),
        };
        let joint = u64::from(scored.pair.counts.total);
        let pair = &scored.pair;
        let (source_lexical, target_lexical) =
            lexicon.weights(&pair.source, &pair.target, &pair.links);
        scored.scores = [
            estimator.probability(joint, &scored.target, &scored.source),
            source_lexical,
            estimator.probability(joint, &scored.source, &scored.target),
            target_lexical,
        ];
        each(&scored)?;
        count += 1;
    }
    Ok(count)
}

/// All pairs on their way from counting to scoring.
struct Spooled {
    /// The pairs, grouped by source with the group's sums in front.
    file: File,
    /// The sums of each pair's target, in the order of pairs.
    totals: Sorter<PairTarget>,
    counts_of_counts: CountsOfCounts,
}

/// Writes all pairs to a temporary file and sums over sources, targets and all.
fn spool_groups(mut pairs: CountedPairs, budget: usize, folder: &Path) -> Result<Spooled> {
    let fail = |error| Error::io(folder, error);
    let file = tempfile::tempfile_in(folder).map_err(fail)?;
    let mut writer = BufWriter::with_capacity(1 << 18, file);
    let mut by_target: Sorter<TargetCount> = Sorter::new(budget / 2, folder);
    let (mut pair, mut group, mut index) = (CountedPair::default(), Group::default(), 0u64);
    let mut counts_of_counts = CountsOfCounts::default();
    while pairs.next(&mut pair)? {
        if group.source != pair.source {
            group.write(&mut writer).map_err(fail)?;
            group.source.clone_from(&pair.source);
        }
        group.push(&pair);
        counts_of_counts.add(pair.counts.total.into());
        let hash = xxh3_128(pair.target.as_bytes());
        let (high, low) = ((hash >> 64) as u64, hash as u64);
        by_target.push(TargetCount {
            high,
            low,
            index,
            count: pair.counts.total.into(),
        })?;
        index += 1;
    }
    group.write(&mut writer).map_err(fail)?;
    drop(pairs);
    let mut file = writer.into_inner().map_err(|e| fail(e.into_error()))?;
    file.seek(SeekFrom::Start(0)).map_err(fail)?;
    Ok(Spooled {
        file,
        totals: target_totals(by_target, budget, folder)?,
        counts_of_counts,
    })
}

/// Sums over equal targets; the sums ordered by pair.
fn target_totals(
    by_target: Sorter<TargetCount>,
    budget: usize,
    folder: &Path,
) -> Result<Sorter<PairTarget>> {
    let mut totals = Sorter::new(budget / 2, folder);
    let mut same: Vec<TargetCount> = Vec::new();
    let mut flush = |same: &mut Vec<TargetCount>| -> Result<()> {
        let mut target = Marginal::default();
        same.iter().for_each(|record| target.add(record.count));
        for record in same.drain(..) {
            let index = record.index;
            totals.push(PairTarget { index, target })?;
        }
        Ok(())
    };
    for record in by_target.finish()? {
        let record = record?;
        if same
            .first()
            .is_some_and(|first| (first.high, first.low) != (record.high, record.low))
        {
            flush(&mut same)?;
        }
        same.push(record);
    }
    flush(&mut same)?;
    Ok(totals)
}

/// The pairs of one source phrase on their way to the temporary file.
#[derive(Default)]
struct Group {
    source: Vec<u32>,
    records: Vec<u32>,
    sums: Marginal,
}

impl Group {
    fn push(&mut self, pair: &CountedPair) {
        self.sums.add(pair.counts.total.into());
        self.records
            .push((pair.target.len() as u32) << 16 | pair.links.len() as u32);
        self.records.push(pair.counts.total);
        self.records.extend_from_slice(&pair.counts.backward);
        self.records.extend_from_slice(&pair.counts.forward);
        self.records.extend_from_slice(&pair.target);
        let links = pair.links.iter();
        self.records.extend(links.map(|link| link.packed()));
    }

    fn write(&mut self, writer: &mut impl Write) -> std::io::Result<()> {
        if self.sums.kinds > 0 {
            writer.write_all(self.sums.as_bytes())?;
            writer.write_all((self.source.len() as u64).as_bytes())?;
            writer.write_all(self.source.as_bytes())?;
            writer.write_all(self.records.as_bytes())?;
        }
        self.records.clear();
        self.sums = Marginal::default();
        Ok(())
    }
}

struct GroupReader {
    reader: BufReader<File>,
    left: u64,
    source: Marginal,
}

impl GroupReader {
    fn next(&mut self, scored: &mut ScoredPair) -> std::io::Result<bool> {
        let pair = &mut scored.pair;
        if self.left == 0 {
            let bytes = self.source.as_mut_bytes();
            if self.reader.read(&mut bytes[..1])? == 0 {
                return Ok(false);
            }
            self.reader.read_exact(&mut bytes[1..])?;
            self.left = self.source.kinds;
            let mut length = 0u64;
            self.reader.read_exact(length.as_mut_bytes())?;
            pair.source.resize(length as usize, 0);
            self.reader.read_exact(pair.source.as_mut_bytes())?;
        }
        self.left -= 1;
        scored.source = self.source;
        let mut fixed = [0u32; 10];
        self.reader.read_exact(fixed.as_mut_bytes())?;
        pair.counts = Counts {
            total: fixed[1],
            ..Default::default()
        };
        pair.counts.backward.copy_from_slice(&fixed[2..6]);
        pair.counts.forward.copy_from_slice(&fixed[6..10]);
        pair.target.resize((fixed[0] >> 16) as usize, 0);
        self.reader.read_exact(pair.target.as_mut_bytes())?;
        pair.links.clear();
        for _ in 0..fixed[0] & 0xffff {
            let mut link = 0u32;
            self.reader.read_exact(link.as_mut_bytes())?;
            pair.links.push(PhraseLink::unpacked(link));
        }
        Ok(true)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct TargetCount {
    high: u64,
    low: u64,
    index: u64,
    count: u64,
}

impl Ord for TargetCount {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.high, self.low, self.index).cmp(&(other.high, other.low, other.index))
    }
}

impl PartialOrd for TargetCount {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Record for TargetCount {
    fn absorb(&mut self, other: &Self) {
        self.count += other.count;
    }
}

#[derive(Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct PairTarget {
    index: u64,
    target: Marginal,
}

impl Ord for PairTarget {
    fn cmp(&self, other: &Self) -> Ordering {
        self.index.cmp(&other.index)
    }
}

impl PartialOrd for PairTarget {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Record for PairTarget {
    fn absorb(&mut self, _other: &Self) {}
}
