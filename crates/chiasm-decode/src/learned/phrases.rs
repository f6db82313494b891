//! Phrase pairs that were learned: counted, with what decoding wants to know of them (`scoring.rs`).

use super::flat::Flat;
use super::index::{Counts, Index, NONE, hash, key};
use super::scoring::Asked;
use super::text::Text;
use crate::system::System;
use crate::weights::{Channel, ChannelSource};
use chiasm_phrases::{Alignment, Extractor, ForwardRule, OrientationKind, PhraseLink, Span, Spans};
use chiasm_text::Link;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Phrases are at most so long, as in the tables that `train` makes.
const LONGEST: usize = 7;

/// Sentences that are longer are not remembered whole: positions in a phrase are bytes.
const LONGEST_SENTENCE: usize = 255;

/// A phrase of either side: where it was seen first, and how often it was part of a pair.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct Phrase {
    pub start: u32,
    pub length: u32,
    pub count: u32,
    /// Of a source phrase: its first and its last pair.
    pub first: u32,
    pub last: u32,
}

/// A pair of phrases that was seen.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct Pair {
    pub source: u32,
    pub target: u32,
    /// The next pair of the same source.
    pub next: u32,
    pub count: u32,
    /// Where both were seen last.
    pub at: [u32; 2],
    /// lex(f|e) and lex(e|f) as of then.
    pub lexical: [f32; 2],
}

/// All of them.
#[derive(Clone, Debug)]
pub(crate) struct Phrases {
    pub text: Text,
    pub sources: Flat<Phrase>,
    pub source_index: Index,
    pub targets: Flat<Phrase>,
    pub target_index: Index,
    pub pairs: Flat<Pair>,
    pub pair_index: Index,
    /// How often each class of each table channel was seen, pair by pair and channel by channel.
    pub orientations: Flat<u16>,
    /// The newest pair of each whole source.
    pub whole: Index,
    /// How often two words were linked, the source word first.
    pub lexicon: Counts,
    /// How often a word of either side (0: source) was linked.
    pub linked: Counts,
    /// What decoding has asked for since the last pair was learned.
    pub(super) asked: Asked,
    /// The orientation channels that tables answer, and their extractors.
    pub(super) channels: Vec<Channel>,
    extractors: Vec<(OrientationKind, Extractor)>,
}

impl Phrases {
    pub fn new(system: &System) -> Self {
        let channels = system.layout().channels.iter();
        let channels: Vec<Channel> = channels
            .filter(|channel| matches!(channel.source, ChannelSource::Table(_)))
            .cloned()
            .collect();
        let mut extractors: Vec<(OrientationKind, Extractor)> = Vec::new();
        for channel in &channels {
            let kind = channel.orientation;
            if extractors.iter().all(|(known, _)| *known != kind) {
                let extractor = Extractor::new(LONGEST, kind, ForwardRule::Moses);
                extractors.push((kind, extractor));
            }
        }
        Phrases {
            text: Text::default(),
            sources: Flat::default(),
            source_index: Index::default(),
            targets: Flat::default(),
            target_index: Index::default(),
            pairs: Flat::default(),
            pair_index: Index::default(),
            orientations: Flat::default(),
            whole: Index::default(),
            lexicon: Counts::default(),
            linked: Counts::default(),
            asked: Asked::default(),
            channels,
            extractors,
        }
    }

    /// Does everything lead somewhere? To be asked of what was read from a file.
    pub fn is_sound(&self) -> bool {
        let within = |phrases: &[Phrase], text: &[u32]| {
            phrases.iter().all(|phrase| {
                let end = phrase.start as usize + phrase.length as usize;
                phrase.length > 0 && end <= text.len()
            })
        };
        let leads_on = |(number, pair): (usize, &Pair)| {
            let (Some(source), Some(target)) = (
                self.sources.get(pair.source as usize),
                self.targets.get(pair.target as usize),
            ) else {
                return false;
            };
            pair.at[0] as usize + source.length as usize <= self.text.source.len()
                && pair.at[1] as usize + target.length as usize <= self.text.target.len()
                && pair.next as usize > number
                && (pair.next == NONE || (pair.next as usize) < self.pairs.len())
        };
        let first_and_last =
            |phrase: &Phrase| (phrase.first.max(phrase.last) as usize) < self.pairs.len();
        self.text.is_sound()
            && within(&self.sources, &self.text.source)
            && within(&self.targets, &self.text.target)
            && self.sources.iter().all(first_and_last)
            && self.pairs.iter().enumerate().all(leads_on)
            && self.orientations.len() == self.pairs.len() * self.classes()
    }

