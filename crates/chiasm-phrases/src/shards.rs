//! Counting on many machines: the numbers that [`CountedPairs::count`] and [`score_pairs`](crate::score_pairs) give on one.
//!
//! Words are numbered once for all. Every machine reads its rows into an [`IndexedCorpus`] with these numbers ([`Shard`]),
//! counts, and gives away sorted runs of keys with counts, cut at some source phrases ([`Cuts`]), so that all pairs of a source
//! phrase meet in one place. There [`merge_runs`] adds them up and writes runs once more, of distinct pairs now, and since cuts
//! are in the order of keys, the runs of one place after the other are the table in its order.
//!
//! What is to be known of targets goes around as on one machine: each pair tells its target its number and its count
//! ([`target_counts`]), equal targets meet ([`target_marginals`]) and the sums come back by the pairs' numbers
//! ([`Scoring::score_runs`]). The upper part of a number is that of the place, then comes that of the run.

use crate::corpus::{IndexedCorpus, Reader, Side};
use crate::counter::{CountedKeys, Counts, Run, pack_links, write_record};
use crate::files::Passed;
use crate::lexicon::Lexicon;
use crate::pairs::{CountedPair, CountedPairs, Counts64};
use crate::scoring::{PairTarget, ScoredPair, Spooled, TargetCount, target_totals};
use crate::smoothing::{CountsOfCounts, PhraseSmoothing};
use crate::span::PhraseLink;
use crate::{Error, Result};
use chiasm_store::Sorter;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use zerocopy::{FromBytes, IntoBytes};

/// How far up the number of a place stands in the number of a pair.
const PLACE: u32 = 40;
/// How far up the number of a run stands in it. A run has fewer pairs than that leaves room for.
const PART: u32 = 24;

/// About so many bytes of keys make a run; what is sent around stays small.
const RUN: usize = 16 << 20;

/// The rows that one machine has, on their way to a corpus.
pub struct Shard {
    reader: Reader,
    sides: [Side; 2],
    columns: [PathBuf; 3],
    rows: u64,
}

impl Shard {
    /// No rows yet; temporary data goes to `folder`.
    pub fn new(sides: [Side; 2], folder: &Path) -> Result<Self> {
        Ok(Shard {
            reader: Reader::new(folder)?,
            sides,
            columns: ["source", "target", "links"].map(PathBuf::from),
            rows: 0,
        })
    }

    /// Takes a row: source, target, links. The error names the column and the number of the row, counted from 1.
    pub fn push(&mut self, row: [&str; 3]) -> Result<()> {
        self.rows += 1;
        for (at, side) in self.sides.iter().enumerate() {
            let mut unknown = None;
            let words = chiasm_text::tokens(row[at]).map(|word| {
                let number = side.arrival(word);
                if number.is_none() {
                    unknown.get_or_insert(word);
                }
                number.unwrap_or(u32::MAX)
            });
            self.reader.words(at, words, &self.columns[at], self.rows)?;
            if let Some(word) = unknown {
                let reason = format!(
                    "'{word}' was not there when words were numbered: the rows have changed meanwhile"
                );
                return Err(Error::line(&self.columns[at], self.rows, reason));
            }
        }
        let links = std::iter::once((&self.columns[2], row[2]));
        self.reader.pair(links, self.rows)
    }

    /// What was taken so far.
    pub fn passed(&self) -> Passed {
        self.reader.passed()
    }

    /// The corpus of the rows.
    pub fn finish(self) -> Result<IndexedCorpus> {
        self.reader.finish_with(self.sides, 1, None)
    }
}

/// Where the runs of keys are cut: beginnings of source phrases, in order. No cut falls between pairs of one source phrase,
/// because a cut has no separator.
#[derive(Clone, Debug, Default)]
pub struct Cuts(Vec<Vec<u32>>);

