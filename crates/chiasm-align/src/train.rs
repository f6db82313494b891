//! Estimating a model from a corpus, and aligning that corpus.
//!
//! The log-linear model comes first, one thread a direction; then samplers start from it, one
//! thread each. Every sampler is a world of its own and their posteriors are summed as integers, so
//! the result does not depend on the number of threads.
//!
//! Memory is planned before it is taken: if the corpus needs more than allowed, the model is
//! estimated on as many pairs as fit, evenly spread over the corpus, and aligns the others as it
//! would align new text.

use crate::bitext::Bitext;
use crate::cells::{Cells, pair_cells};
use crate::direction::Direction;
use crate::fertility::FertilityCounts;
use crate::jumps::{JumpCounts, classes};
use crate::links::Posteriors;
use crate::loglinear::{LogLinear, diagonal};
use crate::marginals::{Marginals, PackedMarginals};
use crate::model::{DirectionParameters, Entry, Model, ModelSettings};
use crate::sampler::{Chain, ChainSettings};
use crate::settings::{SamplingSettings, Settings};
use crate::spelling::{Spellings, UNIT};
use chiasm_text::Text;
use chiasm_work::Progress;
use chiasm_work::cancel;
use rayon::prelude::*;
use std::ops::Range;

/// The diagonal from which a sampled model begins with new text. Words are known by then; it tells those apart that
/// occur twice in a sentence.
const NEW_TEXT_TENSION: f32 = 4.0;

/// The cells of a corpus with what was found out about them.
pub struct Trained {
    /// The model, for new text.
    pub model: Model,
    /// Sentence pairs the model was estimated on.
    pub sentences: usize,
    /// Every so-manieth pair was used; 1 if all were.
    pub spacing: usize,
    /// Whether [`crate::align_corpus`] also says how probable each pair is; `false` unless set, for it takes about as long
    /// as a pass.
    pub scored: bool,
    cells: Cells,
    found: Found,
}

enum Found {
    Exact([LogLinear; 2]),
    /// Of all samplers together, or of each.
    Sampled(Vec<[PackedMarginals; 2]>),
}

/// Units of progress that [`train`] reports in all.
pub fn passes(settings: &Settings) -> u64 {
    let sampled = settings.sampling.map_or(0, |sampling| {
        sampling.chains * (sampling.jump_passes + sampling.fertility_passes)
    });
    u64::from(settings.log_linear.iterations * 2 + sampled * 2)
}

/// Estimates a model on `bitext`. Progress is counted in passes of one direction.
pub fn train(bitext: &Bitext, settings: &Settings, progress: &dyn Progress) -> Trained {
    let spacing = spacing(bitext, settings);
    let thinned = (spacing > 1).then(|| thin(bitext, spacing));
    let (source, target) = match &thinned {
        Some((source, target)) => (source, target),
        None => (&bitext.source.text, &bitext.target.text),
    };
    let (source_words, target_words) = (
        bitext.source.vocabulary.len(),
        bitext.target.vocabulary.len(),
    );
    let cells = Cells::build(source, target, source_words, target_words);
    let spellings = [
        Spellings::of(&bitext.source.vocabulary),
        Spellings::of(&bitext.target.vocabulary),
    ];
    let prior = |&(one, other): &(u32, u32)| spellings[0].prior(one, &spellings[1], other);
    let priors: Vec<u32> = cells.words().par_iter().map(prior).collect();
    let words = (source_words, target_words);
    let direction = |forward| Direction::new((source, target), words, &cells, forward);
    let directions = [direction(true), direction(false)];
    let estimate =
        |direction| LogLinear::estimate(direction, &priors, settings.log_linear, progress);
    let (forward, reverse) = rayon::join(|| estimate(&directions[0]), || estimate(&directions[1]));
    let exact = [forward, reverse];
    let tension = match settings.sampling {
        None => [exact[0].tension, exact[1].tension],
        Some(_) => [NEW_TEXT_TENSION; 2],
    };
    let (found, tallies) = match &settings.sampling {
        None => (Found::Exact(exact), None),
        Some(sampling) => {
            let (marginals, tallies) =
                sample(&directions, &priors, &exact, sampling, settings, progress);
            (Found::Sampled(marginals), Some(tallies))
        }
    };
    let numbers = ModelSettings {
        sampled: settings.sampling.is_some(),
        null_probability: match settings.sampling {
            Some(_) => settings.null_probability,
            None => settings.log_linear.null_probability,
        },
        tension,
        coupling: settings.sampling.map_or(1.0, |sampling| sampling.coupling),
        seed: settings.seed,
        sentences: source.len() as u64,
    };
    let model = make_model(bitext, &directions, &priors, numbers, &found, tallies);
    Trained {
        model,
        sentences: source.len(),
        spacing,
        scored: false,
        cells,
        found,
    }
}

