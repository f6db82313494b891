//! Which translation of a list agrees most with the others, each counting as it is probable: the least expected loss in BLEU
//! (Kumar & Byrne 2004), in time that grows with the words of the list (DeNero, Chiang & Knight 2009).

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// The longest n-grams that are compared.
const LONGEST: usize = 4;

/// An n-gram; its length, then its words.
type Gram = (u8, [u32; LONGEST]);

type Counts = HashMap<Gram, f32, FxBuildHasher>;

/// The n-grams of a translation with their counts, in the order in which they come.
fn counted(words: &[u32]) -> Vec<(Gram, f32)> {
    let mut places: HashMap<Gram, usize, FxBuildHasher> = HashMap::default();
    let mut grams: Vec<(Gram, f32)> = Vec::new();
    for length in 1..=LONGEST {
        for window in words.windows(length) {
            let mut gram = (length as u8, [0; LONGEST]);
            gram.1[..length].copy_from_slice(window);
            let place = *places.entry(gram).or_insert(grams.len());
            match grams.get_mut(place) {
                Some(found) => found.1 += 1.0,
                None => grams.push((gram, 1.0)),
            }
        }
    }
    grams
}

/// How probable each translation is, if its probability grows with `sharpness` times its total.
fn posteriors(totals: &[f32], sharpness: f32) -> Vec<f32> {
    let highest = totals.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weights = totals
        .iter()
        .map(|total| (sharpness * (total - highest)).exp());
    let weights: Vec<f32> = weights.collect();
    let sum: f32 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// For each translation, its BLEU (with one added to matches and totals of more than one word) against the n-grams that are
/// expected in the list.
pub fn agreement(translations: &[Vec<u32>], totals: &[f32], sharpness: f32) -> Vec<f32> {
    let posteriors = posteriors(totals, sharpness);
    let grams: Vec<Vec<(Gram, f32)>> = translations.iter().map(|words| counted(words)).collect();
    let mut expected = Counts::default();
    let mut length = 0.0;
    for ((grams, words), posterior) in grams.iter().zip(translations).zip(&posteriors) {
        length += posterior * words.len() as f32;
        for &(gram, count) in grams {
            *expected.entry(gram).or_default() += posterior * count;
        }
    }
    let of = |(grams, words): (&Vec<(Gram, f32)>, &Vec<u32>)| {
        let mut matches = [0.0f32, 1.0, 1.0, 1.0];
        for (gram, count) in grams {
            let place = usize::from(gram.0) - 1;
            matches[place] += count.min(expected.get(gram).copied().unwrap_or(0.0));
        }
        let mut logarithm = 0.0;
        for (place, matches) in matches.iter().enumerate() {
            let total = (words.len() as f32 - place as f32).max(0.0);
            let total = if place == 0 { total } else { total + 1.0 };
            logarithm += (matches / total).ln() / LONGEST as f32;
        }
        let brevity = (1.0 - length / words.len() as f32).min(0.0);
        match words.is_empty() {
            true => 0.0,
            false => (logarithm + brevity).exp(),
        }
    };
    grams.iter().zip(translations).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_in_the_middle_agrees_most() {
        let list = [vec![1, 2, 3, 9], vec![1, 2, 3, 4], vec![7, 2, 3, 4], vec![]];
        let found = agreement(&list, &[0.0, 0.0, 0.0, -90.0], 1.0);
        assert!(found[1] > found[0] && found[1] > found[2], "{found:?}");
        assert_eq!(found[3], 0.0);
        // The surer one is, the less others count.
        let found = agreement(&list, &[0.3, 0.0, 0.0, -90.0], 50.0);
        assert!(found[0] > found[1], "{found:?}");
        assert!((found[0] - 1.0).abs() < 1e-4);
    }

    #[test]
    fn follows_the_definition() {
        // Two translations, a half each: "1 1" and "1".
        let found = agreement(&[vec![1, 1], vec![1]], &[0.0, 0.0], 3.0);
        // Expected: 1.5 of "1", 0.5 of "1 1", a length of 1.5.
        let first = (1.5f32 / 2.0 * (1.5 / 2.0)).powf(0.25);
        let second = (1.0f32 - 1.5).exp();
        assert!((found[0] - first).abs() < 1e-5, "{found:?}");
        assert!((found[1] - second).abs() < 1e-5, "{found:?}");
    }
}
