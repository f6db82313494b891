//! Word classes by the exchange algorithm (Kneser & Ney 1993; Martin, Liermann & Ney 1998).
//!
//! The classes maximise the likelihood of a class bigram model,
//! `F = Σ_gh N(g,h) log N(g,h) - Σ_g N(g,·) log N(g,·) - Σ_h N(·,h) log N(·,h)`:
//! each word in turn, the most frequent first, goes to the class where F is largest, until a round
//! moves (almost) nothing. Counts are kept up to date, so a word costs the classes it touches.

use crate::{ClassTable, Error, Result};
use chiasm_text::{Lines, MappedText, Text, TextOutput, Vocabulary};
use chiasm_work::{Progress, cancel};
use std::path::Path;

/// The class of each word of a vocabulary.
#[derive(Clone, Debug, PartialEq)]
pub struct WordClasses {
    /// How many classes.
    pub count: usize,
    /// By word number.
    pub classes: Vec<u16>,
    /// F, the part of the log likelihood (in nats) that depends on the classes.
    pub objective: f64,
    /// Rounds over the vocabulary.
    pub rounds: u32,
}

/// The most classes.
pub const MOST_CLASSES: usize = 4096;
/// The most rounds, if nothing else is asked for.
pub const ROUNDS: u32 = 20;

/// A text with the classes of its words.
pub struct Clustered {
    /// The text, in words of the vocabulary.
    pub text: Text,
    /// Its words, the most frequent first.
    pub vocabulary: Vocabulary,
    /// Their classes.
    pub found: WordClasses,
}

impl Clustered {
    /// Clusters the words of a file in at most [`ROUNDS`] rounds.
    pub fn of_file(path: &Path, count: usize, progress: &dyn Progress) -> Result<Self> {
        Clustered::in_rounds(path, count, ROUNDS, progress)
    }

    /// The same in at most so many rounds.
    pub fn in_rounds(
        path: &Path,
        count: usize,
        rounds: u32,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let mut vocabulary = Vocabulary::new();
        let mut text = Text::read(path, &mut vocabulary)?;
        if vocabulary.is_empty() {
            let reason = format!("{}: no words, so no classes", path.display());
            return Err(Error::Request(reason));
        }
        let mut counts = vec![0u64; vocabulary.len()];
        text.tokens
            .iter()
            .for_each(|&word| counts[word as usize] += 1);
        let (vocabulary, new) = vocabulary.by_frequency(&counts);
        text.renumber(&new);
        Clustered::by_frequency(text, vocabulary, count, rounds, progress)
    }

    /// Clusters the words of a mapped text in at most [`ROUNDS`] rounds.
    pub fn of_text(text: &MappedText, count: usize, progress: &dyn Progress) -> Result<Self> {
        let (vocabulary, new) = text.vocabulary().by_frequency(&text.counts());
        Clustered::by_frequency(text.renumbered(&new), vocabulary, count, ROUNDS, progress)
    }

    /// The words are numbered by falling frequency.
    fn by_frequency(
        text: Text,
        vocabulary: Vocabulary,
        count: usize,
        rounds: u32,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let found = WordClasses::cluster(&text, vocabulary.len(), count, rounds, progress)?;
        Ok(Clustered {
            text,
            vocabulary,
            found,
        })
    }

    /// The class of every word.
    pub fn table(&self) -> Result<ClassTable> {
        let classes = self.found.classes.iter().copied();
        ClassTable::new(self.vocabulary.words().zip(classes))
    }
}

/// A round that moves fewer words than one in this many is the last.
const SETTLED: usize = 500;

impl WordClasses {
    /// Clusters the words of a text into `count` classes, in at most `rounds` rounds.
    pub fn cluster(
        text: &Text,
        words: usize,
        count: usize,
        rounds: u32,
        progress: &dyn Progress,
    ) -> Result<Self> {
        if !(1..=MOST_CLASSES).contains(&count) {
            let reason = format!("{count} word classes; between 1 and {MOST_CLASSES} expected");
            return Err(Error::Request(reason));
        }
        let bigrams = Bigrams::count(text, words);
        let mut state = Exchange::new(&bigrams, count);
        let mut round = 0;
        while round < rounds {
            round += 1;
            let moved = state.round();
            progress.advance(1);
            if moved * SETTLED <= words {
                break;
            }
        }
        Ok(WordClasses {
            count,
            objective: state.objective(),
            classes: state.class_of[..words].to_vec(),
            rounds: round,
        })
    }

