//! The phrase table's four scores: translation probabilities and lexical weights in both directions
//! (Koehn, Och & Marcu 2003), for tables of any size.
//!
//! Pairs come sorted by source, so the source's counts are known at the end of each group. Those of
//! the target need the other order: each pair sends (hash of its target, its number, its count)
//! through one sort, and the sums come back to the pair's number through a second one.

use crate::counter::Counts;
use crate::lexicon::Lexicon;
use crate::pairs::{CountedPair, CountedPairs};
use crate::smoothing::{CountsOfCounts, Estimator, Marginal, PhraseSmoothing};
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
    each: impl FnMut(&ScoredPair) -> Result<()>,
) -> Result<u64> {
    let mut by_target: Sorter<TargetCount> = Sorter::new(budget / 2, folder);
    let mut index = 0u64;
    let spooled = Spooled::new(pairs, folder, |pair| {
        by_target.push(TargetCount::new(pair, index))?;
        index += 1;
        Ok(())
    })?;
    let estimator = smoothing.estimator(&spooled.counts_of_counts);
    let mut totals = target_totals(by_target, budget, folder)?.finish()?;
    let target = || {
        let record = totals.next().transpose()?;
        Ok(record.map_or_else(Marginal::default, |record| record.target))
    };
    spooled.score(lexicon, &estimator, folder, target, each)
}

/// All pairs on their way from counting to scoring.
pub(crate) struct Spooled {
    /// The pairs, grouped by source with the group's sums in front.
    file: File,
    counts_of_counts: CountsOfCounts,
}

impl Spooled {
    /// Writes all pairs to a temporary file and sums over sources and all; `each` sees them pass.
    pub fn new(
        mut pairs: CountedPairs,
        folder: &Path,
        mut each: impl FnMut(&CountedPair) -> Result<()>,
    ) -> Result<Self> {
        let fail = |error| Error::io(folder, error);
        let file = tempfile::tempfile_in(folder).map_err(fail)?;
        let mut writer = BufWriter::with_capacity(1 << 18, file);
        let (mut pair, mut group) = (CountedPair::default(), Group::default());
        let mut counts_of_counts = CountsOfCounts::default();
        while pairs.next(&mut pair)? {
            if group.source != pair.source {
                group.write(&mut writer).map_err(fail)?;
                group.source.clone_from(&pair.source);
            }
            group.push(&pair);
            counts_of_counts.add(pair.counts.total.into());
            each(&pair)?;
        }
        group.write(&mut writer).map_err(fail)?;
        let mut file = writer.into_inner().map_err(|e| fail(e.into_error()))?;
        file.seek(SeekFrom::Start(0)).map_err(fail)?;
        Ok(Spooled {
            file,
            counts_of_counts,
        })
    }

    /// Scores all pairs in their order; `target` knows what is to be known of the target of the next one.
    pub fn score(
        self,
        lexicon: &Lexicon,
        estimator: &Estimator,
        folder: &Path,
        mut target: impl FnMut() -> Result<Marginal>,
        mut each: impl FnMut(&ScoredPair) -> Result<()>,
    ) -> Result<u64> {
        let mut reader = GroupReader {
            reader: BufReader::with_capacity(1 << 18, self.file),
            left: 0,
            source: Marginal::default(),
        };
        let mut scored = ScoredPair::default();
        let mut count = 0;
        while reader.next(&mut scored).map_err(|e| Error::io(folder, e))? {
            scored.target = target()?;
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
}

/// Sums over equal targets; the sums ordered by pair.
pub(crate) fn target_totals(
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
pub(crate) struct TargetCount {
    pub high: u64,
    low: u64,
    index: u64,
    count: u64,
}

impl TargetCount {
    /// What pair number `index` tells its target.
    pub fn new(pair: &CountedPair, index: u64) -> Self {
        let hash = xxh3_128(pair.target.as_bytes());
        TargetCount {
            high: (hash >> 64) as u64,
            low: hash as u64,
            index,
            count: pair.counts.total.into(),
        }
    }
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
pub(crate) struct PairTarget {
    pub index: u64,
    pub target: Marginal,
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
