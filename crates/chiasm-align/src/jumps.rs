//! How far the alignment moves from one aligned word to the next.
//!
//! As in the hidden Markov model of Vogel, Ney & Tillmann (1996) the probability of a position
//! depends on its distance from the position before; and, after the word-dependent transitions of
//! He (2007), on the child word one comes from: the parent of what follows an article is most often
//! the article's own. The most frequent words have distributions of their own, smoothed towards
//! that of all words. Distances beyond [`FARTHEST`] share one probability a side.

use chiasm_text::Text;

/// Distances beyond this are not told apart.
pub const FARTHEST: usize = 60;
/// How many distances there are.
pub const DISTANCES: usize = 2 * FARTHEST + 1;
/// Classes of words to come from: the frequent ones, all others, and the beginning.
pub const CLASSES: usize = 64;
/// The class of the beginning of a sentence.
pub const BEGINNING: u8 = 63;
/// The class of all words that are not frequent.
const OTHERS: u8 = 0;
/// How many jumps a prior is worth.
const PRIOR: f64 = 60.0;

/// The class of every word: the most frequent ones have one each.
pub fn classes(text: &Text, words: usize) -> Vec<u8> {
    let mut counts = vec![0u64; words];
    text.tokens
        .iter()
        .for_each(|&word| counts[word as usize] += 1);
    let mut order: Vec<usize> = (0..words).collect();
    let frequent = (BEGINNING as usize - 1).min(words);
    if frequent < words {
        order.select_nth_unstable_by_key(frequent, |&word| (std::cmp::Reverse(counts[word]), word));
    }
    order[..frequent].sort_unstable();
    let mut classes = vec![OTHERS; words];
    for (class, &word) in order[..frequent].iter().enumerate() {
        classes[word] = class as u8 + 1;
    }
    classes
}

/// Before anything is counted: mostly to the next word or near it, sometimes anywhere.
fn prior(index: usize) -> f64 {
    let from_next = (index as f64 - FARTHEST as f64 - 1.0).abs();
    // 0.322 makes Σ exp(-|d|/1.5) one.
    0.8 * 0.322 * (-from_next / 1.5).exp() + 0.2 / DISTANCES as f64
}

/// Counts of distances, a row a class.
#[derive(Clone)]
pub struct JumpCounts(Vec<u64>);

impl Default for JumpCounts {
    fn default() -> Self {
        JumpCounts(vec![0; CLASSES * DISTANCES])
    }
}

impl JumpCounts {
    /// The number of a jump from a child of `class`. Positions count from 1; 0 is before the sentence, length + 1 behind it.
    #[inline]
    pub fn number(class: u8, from: usize, to: usize) -> u16 {
        (class as usize * DISTANCES + index(to as i64 - from as i64)) as u16
    }

    /// Counts a jump by its number.
    #[inline]
    pub fn add_one(&mut self, number: u16) {
        self.0[usize::from(number)] += 1;
    }

    /// All counts.
    pub fn counts(&self) -> &[u64] {
        &self.0
    }

    /// Of all counts, if they are as many as there must be.
    pub fn of_counts(counts: &[u64]) -> Option<Self> {
        (counts.len() == CLASSES * DISTANCES).then(|| JumpCounts(counts.to_vec()))
    }

    /// Adds what another has counted.
    pub fn merge(&mut self, other: &JumpCounts) {
        for (count, more) in self.0.iter_mut().zip(&other.0) {
            *count += more;
        }
    }

    /// Probabilities of the distances -60..=60, a row a class.
    pub fn probabilities(&self) -> Vec<f32> {
        let mut all = vec![0u64; DISTANCES];
        for row in self.0.chunks_exact(DISTANCES) {
            all.iter_mut()
                .zip(row)
                .for_each(|(sum, count)| *sum += count);
        }
        let common = smoothed(&all, prior);
        let mut probabilities = Vec::with_capacity(self.0.len());
        for row in self.0.chunks_exact(DISTANCES) {
            let own = smoothed(row, |index| common[index]);
            probabilities.extend(own.into_iter().map(|probability| probability as f32));
        }
        probabilities
    }
}

