//! All n-grams of a model as flat arrays, in the order of the file.

use super::{MISSING_UNKNOWN, Reader, Writer};
use crate::Result;
use chiasm_text::Vocabulary;
use std::path::Path;

/// The n-grams of one order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrderList {
    /// The words of n-gram `i` are `words[i * order..(i + 1) * order]`.
    pub words: Vec<u32>,
    /// Log10 probabilities.
    pub probabilities: Vec<f32>,
    /// Log10 back-offs.
    pub backoffs: Vec<f32>,
}

/// A whole model in memory, as an ARPA file has it.
#[derive(Clone, Debug)]
pub struct NgramList {
    /// Word 0 is `<unk>`.
    pub vocabulary: Vocabulary,
    /// 1-grams first.
    pub orders: Vec<OrderList>,
}

impl NgramList {
    /// Reads an ARPA file. A missing `<unk>` is put at the end of the 1-grams.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_reader(Reader::open(path)?)
    }

    /// The same of a reader that stands before the 1-grams.
    pub fn from_reader(mut reader: Reader) -> Result<Self> {
        let mut orders = Vec::new();
        for _ in 0..reader.order() {
            let mut list = OrderList::default();
            while let Some(item) = reader.next_ngram()? {
                list.push(reader.words(), item.probability, item.backoff);
            }
            orders.push(list);
        }
        if !reader.has_unknown() {
            orders[0].push(&[crate::UNKNOWN], MISSING_UNKNOWN, 0.0);
        }
        let vocabulary = reader.vocabulary().clone();
        Ok(NgramList { vocabulary, orders })
    }

    /// Writes an ARPA file.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let counts: Vec<u64> = self.orders.iter().map(|list| list.len() as u64).collect();
        let mut writer = Writer::create(path, &counts)?;
        for (index, list) in self.orders.iter().enumerate() {
            writer.begin_order()?;
            for (gram, words) in list.words.chunks_exact(index + 1).enumerate() {
                let spelled = words.iter().map(|&word| self.vocabulary.word(word));
                writer.ngram(spelled, list.probabilities[gram], list.backoffs[gram])?;
            }
        }
        writer.finish()
    }
}

impl OrderList {
    /// How many n-grams.
    pub fn len(&self) -> usize {
        self.probabilities.len()
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.probabilities.is_empty()
    }

    pub(crate) fn push(&mut self, words: &[u32], probability: f32, backoff: f32) {
        self.words.extend_from_slice(words);
        self.probabilities.push(probability);
        self.backoffs.push(backoff);
    }
}
