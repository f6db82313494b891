//! The journal of one system, and what it amounts to.

use crate::journal::{Journal, Record};
use crate::occurrences::Occurrences;
use crate::{Error, Pair, Result};
use chiasm_align::{Decoder, LinkMaker, LinkSettings, Method, Model, Posteriors};
use chiasm_decode::{Learned, Lesson, Preparation, Strengths, System};
use chiasm_text::{Batch, Link, ParallelLines, links};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Lines read at a time.
const ROWS: usize = 1000;

/// So many pairs that were counted are worth a file from which counting them again can be spared.
const WORTH_AN_INDEX: usize = 500;

/// Longer sentences are no sentences.
const MOST_WORDS: usize = 1000;

/// Everything that somebody has taught a system.
pub struct Memory {
    system: Arc<System>,
    aligner: Arc<Model>,
    strengths: Strengths,
    journal: Journal,
    /// The pairs that were not forgotten, in the order in which they were learned.
    pairs: Vec<Pair>,
    next: u64,
    learned: Arc<Learned>,
    occurrences: Occurrences,
    /// How many pairs of `learned` no index holds.
    counted: usize,
}

/// What a system knows without its journal.
fn before(system: &System, strengths: Strengths) -> Arc<Learned> {
    Arc::new(match system.learned() {
        Some(written) => Learned::clone(written).with_strengths(strengths),
        None => Learned::new(system, strengths),
    })
}

impl Memory {
    /// Opens the journal at `path`, or begins one, for a system that has an aligner.
    pub fn open(system: Arc<System>, path: impl AsRef<Path>) -> Result<Self> {
        let aligner = system.aligner().cloned().ok_or_else(|| Error::NoAligner {
            path: system.path().unwrap_or(Path::new("the system")).into(),
        })?;
        Self::with_aligner(system, aligner, path)
    }

    /// Opens a journal that must be there already.
    pub fn existing(system: Arc<System>, path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        std::fs::metadata(path).map_err(|error| Error::io(path, error))?;
        Self::open(system, path)
    }

    /// The same with another aligner than the system's own.
    pub fn with_aligner(
        system: Arc<System>,
        aligner: Arc<Model>,
        path: impl AsRef<Path>,
    ) -> Result<Self> {
        let strengths = Strengths::default();
        let mut memory = Memory {
            learned: before(&system, strengths),
            journal: Journal::open(path.as_ref())?,
            system,
            aligner,
            strengths,
            pairs: Vec::new(),
            next: 1,
            occurrences: Occurrences::default(),
            counted: 0,
        };
        let mut records = memory.journal.news()?;
        memory.recall(&mut records);
        memory.take(records)?;
        memory.keep_index();
        Ok(memory)
    }

    /// Where the counts of the pairs lie, beside the journal: derived from it, and made again whenever they are not those
    /// of its first bytes.
    fn index_path(&self) -> PathBuf {
        chiasm_store::beside(self.path(), ".index")
    }

    /// Takes the first records together with their counts, if these are at hand.
    fn recall(&mut self, records: &mut Vec<Record>) {
        let found = Learned::open(&self.system, self.strengths, self.index_path());
        let Ok((learned, about)) = found else {
            return;
        };
        let &[bytes, hash, covered] = about.as_slice() else {
            return;
        };
        let covered = covered as usize;
        if covered > records.len() || self.journal.hash(bytes).ok() != Some(hash) {
            return;
        }
        let rest = records.split_off(covered);
        for record in std::mem::replace(records, rest) {
            self.list(record);
        }
        self.learned = Arc::new(learned);
    }

    /// Writes the counts, if there are enough of them; where that cannot be done they are counted again next time.
    pub(crate) fn keep_index(&mut self) {
        if self.counted < WORTH_AN_INDEX {
            return;
        }
        let (bytes, records) = self.journal.position();
        if let Ok(hash) = self.journal.hash(bytes) {
            let about = [bytes, hash, records];
            let _ = self.learned.save(&self.system, &about, self.index_path());
        }
        self.counted = 0;
    }

