//! Estimating a model from a corpus, and aligning that corpus.
//!
//! The log-linear model comes first, one thread a direction until directions are coupled; then samplers start from it, one after the other, each on all
//! threads. The result does not depend on the number of threads ([`crate::sampler`] says why), and that of the sampled presets
//! not on the memory allowed either: it only says what lies in files.

use crate::Result;
use crate::agreement::agree;
use crate::bitext::Bitext;
use crate::cells::{Cells, pair_cells};
use crate::checkpoint::Checkpoint;
use crate::direction::Direction;
use crate::expected::{Tally, exact_model, prior, sampled_model};
use crate::fertility::FertilityCounts;
use crate::jumps::JumpCounts;
use crate::links::Posteriors;
use crate::loglinear::LogLinear;
use crate::memory::{cells_in_file, sums_in_files};
use crate::model::{Model, ModelSettings};
use crate::posteriors::{Cursor, Found};
use crate::sampler::{self, Chain, ChainSettings, Pass};
use crate::settings::{COUPLING, SamplingSettings, Settings};
use crate::start::{ModelNumbers, Start};
use crate::sums::{Scale, Sums};
use crate::world::World;
use chiasm_work::Progress;
use std::collections::VecDeque;
use std::ops::Range;
use std::path::PathBuf;

/// The diagonal from which a sampled model begins with new text. Words are known by then; it tells those apart that
/// occur twice in a sentence.
const NEW_TEXT_TENSION: f32 = 4.0;

/// So many passes are made of a sentence pair before the next is looked at.
const SWEEPS: u32 = 2;

/// What estimation may go by beside the corpus.
#[derive(Default)]
pub struct Knowledge {
    /// A model whose expected links are added to the priors.
    pub priors: Option<Model>,
    /// A model to go on from, in place of a first estimate.
    pub start: Option<Model>,
    /// Where the work is written down from time to time, to go on from after a kill.
    pub checkpoint: Option<Checkpoint>,
    /// Where large temporary files lie; without, where the system has them.
    pub scratch: Option<PathBuf>,
}

impl Knowledge {
    fn folder(&self) -> PathBuf {
        self.scratch.clone().unwrap_or_else(std::env::temp_dir)
    }
}

/// What was found out about a corpus.
pub struct Trained {
    /// If there is one, [`crate::align_corpus`] also says how probable it finds each pair, which takes about as long as a pass.
    pub scorer: Option<Model>,
    found: Found,
    settings: ModelSettings,
    /// Of samplers.
    tallies: Option<[Tally; 2]>,
    priors: Option<Model>,
}

/// Units of progress that [`train`] reports in all.
pub fn passes(settings: &Settings) -> u64 {
    let sampled = settings.sampling.map_or(0, |sampling| {
        sampling.chains * (sampling.jump_passes + sampling.fertility_passes)
    });
    u64::from(settings.log_linear.iterations * 2 + sampled * 2)
}

/// Estimates a model on `bitext`. Progress is counted in passes of one direction.
pub fn train(bitext: &Bitext, settings: &Settings, progress: &dyn Progress) -> Result<Trained> {
    train_with(bitext, settings, Knowledge::default(), progress)
}

/// The same, knowing something.
pub fn train_with(
    bitext: &Bitext,
    settings: &Settings,
    knowledge: Knowledge,
    progress: &dyn Progress,
) -> Result<Trained> {
    let (found, tallies) = match &settings.sampling {
        None => (log_linear(bitext, settings, &knowledge, progress)?, None),
        Some(sampling) => {
            let (sets, tallies) = sample(bitext, settings, sampling, &knowledge, progress)?;
            (sets, Some(tallies))
        }
    };
    let tension = match &found {
        Found::Exact { models, .. } => [models[0].tension, models[1].tension],
        Found::Sampled { .. } => [NEW_TEXT_TENSION; 2],
    };
    let numbers = ModelSettings {
        sampled: settings.sampling.is_some(),
        null_probability: match settings.sampling {
            Some(_) => settings.null_probability,
            None => settings.log_linear.null_probability,
        },
        tension,
        coupling: settings
            .sampling
            .map_or(COUPLING, |sampling| sampling.coupling),
        seed: settings.seed,
        sentences: bitext.len() as u64,
    };
    Ok(Trained {
        scorer: None,
        found,
        settings: numbers,
        tallies,
        priors: knowledge.priors,
    })
}

