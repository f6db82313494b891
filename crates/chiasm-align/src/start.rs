//! Where samplers begin: the first links are drawn from a log-linear model.
//!
//! It is the model of [`crate::loglinear`] with its λ fixed, estimated by expectation maximisation on the whole corpus, in memory
//! that does not grow with it: every parent word has a stretch of places, as many as it stands beside words or fewer, and a child
//! is counted at the place that its number falls on. Children that share a place share their counts, which hardly matters where one
//! of them is the translation, and a start need not be exact. Expected counts are integers, so that threads may add them in any order.

use crate::direction::Direction;
use crate::loglinear::{LogLinearSettings, diagonal};
use crate::model::Model;
use crate::rows::{Rows, spread};
use crate::spelling::{Spelling, UNIT};
use crate::world::World;
use chiasm_text::Vocabulary;
use chiasm_work::{Progress, cancel};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// The probability of two words that a saved model has not stored together: what is under 0.0001 is not.
const UNKNOWN: f32 = 1e-5;
/// All stretches together have about so many places.
const PLACES: f64 = (8u64 << 20) as f64;
/// Dirichlet prior of a word without a parent.
const NULL_PRIOR: f32 = 1.0 / 1024.0;
/// Expected links are counted in these fractions, or coarser ones where a word occurs so often that 32 bits would not hold it.
const FINEST: u32 = 4096;
const PRIOR_UNIT: f32 = 1.0 / UNIT as f32;

/// One direction of a log-linear model, by words.
pub struct Start {
    table: Table,
    null: Vec<f32>,
    null_probability: f32,
    tension: f32,
}

enum Table {
    /// Estimated on the corpus.
    Counts(Counts),
    /// p(child|parent) of a saved model, as the bits of the number.
    Known(Box<Rows>),
}

/// Expected links.
struct Counts {
    /// Where each parent's stretch begins, and its length less one: a power of two less one.
    stretches: Vec<(u32, u32)>,
    counts: Vec<u32>,
    /// Links in a count of one.
    unit: f32,
    /// 1 / that.
    fraction: f32,
    /// 1 / the expected links of each parent, priors included; before the first pass nothing.
    inverse: Vec<f32>,
}

impl Counts {
    fn new(world: &World) -> Self {
        let wanted = |&beside: &u64| (beside as f64).min(256.0 + beside as f64 / 16.0);
        let all: f64 = world.beside.iter().map(wanted).sum();
        let share = (PLACES / all.max(1.0)).min(1.0);
        let mut end = 0;
        let stretches = world.beside.iter().map(|beside| {
            let length = (wanted(beside) * share).ceil().max(4.0) as u32;
            let length = length.next_power_of_two();
            end += length;
            (end - length, length - 1)
        });
        let stretches: Vec<(u32, u32)> = stretches.collect();
        let most = world.children.tokens.len().min(u32::MAX as usize / 2) as u32;
        let unit = ((u32::MAX / (most + 1)).clamp(1, FINEST)) as f32;
        Counts {
            stretches,
            counts: vec![0; end as usize],
            unit,
            fraction: 1.0 / unit,
            inverse: Vec::new(),
        }
    }

    /// Takes new counts.
    fn maximise(&mut self, world: &World, counts: Vec<AtomicU32>) {
        self.counts = counts.into_iter().map(AtomicU32::into_inner).collect();
        let total = |(&(start, mask), mass): (&(u32, u32), &f32)| {
            let own = &self.counts[start as usize..=(start + mask) as usize];
            let sum: u64 = own.iter().map(|&count| u64::from(count)).sum();
            1.0 / (sum as f32 / self.unit + mass / UNIT as f32)
        };
        let inverse = self.stretches.iter().zip(&world.masses).map(total);
        self.inverse = inverse.collect();
    }
}

impl Start {
    /// Estimates the model on a corpus.
    pub fn estimate(world: &World, settings: LogLinearSettings, progress: &dyn Progress) -> Self {
        let mut start = Start {
            table: Table::Counts(Counts::new(world)),
            null: vec![1.0; world.child_words],
            null_probability: settings.null_probability,
            tension: settings.tension,
        };
        for _ in 0..settings.iterations {
            start.pass(world);
            progress.advance(1);
        }
        start
    }

