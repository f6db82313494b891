//! Which phrase pairs of a corpus are examples, for those who want fewer than all: filters, and a sample.

use crate::corpus_view::{CorpusWords, PhraseFinder, PhrasePair};
use crate::features::FeatureSet;
use crate::hashing::{mix, pair_of_phrases};
use crate::settings::Task;
use crate::{Error, Result};
use chiasm_phrases::{IndexedCorpus, IndexedPair};
use chiasm_store::{Record, Sorter};
use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;
use std::cmp::Ordering;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// What a phrase pair must be to be an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// It occurs so often in the corpus at least.
    pub pair_count: Option<u64>,
    /// Neither side has more words.
    pub length: Option<usize>,
    /// It is the first with this pair, source words around it (as many as the features look at) and class.
    pub distinct: bool,
}

impl FromStr for Filter {
    type Err = String;

    /// `pair-count=N,length=N,distinct`, any of them.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let complaint = || {
            format!("'{text}': any of pair-count=N, length=N and distinct expected, between commas")
        };
        let mut filter = Filter::default();
        for part in text.split(',') {
            let number = |value: &str| value.parse().ok().filter(|&number| number > 0);
            match part.split_once('=') {
                Some(("pair-count", value)) => {
                    filter.pair_count = Some(number(value).ok_or_else(complaint)?);
                }
                Some(("length", value)) => {
                    let length = number(value).ok_or_else(complaint)?;
                    filter.length = Some(length as usize);
                }
                None if part == "distinct" => filter.distinct = true,
                _ => return Err(complaint()),
            }
        }
        Ok(filter)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.pair_count.map(|count| format!("pair-count={count}")));
        parts.extend(self.length.map(|length| format!("length={length}")));
        parts.extend(self.distinct.then(|| "distinct".to_string()));
        f.write_str(&parts.join(","))
    }
}

/// A bit for every phrase pair of a corpus, in the order in which they are found.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Where the phrase pairs of each sentence pair begin, by its index, and the end of the last.
    starts: Vec<u64>,
    bits: Vec<u64>,
}

impl Kept {
    /// Is phrase pair `number` of sentence pair `sentence` an example?
    pub fn contains(&self, sentence: u64, number: u64) -> bool {
        let start = self.starts.get(sentence as usize).copied();
        let at = start.unwrap_or(u64::MAX).saturating_add(number);
        let word = self.bits.get((at / 64) as usize).copied().unwrap_or(0);
        word >> (at % 64) & 1 == 1
    }

    /// How many examples.
    pub fn len(&self) -> u64 {
        self.bits
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn push(&mut self, at: u64, kept: bool) {
        if at.is_multiple_of(64) {
            self.bits.push(0);
        }
        if let Some(word) = self.bits.last_mut() {
            *word |= u64::from(kept) << (at % 64);
        }
    }

    /// Only so many of them, spread evenly.
    fn sampled(mut self, wanted: u64) -> Self {
        let total = self.len();
        let mut seen = 0u64;
        let share = |seen: u64| u128::from(seen) * u128::from(wanted) / u128::from(total.max(1));
        for word in &mut self.bits {
            let mut rest = *word;
            while rest != 0 {
                let bit = rest & rest.wrapping_neg();
                rest ^= bit;
                if wanted < total && share(seen) == share(seen + 1) {
                    *word ^= bit;
                }
                seen += 1;
            }
        }
        self
    }
}

/// How often a phrase pair occurs.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct PairCount {
    pair: u64,
    count: u64,
}

impl Ord for PairCount {
    fn cmp(&self, other: &Self) -> Ordering {
        self.pair.cmp(&other.pair)
    }
}

impl PartialOrd for PairCount {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PairCount {
    fn eq(&self, other: &Self) -> bool {
        self.pair == other.pair
    }
}

impl Eq for PairCount {}

impl Record for PairCount {
    fn absorb(&mut self, other: &Self) {
        self.count += other.count;
    }
}

/// What is looked at.
pub(crate) struct Sifting<'a> {
    pub filter: Filter,
    pub sample: Option<u64>,
    pub task: &'a Task,
    pub features: &'a FeatureSet,
    pub words: &'a CorpusWords,
    pub budget: usize,
    pub folder: &'a Path,
}

/// The scratch memory of one stretch of the corpus.
#[derive(Default)]
struct Work {
    finder: PhraseFinder,
    pairs: Vec<PairCount>,
    /// Of each sentence pair: its index, and how many phrase pairs it has.
    sentences: Vec<(u64, u64)>,
    /// Of each phrase pair: whether it passes what needs no memory, and what makes it the same as another.
    found: Vec<(bool, u64)>,
}