type Tally = (JumpCounts, FertilityCounts);

/// Samplers run some at a time, as memory allows. Those that are kept apart pack their marginals when they are
/// done, since most of them are zero.
fn sample(
    directions: &[Direction; 2],
    priors: &[u32],
    start: &[LogLinear; 2],
    sampling: &SamplingSettings,
    settings: &Settings,
    progress: &dyn Progress,
) -> (Vec<[PackedMarginals; 2]>, [Tally; 2]) {
    let cells = directions[0].cells.cells();
    let fresh = |chains| [0, 1].map(|_| Marginals::new(cells, sampling.collected * chains));
    let shared = (!sampling.apart).then(|| fresh(sampling.chains));
    let run = |number: u32| -> ([Tally; 2], Option<[PackedMarginals; 2]>) {
        let chain = |side: usize| {
            let settings = ChainSettings {
                null_probability: settings.null_probability,
                coupling: sampling.coupling,
                seed: chain_seed(settings.seed, number, side),
            };
            Chain::new(&directions[side], priors, &start[side], settings)
        };
        let mut pair = [chain(0), chain(1)];
        let own = sampling.apart.then(|| fresh(1));
        if let Some(marginals) = own.as_ref().or(shared.as_ref()) {
            run_chains(&mut pair, sampling, marginals, progress);
        }
        let tallies = pair.map(|chain| {
            let (jumps, fertilities) = chain.tallies();
            (jumps.clone(), fertilities.clone())
        });
        (tallies, own.map(|sides| sides.map(Marginals::packed)))
    };
    let mut results = Vec::new();
    let at_once = chains_at_once(cells, settings.memory.0, sampling);
    let numbers: Vec<u32> = (0..sampling.chains).collect();
    for some in numbers.chunks(at_once) {
        results.par_extend(some.par_iter().map(|&number| run(number)));
    }
    let (tallies, apart): (Vec<[Tally; 2]>, Vec<_>) = results.into_iter().unzip();
    let merged = std::array::from_fn(|side| {
        let words = directions[side].parent_words;
        let mut merged = (JumpCounts::default(), FertilityCounts::new(words));
        for tally in &tallies {
            merged.0.merge(&tally[side].0);
            merged.1.merge(&tally[side].1);
        }
        merged
    });
    let together = shared.map(|sides| sides.map(Marginals::packed));
    let marginals = apart.into_iter().flatten().chain(together).collect();
    (marginals, merged)
}

fn run_chains(
    pair: &mut [Chain; 2],
    sampling: &SamplingSettings,
    marginals: &[Marginals; 2],
    progress: &dyn Progress,
) {
    let total = sampling.jump_passes + sampling.fertility_passes;
    let [forward, reverse] = pair;
    for pass in 0..total {
        let with_fertility = pass >= sampling.jump_passes;
        let collect = pass + sampling.collected >= total;
        for (side, marginals) in marginals.iter().enumerate() {
            let (chain, other) = if side == 0 {
                (&mut *forward, &*reverse)
            } else {
                (&mut *reverse, &*forward)
            };
            chain.estimate(with_fertility);
            chain.sweep(other.links(), collect.then_some(marginals));
            progress.advance(1);
        }
    }
    forward.estimate(true);
    reverse.estimate(true);
}

