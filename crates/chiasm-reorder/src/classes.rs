//! Word classes by the exchange algorithm (Kneser & Ney 1993; Martin, Liermann & Ney 1998).
//!
//! The classes maximise the likelihood of a class bigram model,
//! `F = Σ_gh N(g,h) log N(g,h) - Σ_g N(g,·) log N(g,·) - Σ_h N(·,h) log N(·,h)`:
//! each word in turn, the most frequent first, goes to the class where F is largest, until a round
//! moves (almost) nothing. Counts are kept up to date, so a word costs the classes it touches.

mod exchange;

use crate::{ClassTable, Error, Result};
use chiasm_text::{Lines, MappedText, Text, TextOutput, Vocabulary};
use chiasm_work::Progress;
use exchange::{Bigrams, Exchange};
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