    /// With other strengths than the usual ones.
    pub fn with_strengths(mut self, strengths: Strengths) -> Result<Self> {
        self.strengths = strengths;
        self.rebuild()?;
        Ok(self)
    }

    /// The journal's place.
    pub fn path(&self) -> &Path {
        self.journal.path()
    }

    /// What decoding needs of it; to be given to inputs.
    pub fn learned(&self) -> Arc<Learned> {
        self.learned.clone()
    }

    /// The pairs that were learned and not forgotten.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Writes the system and what it was taught to a new file, which alone translates as both do.
    pub fn compact(&self, path: impl AsRef<Path>) -> Result<()> {
        Ok(self.system.write_learned(path, &self.learned)?)
    }

    /// Takes in what other processes have added to the journal.
    pub fn refresh(&mut self) -> Result<()> {
        let records = self.journal.news()?;
        self.take(records)
    }

    /// Learns pairs of raw text, prepared as the system's own: all of them or none. Returns their numbers.
    pub fn learn<'a>(
        &mut self,
        preparation: &Preparation,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Vec<u64>> {
        let mut new = Vec::new();
        self.occurrences.begin(&self.pairs);
        for (source, target) in pairs {
            new.push(self.prepared(preparation, source, target)?);
        }
        self.append(new)
    }

    /// Learns the lines of two files, but for those that are empty on either side: all of them or none.
    pub fn learn_files(
        &mut self,
        preparation: &Preparation,
        source: impl AsRef<Path>,
        target: impl AsRef<Path>,
    ) -> Result<Vec<u64>> {
        let mut lines = ParallelLines::open(&[source.as_ref(), target.as_ref()])?;
        let (mut batch, mut new) = (Batch::default(), Vec::new());
        self.occurrences.begin(&self.pairs);
        while lines.next_batch(&mut batch, ROWS)? {
            for row in 0..batch.len() {
                let (source, target) = (batch.line(0, row), batch.line(1, row));
                if !source.trim().is_empty() && !target.trim().is_empty() {
                    new.push(self.prepared(preparation, source, target)?);
                }
            }
        }
        self.append(new)
    }

    /// Learns what another journal holds and this one does not. Returns the numbers of the pairs here.
    pub fn merge(&mut self, other: impl AsRef<Path>) -> Result<Vec<u64>> {
        let mut theirs = Vec::new();
        for record in Journal::open_to_read(other.as_ref())?.news()? {
            match record {
                Record::Learn(pair) => theirs.push(pair),
                Record::Forget(id) => theirs.retain(|pair| pair.id != id),
            }
        }
        let known = |pair: &Pair| {
            let same = |mine: &Pair| mine.source == pair.source && mine.target == pair.target;
            self.pairs.iter().any(same)
        };
        theirs.retain(|pair| !known(pair));
        self.append(theirs)
    }

    /// Forgets a pair.
    pub fn forget(&mut self, id: u64) -> Result<()> {
        let known: Vec<u64> = self.pairs.iter().map(|pair| pair.id).collect();
        let path = self.path().to_path_buf();
        let records = self.journal.add(|news| {
            let added = |record: &Record| matches!(record, Record::Learn(pair) if pair.id == id);
            match known.contains(&id) || news.iter().any(added) {
                true => Ok(vec![Record::Forget(id)]),
                false => Err(Error::Unknown { path, id }),
            }
        })?;
        self.take(records)
    }

    /// Forgets the pair that was learned last; `None` if there is none.
    pub fn undo(&mut self) -> Result<Option<Pair>> {
        self.refresh()?;
        let Some(last) = self.pairs.last().cloned() else {
            return Ok(None);
        };
        self.forget(last.id)?;
        Ok(Some(last))
    }