fn chain_seed(seed: u64, chain: u32, side: usize) -> u64 {
    let mixed = seed ^ (u64::from(chain) << 1 | side as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed.wrapping_mul(0xd6e8_feb8_6659_fd93) ^ (mixed >> 32)
}

fn make_model(
    bitext: &Bitext,
    directions: &[Direction; 2],
    priors: &[u32],
    settings: ModelSettings,
    found: &Found,
    tallies: Option<[Tally; 2]>,
) -> Model {
    let words = directions[0].cells.words();
    let mut tallies = tallies.map(|[forward, reverse]| [Some(forward), Some(reverse)]);
    let mut sides = [0, 1].map(|side| {
        let direction = &directions[side];
        let (probabilities, null, totals) = match found {
            Found::Exact(models) => {
                let model = &models[side];
                (
                    model.translation.clone(),
                    model.null.clone(),
                    model.totals.clone(),
                )
            }
            Found::Sampled(sets) => {
                let probability = |cell| mean(sets, side, cell);
                expected(direction, priors, probability)
            }
        };
        let tally = tallies.as_mut().and_then(|tallies| tallies[side].take());
        let (classes, jumps, ratios) = match tally {
            Some((jumps, fertilities)) => (
                classes(direction.children, direction.child_words),
                jumps.probabilities(),
                fertilities.ratios(),
            ),
            None => Default::default(),
        };
        let scale: Vec<f32> = totals.iter().map(|&total| 1.0 / total.max(1e-6)).collect();
        let parameters = DirectionParameters {
            null: null.into(),
            scale: scale.into(),
            classes: classes.into(),
            jumps: jumps.into(),
            ratios: ratios.into(),
        };
        (probabilities, parameters)
    });
    let parameters = [
        std::mem::take(&mut sides[0].1),
        std::mem::take(&mut sides[1].1),
    ];
    let entries = words.iter().enumerate();
    let entry =
        |(at, &words): (usize, &(u32, u32))| -> Entry { (words, [sides[0].0[at], sides[1].0[at]]) };
    let (source, target) = (&bitext.source.vocabulary, &bitext.target.vocabulary);
    Model::new(settings, source, target, entries.map(entry), parameters)
}

/// Translation probabilities of the entries, those of having no parent, and the parents' totals, from
/// the expected number of links.
fn expected(
    direction: &Direction,
    priors: &[u32],
    posterior: impl Fn(usize) -> f32,
) -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let unit = UNIT as f32;
    let mut counts: Vec<f32> = priors.iter().map(|&prior| prior as f32 / unit).collect();
    let mut null = vec![1.0 / unit; direction.child_words];
    for at in 0..direction.sentences() {
        cancel::check();
        let cells = direction.cells.sentence(at);
        if cells.is_empty() {
            continue;
        }
        let start = direction.cells.offset(at);
        let parents = direction.parents.sentence(at).len();
        let children = direction.children.sentence(at);
        let (parent_step, child_step) = direction.strides(parents, children.len());
        for (child, &word) in children.iter().enumerate() {
            let mut linked = 0.0;
            for parent in 0..parents {
                let cell = parent * parent_step + child * child_step;
                let probability = posterior(start + cell);
                counts[cells[cell] as usize] += probability;
                linked += probability;
            }
            null[word as usize] += (1.0 - linked).max(0.0);
        }
    }
    let mut totals = vec![0.0f32; direction.parent_words];
    for (&words, count) in direction.cells.words().iter().zip(&counts) {
        totals[direction.parent_word(words)] += count;
    }
    for (&words, count) in direction.cells.words().iter().zip(&mut counts) {
        *count /= totals[direction.parent_word(words)];
    }
    let sum: f32 = null.iter().sum();
    null.iter_mut().for_each(|count| *count /= sum);
    (counts, null, totals)
}

/// The mean of some sets of marginals at a cell.
fn mean(sets: &[[PackedMarginals; 2]], side: usize, cell: usize) -> f32 {
    let sum: f32 = sets.iter().map(|set| set[side].get(cell)).sum();
    sum / sets.len() as f32
}

impl Trained {
    /// How many alignments of the corpus there are: one, or as many as samplers kept apart.
    pub fn alignments(&self) -> usize {
        match &self.found {
            Found::Exact(_) => 1,
            Found::Sampled(sets) => sets.len(),
        }
    }

    /// Posteriors of pair `at` of the corpus, or `false` if the model was not estimated on it and
    /// should align it as new text.
    pub fn posteriors(&self, bitext: &Bitext, at: usize, posteriors: &mut Posteriors) -> bool {
        self.posteriors_of(0..self.alignments(), bitext, at, posteriors)
    }

    /// The same, averaged over some of the alignments.
    pub fn posteriors_of(
        &self,
        alignments: Range<usize>,
        bitext: &Bitext,
        at: usize,
        posteriors: &mut Posteriors,
    ) -> bool {
        if !at.is_multiple_of(self.spacing) {
            return false;
        }
        let (source, target) = (
            bitext.source.text.sentence(at),
            bitext.target.text.sentence(at),
        );
        posteriors.reset(source.len(), target.len());
        let at = at / self.spacing;
        let cells = self.cells.sentence(at);
        if cells.is_empty() {
            return true;
        }
        match &self.found {
            Found::Sampled(sets) => {
                let (sets, start) = (&sets[alignments], self.cells.offset(at));
                for cell in 0..cells.len() {
                    posteriors.forward[cell] = mean(sets, 0, start + cell);
                    posteriors.reverse[cell] = mean(sets, 1, start + cell);
                }
            }
            Found::Exact([forward, reverse]) => {
                exact(
                    forward,
                    cells,
                    true,
                    source.len(),
                    target,
                    &mut posteriors.forward,
                );
                exact(
                    reverse,
                    cells,
                    false,
                    target.len(),
                    source,
                    &mut posteriors.reverse,
                );
            }
        }
        true
    }
}