    /// How many classes all channels have together.
    pub(super) fn classes(&self) -> usize {
        let classes = self.channels.iter();
        classes.map(|channel| channel.classes.len()).sum()
    }

    pub fn sentences(&self) -> usize {
        self.text.len()
    }

    pub fn add(
        &mut self,
        source: &[u32],
        target: &[u32],
        alignment: &Alignment,
        links: &[Link],
        probabilities: &[[f32; 2]],
    ) {
        self.asked = Asked::default();
        for link in links {
            let words = (source[link.source as usize], target[link.target as usize]);
            self.lexicon.add(key(words.0, words.1));
            self.linked.add(key(0, words.0));
            self.linked.add(key(1, words.1));
        }
        let begin = self.text.add(source, target, links);
        for (spans, orientations) in self.extract(alignment) {
            let lexical = self.lexical(source, target, spans, links, probabilities);
            let at = [
                begin.source + spans.source.start,
                begin.target + spans.target.start,
            ];
            self.add_pair(at, spans, lexical, &orientations);
        }
        if source.len().max(target.len()) <= LONGEST_SENTENCE && !source.is_empty() {
            let number = self.text.len() as u32 - 1;
            let text = &self.text;
            let is_it = |other: u32| text.source[text.pair(other as usize).0] == *source;
            self.whole.put(words_hash(source), number, is_it);
        }
    }

    /// The phrase pairs of a sentence, and how each class of each channel was seen.
    fn extract(&mut self, alignment: &Alignment) -> Vec<(Spans, Vec<u16>)> {
        let classes = self.classes();
        let mut found: Vec<(Spans, Vec<u16>)> = Vec::new();
        if self.extractors.is_empty() {
            chiasm_phrases::extract(alignment, LONGEST, |spans| found.push((spans, Vec::new())));
        }
        for (round, (kind, extractor)) in self.extractors.iter_mut().enumerate() {
            let mut number = 0;
            extractor.instances(alignment, |instance| {
                // All kinds find the same phrases in the same order.
                if round == 0 {
                    found.push((instance.spans, vec![0; classes]));
                }
                let counts = &mut found[number].1;
                number += 1;
                let mut first = 0;
                for channel in &self.channels {
                    let class = channel.classes.class(instance.jump(channel.direction));
                    if let Some(class) = class.filter(|_| channel.orientation == *kind) {
                        counts[first + class] += 1;
                    }
                    first += channel.classes.len();
                }
            });
        }
        found
    }

    fn add_pair(&mut self, at: [u32; 2], spans: Spans, lexical: [f32; 2], orientations: &[u16]) {
        let text = &self.text;
        let source = seen(
            &mut self.sources,
            &mut self.source_index,
            &text.source,
            (at[0], spans.source),
        );
        let target = seen(
            &mut self.targets,
            &mut self.target_index,
            &text.target,
            (at[1], spans.target),
        );
        let pairs = &self.pairs;
        let is_it = |number: u32| {
            let pair = &pairs[number as usize];
            pair.source == source && pair.target == target
        };
        let hash = hash([source, target]);
        let number = match self.pair_index.find(hash, is_it) {
            Some(number) => number,
            None => {
                let number = self.pairs.len() as u32;
                self.pair_index.put(hash, number, |_| false);
                self.pairs.own().push(Pair {
                    source,
                    target,
                    next: NONE,
                    count: 0,
                    at,
                    lexical,
                });
                let seen = self.orientations.len() + orientations.len();
                self.orientations.own().resize(seen, 0);
                let of_source = &mut self.sources.own()[source as usize];
                match of_source.last {
                    NONE => of_source.first = number,
                    last => self.pairs.own()[last as usize].next = number,
                }
                of_source.last = number;
                number
            }
        };
        let pair = &mut self.pairs.own()[number as usize];
        pair.count += 1;
        (pair.at, pair.lexical) = (at, lexical);
        let first = number as usize * orientations.len();
        let totals = &mut self.orientations.own()[first..first + orientations.len()];
        for (total, more) in totals.iter_mut().zip(orientations) {
            *total = total.saturating_add(*more);
        }
    }