    /// Writes `word<TAB>class` lines, by class, then by falling frequency of words (their number,
    /// if the vocabulary is sorted by frequency).
    pub fn write(&self, vocabulary: &Vocabulary, path: &Path) -> Result<()> {
        let mut order: Vec<u32> = (0..self.classes.len() as u32).collect();
        order.sort_by_key(|&word| (self.classes[word as usize], word));
        let mut output = TextOutput::create(path)?;
        let mut line = String::new();
        for word in order {
            use std::fmt::Write;
            line.clear();
            let class = self.classes[word as usize];
            let _ = writeln!(line, "{}\t{class}", vocabulary.word(word));
            output.write_text(line.as_bytes())?;
        }
        Ok(output.finish()?)
    }
}

/// Reads `word<TAB>class` lines.
pub fn read_classes(path: &Path) -> Result<Vec<(String, u16)>> {
    let mut lines = Lines::open(path)?;
    let mut classes = Vec::new();
    let mut seen = std::collections::HashSet::new();
    loop {
        let number = lines.number() + 1;
        let Some(line) = lines.next_line()? else {
            return Ok(classes);
        };
        let fail = |message: String| Err(chiasm_text::Error::line(path, number, message).into());
        let Some((word, class)) = line.split_once('\t') else {
            return fail("a word, a tab and the number of its class expected".into());
        };
        let Some(class) = class.trim().parse().ok().filter(|&class| class < u16::MAX) else {
            return fail(format!(
                "'{class}' is not the number of a class below 65535"
            ));
        };
        if !seen.insert(word.to_string()) {
            return fail(format!("'{word}' has a class already"));
        }
        classes.push((word.to_string(), class));
    }
}

/// Which words follow which, how often; the last word number is the sentence boundary.
struct Bigrams {
    words: usize,
    successors: Neighbours,
    predecessors: Neighbours,
    /// How often each word was seen before and after another.
    counts: Vec<u64>,
    /// Words by falling frequency.
    order: Vec<u32>,
}

/// For each word, others with counts; and how often it stands beside itself.
struct Neighbours {
    offsets: Vec<usize>,
    pairs: Vec<(u32, u32)>,
}

impl Neighbours {
    /// `bigrams` sorted by first word.
    fn new(words: usize, bigrams: &[(u32, u32, u32)]) -> Self {
        let mut offsets = vec![0; words + 1];
        for bigram in bigrams {
            offsets[bigram.0 as usize + 1] += 1;
        }
        for word in 0..words {
            offsets[word + 1] += offsets[word];
        }
        Neighbours {
            offsets,
            pairs: bigrams.iter().map(|b| (b.1, b.2)).collect(),
        }
    }

    fn of(&self, word: u32) -> &[(u32, u32)] {
        &self.pairs[self.offsets[word as usize]..self.offsets[word as usize + 1]]
    }
}

impl Bigrams {
    fn count(text: &Text, words: usize) -> Self {
        let boundary = words as u32;
        let mut all: Vec<u64> = Vec::with_capacity(text.tokens.len() + text.len());
        let mut counts = vec![0u64; words + 1];
        for sentence in text.sentences().filter(|sentence| !sentence.is_empty()) {
            let mut previous = boundary;
            for &word in sentence.iter().chain(std::iter::once(&boundary)) {
                all.push(u64::from(previous) << 32 | u64::from(word));
                counts[word as usize] += 1;
                previous = word;
            }
        }
        all.sort_unstable();
        let mut bigrams: Vec<(u32, u32, u32)> = Vec::new();
        for bigram in all {
            let (first, second) = ((bigram >> 32) as u32, bigram as u32);
            match bigrams.last_mut() {
                Some(last) if (last.0, last.1) == (first, second) => last.2 += 1,
                _ => bigrams.push((first, second, 1)),
            }
        }
        let successors = Neighbours::new(words + 1, &bigrams);
        for bigram in &mut bigrams {
            (bigram.0, bigram.1) = (bigram.1, bigram.0);
        }
        bigrams.sort_unstable();
        let mut order: Vec<u32> = (0..boundary).collect();
        order.sort_by_key(|&word| (std::cmp::Reverse(counts[word as usize]), word));
        Bigrams {
            words,
            successors,
            predecessors: Neighbours::new(words + 1, &bigrams),
            counts,
            order,
        }
    }
}

/// x log x, from a table where x is small.
struct Entropy(Vec<f64>);

