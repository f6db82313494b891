//! Random numbers that depend on the run's seed and the place where they are used, nothing else.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The generator of one purpose, and one item of it.
pub(crate) fn random(seed: u64, purpose: &str, item: u64) -> Xoshiro256PlusPlus {
    let key = format!("{purpose} {item}");
    Xoshiro256PlusPlus::seed_from_u64(xxh3_64_with_seed(key.as_bytes(), seed))
}
