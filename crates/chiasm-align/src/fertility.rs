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
pub struct FertilityCounts(Vec<[u32; FERTILITIES]>);

/// κ·p(φ) of all words.
#[derive(Clone, Copy)]
pub struct CommonFertility([f32; FERTILITIES]);

impl FertilityCounts {
    /// For a vocabulary.
    pub fn new(words: usize) -> Self {
        FertilityCounts(vec![[0; FERTILITIES]; words])
    }

    /// Counts an occurrence of `word` with `links` links.
    #[inline]
    pub fn add(&mut self, word: u32, links: u32) {
        self.0[word as usize][told_apart(links)] += 1;
    }

    /// An occurrence of `word` has so many links now.
    #[inline]
    pub fn change(&mut self, word: u32, before: u32, now: u32) {
        let row = &mut self.0[word as usize];
        let before = &mut row[told_apart(before)];
        *before = before.saturating_sub(1);
        row[told_apart(now)] += 1;
    }

    /// All counts.
    pub fn counts(&self) -> &[[u32; FERTILITIES]] {
        &self.0
    }

    /// Of all counts, if they are as many as so many words have.
    pub fn of_counts(counts: &[u32], words: usize) -> Option<Self> {
        let (rows, rest) = counts.as_chunks::<FERTILITIES>();
        (rows.len() == words && rest.is_empty()).then(|| FertilityCounts(rows.to_vec()))
    }

    /// Adds what another has counted.
    pub fn merge(&mut self, other: &FertilityCounts) {
        let rows = self.0.iter_mut().flatten().zip(other.0.iter().flatten());
        rows.for_each(|(count, more)| *count = count.saturating_add(*more));
    }

    /// What all words have in common.
    pub fn common(&self) -> CommonFertility {
        let mut all = [0.5f64; FERTILITIES];
        for row in &self.0 {
            for (sum, &count) in all.iter_mut().zip(row) {
                *sum += f64::from(count);
            }
        }
        let total: f64 = all.iter().sum();
        CommonFertility(all.map(|sum| (sum / total) as f32 * SMOOTHING))
    }

    /// The price of one more link of a word that has `links`.
    #[inline]
    pub fn ratio(&self, common: &CommonFertility, word: u32, links: u32) -> f32 {
        // Beyond the last fertility told apart, one more costs what the last one did.
        let at = told_apart(links).min(FERTILITIES - 2);
        let row = &self.0[word as usize];
        let weight = |at: usize| row[at] as f32 + common.0[at];
        weight(at + 1) / weight(at)
    }

    /// The price of one more link, a row a word, and behind the last word a row for unknown words.
    pub fn ratios(&self) -> Vec<f32> {
        let common = self.common();
        let mut ratios = Vec::with_capacity((self.0.len() + 1) * FERTILITIES);
        for row in &self.0 {
            push_ratios(
                std::array::from_fn(|k| row[k] as f32 + common.0[k]),
                &mut ratios,
            );
        }
        push_ratios(common.0, &mut ratios);
        ratios
    }
}

#[inline]
fn told_apart(links: u32) -> usize {
    (links as usize).min(FERTILITIES - 1)
}

fn push_ratios(weights: [f32; FERTILITIES], ratios: &mut Vec<f32>) {
    ratios.extend(weights.windows(2).map(|pair| pair[1] / pair[0]));
    // Beyond the last fertility told apart, one more costs what the last one did.
    ratios.push(weights[FERTILITIES - 1] / weights[FERTILITIES - 2]);
}

/// Looks a ratio up.
#[inline]
pub fn ratio(ratios: &[f32], word: usize, links: u32) -> f32 {
    ratios[word * FERTILITIES + told_apart(links)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_seen_know_their_own_fertility() {
        let mut counts = FertilityCounts::new(3);
        for _ in 0..1000 {
            counts.add(0, 1);
            counts.add(1, 7);
            counts.change(1, 7, 2);
        }
        let ratios = counts.ratios();
        assert_eq!(ratios.len(), 4 * FERTILITIES);
        assert!(ratio(&ratios, 0, 1) < 0.1 && ratio(&ratios, 1, 1) > 10.0);
        // The third word was never seen: it is as all words are.
        assert!((ratio(&ratios, 2, 1) - 1.0).abs() < 0.01);
        assert_eq!(ratio(&ratios, 2, 1), ratio(&ratios, 3, 1));
        assert_eq!(ratio(&ratios, 0, 7), ratio(&ratios, 0, 99));
        let common = counts.common();
        for links in [0, 1, 6, 7, 99] {
            for word in 0..3 {
                let found = counts.ratio(&common, word, links);
                assert_eq!(found, ratio(&ratios, word as usize, links));
            }
        }
    }
}