impl Entropy {
    fn new() -> Self {
        let value = |x: u32| {
            if x == 0 {
                0.0
            } else {
                f64::from(x) * f64::from(x).ln()
            }
        };
        Entropy((0..1 << 16).map(value).collect())
    }

    #[inline(always)]
    fn of(&self, x: u64) -> f64 {
        match self.0.get(x as usize) {
            Some(&value) => value,
            None => x as f64 * (x as f64).ln(),
        }
    }
}

struct Exchange<'a> {
    bigrams: &'a Bigrams,
    count: usize,
    /// Classes and the boundary's own, which takes no word.
    stride: usize,
    class_of: Vec<u16>,
    /// N(g,h) at `g * stride + h`.
    pairs: Vec<u64>,
    /// N(g,·) = N(·,g): every word has as many predecessors as successors.
    totals: Vec<u64>,
    entropy: Entropy,
    /// Of the word being moved: counts with each class after and before it, and those not zero.
    after: Vec<u64>,
    before: Vec<u64>,
    touched_after: Vec<u16>,
    touched_before: Vec<u16>,
}

impl<'a> Exchange<'a> {
    /// Words go round the classes by falling frequency: a start in which every class holds frequent
    /// and rare words leaves more ways open than one that gives rare words a class of their own.
    fn new(bigrams: &'a Bigrams, count: usize) -> Self {
        let stride = count + 1;
        let mut class_of = vec![count as u16; bigrams.words + 1];
        for (rank, &word) in bigrams.order.iter().enumerate() {
            class_of[word as usize] = (rank % count) as u16;
        }
        let mut pairs = vec![0; stride * stride];
        let mut totals = vec![0; stride];
        for word in 0..=bigrams.words as u32 {
            let class = class_of[word as usize] as usize;
            totals[class] += bigrams.counts[word as usize];
            for &(next, times) in bigrams.successors.of(word) {
                pairs[class * stride + class_of[next as usize] as usize] += u64::from(times);
            }
        }
        Exchange {
            bigrams,
            count,
            stride,
            class_of,
            pairs,
            totals,
            entropy: Entropy::new(),
            after: vec![0; stride],
            before: vec![0; stride],
            touched_after: Vec::new(),
            touched_before: Vec::new(),
        }
    }

    fn objective(&self) -> f64 {
        let sum = |counts: &[u64]| {
            counts
                .iter()
                .map(|&count| self.entropy.of(count))
                .sum::<f64>()
        };
        sum(&self.pairs) - 2.0 * sum(&self.totals)
    }

    /// Lets every word choose; returns how many moved.
    fn round(&mut self) -> usize {
        let bigrams = self.bigrams;
        let mut moved = 0;
        for &word in &bigrams.order {
            cancel::check();
            let itself = self.look_around(word);
            let old = self.class_of[word as usize] as usize;
            self.take(word, old, itself, false);
            let mut best = old;
            let mut best_gain = self.gain(word, old, itself);
            for class in (0..self.count).filter(|&class| class != old) {
                let gain = self.gain(word, class, itself);
                if gain > best_gain + 1e-9 {
                    (best, best_gain) = (class, gain);
                }
            }
            self.take(word, best, itself, true);
            self.class_of[word as usize] = best as u16;
            moved += usize::from(best != old);
        }
        moved
    }

    /// Counts the word's neighbours by class; returns how often it stands beside itself.
    fn look_around(&mut self, word: u32) -> u64 {
        let mut itself = 0;
        for class in self.touched_after.drain(..) {
            self.after[class as usize] = 0;
        }
        for class in self.touched_before.drain(..) {
            self.before[class as usize] = 0;
        }
        for &(next, times) in self.bigrams.successors.of(word) {
            if next == word {
                itself = u64::from(times);
                continue;
            }
            let class = self.class_of[next as usize];
            if self.after[class as usize] == 0 {
                self.touched_after.push(class);
            }
            self.after[class as usize] += u64::from(times);
        }
        for &(previous, times) in self.bigrams.predecessors.of(word) {
            if previous == word {
                continue;
            }
            let class = self.class_of[previous as usize];
            if self.before[class as usize] == 0 {
                self.touched_before.push(class);
            }
            self.before[class as usize] += u64::from(times);
        }
        itself
    }