impl Cuts {
    /// Cuts into about `places` parts of equal size, as beginnings of phrases that were drawn at random suggest.
    pub fn new<'d>(drawn: impl Iterator<Item = &'d str>, source: &Side, places: usize) -> Self {
        let vocabulary = &source.vocabulary;
        let numbers = |phrase: &str| -> Option<Vec<u32>> {
            let words = chiasm_text::tokens(phrase).map(|word| vocabulary.get(word));
            let words: Option<Vec<u32>> = words.collect();
            words.filter(|words| !words.contains(&source.separator) && !words.is_empty())
        };
        let mut drawn: Vec<Vec<u32>> = drawn.filter_map(numbers).collect();
        drawn.sort_unstable();
        let places = places.max(1);
        let cut = |place: usize| drawn.get(drawn.len() * place / places).cloned();
        let mut cuts: Vec<Vec<u32>> = (1..places).filter_map(cut).collect();
        cuts.dedup();
        Cuts(cuts)
    }

    /// The place of a key.
    fn place(&self, key: &[u32]) -> usize {
        self.0.partition_point(|cut| cut.as_slice() <= key)
    }

    /// As numbers alone: the length of each cut, and its words.
    pub fn to_numbers(&self) -> Vec<u32> {
        let numbers = |cut: &Vec<u32>| [vec![cut.len() as u32], cut.clone()].concat();
        self.0.iter().flat_map(numbers).collect()
    }

    /// Undoes [`Cuts::to_numbers`].
    pub fn of_numbers(numbers: &[u32]) -> Self {
        let (mut cuts, mut rest) = (Vec::new(), numbers);
        while let Some((&length, tail)) = rest.split_first() {
            let (cut, tail) = tail.split_at((length as usize).min(tail.len()));
            cuts.push(cut.to_vec());
            rest = tail;
        }
        Cuts(cuts)
    }
}

/// Gathers records into a run.
struct RunWriter {
    encoder: lz4_flex::frame::FrameEncoder<Vec<u8>>,
    record: Vec<u32>,
    bytes: usize,
}

impl RunWriter {
    fn new() -> Self {
        RunWriter {
            encoder: chiasm_store::run_encoder(Vec::new()),
            record: Vec::new(),
            bytes: 0,
        }
    }

    fn write(&mut self, key: &[u32], counts: &Counts) -> std::io::Result<()> {
        write_record(key, counts, &mut self.record, &mut self.encoder)?;
        self.bytes += self.record.len() * size_of::<u32>();
        Ok(())
    }

    fn take(&mut self) -> std::io::Result<Vec<u8>> {
        let whole = std::mem::replace(self, RunWriter::new());
        whole.encoder.finish().map_err(std::io::Error::other)
    }
}

/// Gives the keys of a shard away: calls `give` with a place and a sorted run for it.
pub fn give_runs(
    mut pairs: CountedPairs,
    cuts: &Cuts,
    mut give: impl FnMut(usize, Vec<u8>),
) -> Result<()> {
    let fail = |error| Error::io("a run of phrase pairs", error);
    let (mut writer, mut place, mut key) = (RunWriter::new(), 0, Vec::new());
    while let Some(counts) = pairs.next_key(&mut key)? {
        let next = cuts.place(&key);
        if writer.bytes > 0 && (next != place || writer.bytes >= RUN) {
            give(place, writer.take().map_err(fail)?);
        }
        place = next;
        writer.write(&key, &counts).map_err(fail)?;
    }
    if writer.bytes > 0 {
        give(place, writer.take().map_err(fail)?);
    }
    Ok(())
}

/// The pairs of runs, whose totals are known from elsewhere or not asked for.
pub fn pairs_of_runs(
    runs: Vec<Vec<u8>>,
    sides: [&Side; 2],
    totals: Counts64,
    folder: &Path,
) -> Result<CountedPairs> {
    let runs = runs
        .into_iter()
        .map(|run| Box::new(Cursor::new(run)) as Run);
    let keys = CountedKeys::of_runs(runs, folder)?;
    CountedPairs::of_keys(keys, sides.map(|side| side.separator), totals)
}

/// What a run of distinct pairs adds up to.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunSums {
    /// Occurrences and orientations.
    pub totals: Counts64,
    /// Distinct pairs by how often they were seen.
    pub counts_of_counts: CountsOfCounts,
}

