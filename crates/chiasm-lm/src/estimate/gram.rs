//! An n-gram packed into 128 bits, so that sorting compares numbers.
//!
//! *Suffix order* has the last word first (in the highest bits), then the one before it: n-grams
//! with the same suffix stand together. *Context order* has the last word last: n-grams with the
//! same context stand together, and the contexts are in suffix order.

use chiasm_store::Record;
use std::cmp::Ordering;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A packed n-gram with a number or two.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(super) struct Gram {
    high: u64,
    low: u64,
    pub(super) value: u64,
}

impl Gram {
    #[inline(always)]
    pub(super) fn new(key: u128, value: u64) -> Self {
        Gram {
            high: (key >> 64) as u64,
            low: key as u64,
            value,
        }
    }

    /// With two numbers.
    #[inline(always)]
    pub(super) fn with_pair(key: u128, first: f32, second: f32) -> Self {
        let value = (u64::from(first.to_bits()) << 32) | u64::from(second.to_bits());
        Gram::new(key, value)
    }

    #[inline(always)]
    pub(super) fn key(&self) -> u128 {
        (u128::from(self.high) << 64) | u128::from(self.low)
    }

    #[inline(always)]
    pub(super) fn pair(&self) -> (f32, f32) {
        let first = f32::from_bits((self.value >> 32) as u32);
        (first, f32::from_bits(self.value as u32))
    }
}

impl Ord for Gram {
    #[inline(always)]
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Gram {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    // The default goes through `Ordering`, which costs the sort its branch-free comparison.
    #[inline(always)]
    fn lt(&self, other: &Self) -> bool {
        self.key() < other.key()
    }
}

impl PartialEq for Gram {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Gram {}

impl Record for Gram {
    #[inline(always)]
    fn absorb(&mut self, other: &Self) {
        self.value += other.value;
    }
}

/// How words are packed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packing {
    pub(super) bits: u32,
}

impl Packing {
    /// Enough bits a word for a vocabulary of `words`; `None` if `order` of them do not fit.
    pub(super) fn new(words: usize, order: usize) -> Option<Self> {
        let bits = usize::BITS - words.saturating_sub(1).leading_zeros();
        let bits = bits.max(2);
        (bits as usize * order <= 128).then_some(Packing { bits })
    }

    #[inline(always)]
    pub(super) fn mask(self) -> u128 {
        (1 << self.bits) - 1
    }

    /// The word in place `place`, counted from the lowest.
    #[inline(always)]
    pub(super) fn word(self, key: u128, place: usize) -> u32 {
        ((key >> (self.bits * place as u32)) & self.mask()) as u32
    }

    /// The n-gram of `order` words in suffix order, from context order.
    #[inline(always)]
    pub(super) fn suffix_order(self, key: u128, order: usize) -> u128 {
        let last = key & self.mask();
        (key >> self.bits) | (last << (self.bits * (order as u32 - 1)))
    }

    /// The n-gram of `order` words in context order, from suffix order.
    #[inline(always)]
    pub(super) fn context_order(self, key: u128, order: usize) -> u128 {
        let above = self.bits * (order as u32 - 1);
        let last = key >> above;
        ((key & ((1 << above) - 1)) << self.bits) | last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_rotations_of_each_other() {
        let packing = Packing::new(1000, 5).unwrap();
        assert_eq!(packing.bits, 10);
        for order in 2..=5usize {
            let key = (0..order as u128).fold(0, |key, word| (key << 10) | (word + 7));
            let rotated = packing.context_order(key, order);
            assert_eq!(packing.word(rotated, 0), 7);
            assert_eq!(packing.suffix_order(rotated, order), key);
        }
        assert!(Packing::new(1 << 21, 6).is_some());
        assert!(Packing::new((1 << 21) + 1, 6).is_none());
        let wide = Packing::new(1 << 25, 5).unwrap();
        let key = (1u128 << 125) - 1;
        assert_eq!(wide.suffix_order(wide.context_order(key, 5), 5), key);
    }
}