    /// lex(f|e) and lex(e|f): each word's average over its links; words without links cost nothing.
    fn lexical(
        &self,
        source: &[u32],
        target: &[u32],
        spans: Spans,
        links: &[Link],
        probabilities: &[[f32; 2]],
    ) -> [f32; 2] {
        let mut sums = [
            vec![(0.0_f32, 0.0_f32); spans.source.len()],
            vec![(0.0, 0.0); spans.target.len()],
        ];
        for (link, [forward, reverse]) in links.iter().zip(probabilities) {
            let (i, j) = (link.source as usize, link.target as usize);
            if !spans.source.range().contains(&i) || !spans.target.range().contains(&j) {
                continue;
            }
            let (f, e) = (source[i], target[j]);
            let seen = self.lexicon.get(key(f, e)) as f32;
            let blended = |side: u32, of: u32, probability: f32| {
                (seen + probability) / (self.linked.get(key(side, of)) as f32 + 1.0)
            };
            let (forward, reverse) = (blended(0, f, *forward), blended(1, e, *reverse));
            let i = i - spans.source.start as usize;
            let j = j - spans.target.start as usize;
            sums[0][i] = (sums[0][i].0 + reverse, sums[0][i].1 + 1.0);
            sums[1][j] = (sums[1][j].0 + forward, sums[1][j].1 + 1.0);
        }
        let product = |side: &Vec<(f32, f32)>| {
            let linked = side.iter().filter(|(_, count)| *count > 0.0);
            linked.map(|(sum, count)| sum / count).product()
        };
        [product(&sums[0]), product(&sums[1])]
    }

    /// The longest source phrase that may be asked for.
    pub fn longest(&self) -> usize {
        LONGEST
    }

    /// The translation of a whole sentence, if it was learned.
    pub fn sentence(&self, source: &[u32]) -> Option<(&[u32], Vec<PhraseLink>)> {
        let text = &self.text;
        let is_it = |number: u32| text.source[text.pair(number as usize).0] == *source;
        let number = self.whole.find(words_hash(source), is_it)?;
        let (source, target) = text.pair(number as usize);
        Some((&text.target[target.clone()], text.links(source, target)))
    }

    /// The number of a source phrase that was seen.
    pub(super) fn source(&self, words: &[u32]) -> Option<u32> {
        let is_it = |number: u32| is_same(&self.sources[number as usize], &self.text.source, words);
        self.source_index.find(words_hash(words), is_it)
    }

    /// The pairs of a source phrase, in the order in which they were seen first.
    pub(super) fn pairs_of(&self, source: u32) -> impl Iterator<Item = u32> {
        let some = |number: u32| (number != NONE).then_some(number);
        let first = self.sources[source as usize].first;
        std::iter::successors(some(first), move |&number| {
            some(self.pairs[number as usize].next)
        })
    }

    /// The target words of a pair.
    pub(super) fn target(&self, pair: u32) -> &[u32] {
        let phrase = &self.targets[self.pairs[pair as usize].target as usize];
        &self.text.target[phrase.start as usize..][..phrase.length as usize]
    }

    /// The links of a pair where it was seen last.
    pub(super) fn links(&self, pair: &Pair) -> Vec<PhraseLink> {
        let range = |start: u32, length: u32| start as usize..start as usize + length as usize;
        self.text.links(
            range(pair.at[0], self.sources[pair.source as usize].length),
            range(pair.at[1], self.targets[pair.target as usize].length),
        )
    }
}

fn words_hash(words: &[u32]) -> u32 {
    hash(words.iter().copied())
}

fn is_same(phrase: &Phrase, text: &[u32], words: &[u32]) -> bool {
    text[phrase.start as usize..][..phrase.length as usize] == *words
}

/// Counts a phrase that begins at `start` in the text; the result is its number.
fn seen(
    phrases: &mut Flat<Phrase>,
    index: &mut Index,
    text: &[u32],
    (start, span): (u32, Span),
) -> u32 {
    let words = &text[start as usize..][..span.len()];
    let hash = words_hash(words);
    let is_it = |number: u32| is_same(&phrases[number as usize], text, words);
    let number = index.find(hash, is_it).unwrap_or_else(|| {
        let number = phrases.len() as u32;
        index.put(hash, number, |_| false);
        phrases.own().push(Phrase {
            start,
            length: span.len() as u32,
            count: 0,
            first: NONE,
            last: NONE,
        });
        number
    });
    phrases.own()[number as usize].count += 1;
    number
}
