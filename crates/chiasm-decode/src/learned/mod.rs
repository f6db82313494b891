//! What a user has taught a system: phrase pairs, whole sentences and the n-grams of their translations, beside the system
//! and never in it.
//!
//! With nothing learned every score is what it was. `phrases.rs` counts phrase pairs, `scoring.rs` scores them with the columns
//! of the system's table, `ngrams.rs` lets the first language model believe what it has seen, `words.rs` is both models on the words
//! of an option. All of it is flat arrays (`flat.rs`, `index.rs`, `text.rs`), which `snapshot.rs` writes to a file and reads again.

mod flat;
mod index;
mod ngrams;
mod phrases;
mod scoring;
mod snapshot;
mod text;
mod words;

pub(crate) use scoring::LearnedPhrase;
pub(crate) use words::{LearnedWords, gain, gain_of_end, score};

use crate::system::System;
use chiasm_lm::State;
use chiasm_phrases::Alignment;
use chiasm_text::{Link, StoredVocabulary};
use hashbrown::HashMap;
use index::{Counts, key};
use ngrams::{NGrams, state_of};
use phrases::Phrases;
use std::sync::Arc;

/// How much what was learned counts beside what the system knows. The values were found on simulated post-editing of
/// text that no figure is reported on (docs/adaptation.md).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strengths {
    /// The table's probabilities count as so many sightings of a phrase.
    pub table: f32,
    /// What a learned phrase gains, in units of the sum of the table's weights.
    pub bonus: f32,
    /// The language model counts as so many sightings of a context, times the different words seen after it.
    pub context: f32,
    /// The language model counts as so many words of text.
    pub text: f32,
}

impl Default for Strengths {
    fn default() -> Self {
        Strengths {
            table: 1.0,
            bonus: 0.0,
            context: 2.0,
            text: 200.0,
        }
    }
}

/// A pair as it is learned.
#[derive(Clone, Copy, Debug)]
pub struct Lesson<'a> {
    /// Source words.
    pub source: &'a [String],
    /// Target words.
    pub target: &'a [String],
    /// Links, sorted by source, within the sentences.
    pub links: &'a [Link],
    /// p(target word|source word) and p(source word|target word) of linked words, as an aligner sees them, in the order of
    /// the links.
    pub probabilities: &'a [[f32; 2]],
}

/// What was learned, as decoding sees it. It belongs to the vocabularies of one system.
#[derive(Clone, Debug)]
pub struct Learned {
    strengths: Strengths,
    source_words: Words,
    target_words: Words,
    phrases: Phrases,
    ngrams: NGrams,
    /// Neighbouring source words that were seen.
    neighbours: Counts,
}

/// Words that a vocabulary does not have, numbered from its end on.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    known: u32,
    numbers: HashMap<String, u32>,
    /// In the order of their numbers.
    pub spellings: Arc<Vec<String>>,
}

impl Words {
    fn new(vocabulary: &StoredVocabulary) -> Self {
        Words {
            known: vocabulary.len() as u32,
            numbers: HashMap::new(),
            spellings: Arc::default(),
        }
    }

    fn intern(&mut self, vocabulary: &StoredVocabulary, word: &str) -> u32 {
        if let Some(number) = self.find(vocabulary, word) {
            return number;
        }
        let number = self.known + self.spellings.len() as u32;
        self.numbers.insert(word.to_string(), number);
        Arc::make_mut(&mut self.spellings).push(word.to_string());
        number
    }

    fn find(&self, vocabulary: &StoredVocabulary, word: &str) -> Option<u32> {
        let known = vocabulary.get(word);
        known.or_else(|| self.numbers.get(word).copied())
    }
}

impl Learned {
    /// Nothing yet.
    pub fn new(system: &System, strengths: Strengths) -> Self {
        Learned {
            strengths,
            source_words: Words::new(system.source_words()),
            target_words: Words::new(system.target_words()),
            phrases: Phrases::new(system),
            ngrams: NGrams::default(),
            neighbours: Counts::default(),
        }
    }

    /// The same, counting more or less beside the system.
    pub fn with_strengths(mut self, strengths: Strengths) -> Self {
        self.strengths = strengths;
        self
    }