fn smoothed(counts: &[u64], prior: impl Fn(usize) -> f64) -> Vec<f64> {
    let total = counts.iter().sum::<u64>() as f64 + PRIOR;
    let probability =
        |(index, &count): (usize, &u64)| (count as f64 + PRIOR * prior(index)) / total;
    counts.iter().enumerate().map(probability).collect()
}

fn index(distance: i64) -> usize {
    let farthest = FARTHEST as i64;
    (distance.clamp(-farthest, farthest) + farthest) as usize
}

/// Probabilities laid out so that all positions of a sentence are one slice.
pub struct JumpTable {
    centre: usize,
    rising: Vec<f32>,
    falling: Vec<f32>,
}

impl JumpTable {
    /// For sentences of at most `longest` words.
    pub fn new(probabilities: &[f32], longest: usize) -> Self {
        let centre = longest + 1;
        let mut table = JumpTable {
            centre,
            rising: Vec::new(),
            falling: Vec::new(),
        };
        for row in probabilities.chunks_exact(DISTANCES) {
            let distances = -(centre as i64)..=centre as i64;
            let at = |distance: i64| row[index(distance)];
            table.rising.extend(distances.clone().map(at));
            table
                .falling
                .extend(distances.map(|distance| at(-distance)));
        }
        table
    }

    /// The longest sentence it is made for.
    pub fn longest(&self) -> usize {
        self.centre - 1
    }

    fn row(&self, class: u8) -> usize {
        class as usize * (2 * self.centre + 1)
    }

    /// Of the jumps from `from`, a child of `class`, to each of the positions 1..=length.
    #[inline]
    pub fn from(&self, class: u8, from: usize, length: usize) -> &[f32] {
        let start = self.row(class) + self.centre + 1 - from;
        &self.rising[start..start + length]
    }

    /// Of the jumps to `to` from each of the positions 1..=length, coming from a child of `class`.
    #[inline]
    pub fn to(&self, class: u8, to: usize, length: usize) -> &[f32] {
        let start = self.row(class) + self.centre + 1 - to;
        &self.falling[start..start + length]
    }

    /// Of one jump.
    #[inline]
    pub fn one(&self, class: u8, from: usize, to: usize) -> f32 {
        self.rising[self.row(class) + self.centre + to - from]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_hold_the_single_jumps() {
        let mut counts = JumpCounts::default();
        for (from, to, times) in [(0, 1, 50), (1, 2, 70), (3, 1, 9), (2, 2, 4), (0, 200, 2)] {
            for _ in 0..times {
                counts.add_one(JumpCounts::number(7, from, to));
            }
        }
        let probabilities = counts.probabilities();
        for row in probabilities.chunks_exact(DISTANCES) {
            let sum: f32 = row.iter().sum();
            assert!((sum - 1.0).abs() < 2e-3, "{sum}");
            assert!(row[FARTHEST + 1] > row[FARTHEST - 2]);
        }
        let length = 100;
        let table = JumpTable::new(&probabilities, length);
        for class in [0, 7, BEGINNING] {
            for anchor in [0, 1, 50, 100, 101] {
                for position in 1..=length {
                    let from = table.from(class, anchor.min(length), length)[position - 1];
                    assert_eq!(from, table.one(class, anchor.min(length), position));
                    let to = table.to(class, anchor.max(1), length)[position - 1];
                    assert_eq!(to, table.one(class, position, anchor.max(1)));
                }
            }
        }
        assert_eq!(table.one(7, 0, 61), table.one(7, 0, 100));
        assert!(table.one(7, 0, 1) > table.one(0, 0, 1));
    }

    #[test]
    fn frequent_words_have_classes_of_their_own() {
        let mut text = Text::new();
        text.push(&(0..100).chain([80, 90, 90]).collect::<Vec<u32>>());
        let classes = classes(&text, 100);
        assert!(classes[80] != OTHERS && classes[90] != OTHERS && classes[80] != classes[90]);
        assert_eq!(classes[99], OTHERS);
        assert_eq!(classes.iter().filter(|&&class| class != OTHERS).count(), 62);
        assert!(!classes.contains(&BEGINNING));
        assert_eq!(super::classes(&Text::new(), 0), Vec::<u8>::new());
    }
}