impl Sifting<'_> {
    /// The phrase pairs that are examples; none is all.
    pub fn kept(&self, corpus: &mut IndexedCorpus) -> Result<Option<Kept>> {
        if self.filter == Filter::default() && self.sample.is_none() {
            return Ok(None);
        }
        if corpus.alignments > 1 {
            let reason = "--filter and --sample are for text with one alignment";
            return Err(Error::Request(reason.into()));
        }
        let frequent = match self.filter.pair_count {
            Some(least) if least > 1 => Some(self.frequent_pairs(corpus, least)?),
            _ => None,
        };
        let mut kept = Kept::default();
        let mut total = 0;
        let mut seen: HashSet<u64, FxBuildHasher> = HashSet::default();
        corpus.for_each_in_order(
            |pair, work: &mut Work| {
                let Work {
                    finder,
                    sentences,
                    found,
                    ..
                } = work;
                let before = found.len();
                finder.find(self.task, pair, |phrase| {
                    let own = self.pair(pair, phrase);
                    let often = |pairs: &Vec<u64>| pairs.binary_search(&own).is_ok();
                    let passes = self.is_short(phrase) && frequent.as_ref().is_none_or(often);
                    found.push((passes, self.occurrence(pair, phrase, own)));
                });
                sentences.push((pair.index, (found.len() - before) as u64));
            },
            |work, _| {
                for (index, count) in work.sentences.drain(..) {
                    // Sentence pairs that were passed over have no phrase pairs.
                    kept.starts.resize(index as usize + 1, total);
                    for (passes, occurrence) in work.found.drain(..count as usize) {
                        let mut first = || !self.filter.distinct || seen.insert(occurrence);
                        kept.push(total, passes && first());
                        total += 1;
                    }
                }
                Ok(())
            },
        )?;
        Ok(Some(match self.sample {
            Some(wanted) => kept.sampled(wanted),
            None => kept,
        }))
    }

    fn frequent_pairs(&self, corpus: &mut IndexedCorpus, least: u64) -> Result<Vec<u64>> {
        let mut sorter = Sorter::new(self.budget / 2, self.folder);
        corpus.for_each_in_order(
            |pair, work: &mut Work| {
                let Work { finder, pairs, .. } = work;
                finder.find(self.task, pair, |phrase| {
                    let pair = self.pair(pair, phrase);
                    pairs.push(PairCount { pair, count: 1 });
                });
            },
            |work, _| {
                sorter.extend(&work.pairs)?;
                work.pairs.clear();
                Ok(())
            },
        )?;
        let mut frequent = Vec::new();
        for record in sorter.finish()? {
            let record = record?;
            if record.count >= least {
                frequent.push(record.pair);
            }
        }
        Ok(frequent)
    }

    fn is_short(&self, phrase: &PhrasePair) -> bool {
        let spans = phrase.instance.spans;
        let longest = spans.source.len().max(spans.target.len());
        self.filter.length.is_none_or(|length| longest <= length)
    }

    fn pair(&self, pair: &IndexedPair, phrase: &PhrasePair) -> u64 {
        let spans = phrase.instance.spans;
        let source = &pair.source[spans.source.range()];
        let target = &pair.target[spans.target.range()];
        pair_of_phrases(
            source
                .iter()
                .map(|&word| self.words.source[word as usize].hash),
            target
                .iter()
                .map(|&word| self.words.target[word as usize].hash),
        )
    }

    /// A number that two occurrences share if pair, words around it and classes are the same.
    fn occurrence(&self, pair: &IndexedPair, phrase: &PhrasePair, own: u64) -> u64 {
        let span = phrase.instance.spans.source;
        let mut hash = own;
        for distance in 1..=i64::from(self.features.widest_context()) {
            for position in [
                i64::from(span.start) - distance,
                i64::from(span.end) - 1 + distance,
            ] {
                let position = usize::try_from(position).ok();
                let word = position.and_then(|position| pair.source.get(position));
                let word = word.map_or(0, |&word| self.words.source[word as usize].hash);
                hash = mix(hash, word);
            }
        }
        for direction in self.task.directions.iter() {
            let class = phrase.class(self.task.classes, direction);
            hash = mix(hash, class.map_or(0, |class| class as u64 + 1));
        }
        hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_read_and_written() {
        for text in [
            "pair-count=3",
            "length=4,distinct",
            "pair-count=2,length=7,distinct",
        ] {
            assert_eq!(text.parse::<Filter>().unwrap().to_string(), text);
        }
        for bad in ["", "pair-count=0", "length=x", "distinct=1", "short"] {
            assert!(bad.parse::<Filter>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_sample_is_as_large_as_asked_and_of_what_was_kept() {
        let mut kept = Kept {
            starts: vec![0, 100],
            bits: Vec::new(),
        };
        (0..1000).for_each(|at| kept.push(at, at % 3 == 0));
        for wanted in [0, 1, 7, 333, 334, 5000] {
            let sample = kept.clone().sampled(wanted);
            assert_eq!(sample.len(), wanted.min(334));
            assert!((0..1000).all(|at| !sample.contains(0, at) || at % 3 == 0));
            assert_eq!(sample.contains(1, 2), sample.contains(0, 102));
        }
        assert!(!kept.contains(9, 0));
        assert!(!kept.contains(1, 100_000));
    }
}
