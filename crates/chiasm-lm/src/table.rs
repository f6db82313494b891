//! Hash tables of n-grams in buckets of one cache line.
//!
//! A bucket holds several fingerprints (32 bits) that are compared at once, then their values. An
//! n-gram lives in the bucket that its hash names, or, where that is full, in one of the next;
//! each bucket says how many further ones an unsuccessful search must look at (most say none).
//! Within one model no two n-grams can be mistaken for each other (another seed is taken if they
//! would); an n-gram that is not in the model is mistaken for one that is with a probability of
//! about 1 in 10^9 a look-up.

use crate::{Error, Result};
use chiasm_store::Array;
use chiasm_work::cancel;
use rayon::slice::ParallelSliceMut;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Where and how a table looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Buckets that hashes name; a few more follow for what overflows the last ones.
    pub(crate) homes: u64,
    /// Chooses the fingerprint; odd.
    pub(crate) seed: u64,
    /// The largest number of further buckets that any bucket asks to look at.
    pub(crate) reach: u32,
}

const LARGEST_REACH: u32 = 4096;

impl Shape {
    #[inline(always)]
    pub(crate) fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * u128::from(self.homes)) >> 64) as usize
    }

    #[inline(always)]
    fn fingerprint(&self, hash: u64) -> u32 {
        ((hash.wrapping_mul(self.seed) >> 32) as u32).max(1)
    }

    /// Could a table of `buckets` buckets have this shape?
    pub(crate) fn is_possible(&self, buckets: usize) -> bool {
        let further = (buckets as u64).checked_sub(self.homes);
        self.homes > 0
            && self.reach <= LARGEST_REACH
            && self.seed % 2 == 1
            && further.is_some_and(|further| further <= u64::from(LARGEST_REACH))
    }
}

/// An n-gram on its way into a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) hash: u64,
    pub(crate) probability: f32,
    pub(crate) backoff: f32,
}

/// What the tables of middle orders and of the longest order have in common.
pub(crate) trait Bucket:
    Copy + Send + Sync + FromBytes + IntoBytes + Immutable + KnownLayout
{
    /// Entries a bucket can hold.
    const CAPACITY: usize;
    fn fingerprints(&self) -> &[u32];
    fn reach(&self) -> u32;
    fn set_reach(&mut self, reach: u32);
    fn set(&mut self, slot: usize, fingerprint: u32, record: &Record);
    fn value(&self, slot: usize) -> (f32, f32);

    /// The slot with this fingerprint.
    #[inline(always)]
    fn find(&self, fingerprint: u32) -> Option<usize> {
        // Without a branch for each slot, which no processor could predict.
        let mut found = 0u32;
        for (slot, &candidate) in self.fingerprints().iter().enumerate() {
            found |= u32::from(candidate == fingerprint) << slot;
        }
        (found != 0).then(|| found.trailing_zeros() as usize)
    }
}

/// Entries with back-off.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
pub(crate) struct MiddleBucket {
    fingerprints: [u32; 5],
    reach: u32,
    pub(crate) probabilities: [f32; 5],
    pub(crate) backoffs: [f32; 5],
}

/// Entries without back-off: the longest n-grams.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
pub(crate) struct LongestBucket {
    fingerprints: [u32; 7],
    reach: u32,
    pub(crate) probabilities: [f32; 7],
    spare: u32,
}

impl Bucket for MiddleBucket {
    const CAPACITY: usize = 5;
    #[inline(always)]
    fn fingerprints(&self) -> &[u32] {
        &self.fingerprints
    }
    #[inline(always)]
    fn reach(&self) -> u32 {
        self.reach
    }
    fn set_reach(&mut self, reach: u32) {
        self.reach = reach;
    }
    fn set(&mut self, slot: usize, fingerprint: u32, record: &Record) {
        self.fingerprints[slot] = fingerprint;
        self.probabilities[slot] = record.probability;
        self.backoffs[slot] = record.backoff;
    }
    #[inline(always)]
    fn value(&self, slot: usize) -> (f32, f32) {
        (self.probabilities[slot], self.backoffs[slot])
    }
}

