//! Phrase pairs that were learned: counted, and scored with the columns of the system's table,
//! p(e|f) = (c(f,e) + t p_table(e|f)) / (c(f) + t), and p(f|e) alike.

use super::Strengths;
use crate::Result;
use crate::system::System;
use crate::weights::{Channel, ChannelSource};
use chiasm_phrases::{Alignment, Extractor, ForwardRule, OrientationKind, PhraseLink, Span, Spans};
use chiasm_text::Link;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// Phrases are at most so long, as in the tables that `train` makes.
const LONGEST: usize = 7;

/// Sentences that are longer are not remembered whole: positions in a phrase are bytes.
const LONGEST_SENTENCE: usize = 255;

/// A pair of phrases that was seen.
#[derive(Clone, Debug)]
struct Pair {
    target: Box<[u32]>,
    links: Box<[PhraseLink]>,
    count: u32,
    /// lex(f|e) and lex(e|f) as of its last sighting.
    lexical: [f32; 2],
    /// How often each class of each table channel was seen, channel by channel.
    orientations: Box<[u16]>,
}

#[derive(Clone, Debug, Default)]
struct Source {
    count: u32,
    pairs: Vec<Pair>,
}

/// A whole sentence.
#[derive(Clone, Debug)]
struct Sentence {
    target: Box<[u32]>,
    links: Box<[PhraseLink]>,
}

/// All of them.
#[derive(Clone, Debug)]
pub(crate) struct Phrases {
    sources: HashMap<Vec<u32>, Source, FxBuildHasher>,
    targets: HashMap<Vec<u32>, u32, FxBuildHasher>,
    whole: HashMap<Vec<u32>, Sentence, FxBuildHasher>,
    /// How often a source word was linked, and to which word.
    lexicon: [HashMap<(u32, u32), f32, FxBuildHasher>; 2],
    totals: [HashMap<u32, f32, FxBuildHasher>; 2],
    sentences: usize,
    /// The orientation channels that tables answer, and their extractors.
    channels: Vec<Channel>,
    extractors: Vec<(OrientationKind, Extractor)>,
}

/// A learned translation of a source span.
pub(crate) struct LearnedOption<'a> {
    pub target: &'a [u32],
    pub links: &'a [PhraseLink],
    /// One a phrase score of the system.
    pub columns: Vec<f32>,
    /// Logarithms for each class of each table channel; 0 for channels of models.
    pub orientation: Vec<f32>,
}