    /// One pass of expectation maximisation.
    fn pass(&mut self, world: &World) {
        let Table::Counts(table) = &self.table else {
            return;
        };
        let zeros =
            |length: usize| -> Vec<AtomicU32> { (0..length).map(|_| AtomicU32::new(0)).collect() };
        let (counts, null) = (zeros(table.counts.len()), zeros(self.null.len()));
        let count = |posterior: f32| (posterior * table.unit + 0.5) as u32;
        let add = |scratch: &mut Weights, piece: usize| {
            for at in world.sentences_of(piece).filter(|&at| world.takes_part(at)) {
                cancel::check();
                let (parents, children) = (world.parents.sentence(at), world.children.sentence(at));
                self.prepare(world, parents, scratch);
                for (child, &word) in children.iter().enumerate() {
                    let none = self.weigh(world, children, child, scratch);
                    let scale = 1.0 / (none + scratch.weights.iter().sum::<f32>());
                    for (weight, &place) in scratch.weights.iter().zip(&scratch.places) {
                        let amount = count(weight * scale);
                        if amount > 0 {
                            counts[place as usize].fetch_add(amount, Ordering::Relaxed);
                        }
                    }
                    null[word as usize].fetch_add(count(none * scale), Ordering::Relaxed);
                }
            }
        };
        let pieces = (0..world.pieces()).into_par_iter();
        pieces.for_each_init(Weights::default, add);
        let unit = table.unit;
        if let Table::Counts(table) = &mut self.table {
            table.maximise(world, counts);
        }
        let null: Vec<f32> = null
            .into_iter()
            .map(|count| count.into_inner() as f32 / unit)
            .collect();
        let sum = null.iter().map(|&count| f64::from(count)).sum::<f64>() as f32;
        let sum = sum + NULL_PRIOR * null.len() as f32;
        self.null = null
            .iter()
            .map(|count| (count + NULL_PRIOR) / sum)
            .collect();
    }

    /// Of a saved model, for the words of a corpus.
    pub fn of_model(
        model: &Model,
        numbers: &ModelNumbers,
        forward: bool,
        words: (usize, usize),
    ) -> Self {
        let side = usize::from(!forward);
        let (parents, children) = if forward { words } else { (words.1, words.0) };
        let mut table = Rows::new(parents);
        for ((source, target), probabilities) in model.stored_entries() {
            if let Some((source, target)) = numbers.both(source, target) {
                let (parent, child) = if forward {
                    (source, target)
                } else {
                    (target, source)
                };
                let probability = probabilities[side].clamp(1e-7, 1.0);
                table.add(parent, child, probability.to_bits());
            }
        }
        let mut null = vec![1.0 / (children as f32 + 1.0); children];
        let own = &model.directions[side].null;
        for (word, number) in numbers.children(forward).iter().enumerate() {
            if let (Some(number), Some(&probability)) = (number, own.get(word)) {
                null[*number as usize] = probability;
            }
        }
        Start {
            table: Table::Known(Box::new(table)),
            null,
            null_probability: model.settings.null_probability,
            tension: model.settings.tension[side],
        }
    }

    /// p(child|parent) of the entries of a corpus, and of having no parent. Pairs that are not known have next to nothing.
    pub fn for_entries(&self, direction: &Direction) -> (Vec<f32>, Vec<f32>) {
        let probability = |&(source, target): &(u32, u32)| {
            let (parent, child) = match direction.forward {
                true => (source, target),
                false => (target, source),
            };
            match &self.table {
                Table::Known(rows) => known(rows, parent, child),
                Table::Counts(_) => UNKNOWN,
            }
        };
        let entries = direction.cells.words().iter();
        (entries.map(probability).collect(), self.null.clone())
    }

