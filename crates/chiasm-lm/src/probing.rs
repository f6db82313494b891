//! The search by hash tables: one table an order, one cache line a look-up.

use crate::hash;
use crate::search::Search;
use crate::state::{MAX_CONTEXT, State};
use crate::table::{self, LongestBucket, MiddleBucket, Shape, Table};
use crate::{MAX_ORDER, Result};
use chiasm_store::{Array, Sections, Writer};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A 1-gram, by the number of its word.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct Unigram {
    pub(crate) probability: f32,
    pub(crate) backoff: f32,
}

/// Hash tables for orders 2 and up.
#[derive(Clone)]
pub(crate) struct Probing {
    pub(crate) unigrams: Array<Unigram>,
    pub(crate) middle: Vec<Table<MiddleBucket>>,
    /// None in a model of order 1.
    pub(crate) longest: Option<Table<LongestBucket>>,
}

impl Search for Probing {
    /// The hash of what was found so far.
    type Cursor = u64;

    #[inline(always)]
    fn unigram(&self, word: u32) -> (f32, f32, u64) {
        let unigram = self.unigrams[word as usize];
        (unigram.probability, unigram.backoff, hash::start(word))
    }

    #[inline(always)]
    fn extend(&self, hash: u64, matched: usize, before: u32) -> Option<(f32, f32, u64)> {
        let hash = hash::extend(hash, before);
        let (probability, backoff) = match self.middle.get(matched) {
            Some(table) => table.get(hash)?,
            None => self.longest.as_ref()?.get(hash)?,
        };
        Some((probability, backoff, hash))
    }
}

impl Probing {
    /// Brings what scoring `word` after `context` (in reading order) will look at into the cache;
    /// the value means nothing.
    #[inline(always)]
    pub(crate) fn touch(&self, context: &[u32], word: u32) -> u32 {
        self.touch_each(context.iter().rev().copied(), word)
    }

    /// The same for a state.
    #[inline(always)]
    pub(crate) fn touch_state(&self, state: &State, word: u32) -> u32 {
        self.touch_each(state.context().iter().copied(), word)
    }

    #[inline(always)]
    fn touch_each(&self, context: impl Iterator<Item = u32>, word: u32) -> u32 {
        let mut seen = self.unigrams[word as usize].backoff.to_bits();
        let mut hash = hash::start(word);
        for (index, before) in context.enumerate() {
            hash = hash::extend(hash, before);
            seen ^= match (self.middle.get(index), &self.longest) {
                (Some(table), _) => table.touch(hash),
                (None, Some(table)) => table.touch(hash),
                (None, None) => 0,
            };
        }
        seen
    }

    /// Three numbers an order from 2 up: homes, seed, reach.
    pub(crate) fn shapes(&self) -> Vec<u64> {
        let middle = self.middle.iter().map(|table| table.shape);
        let longest = self.longest.iter().map(|table| table.shape);
        middle
            .chain(longest)
            .flat_map(|shape| [shape.homes, shape.seed, u64::from(shape.reach)])
            .collect()
    }

    pub(crate) fn write_sections(&self, writer: &mut Writer) -> chiasm_store::Result<()> {
        writer.array("unigrams", &self.unigrams)?;
        for (index, table) in self.middle.iter().enumerate() {
            writer.array(&format!("order{}", index + 2), &table.buckets)?;
        }
        if let Some(table) = &self.longest {
            writer.array(&format!("order{}", self.middle.len() + 2), &table.buckets)?;
        }
        Ok(())
    }

    pub(crate) fn from_sections(sections: &Sections, order: usize, shapes: &[u64]) -> Result<Self> {
        let shape_of = |index: usize| Shape {
            homes: shapes[3 * index],
            seed: shapes[3 * index + 1],
            reach: shapes[3 * index + 2].min(u64::from(u32::MAX)) as u32,
        };
        let mut middle = Vec::with_capacity(MAX_ORDER);
        for index in 0..order.saturating_sub(2) {
            let name = format!("order{}", index + 2);
            let buckets = sections.array(&name)?;
            let complaint = |reason: &str| sections.corrupt(&name, reason);
            middle.push(table::check(shape_of(index), buckets, complaint)?);
        }
        let longest = if order > 1 {
            let name = format!("order{order}");
            let buckets = sections.array(&name)?;
            let complaint = |reason: &str| sections.corrupt(&name, reason);
            Some(table::check(shape_of(order - 2), buckets, complaint)?)
        } else {
            None
        };
        Ok(Probing {
            unigrams: sections.array("unigrams")?,
            middle,
            longest,
        })
    }

    /// Bytes that so many n-grams of each order will take, spelling of words apart.
    pub(crate) fn estimate_bytes(counts: &[u64]) -> u64 {
        let mut bytes = counts[0] * size_of::<Unigram>() as u64;
        for (index, &count) in counts.iter().enumerate().skip(1) {
            let homes = if index + 1 < counts.len() {
                table::homes_for::<MiddleBucket>(count as usize)
            } else {
                table::homes_for::<LongestBucket>(count as usize)
            };
            bytes += homes * 64;
        }
        bytes
    }
}

const _: () = assert!(size_of::<MiddleBucket>() == 64 && size_of::<LongestBucket>() == 64);
const _: () = assert!(MAX_CONTEXT + 1 == MAX_ORDER);