/// Adds equal pairs up. Calls `give` with runs of distinct pairs in order, the most frequent links of each, and what they add up
/// to.
pub fn merge_runs(
    runs: Vec<Vec<u8>>,
    sides: [&Side; 2],
    folder: &Path,
    mut give: impl FnMut(Vec<u8>, RunSums),
) -> Result<()> {
    let fail = |error| Error::io("a run of phrase pairs", error);
    let mut pairs = pairs_of_runs(runs, sides, Counts64::default(), folder)?;
    let (mut writer, mut sums) = (RunWriter::new(), RunSums::default());
    let (mut pair, mut key) = (CountedPair::default(), Vec::new());
    while pairs.next(&mut pair)? {
        key.clear();
        key.extend_from_slice(&pair.source);
        key.push(sides[0].separator);
        key.extend_from_slice(&pair.target);
        key.push(sides[1].separator);
        pack_links(pair.links.iter().copied().map(PhraseLink::packed), &mut key);
        writer.write(&key, &pair.counts).map_err(fail)?;
        sums.totals.add(&Counts64::from(&pair.counts));
        sums.counts_of_counts.add(pair.counts.total.into());
        if writer.bytes >= RUN {
            give(writer.take().map_err(fail)?, std::mem::take(&mut sums));
        }
    }
    if writer.bytes > 0 {
        give(writer.take().map_err(fail)?, sums);
    }
    Ok(())
}

/// What the pairs of run number `part` of a place tell their targets: records for each of `meetings` where equal targets meet.
pub fn target_counts(
    (place, part): (u64, u64),
    run: Vec<u8>,
    sides: [&Side; 2],
    meetings: usize,
    folder: &Path,
) -> Result<Vec<Vec<u8>>> {
    let mut pairs = pairs_of_runs(vec![run], sides, Counts64::default(), folder)?;
    let mut told = vec![Vec::new(); meetings.max(1)];
    let (mut pair, mut index) = (CountedPair::default(), place << PLACE | part << PART);
    while pairs.next(&mut pair)? {
        let record = TargetCount::new(&pair, index);
        let meeting = record.high % told.len() as u64;
        told[meeting as usize].extend_from_slice(record.as_bytes());
        index += 1;
    }
    Ok(told)
}

/// Adds up where targets meet. Calls `give` with a place and what its pairs are to know of their targets, by their numbers.
pub fn target_marginals(
    told: &[Vec<u8>],
    budget: usize,
    folder: &Path,
    mut give: impl FnMut(u64, Vec<u8>),
) -> Result<()> {
    let mut by_target: Sorter<TargetCount> = Sorter::new(budget / 2, folder);
    for record in told
        .iter()
        .flat_map(|records| records.chunks_exact(size_of::<TargetCount>()))
    {
        if let Ok(record) = TargetCount::read_from_bytes(record) {
            by_target.push(record)?;
        }
    }
    let (mut place, mut records) = (0, Vec::new());
    for record in target_totals(by_target, budget, folder)?.finish()? {
        let record = record?;
        let next = record.index >> PLACE;
        if next != place && !records.is_empty() {
            give(place, std::mem::take(&mut records));
        }
        place = next;
        records.extend_from_slice(record.as_bytes());
    }
    if !records.is_empty() {
        give(place, records);
    }
    Ok(())
}

/// How pairs are scored, the same in all places.
pub struct Scoring<'a> {
    /// Word translation probabilities.
    pub lexicon: &'a Lexicon,
    /// How counts become probabilities.
    pub smoothing: PhraseSmoothing,
    /// Distinct pairs by how often they were seen, over all places.
    pub counts_of_counts: CountsOfCounts,
}

impl Scoring<'_> {
    /// Scores the pairs of one place: its runs, and what [`target_marginals`] gave for it. Calls `each` in order.
    pub fn score_runs(
        &self,
        runs: Vec<Vec<u8>>,
        marginals: &[Vec<u8>],
        sides: [&Side; 2],
        folder: &Path,
        each: impl FnMut(&ScoredPair) -> Result<()>,
    ) -> Result<u64> {
        let bytes = marginals
            .iter()
            .flat_map(|some| some.chunks_exact(size_of::<PairTarget>()));
        let mut marginals: Vec<PairTarget> = bytes
            .filter_map(|record| PairTarget::read_from_bytes(record).ok())
            .collect();
        marginals.sort_unstable();
        let mut marginals = marginals.into_iter();
        let pairs = pairs_of_runs(runs, sides, Counts64::default(), folder)?;
        let spooled = Spooled::new(pairs, folder, |_| Ok(()))?;
        let estimator = self.smoothing.estimator(&self.counts_of_counts);
        let target = || match marginals.next() {
            Some(record) => Ok(record.target),
            None => Err(Error::io(
                "sums over targets",
                std::io::Error::other("fewer than phrase pairs"),
            )),
        };
        spooled.score(self.lexicon, &estimator, folder, target, each)
    }
}
