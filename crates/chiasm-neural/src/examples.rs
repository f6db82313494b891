//! Sentence pairs as subwords, and the order in which training sees them.

use crate::network::Batch;
use crate::random::random;
use crate::subwords::Subwords;
use chiasm_text::{MappedText, tokens};
use rand::RngExt;

/// Pairs with a side of more subwords are not learned from.
const LONGEST: usize = 250;

/// Sentences of subwords in one array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sentences {
    pieces: Vec<u16>,
    ends: Vec<usize>,
}

impl Sentences {
    fn push(&mut self, pieces: &[u16]) {
        self.pieces.extend_from_slice(pieces);
        self.ends.push(self.pieces.len());
    }

    fn get(&self, number: usize) -> &[u16] {
        let start = if number == 0 {
            0
        } else {
            self.ends[number - 1]
        };
        &self.pieces[start..self.ends[number]]
    }
}

/// Pairs to learn from or to be judged by.
#[derive(Clone, Debug, Default)]
pub(crate) struct Examples {
    source: Sentences,
    target: Sentences,
}

impl Examples {
    /// Pairs of a corpus, at most `most` of them, evenly from everywhere; those that are too long are left out.
    pub fn of_corpus(texts: [&MappedText; 2], subwords: [&Subwords; 2], most: usize) -> Self {
        let spelled = [0, 1].map(|side| {
            let mut words = Sentences::default();
            let mut pieces = Vec::new();
            for word in texts[side].vocabulary().words() {
                pieces.clear();
                subwords[side].encode(word, &mut pieces);
                words.push(&pieces);
            }
            words
        });
        let count = texts[0].len().min(texts[1].len());
        let mut examples = Examples::default();
        let mut both = [Vec::new(), Vec::new()];
        for number in 0..count.min(most) {
            let sentence = (number as u128 * count as u128 / count.min(most) as u128) as usize;
            for side in 0..2 {
                both[side].clear();
                for &word in texts[side].sentence(sentence) {
                    both[side].extend_from_slice(spelled[side].get(word as usize));
                }
            }
            examples.push(&both[0], &both[1]);
        }
        examples
    }

    /// Pairs of lines.
    pub fn of_lines<'a>(
        pairs: impl Iterator<Item = (&'a str, &'a str)>,
        subwords: [&Subwords; 2],
    ) -> Self {
        let mut examples = Examples::default();
        let mut both = [Vec::new(), Vec::new()];
        for (source, target) in pairs {
            for (side, line) in [source, target].into_iter().enumerate() {
                both[side].clear();
                for word in tokens(line) {
                    subwords[side].encode(word, &mut both[side]);
                }
            }
            examples.push(&both[0], &both[1]);
        }
        examples
    }

    fn push(&mut self, source: &[u16], target: &[u16]) {
        if source.len().max(target.len()) <= LONGEST && !source.is_empty() && !target.is_empty() {
            self.source.push(source);
            self.target.push(target);
        }
    }

    /// How many pairs.
    pub fn len(&self) -> usize {
        self.source.ends.len()
    }

    /// How many subwords the target sides have.
    pub fn target_subwords(&self) -> usize {
        self.target.pieces.len()
    }

    /// Some of the pairs.
    pub fn batch(&self, numbers: &[u32]) -> Batch {
        let mut batch = Batch::default();
        for &number in numbers {
            let number = number as usize;
            batch.push(self.source.get(number), self.target.get(number));
        }
        batch
    }

    /// The order of an epoch, and where its batches end: each has `size` target subwords, or a little more.
    pub fn epoch(&self, size: usize, seed: u64, epoch: u64) -> (Vec<u32>, Vec<usize>) {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        let mut random = random(seed, "order of examples", epoch);
        for last in (1..order.len()).rev() {
            order.swap(last, random.random_range(0..=last));
        }
        let ends = self.batch_ends(&order, size);
        (order, ends)
    }

    /// Where batches of pairs in this order end.
    pub fn batch_ends(&self, order: &[u32], size: usize) -> Vec<usize> {
        let (mut ends, mut filled) = (Vec::new(), 0);
        for (place, &number) in order.iter().enumerate() {
            filled += self.target.get(number as usize).len() + 1;
            if filled >= size || place + 1 == order.len() {
                ends.push(place + 1);
                filled = 0;
            }
        }
        ends
    }
}