/// The log-linear model.
fn log_linear(
    bitext: &Bitext,
    settings: &Settings,
    knowledge: &Knowledge,
    progress: &dyn Progress,
) -> Result<Found> {
    let (source, target) = (&bitext.source.text, &bitext.target.text);
    let words = word_counts(bitext);
    let sizes = (0..bitext.len()).map(|at| pair_cells(source, target, at) as u64);
    let cells = match cells_in_file(sizes.sum(), settings) {
        true => Cells::build_in_file(source, target, &knowledge.folder())?,
        false => Cells::build(source, target, words.0, words.1),
    };
    let model_numbers = |model: &Model| {
        ModelNumbers::new(model, &bitext.source.vocabulary, &bitext.target.vocabulary)
    };
    let estimate = |forward: bool| {
        let direction = Direction::new((source, target), words, &cells, forward);
        let known = knowledge.priors.as_ref().map(|model| {
            let numbers = model_numbers(model);
            numbers.counts(model, forward, direction.parent_words)
        });
        let prior = |&(source, target): &(u32, u32)| {
            let (parent, child) = if forward {
                (source, target)
            } else {
                (target, source)
            };
            let known = known
                .as_ref()
                .map_or(0, |known| known.row(parent).get(child));
            prior(bitext, source, target).saturating_add(known)
        };
        let priors: Vec<u32> = cells.words().iter().map(prior).collect();
        let start = knowledge.start.as_ref().map(|model| {
            let numbers = model_numbers(model);
            Start::of_model(model, &numbers, forward, words)
        });
        let start = start.as_ref();
        let model = LogLinear::estimate(&direction, &priors, settings.log_linear, start, progress);
        (direction, priors, model)
    };
    let (forward, reverse) = rayon::join(|| estimate(true), || estimate(false));
    let directions = [&forward.0, &reverse.0];
    let priors = [&forward.1[..], &reverse.1[..]];
    let mut models = [forward.2, reverse.2];
    agree(
        &mut models,
        directions,
        priors,
        &settings.log_linear,
        progress,
    );
    Ok(Found::Exact {
        cells: Box::new(cells),
        models: Box::new(models),
    })
}

fn word_counts(bitext: &Bitext) -> (usize, usize) {
    let (source, target) = (&bitext.source.vocabulary, &bitext.target.vocabulary);
    (source.len(), target.len())
}

/// The first links of every sampler. One direction comes after the other, so that but one start is in memory.
fn first_links(
    bitext: &Bitext,
    worlds: &[World; 2],
    settings: &Settings,
    chains: Range<u32>,
    knowledge: &Knowledge,
    progress: &dyn Progress,
) -> VecDeque<[Vec<u16>; 2]> {
    let mut sides = [true, false].map(|forward| {
        let (side, world) = (usize::from(!forward), &worlds[usize::from(!forward)]);
        let start = match &knowledge.start {
            Some(model) => {
                let (source, target) = (&bitext.source.vocabulary, &bitext.target.vocabulary);
                let numbers = ModelNumbers::new(model, source, target);
                progress.advance(u64::from(settings.log_linear.iterations));
                Start::of_model(model, &numbers, forward, word_counts(bitext))
            }
            None => Start::estimate(world, settings.log_linear, progress),
        };
        let draw = |chain| {
            let seed = chain_seed(settings.seed, chain, side);
            sampler::first_links(world, &start, seed)
        };
        chains.clone().map(draw).collect::<VecDeque<Vec<u16>>>()
    });
    let mut next = || -> Option<[Vec<u16>; 2]> {
        let [forward, reverse] = &mut sides;
        Some([forward.pop_front()?, reverse.pop_front()?])
    };
    std::iter::from_fn(&mut next).collect()
}

fn worlds<'a>(bitext: &'a Bitext, priors: Option<&Model>) -> [World<'a>; 2] {
    [true, false].map(|forward| {
        let (source, target) = (&bitext.source.vocabulary, &bitext.target.vocabulary);
        let parents = if forward { source.len() } else { target.len() };
        let known = priors
            .map(|model| ModelNumbers::new(model, source, target).counts(model, forward, parents));
        World::new(bitext, forward, known)
    })
}