    /// Looks up what all children of a sentence pair need of its parents.
    pub fn prepare(&self, world: &World, parents: &[u32], scratch: &mut Weights) {
        scratch.weights.resize(parents.len(), 0.0);
        scratch.places.resize(parents.len(), 0);
        scratch.parents.clear();
        let parent = |&word: &u32| {
            let (stretch, inverse) = match &self.table {
                Table::Counts(counts) => {
                    let inverse = counts.inverse.get(word as usize).copied();
                    (counts.stretches[word as usize], inverse.unwrap_or(0.0))
                }
                Table::Known(_) => ((0, 0), 0.0),
            };
            Parent {
                word,
                stretch,
                inverse,
                spelling: world.spellings.of_parent(word),
            }
        };
        scratch.parents.extend(parents.iter().map(parent));
    }

    /// Writes the weights of all parents of a child and returns that of having none.
    pub fn weigh(
        &self,
        world: &World,
        children: &[u32],
        child: usize,
        scratch: &mut Weights,
    ) -> f32 {
        let word = children[child];
        let Weights {
            weights,
            places,
            parents,
        } = scratch;
        diagonal(self.tension, child, children.len(), weights);
        let linked = 1.0 - self.null_probability;
        let cells = weights.iter_mut().zip(places).zip(parents);
        match &self.table {
            Table::Counts(table) => {
                let fresh = table.inverse.is_empty();
                let spread = spread(word);
                let beginning = world.spellings.of_child(word);
                for ((weight, slot), parent) in cells {
                    let (start, mask) = parent.stretch;
                    *slot = start + (spread & mask);
                    let prior = match &world.known {
                        None => parent.spelling.prior(word, beginning),
                        Some(_) => world.prior(parent.word, word),
                    };
                    let count = table.counts[*slot as usize] as f32 * table.fraction;
                    let probability = (count + prior as f32 * PRIOR_UNIT) * parent.inverse;
                    *weight *= linked * if fresh { 1.0 } else { probability };
                }
            }
            Table::Known(rows) => {
                for ((weight, _), parent) in cells {
                    *weight *= linked * known(rows, parent.word, word);
                }
            }
        }
        self.null_probability * self.null[word as usize]
    }
}

/// What one sentence pair needs, kept from one to the next.
#[derive(Default)]
pub struct Weights {
    /// Of the parents of a child.
    pub weights: Vec<f32>,
    places: Vec<u32>,
    parents: Vec<Parent>,
}

struct Parent {
    word: u32,
    stretch: (u32, u32),
    inverse: f32,
    spelling: Spelling,
}

fn known(rows: &Rows, parent: u32, child: u32) -> f32 {
    match rows.row(parent).get(child) {
        0 => UNKNOWN,
        bits => f32::from_bits(bits),
    }
}

/// The numbers that a model's words have in a corpus.
pub struct ModelNumbers {
    source: Vec<Option<u32>>,
    target: Vec<Option<u32>>,
}

impl ModelNumbers {
    /// Looks all words of a model up.
    pub fn new(model: &Model, source: &Vocabulary, target: &Vocabulary) -> Self {
        let find = |stored: &chiasm_text::StoredVocabulary, words: &Vocabulary| {
            let ids = 0..stored.len() as u32;
            ids.map(|id| words.get(stored.word(id))).collect()
        };
        ModelNumbers {
            source: find(&model.source, source),
            target: find(&model.target, target),
        }
    }

    fn both(&self, source: u32, target: u32) -> Option<(u32, u32)> {
        let source = self.source.get(source as usize).copied().flatten()?;
        let target = self.target.get(target as usize).copied().flatten()?;
        Some((source, target))
    }

    fn children(&self, forward: bool) -> &[Option<u32>] {
        if forward { &self.target } else { &self.source }
    }

    /// The model's expected links, in units, by the corpus's words.
    pub fn counts(&self, model: &Model, forward: bool, parents: usize) -> Rows {
        let side = usize::from(!forward);
        let scale = &model.directions[side].scale;
        let mut counts = Rows::new(parents);
        for ((source, target), probabilities) in model.stored_entries() {
            let own = if forward { source } else { target };
            let links = scale.get(own as usize).map_or(0.0, |scale| 1.0 / scale);
            let units = probabilities[side] * links * crate::spelling::UNIT as f32;
            if let (Some((source, target)), 1..) = (self.both(source, target), units as u32) {
                let (parent, child) = if forward {
                    (source, target)
                } else {
                    (target, source)
                };
                counts.add(parent, child, units as u32);
            }
        }
        counts
    }
}
