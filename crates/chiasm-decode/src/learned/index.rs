//! Flat hash tables, which lie in a file as they lie in memory: reading one is copying it.

use super::flat::Flat;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// No record.
pub(crate) const NONE: u32 = u32::MAX;

/// A place in the table: part of a hash, and the number of the record that has it.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct Slot {
    hash: u32,
    number: u32,
}

const FREE: Slot = Slot {
    hash: 0,
    number: NONE,
};

/// Numbers of records by the hashes of what they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Index {
    /// Open addressing; a power of two, at most three of four taken.
    pub slots: Flat<Slot>,
    taken: usize,
}

impl Index {
    /// Slots as they were, of `records` records that have a slot each; `None` if they are not what an index has.
    pub fn from_slots(slots: Flat<Slot>, records: usize) -> Option<Self> {
        let taken = slots.iter().filter(|slot| slot.number != NONE);
        let (mut count, mut within) = (0, true);
        for slot in taken {
            count += 1;
            within &= (slot.number as usize) < records;
        }
        let sound = within && 4 * count <= 3 * slots.len() && is_size(slots.len());
        sound.then_some(Index {
            slots,
            taken: count,
        })
    }

    /// The number of the record with this hash that is the one.
    #[inline]
    pub fn find(&self, hash: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let place = self.place(hash, is_it)?;
        let number = self.slots[place].number;
        (number != NONE).then_some(number)
    }

    /// Where the record is, or a free place for it; none in a table without places.
    #[inline]
    fn place(&self, hash: u32, is_it: impl Fn(u32) -> bool) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let slots: &[Slot] = &self.slots;
        let places = (0..slots.len()).map(|step| (hash as usize).wrapping_add(step) & mask);
        for place in places {
            let slot = slots[place];
            if slot.number == NONE || (slot.hash == hash && is_it(slot.number)) {
                return Some(place);
            }
        }
        None
    }

    /// Puts a record in the place of the one that `is_it`, or in a new place.
    pub fn put(&mut self, hash: u32, number: u32, is_it: impl Fn(u32) -> bool) {
        if 4 * (self.taken + 1) > 3 * self.slots.len() {
            self.grow();
        }
        if let Some(place) = self.place(hash, is_it) {
            self.taken += usize::from(self.slots[place].number == NONE);
            self.slots.own()[place] = Slot { hash, number };
        }
    }

    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(16);
        let old = std::mem::replace(&mut self.slots, Flat::from(vec![FREE; size]));
        for slot in old.iter().filter(|slot| slot.number != NONE) {
            if let Some(place) = self.place(slot.hash, |_| false) {
                self.slots.own()[place] = *slot;
            }
        }
    }
}

fn is_size(slots: usize) -> bool {
    slots == 0 || slots.is_power_of_two()
}

/// A hash of numbers that is the same everywhere and always, because it is written to files.
#[inline]
pub(crate) fn hash(numbers: impl IntoIterator<Item = u32>) -> u32 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for number in numbers {
        let product = u128::from(state ^ u64::from(number)) * 0xa076_1d64_78bd_642f;
        state = (product >> 64) as u64 ^ product as u64;
    }
    (state ^ state >> 32) as u32
}

/// How often each key was seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Counts {
    pub keys: Flat<u64>,
    pub counts: Flat<u32>,
    pub index: Index,
}

impl Counts {
    fn find(&self, key: u64) -> Option<u32> {
        let hash = hash([(key >> 32) as u32, key as u32]);
        self.index
            .find(hash, |number| self.keys[number as usize] == key)
    }

    pub fn get(&self, key: u64) -> u32 {
        self.find(key)
            .map_or(0, |number| self.counts[number as usize])
    }

    pub fn add(&mut self, key: u64) {
        let number = self.find(key).unwrap_or_else(|| {
            let number = self.keys.len() as u32;
            self.keys.own().push(key);
            self.counts.own().push(0);
            let hash = hash([(key >> 32) as u32, key as u32]);
            self.index.put(hash, number, |_| false);
            number
        });
        let count = &mut self.counts.own()[number as usize];
        *count = count.saturating_add(1);
    }
}

/// Two numbers as one key.
pub(crate) fn key(one: u32, two: u32) -> u64 {
    u64::from(one) << 32 | u64::from(two)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn counts_as_a_map_does(keys in prop::collection::vec(0u64..40, 0..300)) {
            let (mut counts, mut expected) = (Counts::default(), HashMap::<u64, u32>::new());
            for key in keys.into_iter().map(|key| key << 30) {
                counts.add(key);
                *expected.entry(key).or_default() += 1;
            }
            for key in (0..40).map(|key: u64| key << 30) {
                prop_assert_eq!(counts.get(key), expected.get(&key).copied().unwrap_or(0));
            }
            let slots = counts.index.slots.clone();
            prop_assert_eq!(Index::from_slots(slots.clone(), counts.keys.len()), Some(counts.index));
            if !counts.keys.is_empty() {
                prop_assert_eq!(Index::from_slots(slots.clone(), counts.keys.len() - 1), None);
                prop_assert_eq!(Index::from_slots(Flat::from(slots[1..].to_vec()), counts.keys.len()), None);
            }
        }
    }

    /// Files hold them.
    #[test]
    fn hashes_stay_what_they_are() {
        let hashes = [hash([]), hash([1, 2]), hash([2, 1])];
        assert_eq!(hashes, [3_783_067_052, 3_131_598_644, 3_722_095_106]);
    }
}