fn sample(
    bitext: &Bitext,
    settings: &Settings,
    sampling: &SamplingSettings,
    knowledge: &Knowledge,
    progress: &dyn Progress,
) -> Result<(Found, [Tally; 2])> {
    let worlds = worlds(bitext, knowledge.priors.as_ref());
    let alignments = if sampling.apart { sampling.chains } else { 1 };
    let words = bitext.source.text.tokens.len() + bitext.target.text.tokens.len();
    let in_files = sums_in_files(words, alignments as usize, settings);
    let folder = knowledge.folder();
    let visits = visits(sampling);
    let summed = visits.iter().filter(|visit| visit.collect);
    let samples: u32 = summed.map(|visit| visit.sweeps).sum();
    let fresh = || -> Result<[Sums; 2]> {
        let scale = Scale::new(samples * sampling.chains / alignments);
        let sums = || {
            Sums::new(
                worlds[0].pieces(),
                scale,
                in_files.then_some(folder.as_path()),
            )
        };
        Ok([sums()?, sums()?])
    };
    let mut sets: Vec<[Sums; 2]> = (0..alignments).map(|_| fresh()).collect::<Result<_>>()?;
    let mut tallies = [0, 1].map(|side| {
        let words = worlds[side].parent_words;
        (JumpCounts::default(), FertilityCounts::new(words))
    });
    let mut resumed = match &knowledge.checkpoint {
        Some(checkpoint) => checkpoint.load(&worlds, &mut sets, &mut tallies)?,
        None => None,
    };
    let begin = resumed.as_ref().map_or(0, |state| state.chain);
    let fresh = begin + u32::from(resumed.is_some())..sampling.chains;
    let mut drawn = match fresh.is_empty() {
        true => VecDeque::new(),
        false => first_links(bitext, &worlds, settings, fresh, knowledge, progress),
    };
    for chain in begin..sampling.chains {
        let of_links = |side: usize, links: Vec<u16>| {
            let settings = ChainSettings {
                null_probability: settings.null_probability,
                coupling: sampling.coupling,
                seed: chain_seed(settings.seed, chain, side),
            };
            Chain::of_links(&worlds[side], links, settings)
        };
        let (first, [forward, reverse]) = match resumed.take() {
            Some(state) => (state.pass, state.links),
            None => (0, drawn.pop_front().unwrap_or_default()),
        };
        let mut pair = [of_links(0, forward), of_links(1, reverse)];
        let set = if sampling.apart { chain as usize } else { 0 };
        for (number, visit) in visits.iter().enumerate().skip(first as usize) {
            sweep(&mut pair, number as u32, visit, &mut sets[set])?;
            progress.advance(2 * u64::from(visit.sweeps));
            let done = number + 1;
            if let Some(checkpoint) = knowledge
                .checkpoint
                .as_ref()
                .filter(|_| done < visits.len())
            {
                let links = [pair[0].links(), pair[1].links()];
                checkpoint.save_if_due(chain, done as u32, links, &sets, &tallies)?;
            }
        }
        for (tally, chain) in tallies.iter_mut().zip(pair) {
            let (jumps, fertilities) = chain.tallies();
            tally.0.merge(&jumps);
            tally.1.merge(&fertilities);
        }
    }
    let piece = worlds[0].sentences_of(0).len().max(1);
    Ok((Found::Sampled { sets, piece }, tallies))
}

/// Some passes over every sentence pair before the next one is looked at.
struct Visit {
    sweeps: u32,
    with_fertility: bool,
    /// Are posteriors summed?
    collect: bool,
}

/// The visits of a sampler. The last ones have all their passes, so that as many are summed as were asked for, or one more.
fn visits(sampling: &SamplingSettings) -> Vec<Visit> {
    let total = sampling.jump_passes + sampling.fertility_passes;
    let mut visits = Vec::new();
    let mut begin = 0;
    while begin < total {
        let sweeps = match (total - begin) % SWEEPS {
            _ if begin < sampling.single_passes => 1,
            0 => SWEEPS,
            odd => odd,
        };
        visits.push(Visit {
            sweeps,
            with_fertility: begin >= sampling.jump_passes,
            collect: begin + sweeps + sampling.collected > total,
        });
        begin += sweeps;
    }
    visits
}

/// One visit of both directions.
fn sweep(pair: &mut [Chain; 2], number: u32, visit: &Visit, sums: &mut [Sums; 2]) -> Result<()> {
    let [forward, reverse] = pair;
    for (side, sums) in sums.iter_mut().enumerate() {
        let (chain, other) = match side {
            0 => (&mut *forward, &*reverse),
            _ => (&mut *reverse, &*forward),
        };
        let pass = Pass {
            number: number + 1,
            sweeps: visit.sweeps,
            with_fertility: visit.with_fertility,
            other: other.links(),
        };
        chain.sweep(&pass, visit.collect.then_some(sums))?;
    }
    Ok(())
}

fn chain_seed(seed: u64, chain: u32, side: usize) -> u64 {
    let mixed = seed ^ (u64::from(chain) << 1 | side as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed.wrapping_mul(0xd6e8_feb8_6659_fd93) ^ (mixed >> 32)
}

impl Trained {
    /// The model, for new text.
    pub fn model(&self, bitext: &Bitext) -> Result<Model> {
        let settings = self.settings.clone();
        match &self.tallies {
            None => Ok(exact_model(bitext, settings, &self.found)),
            Some(tallies) => {
                let worlds = worlds(bitext, self.priors.as_ref());
                sampled_model(bitext, settings, &self.found, &worlds, tallies)
            }
        }
    }

    /// How many alignments of the corpus there are: one, or as many as samplers kept apart.
    pub fn alignments(&self) -> usize {
        self.found.alignments()
    }

    /// Posteriors of pair `at` of the corpus.
    pub fn posteriors(
        &self,
        bitext: &Bitext,
        at: usize,
        posteriors: &mut Posteriors,
    ) -> Result<()> {
        let all = 0..self.alignments();
        self.cursor(all, bitext).posteriors(at, posteriors)
    }

    /// The posteriors of one pair after the other, averaged over some of the alignments.
    pub(crate) fn cursor<'a>(&'a self, alignments: Range<usize>, bitext: &'a Bitext) -> Cursor<'a> {
        Cursor::new(&self.found, bitext, alignments)
    }
}