    fn append(&mut self, mut new: Vec<Pair>) -> Result<Vec<u64>> {
        let next = self.next;
        let mut ids = Vec::with_capacity(new.len());
        let records = self.journal.add(|news| {
            let others = news
                .iter()
                .filter(|record| matches!(record, Record::Learn(_)));
            let first = next + others.count() as u64;
            for (id, pair) in (first..).zip(&mut new) {
                pair.id = id;
                ids.push(id);
            }
            Ok(new.into_iter().map(Record::Learn).collect())
        })?;
        self.take(records)?;
        self.occurrences.number(&ids);
        Ok(ids)
    }

    /// Takes records as they stand in the journal.
    fn take(&mut self, records: Vec<Record>) -> Result<()> {
        let mut forgotten = false;
        let first = self.pairs.len();
        for record in records {
            forgotten |= matches!(record, Record::Forget(_));
            self.list(record);
        }
        match forgotten {
            // Counts cannot be taken back one by one: what a pair changed depends on those before it.
            true => self.rebuild(),
            false => self.count(first),
        }
    }

    fn list(&mut self, record: Record) {
        match record {
            Record::Learn(pair) => {
                self.next = self.next.max(pair.id.saturating_add(1));
                self.pairs.push(pair);
            }
            Record::Forget(id) => self.pairs.retain(|pair| pair.id != id),
        }
    }

    fn rebuild(&mut self) -> Result<()> {
        self.learned = before(&self.system, self.strengths);
        self.counted = 0;
        self.count(0)
    }

    /// Counts the pairs from this one on.
    fn count(&mut self, first: usize) -> Result<()> {
        if first == self.pairs.len() {
            return Ok(());
        }
        self.counted += self.pairs.len() - first;
        let learned = Arc::make_mut(&mut self.learned);
        for pair in &self.pairs[first..] {
            let words = |text: &str| chiasm_text::tokens(text).map(String::from).collect();
            let (source, target): (Vec<String>, Vec<String>) =
                (words(&pair.source_tokens), words(&pair.target_tokens));
            let mut parsed: Vec<Link> = Vec::new();
            links::parse(&pair.links, source.len(), target.len(), &mut parsed)
                .map_err(|reason| Error::Pair(format!("pair {}: {reason}", pair.id)))?;
            parsed.sort_unstable();
            let probabilities: Vec<[f32; 2]> = parsed
                .iter()
                .map(|link| {
                    let (source, target) =
                        (&source[link.source as usize], &target[link.target as usize]);
                    self.aligner.probabilities(source, target)
                })
                .collect();
            learned.add(
                &self.system,
                Lesson {
                    source: &source,
                    target: &target,
                    links: &parsed,
                    probabilities: &probabilities,
                },
            );
        }
        Ok(())
    }

    /// A pair with its tokens and links.
    fn prepared(&mut self, preparation: &Preparation, source: &str, target: &str) -> Result<Pair> {
        let [source, target] =
            [source, target].map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
        let source_tokens = preparation.source_tokens(&source);
        let target_tokens = preparation.reference_tokens(&target);
        for (side, tokens) in [("source", &source_tokens), ("translation", &target_tokens)] {
            match chiasm_text::tokens(tokens).count() {
                0 => return Err(Error::Pair(format!("the {side} has no words"))),
                words if words > MOST_WORDS => {
                    return Err(Error::Pair(format!(
                        "the {side} has {words} words; at most {MOST_WORDS} are learned"
                    )));
                }
                _ => {}
            }
        }
        let mut posteriors = Posteriors::default();
        let occurrences = &mut self.occurrences;
        occurrences.add(&source_tokens, &target_tokens);
        Decoder::new(&self.aligner).align_knowing(
            &source_tokens,
            &target_tokens,
            |source, target, probabilities| occurrences.tell(source, target, probabilities),
            &mut posteriors,
        );
        let settings = LinkSettings {
            method: Method::GrowDiagFinalAnd,
            null_bias: 1.0,
        };
        let found = LinkMaker::default().links(&posteriors, settings);
        let mut line = String::new();
        links::format(&found.links, &mut line);
        Ok(Pair {
            id: 0,
            source,
            target,
            source_tokens,
            target_tokens,
            links: line,
        })
    }
}
