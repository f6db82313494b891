//! Where a finished model goes: into an ARPA file, or into hash tables.

use super::interpolate::Sink;
use crate::arpa::{NgramList, OrderList, Writer};
use crate::build::ProbingBuilder;
use crate::{Error, Model, Result};
use chiasm_text::Vocabulary;
use std::path::Path;

pub(super) struct ArpaSink {
    writer: Writer,
    vocabulary: Vocabulary,
}

impl ArpaSink {
    pub(super) fn create(path: &Path, counts: &[u64], vocabulary: Vocabulary) -> Result<Self> {
        let writer = Writer::create(path, counts)?;
        Ok(ArpaSink { writer, vocabulary })
    }

    pub(super) fn finish(self) -> Result<()> {
        self.writer.finish()
    }
}

impl Sink for ArpaSink {
    fn begin_order(&mut self, _: usize) -> Result<()> {
        self.writer.begin_order()
    }

    fn ngram(&mut self, words: &[u32], probability: f32, backoff: f32) -> Result<()> {
        let spelled = words.iter().map(|&word| self.vocabulary.word(word));
        self.writer.ngram(spelled, probability, backoff)
    }

    fn end_order(&mut self, _: usize) -> Result<()> {
        Ok(())
    }
}

/// Gathers a list.
pub(super) struct ListSink(pub(super) NgramList);

impl Sink for ListSink {
    fn begin_order(&mut self, _: usize) -> Result<()> {
        self.0.orders.push(OrderList::default());
        Ok(())
    }

    fn ngram(&mut self, words: &[u32], probability: f32, backoff: f32) -> Result<()> {
        if let Some(list) = self.0.orders.last_mut() {
            list.push(words, probability, backoff);
        }
        Ok(())
    }

    fn end_order(&mut self, _: usize) -> Result<()> {
        Ok(())
    }
}

pub(super) struct ModelSink {
    builder: ProbingBuilder,
    counts: Vec<u64>,
}

impl ModelSink {
    pub(super) fn new(order: usize) -> Self {
        ModelSink {
            builder: ProbingBuilder::new(order),
            counts: vec![0; order],
        }
    }

    pub(super) fn finish(self, vocabulary: &Vocabulary) -> Result<Model> {
        Model::from_probing(self.builder.finish(), vocabulary, self.counts)
    }
}

impl Sink for ModelSink {
    fn begin_order(&mut self, _: usize) -> Result<()> {
        Ok(())
    }

    fn ngram(&mut self, words: &[u32], probability: f32, backoff: f32) -> Result<()> {
        self.counts[words.len() - 1] += 1;
        match words {
            [word] => self.builder.unigram(*word, probability, backoff),
            _ => self.builder.ngram(words, probability, backoff),
        }
        Ok(())
    }

    fn end_order(&mut self, order: usize) -> Result<()> {
        if order == 1 {
            return Ok(());
        }
        let outcome = self.builder.end_order();
        outcome.map_err(|_| Error::Impossible(format!("two {order}-grams have the same hash")))
    }
}
