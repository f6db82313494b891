//! From 64-bit hashes to places: the dictionary of a model's features, read in place.
//!
//! The top bits of a (seeded) hash choose a bucket of about eight entries, 32 further bits are the
//! entry's fingerprint, so a feature costs four and a half bytes and finding it two cache lines.
//! The builder tries seeds until no two features share bucket and fingerprint.

use crate::{Error, Result};
use chiasm_store::{Array, Sections, Writer};

const ENTRIES_A_BUCKET: usize = 8;
const MOST_SEEDS: u64 = 64;
const MULTIPLIER: u64 = 0xd6e8_feb8_6659_fd93;

/// A set of hashes, numbered by their places.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    seed: u64,
    /// Where each bucket begins, and the end of the last.
    starts: Array<u32>,
    fingerprints: Array<u32>,
}

impl Dictionary {
    /// The dictionary of `hashes`, all different, and the place of each.
    pub fn build(hashes: &[u64]) -> Result<(Self, Vec<u32>)> {
        if u32::try_from(hashes.len()).is_err() {
            return Err(Error::Request(
                "more than four billion features in a model".into(),
            ));
        }
        for seed in 0..MOST_SEEDS {
            if let Some(built) = Self::try_build(hashes, seed) {
                return Ok(built);
            }
        }
        Err(Error::Request(
            "two features of the model have the same hash".into(),
        ))
    }

    fn try_build(hashes: &[u64], seed: u64) -> Option<(Self, Vec<u32>)> {
        let buckets = (hashes.len() / ENTRIES_A_BUCKET).next_power_of_two();
        let mut order: Vec<(u32, u32, u32)> = Vec::with_capacity(hashes.len());
        for (number, &hash) in hashes.iter().enumerate() {
            let (bucket, fingerprint) = split(hash, seed, buckets);
            order.push((bucket as u32, fingerprint, number as u32));
        }
        order.sort_unstable();
        if order
            .windows(2)
            .any(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1))
        {
            return None;
        }
        let mut starts = vec![0u32; buckets + 1];
        let mut places = vec![0u32; hashes.len()];
        for (place, &(bucket, _, number)) in order.iter().enumerate() {
            starts[bucket as usize + 1] += 1;
            places[number as usize] = place as u32;
        }
        for bucket in 0..buckets {
            starts[bucket + 1] += starts[bucket];
        }
        let fingerprints: Vec<u32> = order.iter().map(|entry| entry.1).collect();
        let dictionary = Dictionary {
            seed,
            starts: starts.into(),
            fingerprints: fingerprints.into(),
        };
        Some((dictionary, places))
    }

    /// How many hashes.
    pub fn len(&self) -> usize {
        self.fingerprints.len()
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.fingerprints.is_empty()
    }

    /// The place of a hash, if it is in the set.
    #[inline]
    pub fn find(&self, hash: u64) -> Option<u32> {
        let buckets = self.starts.len().checked_sub(1)?;
        let (bucket, fingerprint) = split(hash, self.seed, buckets);
        let (start, end) = (self.starts[bucket], self.starts[bucket + 1]);
        // `get`: a damaged file must not panic.
        let entries = self.fingerprints.get(start as usize..end as usize)?;
        let at = entries.iter().position(|&entry| entry == fingerprint)?;
        Some(start + at as u32)
    }

    /// Writes sections `seed`, `starts`, `fingerprints`.
    pub fn write_sections(&self, writer: &mut Writer) -> chiasm_store::Result<()> {
        writer.array("seed", &[self.seed])?;
        writer.array("starts", &self.starts)?;
        writer.array("fingerprints", &self.fingerprints)
    }

    /// Reads what `write_sections` wrote.
    pub fn from_sections(sections: &Sections) -> chiasm_store::Result<Self> {
        let seed = sections.array::<u64>("seed")?;
        let &[seed] = &seed[..] else {
            return Err(sections.corrupt("seed", "one number expected"));
        };
        let starts = sections.array::<u32>("starts")?;
        let fingerprints = sections.array::<u32>("fingerprints")?;
        let buckets = starts.len().saturating_sub(1);
        if !buckets.is_power_of_two() || starts.last() != Some(&(fingerprints.len() as u32)) {
            return Err(sections.corrupt("starts", "does not fit the fingerprints"));
        }
        Ok(Dictionary {
            seed,
            starts,
            fingerprints,
        })
    }
}

/// Bucket and fingerprint; `buckets` is a power of two.
#[inline(always)]
fn split(hash: u64, seed: u64, buckets: usize) -> (usize, u32) {
    let mixed = (hash ^ seed).wrapping_mul(MULTIPLIER);
    let mixed = mixed ^ mixed >> 32;
    let bucket = (mixed >> 32) as usize & (buckets - 1);
    let spread = mixed.wrapping_mul(MULTIPLIER);
    (bucket, (spread >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn finds_what_is_in_it_and_nothing_else(
            known in prop::collection::btree_set(any::<u64>(), 0..500),
            asked in prop::collection::btree_set(any::<u64>(), 0..500),
        ) {
            let hashes: Vec<u64> = known.iter().copied().collect();
            let (dictionary, places) = Dictionary::build(&hashes).unwrap();
            prop_assert_eq!(dictionary.len(), hashes.len());
            for (hash, place) in hashes.iter().zip(&places) {
                prop_assert_eq!(dictionary.find(*hash), Some(*place));
            }
            let distinct: BTreeSet<u32> = places.iter().copied().collect();
            prop_assert_eq!(distinct.len(), hashes.len());
            for hash in asked.difference(&known) {
                prop_assert_eq!(dictionary.find(*hash), None);
            }
        }
    }

    #[test]
    fn equal_hashes_are_an_error() {
        assert!(Dictionary::build(&[7, 7]).is_err());
    }

    #[test]
    fn small_numbers_spread_too() {
        let hashes: Vec<u64> = (0..100_000).collect();
        let (dictionary, _) = Dictionary::build(&hashes).unwrap();
        let sizes = dictionary.starts.windows(2).map(|w| w[1] - w[0]);
        assert!(sizes.max().unwrap() < 60);
    }
}
