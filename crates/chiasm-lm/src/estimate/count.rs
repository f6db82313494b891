//! Counts of the longest n-grams, and from them the adjusted counts of all orders.
//!
//! The adjusted count of an n-gram is how often it occurs if it is of the highest order or begins
//! with `<s>`, and otherwise the number of different words that occur before it (Kneser & Ney
//! 1995; Heafield et al. 2013, eq. 1). Sorted in suffix order, the longest n-grams give both in
//! one pass, for all orders.

use super::discount::CountStatistics;
use super::gram::{Gram, Packing};
use super::tokens::{BEGIN, END, Tokens};
use crate::{MAX_ORDER, Result};
use chiasm_store::{Sorted, Sorter};
use chiasm_work::{Progress, cancel};
use std::path::Path;

/// Marks, in the lowest bit of a value, an n-gram that is to be left out.
pub(super) const PRUNED: u64 = 1;

/// Every N-gram of the text with its number of occurrences, in suffix order. Those at the
/// beginning of a sentence are shorter; they begin with `<s>` and are filled up with zeros.
pub(super) fn count(
    tokens: &mut Tokens,
    order: usize,
    packing: Packing,
    budget: usize,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<Sorted<Gram>> {
    let top = packing.bits * (order as u32 - 1);
    let begin = u128::from(BEGIN) << top;
    let mut sorter = Sorter::new(budget, folder);
    let mut key = begin;
    tokens.for_each_block(|block| {
        for &token in block {
            key = (key >> packing.bits) | (u128::from(token) << top);
            sorter.push(Gram::new(key, 1))?;
            if token == END {
                key = begin;
            }
        }
        cancel::check();
        progress.advance(block.len() as u64);
        Ok(())
    })?;
    Ok(sorter.finish()?)
}

/// What the pass over the sorted N-grams finds.
pub(super) struct Adjusted {
    /// Adjusted counts of words.
    pub(super) unigrams: Vec<u64>,
    /// For orders 2 and up: n-grams in context order, value = adjusted count * 2 + [`PRUNED`].
    pub(super) longer: Vec<Sorter<Gram>>,
    /// How many n-grams have which adjusted count.
    pub(super) statistics: Vec<CountStatistics>,
    /// How many n-grams are left after pruning.
    pub(super) kept: Vec<u64>,
}

/// The pass over the sorted N-grams.
pub(super) fn adjust(
    counted: Sorted<Gram>,
    order: usize,
    packing: Packing,
    words: usize,
    prune: &[u64],
    budget: usize,
    folder: &Path,
) -> Result<Adjusted> {
    let mut walk = Walk {
        order,
        packing,
        prune,
        open: [Node::default(); MAX_ORDER],
        depth: 0,
        key: 0,
        found: Adjusted {
            unigrams: vec![0; words],
            longer: (2..=order).map(|_| Sorter::new(budget, folder)).collect(),
            statistics: vec![CountStatistics::default(); order],
            kept: vec![0; order],
        },
    };
    for gram in counted {
        let gram = gram?;
        walk.step(gram.key(), gram.value)?;
    }
    walk.close(0)?;
    Ok(walk.found)
}

/// The n-gram of one order at which the walk stands.
#[derive(Clone, Copy, Default)]
struct Node {
    occurrences: u64,
    extensions: u64,
}

/// A walk over the N-grams in suffix order. The open nodes are the suffixes of the present one.
struct Walk<'a> {
    order: usize,
    packing: Packing,
    prune: &'a [u64],
    open: [Node; MAX_ORDER],
    depth: usize,
    key: u128,
    found: Adjusted,
}

impl Walk<'_> {
    fn step(&mut self, key: u128, occurrences: u64) -> Result<()> {
        let bits = self.packing.bits as usize;
        if self.depth > 0 {
            // The number of words, from the last, that this N-gram shares with the one before.
            let differing = 128 - (key ^ self.key).leading_zeros() as usize;
            let shared = (self.order * bits - differing) / bits;
            self.close(shared)?;
        }
        self.key = key;
        // What is above `<s>` is zero.
        let length = self.order - key.trailing_zeros() as usize / bits;
        if self.depth > 0 {
            self.open[self.depth - 1].extensions += 1;
        }
        for node in &mut self.open[self.depth..length] {
            *node = Node {
                occurrences: 0,
                extensions: 1,
            };
        }
        self.depth = length;
        for node in &mut self.open[..length] {
            node.occurrences += occurrences;
        }
        Ok(())
    }

    /// Ends all nodes of more than `depth` words.
    fn close(&mut self, depth: usize) -> Result<()> {
        while self.depth > depth {
            self.emit(self.depth)?;
            self.depth -= 1;
        }
        Ok(())
    }

    fn emit(&mut self, length: usize) -> Result<()> {
        let key = self.key >> (self.packing.bits as usize * (self.order - length));
        let node = self.open[length - 1];
        let exact = length == self.order || self.packing.word(key, 0) == BEGIN;
        let adjusted = if exact {
            node.occurrences
        } else {
            node.extensions
        };
        self.found.statistics[length - 1].add(adjusted);
        if length == 1 {
            self.found.kept[0] += 1;
            self.found.unigrams[key as usize] = adjusted;
            return Ok(());
        }
        let pruned = node.occurrences <= self.prune[length - 1];
        self.found.kept[length - 1] += u64::from(!pruned);
        let value = (adjusted << 1) | (u64::from(pruned) * PRUNED);
        let key = self.packing.context_order(key, length);
        Ok(self.found.longer[length - 2].push(Gram::new(key, value))?)
    }
}