    /// How many pairs were learned.
    pub fn len(&self) -> usize {
        self.phrases.sentences()
    }

    /// Nothing yet?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Learns a pair. What was learned earlier stays; the newest translation of a sentence is the one that counts when the
    /// same sentence comes again.
    pub fn add(&mut self, system: &System, lesson: Lesson<'_>) {
        let numbers = |words: &mut Words, vocabulary: &StoredVocabulary, tokens: &[String]| {
            let numbers = tokens.iter().map(|token| words.intern(vocabulary, token));
            numbers.collect::<Vec<u32>>()
        };
        let source = numbers(&mut self.source_words, system.source_words(), lesson.source);
        let target = numbers(&mut self.target_words, system.target_words(), lesson.target);
        let mut alignment = Alignment::default();
        alignment.load(lesson.links, source.len(), target.len());
        self.phrases.add(
            &source,
            &target,
            &alignment,
            lesson.links,
            lesson.probabilities,
        );
        self.ngrams.add(&target);
        let source: Vec<Option<u32>> = source.into_iter().map(Some).collect();
        for pair in neighbours(&source).flatten() {
            self.neighbours.add(pair);
        }
    }

    /// The source words as they are numbered here; unknown ones have none.
    pub(crate) fn source_numbers(&self, system: &System, tokens: &[String]) -> Vec<Option<u32>> {
        let find = |token: &String| self.source_words.find(system.source_words(), token);
        tokens.iter().map(find).collect()
    }

    /// Target words beyond the system's vocabulary.
    pub(crate) fn new_words(&self) -> Arc<Vec<String>> {
        self.target_words.spellings.clone()
    }

    pub(crate) fn phrases(&self) -> &Phrases {
        &self.phrases
    }

    /// What a search remembers before the first word, beside the states of the language models.
    pub(crate) fn begin(&self) -> State {
        state_of(self.ngrams.begin())
    }

    /// How much of it counts for a sentence: the less of it is like what was learned, the more the system counts. So text of
    /// another kind stays as it was, and most of all the kind that the system was trained on.
    pub(crate) fn strengths(&self, system: &System, source: &[Option<u32>]) -> Strengths {
        let (mut all, mut seen) = (0.0, 0.0);
        for pair in neighbours(source) {
            all += 1.0;
            let learned = pair.filter(|&pair| self.neighbours.get(pair) > 0);
            seen += learned.map_or(0.0, |pair| match table_has(system, pair) {
                true => KNOWN_ANYWAY,
                false => 1.0,
            });
        }
        let likeness = f32::max(seen / all, LEAST_LIKENESS);
        let given = &self.strengths;
        Strengths {
            table: given.table / likeness,
            bonus: given.bonus,
            context: given.context / likeness,
            text: given.text / (likeness * likeness),
        }
    }
}

/// Neighbours that the system's table has, too, say less: so much of what others say (chosen as the strengths were).
const KNOWN_ANYWAY: f32 = 0.2;

/// Does the system's table have two neighbours in a phrase, or one at the edge of a sentence at all?
fn table_has(system: &System, pair: u64) -> bool {
    let words = [(pair >> 32) as u32, pair as u32];
    let mut node = Some(crate::table::ROOT);
    for word in words.into_iter().filter(|&word| word != EDGE) {
        let table = system.phrase_table();
        node = node.and_then(|node| table.child(node, word).ok().flatten());
    }
    node.is_some()
}

/// Before and after a sentence.
const EDGE: u32 = u32::MAX;

/// A sentence in which nothing is known counts as if so much were.
const LEAST_LIKENESS: f32 = 0.01;

/// Each two neighbouring words as a number, marks before and after the sentence included; `None` where a word is unknown.
fn neighbours(words: &[Option<u32>]) -> impl Iterator<Item = Option<u64>> {
    let mark = Some(EDGE);
    let after = words.iter().copied().chain([mark]);
    let before = [mark].into_iter().chain(words.iter().copied());
    before.zip(after).map(|(one, two)| Some(key(one?, two?)))
}