/// A learned source phrase.
pub(crate) struct LearnedPhrase<'a> {
    pub options: Vec<LearnedOption<'a>>,
    /// What remains of the table's own p(e|f) for what was not learned.
    pub remaining: f32,
    /// What its translations gain, in units of the sum of the table's weights.
    pub bonus: f32,
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
            sources: HashMap::default(),
            targets: HashMap::default(),
            whole: HashMap::default(),
            lexicon: Default::default(),
            totals: Default::default(),
            sentences: 0,
            channels,
            extractors,
        }
    }

    pub fn sentences(&self) -> usize {
        self.sentences
    }

    pub fn add(
        &mut self,
        source: &[u32],
        target: &[u32],
        alignment: &Alignment,
        links: &[Link],
        probabilities: &[[f32; 2]],
    ) {
        self.sentences += 1;
        for link in links {
            let words = (source[link.source as usize], target[link.target as usize]);
            for (side, key, of) in [(0, words, words.0), (1, (words.1, words.0), words.1)] {
                *self.lexicon[side].entry(key).or_default() += 1.0;
                *self.totals[side].entry(of).or_default() += 1.0;
            }
        }
        let inside = |spans: Spans| {
            let within = links.iter().zip(probabilities).filter(move |(link, _)| {
                spans.source.range().contains(&(link.source as usize))
                    && spans.target.range().contains(&(link.target as usize))
            });
            within.map(move |(link, probability)| {
                let source = link.source - spans.source.start;
                let target = link.target - spans.target.start;
                (PhraseLink::new(source as u8, target as u8), *probability)
            })
        };
        let classes: usize = self
            .channels
            .iter()
            .map(|channel| channel.classes.len())
            .sum();
        let mut found: Vec<(Spans, Vec<u16>)> = Vec::new();
        let mut extractors = std::mem::take(&mut self.extractors);
        if extractors.is_empty() {
            chiasm_phrases::extract(alignment, LONGEST, |spans| found.push((spans, Vec::new())));
        }
        for (round, (kind, extractor)) in extractors.iter_mut().enumerate() {
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
        self.extractors = extractors;
        for (spans, orientations) in found {
            let (f, e) = (&source[spans.source.range()], &target[spans.target.range()]);
            let lexical = self.lexical(f, e, inside(spans));
            let links = inside(spans).map(|(link, _)| link).collect();
            self.add_pair(f, e, links, lexical, &orientations);
        }
        let all = Spans {
            source: Span::new(0, source.len() as u32),
            target: Span::new(0, target.len() as u32),
        };
        if source.len().max(target.len()) <= LONGEST_SENTENCE && !source.is_empty() {
            let sentence = Sentence {
                target: target.into(),
                links: inside(all).map(|(link, _)| link).collect(),
            };
            self.whole.insert(source.into(), sentence);
        }
    }

    fn add_pair(
        &mut self,
        source: &[u32],
        target: &[u32],
        links: Box<[PhraseLink]>,
        lexical: [f32; 2],
        orientations: &[u16],
    ) {
        *self.targets.entry_ref(target).or_insert(0) += 1;
        let known = self.sources.entry_ref(source).or_default();
        known.count += 1;
        let pair = match known.pairs.iter().position(|pair| *pair.target == *target) {
            Some(at) => &mut known.pairs[at],
            None => {
                known.pairs.push(Pair {
                    target: target.into(),
                    links: Box::default(),
                    count: 0,
                    lexical,
                    orientations: vec![0; orientations.len()].into(),
                });
                let last = known.pairs.len() - 1;
                &mut known.pairs[last]
            }
        };
        pair.count += 1;
        (pair.links, pair.lexical) = (links, lexical);
        for (total, more) in pair.orientations.iter_mut().zip(orientations) {
            *total = total.saturating_add(*more);
        }
    }

    /// lex(f|e) and lex(e|f): each word's average over its links; words without links cost nothing.
    fn lexical(
        &self,
        source: &[u32],
        target: &[u32],
        links: impl Iterator<Item = (PhraseLink, [f32; 2])>,
    ) -> [f32; 2] {
        let mut sums = [
            vec![(0.0_f32, 0.0_f32); source.len()],
            vec![(0.0, 0.0); target.len()],
        ];
        for (link, [forward, reverse]) in links {
            let (i, j) = (usize::from(link.source), usize::from(link.target));
            let words = (source[i], target[j]);
            let blended = |side: usize, key, of, probability: f32| {
                let seen = self.lexicon[side].get(&key).copied().unwrap_or(0.0);
                let total = self.totals[side].get(&of).copied().unwrap_or(0.0);
                (seen + probability) / (total + 1.0)
            };
            let forward = blended(0, words, words.0, forward);
            let reverse = blended(1, (words.1, words.0), words.1, reverse);
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
    pub fn sentence(&self, source: &[u32]) -> Option<(&[u32], &[PhraseLink])> {
        let sentence = self.whole.get(source)?;
        Some((&sentence.target, &sentence.links))
    }

    /// What was learned of a source phrase: the most frequent translations, at most `limit` (0: all).
    pub fn find(
        &self,
        system: &System,
        strengths: &Strengths,
        source: &[u32],
        limit: usize,
    ) -> Result<Option<LearnedPhrase<'_>>> {
        let strength = strengths.table;
        let Some(known) = self.sources.get(source) else {
            return Ok(None);
        };
        let mut order: Vec<&Pair> = known.pairs.iter().collect();
        // Stable: what was learned first comes first among equals.
        order.sort_by_key(|pair| std::cmp::Reverse(pair.count));
        if limit > 0 {
            order.truncate(limit);
        }
        let table = system.phrase_table();
        let entries = table.find(source)?;
        let mut options = Vec::with_capacity(order.len());
        for pair in order {
            let mut row = None;
            for entry in entries.clone() {
                if *table.option(entry)?.target == *pair.target {
                    let mut scores = vec![0.0; system.layout().table_columns];
                    table.scores(entry, &mut scores)?;
                    row = Some(scores);
                    break;
                }
            }
            options.push(LearnedOption {
                target: &pair.target,
                links: &pair.links,
                columns: self.columns(system, known.count, pair, row.as_deref(), strength),
                orientation: self.orientation(system, pair, row.as_deref()),
            });
        }
        let remaining = strength / (known.count as f32 + strength);
        Ok(Some(LearnedPhrase {
            options,
            remaining,
            bonus: strengths.bonus,
        }))
    }

    /// p(f|e), lex(f|e), p(e|f), lex(e|f), as tables of Moses have them; other tables get p(e|f) throughout.
    fn columns(
        &self,
        system: &System,
        of_source: u32,
        pair: &Pair,
        row: Option<&[f32]>,
        strength: f32,
    ) -> Vec<f32> {
        let columns = system.layout().phrase_scores.len();
        let base = |column: usize| row.map_or(0.0, |row| row[column].exp());
        let blend = |count: u32, total: u32, base: f32| {
            ((count as f32 + strength * base) / (total as f32 + strength)).ln()
        };
        let of_target = self.targets.get(&*pair.target).copied().unwrap_or(0);
        if columns != 4 {
            return vec![blend(pair.count, of_source, 0.0); columns];
        }
        let lexical = |side: usize, column: usize| match row {
            Some(row) => row[column],
            None => pair.lexical[side].max(1e-7).ln(),
        };
        vec![
            blend(pair.count, of_target, base(0)),
            lexical(0, 1),
            blend(pair.count, of_source, base(2)),
            lexical(1, 3),
        ]
    }

    /// p(o) = (c(o) + s p_table(o)) / (n + s) for the channels of tables, s half a sighting a class as in the tables
    /// themselves; without a row of the table all classes are alike.
    fn orientation(&self, system: &System, pair: &Pair, row: Option<&[f32]>) -> Vec<f32> {
        let layout = system.layout();
        let mut answer = vec![0.0; layout.orientation_scores];
        let mut first = 0;
        for channel in &self.channels {
            let classes = channel.classes.len();
            let counts = &pair.orientations[first..first + classes];
            first += classes;
            let ChannelSource::Table(column) = channel.source else {
                continue;
            };
            let strength = 0.5 * classes as f32;
            let total: f32 = counts.iter().map(|&count| f32::from(count)).sum();
            for (class, &count) in counts.iter().enumerate() {
                let base = row.map_or(1.0 / classes as f32, |row| row[column + class].exp());
                let probability = (f32::from(count) + strength * base) / (total + strength);
                answer[channel.offset + class] = probability.max(1e-7).ln();
            }
        }
        answer
    }
}