    /// Puts the word into a class (or takes it out).
    fn take(&mut self, word: u32, class: usize, itself: u64, put: bool) {
        let stride = self.stride;
        let change = |count: &mut u64, by: u64| {
            if put {
                *count += by;
            } else {
                *count -= by;
            }
        };
        for &other in &self.touched_after {
            let by = self.after[other as usize];
            change(&mut self.pairs[class * stride + other as usize], by);
        }
        for &other in &self.touched_before {
            let by = self.before[other as usize];
            change(&mut self.pairs[other as usize * stride + class], by);
        }
        change(&mut self.pairs[class * stride + class], itself);
        let count = self.bigrams.counts[word as usize];
        change(&mut self.totals[class], count);
    }

    /// How much F gains if the word, now in no class, goes to this one.
    #[inline]
    fn gain(&self, word: u32, class: usize, itself: u64) -> f64 {
        let (stride, entropy) = (self.stride, &self.entropy);
        let step = |count: u64, by: u64| entropy.of(count + by) - entropy.of(count);
        let mut gain = 0.0;
        for &other in &self.touched_after {
            let other = other as usize;
            if other != class {
                gain += step(self.pairs[class * stride + other], self.after[other]);
            }
        }
        for &other in &self.touched_before {
            let other = other as usize;
            if other != class {
                gain += step(self.pairs[other * stride + class], self.before[other]);
            }
        }
        let inside = self.after[class] + self.before[class] + itself;
        gain += step(self.pairs[class * stride + class], inside);
        gain - 2.0 * step(self.totals[class], self.bigrams.counts[word as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text_of(sentences: &[Vec<u32>]) -> Text {
        let mut text = Text::new();
        sentences.iter().for_each(|sentence| text.push(sentence));
        text
    }

    /// F from nothing but the text and the classes.
    fn slow_objective(text: &Text, classes: &[u16], count: usize) -> f64 {
        let mut pairs = vec![0u64; (count + 1) * (count + 1)];
        let class =
            |word: Option<&u32>| word.map_or(count, |&word| classes[word as usize] as usize);
        for sentence in text.sentences().filter(|s| !s.is_empty()) {
            for at in 0..=sentence.len() {
                let before = if at == 0 { None } else { sentence.get(at - 1) };
                pairs[class(before) * (count + 1) + class(sentence.get(at))] += 1;
            }
        }
        let f = |x: u64| {
            if x == 0 {
                0.0
            } else {
                x as f64 * (x as f64).ln()
            }
        };
        let mut sum: f64 = pairs.iter().map(|&x| f(x)).sum();
        for g in 0..=count {
            let row = &pairs[g * (count + 1)..(g + 1) * (count + 1)];
            sum -= f(row.iter().sum());
            sum -= f((0..=count).map(|h| pairs[h * (count + 1) + g]).sum());
        }
        sum
    }

    proptest! {
        #[test]
        fn counts_stay_true_and_no_single_move_is_better(
            sentences in prop::collection::vec(prop::collection::vec(0u32..12, 0..8), 1..30),
            count in 1usize..5,
        ) {
            let text = text_of(&sentences);
            let found = WordClasses::cluster(&text, 12, count, 200, &()).unwrap();
            let slow = slow_objective(&text, &found.classes, count);
            prop_assert!((found.objective - slow).abs() < 1e-6);
            for word in 0..12 {
                for class in 0..count as u16 {
                    let mut other = found.classes.clone();
                    other[word] = class;
                    prop_assert!(slow_objective(&text, &other, count) <= slow + 1e-6);
                }
            }
        }
    }

    #[test]
    fn words_that_behave_alike_share_a_class() {
        // Determiner noun verb; two of each.
        let mut sentences = Vec::new();
        for determiner in 0..2 {
            for noun in 2..4 {
                for verb in 4..6 {
                    sentences.push(vec![determiner, noun, verb]);
                }
            }
        }
        let found = WordClasses::cluster(&text_of(&sentences), 6, 3, 20, &()).unwrap();
        let c = &found.classes;
        assert!(c[0] == c[1] && c[2] == c[3] && c[4] == c[5]);
        assert!(c[0] != c[2] && c[2] != c[4] && c[0] != c[4]);
    }

    #[test]
    fn class_files_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("classes");
        for (contents, complaint) in [
            ("a\t1\nb 2\n", "line 2"),
            ("a\tx\n", "line 1"),
            ("a\t1\na\t2\n", "already"),
            ("a\t70000\n", "65535"),
        ] {
            std::fs::write(&path, contents).unwrap();
            let error = read_classes(&path).unwrap_err().to_string();
            assert!(error.contains(complaint), "{error}");
        }
        std::fs::write(&path, "a\t1\nb\t0\n").unwrap();
        assert_eq!(read_classes(&path).unwrap().len(), 2);
    }
}
