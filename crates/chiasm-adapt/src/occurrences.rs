//! Which words came together in what was learned: an aligner that has never seen a word knows from its training text
//! nothing of it, but a few corrected sentences tell much.

use crate::Pair;
use chiasm_align::Word;
use std::collections::HashMap;

/// How much better a translation is told from a chance companion; chosen, as the others, on simulated post-editing of text
/// that no figure is reported on.
const SHARPNESS: i32 = 4;

/// A word that the aligner knows is believed half to have changed its meaning when it was learned so often.
const TRUSTED: f32 = 3.0;

/// Something is left to the aligner.
const MOST: f32 = 0.95;

/// The pairs in which each word occurs, by their numbers, rising.
#[derive(Default)]
pub(crate) struct Occurrences {
    words: [HashMap<String, Vec<u32>>; 2],
    /// The numbers of the pairs that were counted.
    ids: Vec<u64>,
    pairs: u32,
}

impl Occurrences {
    /// Knows the pairs of a journal and no others.
    pub fn begin(&mut self, pairs: &[Pair]) {
        let known = self.ids.len();
        let same = self.pairs as usize == known
            && pairs.len() >= known
            && self.ids.iter().zip(pairs).all(|(id, pair)| *id == pair.id);
        if !same {
            *self = Occurrences::default();
        }
        for pair in &pairs[self.ids.len()..] {
            self.add(&pair.source_tokens, &pair.target_tokens);
            self.ids.push(pair.id);
        }
    }

    /// One pair more, which has no number yet.
    pub fn add(&mut self, source: &str, target: &str) {
        for (words, text) in self.words.iter_mut().zip([source, target]) {
            // As aligners fold their words.
            let folded: String = text.chars().flat_map(char::to_lowercase).collect();
            for word in chiasm_text::tokens(&folded) {
                let places = match words.get_mut(word) {
                    Some(places) => places,
                    None => words.entry(word.to_string()).or_default(),
                };
                if places.last() != Some(&self.pairs) {
                    places.push(self.pairs);
                }
            }
        }
        self.pairs += 1;
    }

    /// The numbers of the pairs that had none.
    pub fn number(&mut self, ids: &[u64]) {
        self.ids.extend_from_slice(ids);
    }

    /// Mixes what came together into p(target|source) and p(source|target) of the words of a pair that was counted: of all
    /// words on the other side, those that occur where a word occurs and nowhere else are its translations.
    pub fn tell(&self, source: &[Word], target: &[Word], probabilities: &mut [Vec<f32>; 2]) {
        let places = |side: usize, words: &[Word]| -> Vec<&[u32]> {
            let find = |word: &Word| self.words[side].get(word.folded);
            words
                .iter()
                .map(|word| find(word).map_or(&[][..], |all| all.as_slice()))
                .collect()
        };
        let (sources, targets) = (places(0, source), places(1, target));
        let mut likeness = Vec::with_capacity(source.len() * target.len());
        for one in &sources {
            for other in &targets {
                let both = 2.0 * common(one, other) as f32;
                likeness.push((both / (one.len() + other.len()).max(1) as f32).powi(SHARPNESS));
            }
        }
        let columns = target.len();
        for (i, (word, places)) in source.iter().zip(&sources).enumerate() {
            let row = i * columns..(i + 1) * columns;
            let total: f32 = likeness[row.clone()].iter().sum();
            let share = share(word, places.len());
            for cell in row {
                let told = likeness[cell] / total.max(f32::MIN_POSITIVE);
                let known = &mut probabilities[0][cell];
                *known += share * (told - *known);
            }
        }
        for (j, (word, places)) in target.iter().zip(&targets).enumerate() {
            let total: f32 = likeness.iter().skip(j).step_by(columns).sum();
            let share = share(word, places.len());
            for cell in (j..likeness.len()).step_by(columns) {
                let told = likeness[cell] / total.max(f32::MIN_POSITIVE);
                let known = &mut probabilities[1][cell];
                *known += share * (told - *known);
            }
        }
    }
}

/// How much of a word's probabilities is what was learned, seen so often.
fn share(word: &Word, seen: usize) -> f32 {
    if word.id.is_none() {
        return MOST;
    }
    let seen = seen as f32 - 1.0;
    (seen / (seen + TRUSTED)).min(MOST)
}

/// How many numbers two rising lists have in common.
fn common(a: &[u32], b: &[u32]) -> usize {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    few.iter()
        .filter(|number| many.binary_search(number).is_ok())
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word<'_>> {
        let unknown = |folded| Word { id: None, folded };
        text.split(' ').map(unknown).collect()
    }

    #[test]
    fn words_that_come_together_translate_each_other() {
        let mut occurrences = Occurrences::default();
        occurrences.add("Zeile und Spalte", "row and column");
        occurrences.add("Spalte und Wert", "value and column");
        occurrences.add("Wert und Zeile", "value and row");
        let (source, target) = (words("wert und zeile"), words("value and row"));
        let mut probabilities = [vec![0.0; 9], vec![0.0; 9]];
        occurrences.tell(&source, &target, &mut probabilities);
        for matrix in &probabilities {
            for i in 0..3 {
                let row = &matrix[3 * i..3 * i + 3];
                assert!((0..3).all(|j| j == i || row[j] < row[i] / 2.0), "{row:?}");
            }
        }
        for i in 0..3 {
            let total: f32 = probabilities[0][3 * i..3 * i + 3].iter().sum();
            assert!((total - MOST).abs() < 1e-5, "{total}");
        }
    }

    #[test]
    fn knows_the_pairs_of_the_journal_and_no_others() {
        let pair = |id, source: &str| Pair {
            id,
            source: String::new(),
            target: String::new(),
            source_tokens: source.into(),
            target_tokens: "x".into(),
            links: String::new(),
        };
        let pairs = [pair(1, "a b"), pair(3, "b c")];
        let mut occurrences = Occurrences::default();
        occurrences.begin(&pairs[..1]);
        occurrences.add("b c", "x");
        occurrences.number(&[3]);
        occurrences.begin(&pairs);
        assert_eq!(occurrences.words[0]["b"], [0, 1]);
        // A pair that was not written, then one that was forgotten.
        occurrences.add("d", "x");
        occurrences.begin(&pairs);
        assert!(!occurrences.words[0].contains_key("d"));
        occurrences.begin(&pairs[1..]);
        assert!(!occurrences.words[0].contains_key("a"));
        assert_eq!(occurrences.words[0]["b"], [0]);
    }
}