impl Bucket for LongestBucket {
    const CAPACITY: usize = 7;
    #[inline(always)]
    fn fingerprints(&self) -> &[u32] {
        &self.fingerprints
    }
    #[inline(always)]
    fn reach(&self) -> u32 {
        self.reach
    }
    fn set_reach(&mut self, reach: u32) {
        self.reach = reach;
    }
    fn set(&mut self, slot: usize, fingerprint: u32, record: &Record) {
        self.fingerprints[slot] = fingerprint;
        self.probabilities[slot] = record.probability;
    }
    #[inline(always)]
    fn value(&self, slot: usize) -> (f32, f32) {
        (self.probabilities[slot], crate::entry::NO_EXTENSION)
    }
}

/// A table that is read.
#[derive(Clone)]
pub(crate) struct Table<B> {
    pub(crate) shape: Shape,
    pub(crate) buckets: Array<B>,
}

impl<B: Bucket> Table<B> {
    /// Probability and back-off as stored.
    #[inline(always)]
    pub(crate) fn get(&self, hash: u64) -> Option<(f32, f32)> {
        let (bucket, slot) = position(&self.shape, &self.buckets, hash)?;
        Some(self.buckets[bucket].value(slot))
    }

    /// Brings the bucket of a hash into the cache; the value means nothing.
    #[inline(always)]
    pub(crate) fn touch(&self, hash: u64) -> u32 {
        let home = self.shape.home(hash);
        self.buckets.get(home).map_or(0, Bucket::reach)
    }
}

#[inline(always)]
fn position<B: Bucket>(shape: &Shape, buckets: &[B], hash: u64) -> Option<(usize, usize)> {
    let fingerprint = shape.fingerprint(hash);
    let home = shape.home(hash);
    let bucket = buckets.get(home)?;
    if let Some(slot) = bucket.find(fingerprint) {
        return Some((home, slot));
    }
    if bucket.reach() == 0 {
        return None;
    }
    further(shape, buckets, home, fingerprint)
}

#[cold]
fn further<B: Bucket>(
    shape: &Shape,
    buckets: &[B],
    home: usize,
    fingerprint: u32,
) -> Option<(usize, usize)> {
    let reach = buckets[home].reach().min(shape.reach) as usize;
    let rest = buckets[home + 1..].iter().take(reach);
    rest.enumerate()
        .find_map(|(step, bucket)| Some((home + 1 + step, bucket.find(fingerprint)?)))
}

/// A table that is being made; marks can still be set.
pub(crate) struct TableBuilder<B> {
    pub(crate) shape: Shape,
    pub(crate) buckets: Vec<B>,
}

/// How full a table of `count` n-grams is made: the share of slots in use.
const LOAD: f64 = 0.7;

/// Buckets for `count` n-grams.
pub(crate) fn homes_for<B: Bucket>(count: usize) -> u64 {
    ((count as f64 / (LOAD * B::CAPACITY as f64)).ceil() as u64).max(1)
}

impl<B: Bucket> TableBuilder<B> {
    /// Sorts the records by hash and lays them out. Two with the same hash are an error, which
    /// names the hash.
    pub(crate) fn new(records: &mut [Record]) -> std::result::Result<Self, Duplicate> {
        records.par_sort_unstable_by(|a, b| {
            cancel::tick();
            a.hash.cmp(&b.hash)
        });
        if let Some(pair) = records.windows(2).find(|pair| pair[0].hash == pair[1].hash) {
            return Err(Duplicate(pair[0].hash));
        }
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        loop {
            let shape = Shape {
                homes: homes_for::<B>(records.len()),
                seed: seed | 1,
                reach: 0,
            };
            if let Some(builder) = lay_out(shape, records) {
                return Ok(builder);
            }
            seed = seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(2);
        }
    }

    /// The entry of a hash, to be marked.
    pub(crate) fn find(&mut self, hash: u64) -> Option<(&mut B, usize)> {
        let (bucket, slot) = position(&self.shape, &self.buckets, hash)?;
        Some((&mut self.buckets[bucket], slot))
    }

    pub(crate) fn finish(self) -> Table<B> {
        Table {
            shape: self.shape,
            buckets: self.buckets.into(),
        }
    }
}

/// Two n-grams with this hash: the same n-gram twice.
#[derive(Debug)]
pub(crate) struct Duplicate(pub(crate) u64);