fn exact(
    model: &LogLinear,
    cells: &[u32],
    forward: bool,
    parents: usize,
    children: &[u32],
    matrix: &mut [f32],
) {
    let (parent_step, child_step) = crate::direction::strides(forward, parents, children.len());
    let mut weights = vec![0.0; parents];
    for (child, &word) in children.iter().enumerate() {
        diagonal(model.tension, child, children.len(), &mut weights);
        let place = child * child_step;
        let mut total = 0.0;
        for (parent, weight) in weights.iter_mut().enumerate() {
            let translation = model.translation[cells[place + parent * parent_step] as usize];
            *weight *= translation * (1.0 - model.null_probability);
            total += *weight;
        }
        total += model.null_probability * model.null[word as usize];
        for (parent, weight) in weights.iter().enumerate() {
            matrix[place + parent * parent_step] = weight / total;
        }
    }
}

/// A cell's share of the entries, of which there are about so many a cell where words are rare.
const ENTRIES_A_CELL: f64 = 0.4;

/// Bytes a cell takes whatever runs: its entry, its share of the entries with words, priors and the log-linear
/// model, the sums of all samplers together or, packed, of each that is done.
fn bytes_a_cell(sampling: Option<&SamplingSettings>) -> f64 {
    let entry = 8.0 + 4.0 + 2.0 * 4.0 * 2.0;
    let sums = match sampling {
        None => 0.0,
        Some(sampling) if sampling.apart => f64::from(sampling.chains),
        Some(_) => 4.0,
    };
    4.0 + ENTRIES_A_CELL * entry + sums
}

/// Bytes a cell takes in each sampler that runs: counts of both directions, and its sums if it has its own.
fn bytes_a_running_cell(sampling: &SamplingSettings) -> f64 {
    let sums = if sampling.apart { 4.0 } else { 0.0 };
    ENTRIES_A_CELL * 8.0 + sums
}

/// How many samplers may run at the same time. At least one does: the pairs were chosen so that it fits.
fn chains_at_once(cells: usize, memory: u64, sampling: &SamplingSettings) -> usize {
    let left = memory as f64 - cells as f64 * bytes_a_cell(Some(sampling));
    let fitting = left / (cells.max(1) as f64 * bytes_a_running_cell(sampling));
    (fitting as usize).clamp(1, sampling.chains.max(1) as usize)
}

/// What estimation takes for so many cells: every how-manieth pair is used, and about how many bytes that needs. Estimates for
/// people; the work itself also heeds how often words occur.
pub fn memory_plan(cells: u64, settings: &Settings) -> (usize, u64) {
    let sampling = settings.sampling.as_ref();
    let spacing = spacing_by_memory(cells, settings);
    let cells = cells as f64 / spacing as f64;
    let running = sampling.map_or(0.0, |sampling| {
        let chains = chains_at_once(cells as usize, settings.memory.0, sampling);
        chains as f64 * bytes_a_running_cell(sampling)
    });
    (spacing, (cells * (bytes_a_cell(sampling) + running)) as u64)
}

/// Every how-manieth pair fits into the memory allowed. Of one sampler at a time, so that it depends on the budget and not
/// on the number of threads.
fn spacing_by_memory(cells: u64, settings: &Settings) -> usize {
    let sampling = settings.sampling.as_ref();
    let bytes = bytes_a_cell(sampling) + sampling.map_or(0.0, bytes_a_running_cell);
    let by_memory = cells as f64 * bytes / settings.memory.0 as f64;
    (by_memory.ceil() as usize).max(1)
}

/// The counts' fixed point holds so many occurrences.
const MOST_OCCURRENCES: u64 = (u32::MAX / UNIT) as u64 - 1;

/// Every how-manieth pair is used.
fn spacing(bitext: &Bitext, settings: &Settings) -> usize {
    let (source, target) = (&bitext.source.text, &bitext.target.text);
    let cells: u64 = (0..bitext.len())
        .map(|at| pair_cells(source, target, at) as u64)
        .sum();
    let most_frequent = |text: &Text, words: usize| {
        let mut counts = vec![0u64; words];
        text.tokens
            .iter()
            .for_each(|&word| counts[word as usize] += 1);
        counts.into_iter().max().unwrap_or(0)
    };
    let occurrences = most_frequent(source, bitext.source.vocabulary.len())
        .max(most_frequent(target, bitext.target.vocabulary.len()));
    let by_occurrences = occurrences.div_ceil(MOST_OCCURRENCES) as usize;
    spacing_by_memory(cells, settings).max(by_occurrences)
}

fn thin(bitext: &Bitext, spacing: usize) -> (Text, Text) {
    let take = |text: &Text| {
        let mut thinned = Text::new();
        (0..text.len())
            .step_by(spacing)
            .for_each(|at| thinned.push(text.sentence(at)));
        thinned
    };
    (take(&bitext.source.text), take(&bitext.target.text))
}
