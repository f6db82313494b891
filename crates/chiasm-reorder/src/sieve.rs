//! Which keys cannot be frequent, found in a first pass with one small counter for many keys.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Counters shared by all keys that hash alike: what one says is never less than the truth.
pub(crate) struct Sieve {
    counters: Vec<AtomicU8>,
    least: u64,
}

const LARGEST_SIEVE: usize = 1 << 28;

impl Sieve {
    /// As many counters as `budget` bytes hold; none if `min_count` is nothing that they can tell.
    pub fn new(budget: usize, min_count: u64) -> Self {
        let useful = (2..=u64::from(u8::MAX)).contains(&min_count);
        let size = if useful {
            (budget.clamp(1 << 10, LARGEST_SIEVE) + 1).next_power_of_two() / 2
        } else {
            0
        };
        let mut counters = Vec::new();
        counters.resize_with(size, AtomicU8::default);
        Sieve {
            counters,
            least: min_count,
        }
    }

    /// Are there counters?
    pub fn is_useful(&self) -> bool {
        !self.counters.is_empty()
    }

    fn counter(&self, key: u64) -> &AtomicU8 {
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.counters[(hash >> 32 ^ hash >> 8) as usize & (self.counters.len() - 1)]
    }

    /// The key was seen so often.
    pub fn add(&self, key: u64, times: u32) {
        // A lost update between threads would let a frequent feature go, so the counter is
        // exchanged; it stays where it is once it is full.
        let _ = self.counter(key).fetch_update(Relaxed, Relaxed, |count| {
            let sum = (u32::from(count) + times).min(u8::MAX.into()) as u8;
            (sum != count).then_some(sum)
        });
    }

    /// False if the key was certainly seen too rarely.
    pub fn may_be_frequent(&self, key: u64) -> bool {
        !self.is_useful() || u64::from(self.counter(key).load(Relaxed)) >= self.least
    }
}
