//! From n-grams to hash tables, order by order.

use crate::arpa::{MISSING_UNKNOWN, NgramList, Reader};
use crate::entry;
use crate::hash;
use crate::probing::{Probing, Unigram};
use crate::table::{Duplicate, LongestBucket, MiddleBucket, Record, TableBuilder};
use crate::{Error, Result, UNKNOWN};
use chiasm_work::cancel;
use std::path::Path;

/// Takes all n-grams of order 1, then of order 2, and so on.
pub(crate) struct ProbingBuilder {
    order: usize,
    unigrams: Vec<Unigram>,
    middle: Vec<TableBuilder<MiddleBucket>>,
    longest: Option<TableBuilder<LongestBucket>>,
    records: Vec<Record>,
    /// n-grams whose suffix or prefix was not there.
    incomplete: u64,
}

impl ProbingBuilder {
    /// A model of order `order` with `words` words, `<unk>` included.
    pub(crate) fn new(order: usize) -> Self {
        ProbingBuilder {
            order,
            unigrams: Vec::new(),
            middle: Vec::new(),
            longest: None,
            records: Vec::new(),
            incomplete: 0,
        }
    }

    /// Takes a 1-gram.
    pub(crate) fn unigram(&mut self, word: u32, probability: f32, backoff: f32) {
        let index = word as usize;
        if index >= self.unigrams.len() {
            let unknown = Unigram {
                probability: entry::store_probability(MISSING_UNKNOWN),
                backoff: entry::NO_EXTENSION,
            };
            self.unigrams.resize(index + 1, unknown);
        }
        self.unigrams[index] = Unigram {
            probability: entry::store_probability(probability),
            backoff: entry::store_backoff(if self.order == 1 { 0.0 } else { backoff }),
        };
    }

    /// Takes an n-gram of the current order, 2 or more.
    pub(crate) fn ngram(&mut self, words: &[u32], probability: f32, backoff: f32) {
        cancel::tick();
        self.records.push(Record {
            hash: hash::ngram(words),
            probability: entry::store_probability(probability),
            backoff: entry::store_backoff(backoff),
        });
        let suffix = self.mark(&words[1..], |probability, _| {
            *probability = entry::mark_left(*probability);
        });
        let prefix = self.mark(&words[..words.len() - 1], |_, backoff| {
            *backoff = entry::mark_right(*backoff);
        });
        if !(suffix && prefix) {
            self.incomplete += 1;
        }
    }

    fn mark(&mut self, words: &[u32], mark: impl FnOnce(&mut f32, &mut f32)) -> bool {
        if let [word] = words {
            let unigram = &mut self.unigrams[*word as usize];
            mark(&mut unigram.probability, &mut unigram.backoff);
            return true;
        }
        let table = &mut self.middle[words.len() - 2];
        let Some((bucket, slot)) = table.find(hash::ngram(words)) else {
            return false;
        };
        mark(&mut bucket.probabilities[slot], &mut bucket.backoffs[slot]);
        true
    }

    /// All n-grams of an order from 2 up are there.
    pub(crate) fn end_order(&mut self) -> std::result::Result<(), Duplicate> {
        if self.middle.len() + 2 < self.order {
            self.middle.push(TableBuilder::new(&mut self.records)?);
        } else {
            self.longest = Some(TableBuilder::new(&mut self.records)?);
        }
        self.records.clear();
        Ok(())
    }

    /// How many n-grams had no suffix or prefix.
    pub(crate) fn incomplete(&self) -> u64 {
        self.incomplete
    }

    pub(crate) fn finish(self) -> Probing {
        Probing {
            unigrams: self.unigrams.into(),
            middle: self.middle.into_iter().map(TableBuilder::finish).collect(),
            longest: self.longest.map(TableBuilder::finish),
        }
    }
}

/// Reads an ARPA file straight into hash tables. `None` if n-grams lack their suffix or prefix:
/// then the list has to be completed first.
pub(crate) fn from_reader(reader: &mut Reader) -> Result<Option<Probing>> {
    let mut builder = ProbingBuilder::new(reader.order());
    builder.unigram(UNKNOWN, MISSING_UNKNOWN, 0.0);
    while let Some(item) = reader.next_ngram()? {
        builder.unigram(reader.words()[0], item.probability, item.backoff);
    }
    for order in 2..=reader.order() {
        let first_line = reader.line() + 1;
        while let Some(item) = reader.next_ngram()? {
            builder.ngram(reader.words(), item.probability, item.backoff);
        }
        let built = builder.end_order();
        built.map_err(|twin| repeated(reader.path(), order, first_line, &twin))?;
    }
    Ok((builder.incomplete() == 0).then(|| builder.finish()))
}

/// The error for an n-gram that is twice in an ARPA file, with the line of the second if the file
/// can be read again.
fn repeated(path: &Path, order: usize, first_line: u64, twin: &Duplicate) -> Error {
    let line = second_line(path, order, twin).unwrap_or(first_line);
    Error::line(
        path,
        line,
        format!("this {order}-gram is here a second time"),
    )
}

fn second_line(path: &Path, order: usize, twin: &Duplicate) -> Option<u64> {
    let mut reader = Reader::open(path).ok()?;
    let mut seen = false;
    for current in 1..=order {
        while reader.next_ngram().ok()?.is_some() {
            if current == order && hash::ngram(reader.words()) == twin.0 {
                if seen {
                    return Some(reader.line());
                }
                seen = true;
            }
        }
    }
    None
}

/// Hash tables from a list that is complete.
pub(crate) fn from_list(list: &NgramList) -> Result<Probing> {
    let mut builder = ProbingBuilder::new(list.orders.len());
    for (index, orders) in list.orders.iter().enumerate() {
        for (gram, words) in orders.words.chunks_exact(index + 1).enumerate() {
            let (probability, backoff) = (orders.probabilities[gram], orders.backoffs[gram]);
            match words {
                [word] => builder.unigram(*word, probability, backoff),
                _ => builder.ngram(words, probability, backoff),
            }
        }
        if index > 0 {
            builder.end_order().map_err(|_| {
                Error::Impossible(format!("a {}-gram is in the model twice", index + 1))
            })?;
        }
    }
    Ok(builder.finish())
}