/// First come, first served in the order of hashes, which keeps displacements short; `None` if
/// one n-gram would be mistaken for another.
fn lay_out<B: Bucket>(mut shape: Shape, records: &[Record]) -> Option<TableBuilder<B>> {
    let mut buckets = vec![B::new_zeroed(); shape.homes as usize];
    let (mut cursor, mut used) = (0, 0);
    let mut places = Vec::with_capacity(records.len());
    for record in records {
        cancel::tick();
        let home = shape.home(record.hash);
        if home > cursor {
            (cursor, used) = (home, 0);
        }
        if used == B::CAPACITY {
            (cursor, used) = (cursor + 1, 0);
        }
        if cursor == buckets.len() {
            buckets.push(B::new_zeroed());
        }
        buckets[cursor].set(used, shape.fingerprint(record.hash), record);
        let reach = (cursor - home) as u32;
        if reach > buckets[home].reach() {
            buckets[home].set_reach(reach);
        }
        shape.reach = shape.reach.max(reach);
        places.push((cursor as u32, used as u8));
        used += 1;
    }
    let unambiguous = records
        .iter()
        .zip(&places)
        .all(|(record, &(bucket, slot))| {
            position(&shape, &buckets, record.hash) == Some((bucket as usize, usize::from(slot)))
        });
    unambiguous.then_some(TableBuilder { shape, buckets })
}

/// A table as a section says it is.
pub(crate) fn check<B: Bucket>(
    shape: Shape,
    buckets: Array<B>,
    complaint: impl FnOnce(&str) -> chiasm_store::Error,
) -> Result<Table<B>> {
    if !shape.is_possible(buckets.len()) {
        return Err(Error::File(complaint("has an impossible shape")));
    }
    Ok(Table { shape, buckets })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;

    fn records(count: u32) -> Vec<Record> {
        (0..count)
            .map(|id| Record {
                hash: hash::ngram(&[id, 1]),
                probability: id as f32,
                backoff: -(id as f32),
            })
            .collect()
    }

    #[test]
    fn what_is_put_in_is_found_and_nothing_else() {
        for count in [0, 1, 4, 5, 6, 37, 20_000] {
            let mut all = records(count);
            let middle = TableBuilder::<MiddleBucket>::new(&mut all)
                .unwrap()
                .finish();
            let longest = TableBuilder::<LongestBucket>::new(&mut all)
                .unwrap()
                .finish();
            for id in 0..count {
                let hash = hash::ngram(&[id, 1]);
                assert_eq!(middle.get(hash), Some((id as f32, -(id as f32))));
                assert_eq!(longest.get(hash).map(|value| value.0), Some(id as f32));
            }
            for id in count..count + 1000 {
                assert_eq!(middle.get(hash::ngram(&[id, 1])), None);
                assert_eq!(longest.get(hash::ngram(&[id, 1])), None);
            }
            assert!(middle.shape.is_possible(middle.buckets.len()));
            assert!(longest.shape.is_possible(longest.buckets.len()));
        }
    }

    #[test]
    fn the_same_ngram_twice_is_refused() {
        let mut all = records(10);
        all.push(all[3]);
        let outcome = TableBuilder::<MiddleBucket>::new(&mut all);
        assert_eq!(outcome.err().map(|d| d.0), Some(hash::ngram(&[3, 1])));
    }

    #[test]
    fn a_fingerprint_that_does_not_tell_two_ngrams_apart_is_replaced() {
        // Same bucket (equal upper bits) and, under the first seed, the same fingerprint: the
        // lower halves differ by a multiple of the seed's inverse shifted out of its upper bits.
        let shape = Shape {
            homes: 1,
            seed: 0x9e37_79b9_7f4a_7c15,
            reach: 0,
        };
        let first = 0x0123_4567_89ab_cdefu64;
        let twin = (1u64..)
            .map(|step| first.wrapping_add(step.wrapping_mul(0xf1de_83e1_9937_733d)))
            .find(|&other| shape.fingerprint(other) == shape.fingerprint(first))
            .unwrap();
        let record = |hash, probability| Record {
            hash,
            probability,
            backoff: 0.0,
        };
        let mut all = vec![record(first, 1.0), record(twin, 2.0)];
        let table = TableBuilder::<MiddleBucket>::new(&mut all)
            .unwrap()
            .finish();
        assert_ne!(table.shape.seed, shape.seed);
        assert_eq!(table.get(first).unwrap().0, 1.0);
        assert_eq!(table.get(twin).unwrap().0, 2.0);
    }
}
