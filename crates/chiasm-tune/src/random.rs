//! Random numbers that depend on the run's seed and the place where they are used, nothing else.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use xxhash_rust::xxh3::xxh3_64_with_seed;

pub type Random = Xoshiro256PlusPlus;

/// The generator of one stage of one round, and one item within it.
pub fn random(seed: u64, stage: &str, round: usize, item: usize) -> Random {
    let key = format!("{stage} {round} {item}");
    Xoshiro256PlusPlus::seed_from_u64(xxh3_64_with_seed(key.as_bytes(), seed))
}

/// A standard normal deviate (Box & Muller).
pub fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.random::<f64>()).cos()
}

/// Fisher and Yates.
pub fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for i in (1..items.len()).rev() {
        items.swap(i, random.random_range(0..=i));
    }
}
