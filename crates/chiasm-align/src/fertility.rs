//! How many words a word is linked to.
//!
//! Each word has its own distribution over 0..=7 (7 and more), smoothed towards that of all words:
//! p(φ|e) = (n(e,φ) + κ·p(φ)) / (n(e) + κ). What a sampler needs is only the ratio
//! p(φ+1|e) / p(φ|e), the price of one more link.

/// Fertilities told apart.
pub const FERTILITIES: usize = 8;
/// κ, how many occurrences the distribution of all words is worth.
const SMOOTHING: f32 = 2.0;

/// Counts of fertilities, a row a word.
#[derive(Clone)]
pub struct FertilityCounts(Vec<u32>);

impl FertilityCounts {
    /// For a vocabulary.
    pub fn new(words: usize) -> Self {
        FertilityCounts(vec![0; words * FERTILITIES])
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Counts an occurrence of `word` with `links` links.
    #[inline]
    pub fn add(&mut self, word: u32, links: u32) {
        self.0[word as usize * FERTILITIES + (links as usize).min(FERTILITIES - 1)] += 1;
    }

    /// Adds what another has counted.
    pub fn merge(&mut self, other: &FertilityCounts) {
        for (count, more) in self.0.iter_mut().zip(&other.0) {
            *count = count.saturating_add(*more);
        }
    }

    /// The price of one more link, a row a word, and behind the last word a row for unknown words.
    pub fn ratios(&self) -> Vec<f32> {
        let mut all = [0.5f64; FERTILITIES];
        for row in self.0.chunks_exact(FERTILITIES) {
            for (sum, &count) in all.iter_mut().zip(row) {
                *sum += f64::from(count);
            }
        }
        let total: f64 = all.iter().sum();
        let common = all.map(|sum| (sum / total) as f32 * SMOOTHING);
        let mut ratios = Vec::with_capacity(self.0.len() + FERTILITIES);
        for row in self.0.chunks_exact(FERTILITIES) {
            push_ratios(
                std::array::from_fn(|k| row[k] as f32 + common[k]),
                &mut ratios,
            );
        }
        push_ratios(common, &mut ratios);
        ratios
    }
}

fn push_ratios(weights: [f32; FERTILITIES], ratios: &mut Vec<f32>) {
    ratios.extend(weights.windows(2).map(|pair| pair[1] / pair[0]));
    // Beyond the last fertility told apart, one more costs what the last one did.
    ratios.push(weights[FERTILITIES - 1] / weights[FERTILITIES - 2]);
}

/// Looks a ratio up.
#[inline]
pub fn ratio(ratios: &[f32], word: usize, links: u32) -> f32 {
    ratios[word * FERTILITIES + (links as usize).min(FERTILITIES - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_seen_know_their_own_fertility() {
        let mut counts = FertilityCounts::new(3);
        for _ in 0..1000 {
            counts.add(0, 1);
            counts.add(1, 2);
        }
        let ratios = counts.ratios();
        assert_eq!(ratios.len(), 4 * FERTILITIES);
        assert!(ratio(&ratios, 0, 1) < 0.1 && ratio(&ratios, 1, 1) > 10.0);
        // The third word was never seen: it is as all words are.
        assert!((ratio(&ratios, 2, 1) - 1.0).abs() < 0.01);
        assert_eq!(ratio(&ratios, 2, 1), ratio(&ratios, 3, 1));
        assert_eq!(ratio(&ratios, 0, 7), ratio(&ratios, 0, 99));
    }
}
