//! Random numbers that depend on the seed and the number of the sentence alone, and Zipfian choice.

/// SplitMix64 (Steele, Lea & Flood 2014): tiny, fast, and seeded by one mixed word, so that every sentence
/// begins its own stream at no cost.
#[derive(Clone, Debug)]
pub struct Random(u64);

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64: a bijection in which every input bit moves every output bit.
pub fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

impl Random {
    /// The stream of sentence `index` at its `attempt`.
    pub fn new(seed: u64, index: u64, attempt: u64) -> Self {
        let seed = mix(seed.wrapping_add(GOLDEN));
        let item = mix(seed ^ mix(index.wrapping_mul(GOLDEN).wrapping_add(1)));
        Random(item.wrapping_add(mix(attempt)))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        ((self.next() >> 11) as f64) < probability * (1u64 << 53) as f64
    }

    /// A number under `limit`; 0 if there is none.
    pub fn below(&mut self, limit: u32) -> u32 {
        (((self.next() >> 32) * u64::from(limit)) >> 32) as u32
    }
}

/// Draws indices with given weights in constant time (Walker 1977, in Vose's form).
#[derive(Clone, Debug, Default)]
pub struct Sampler {
    /// In units of 2^-32: the share of the column that is the index itself.
    keep: Vec<u32>,
    other: Vec<u32>,
}

impl Sampler {
    /// A sampler over `weights`, of which at least one is positive if there is any.
    pub fn new(weights: &[f64]) -> Self {
        let count = weights.len();
        let total: f64 = weights.iter().sum();
        let mut scaled: Vec<f64> = weights.iter().map(|w| w / total * count as f64).collect();
        let mut sampler = Sampler {
            keep: vec![u32::MAX; count],
            other: (0..count as u32).collect(),
        };
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..count).partition(|&index| scaled[index] < 1.0);
        while let (Some(&low), Some(&high)) = (small.last(), large.last()) {
            small.pop();
            sampler.keep[low] = (scaled[low] * 4_294_967_296.0) as u32;
            sampler.other[low] = high as u32;
            scaled[high] -= 1.0 - scaled[low];
            if scaled[high] < 1.0 {
                large.pop();
                small.push(high);
            }
        }
        sampler
    }

    /// Ranks 0..count with probability proportional to (rank + shift)^-exponent (Mandelbrot's law).
    pub fn zipf(count: usize, exponent: f64, shift: f64) -> Self {
        let weights: Vec<f64> = (0..count)
            .map(|rank| (rank as f64 + shift).powf(-exponent))
            .collect();
        Self::new(&weights)
    }

    /// True if nothing can be drawn.
    pub fn is_empty(&self) -> bool {
        self.keep.is_empty()
    }

    /// One index.
    pub fn draw(&self, random: &mut Random) -> u32 {
        let column = random.below(self.keep.len() as u32) as usize;
        let within = (random.next() >> 32) as u32;
        if within < self.keep[column] {
            column as u32
        } else {
            self.other[column]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_follow_the_weights() {
        let weights = [5.0, 1.0, 0.0, 3.0, 1.0];
        let sampler = Sampler::new(&weights);
        let mut random = Random::new(1, 2, 0);
        let mut counts = [0u32; 5];
        for _ in 0..100_000 {
            counts[sampler.draw(&mut random) as usize] += 1;
        }
        for (count, weight) in counts.iter().zip(weights) {
            assert!(
                (f64::from(*count) - weight * 10_000.0).abs() < 500.0,
                "{counts:?}"
            );
        }
        assert_eq!(counts[2], 0);
    }

    #[test]
    fn streams_of_neighbours_differ() {
        let first: Vec<u64> = (0..100).map(|i| Random::new(7, i, 0).next()).collect();
        let mut sorted = first.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), first.len());
        assert_ne!(Random::new(7, 0, 0).next(), Random::new(8, 0, 0).next());
        assert_ne!(Random::new(7, 0, 0).next(), Random::new(7, 0, 1).next());
    }
}
