//! Target words with what stands around them.

use super::affiliation::affiliations;
use super::words::{EDGE, NOTHING};
use super::{HISTORY, INPUTS, WINDOW};
use chiasm_text::{Links, MappedText};
use rand::RngExt;

/// Sentences with more words are not learned from.
const LONGEST: usize = 1_000;

/// Sentence pairs as numbers; every target word, and the end of every sentence, is an example.
#[derive(Default)]
pub(crate) struct Examples {
    source: Vec<u32>,
    source_ends: Vec<usize>,
    /// With an edge at the end of each sentence.
    target: Vec<u32>,
    target_ends: Vec<usize>,
    /// The source word that each target word goes with.
    centres: Vec<u32>,
}

impl Examples {
    /// The sentence pairs of a text that have links and that `wanted` wants; words get the numbers of `numbers`.
    pub fn of_corpus(
        texts: [&MappedText; 2],
        links: &Links,
        numbers: [&[u32]; 2],
        wanted: impl Fn(usize) -> bool,
    ) -> Self {
        let mut examples = Examples::default();
        let pairs = texts[0].len().min(texts[1].len()).min(links.len());
        for pair in (0..pairs).filter(|&pair| wanted(pair)) {
            let [source, target] = texts.map(|text| text.sentence(pair));
            let fits = |words: &[u32]| (1..=LONGEST).contains(&words.len());
            if !fits(source) || !fits(target) {
                continue;
            }
            let links = links.sentence(pair).iter();
            let links = links.map(|link| (link.source as usize, link.target as usize));
            if !affiliations(target.len(), links, &mut examples.centres) {
                continue;
            }
            examples.centres.push(source.len() as u32);
            let words = source.iter().map(|&word| numbers[0][word as usize]);
            examples.source.extend(words);
            examples.source_ends.push(examples.source.len());
            let words = target.iter().map(|&word| numbers[1][word as usize]);
            examples.target.extend(words.chain([EDGE]));
            examples.target_ends.push(examples.target.len());
        }
        examples
    }

    /// How many examples.
    pub fn len(&self) -> usize {
        self.target.len()
    }

    /// The word of an example.
    pub fn word(&self, example: usize) -> u32 {
        self.target[example]
    }

    /// All words, in order.
    pub fn words(&self) -> &[u32] {
        &self.target
    }

    /// What stands around an example, the nearest `known` words of its history.
    pub fn inputs(&self, example: usize, known: usize) -> [u32; INPUTS] {
        let sentence = self.target_ends.partition_point(|&end| end <= example);
        let start = |ends: &[usize]| sentence.checked_sub(1).map_or(0, |before| ends[before]);
        let first = start(&self.target_ends);
        let mut inputs = [NOTHING; INPUTS];
        for (distance, input) in inputs[..HISTORY.min(known)].iter_mut().enumerate() {
            let place = example.checked_sub(distance + 1);
            let place = place.filter(|&place| place >= first);
            *input = place.map_or(EDGE, |place| self.target[place]);
        }
        let source = &self.source[start(&self.source_ends)..self.source_ends[sentence]];
        fill_window(
            source,
            self.centres[example] as usize,
            &mut inputs[HISTORY..],
        );
        inputs
    }
}

/// The source words around one.
pub(crate) fn fill_window(source: &[u32], centre: usize, window: &mut [u32]) {
    for (place, word) in window.iter_mut().enumerate() {
        let place = (centre + place).checked_sub(WINDOW / 2);
        *word = place
            .and_then(|place| source.get(place).copied())
            .unwrap_or(EDGE);
    }
}

/// How much of the history an example sees while learning: mostly all of it, so that what stands before a phrase may be
/// unknown, too.
pub(crate) fn known_history(random: &mut impl rand::Rng) -> usize {
    const UNKNOWN: f32 = 0.1;
    match random.random::<f32>() < UNKNOWN {
        true => random.random_range(0..HISTORY),
        false => HISTORY,
    }
}
