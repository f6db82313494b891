//! A hidden Markov model with fertilities, sampled (after Östling & Tiedemann 2016).
//!
//! Every child word j has a parent a_j or none. With Dirichlet priors the translation
//! probabilities are integrated out, and one link given all others has the probability
//!
//! ```text
//! p(a_j = i) ∝ (1-p0) · (n(e_i,f_j) + α) / Σ_f (n(e_i,f) + α)   translation
//!            · jump(i - a_prev | f_prev) · jump(a_next - i | f_j)  He 2007
//!            · p(φ_i + 1 | e_i) / p(φ_i | e_i)                  one more link for e_i
//!            · c if the other direction links i to j now, else 1
//! p(a_j = 0) ∝ p0 · (n(0,f_j) + α) / Σ_f (n(0,f) + α) · jump(a_next - a_prev | f_prev)
//! ```
//!
//! where all counts leave out the link itself. Translation counts change with every link;
//! jumps and fertilities are those counted in the pass before. The factor c couples the two
//! directions: each is sampled given the other's links, so that they come to agree as in the
//! joint training of Liang, Taskar & Klein (2006). Samplers begin at links drawn from the
//! log-linear model, not at random ones, which saves most of the burn-in.

use crate::direction::Direction;
use crate::fertility::{FertilityCounts, ratio};
use crate::jumps::{BEGINNING, JumpCounts, JumpTable, classes};
use crate::loglinear::{LogLinear, diagonal};
use crate::marginals::Marginals;
use crate::spelling::UNIT;
use chiasm_work::cancel;
use rand_xoshiro::Xoshiro128PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Prior of a child word without a parent, in units.
const NULL_PRIOR: u32 = 1;
/// Links are 16 bits: parent + 1, or 0.
pub const LONGEST: usize = u16::MAX as usize - 1;

/// What does not change while a chain runs.
#[derive(Clone, Copy, Debug)]
pub struct ChainSettings {
    /// p0.
    pub null_probability: f32,
    /// c, how strongly the directions are coupled.
    pub coupling: f32,
    /// Where the random numbers begin.
    pub seed: u64,
}

/// A uniform number in 0..1.
#[inline]
pub fn uniform(random: &mut Xoshiro128PlusPlus) -> f32 {
    (random.next_u32() >> 8) as f32 * (1.0 / (1 << 24) as f32)
}

/// Draws a choice: 0 with weight `null`, parent + 1 with `weights[parent]`.
#[inline]
pub fn draw(weights: &[f32], null: f32, total: f32, random: &mut Xoshiro128PlusPlus) -> usize {
    let mut left = uniform(random) * total - null;
    if left < 0.0 {
        return 0;
    }
    for (parent, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return parent + 1;
        }
    }
    weights.len()
}

/// One sampler of one direction.
pub struct Chain<'a> {
    direction: &'a Direction<'a>,
    settings: ChainSettings,
    random: Xoshiro128PlusPlus,
    /// The parent + 1 of every child, 0 for none.
    links: Vec<u16>,
    /// Of every entry, priors included, in units.
    counts: Vec<u32>,
    /// Of every parent word, priors included, in units.
    totals: Vec<u64>,
    null_counts: Vec<u32>,
    null_total: u64,
    /// The jump class of every child word.
    classes: Vec<u8>,
    jumps: JumpTable,
    jump_counts: JumpCounts,
    fertility_counts: FertilityCounts,
    /// Empty as long as fertilities are not used.
    ratios: Vec<f32>,
    scratch: Scratch,
}

/// What one sentence pair needs, kept from one to the next.
#[derive(Default)]
struct Scratch {
    weights: Vec<f32>,
    /// 1 / total of each parent.
    inverse: Vec<f32>,
    /// The price of one more link to each parent.
    ratio: Vec<f32>,
    fertility: Vec<u32>,
    /// The position of the next linked child's parent.
    next: Vec<u32>,
}

impl<'a> Chain<'a> {
    /// Draws the first links from `model`.
    pub fn new(
        direction: &'a Direction<'a>,
        priors: &[u32],
        model: &LogLinear,
        settings: ChainSettings,
    ) -> Self {
        let mut totals = vec![0u64; direction.parent_words];
        for (&words, &prior) in direction.cells.words().iter().zip(priors) {
            totals[direction.parent_word(words)] += u64::from(prior);
        }
        let longest = direction.longest();
        let mut chain = Chain {
            direction,
            settings,
            random: Xoshiro128PlusPlus::seed_from_u64(settings.seed),
            links: vec![0; direction.children.tokens.len()],
            counts: priors.to_vec(),
            totals,
            null_counts: vec![NULL_PRIOR; direction.child_words],
            null_total: u64::from(NULL_PRIOR) * direction.child_words as u64,
            classes: classes(direction.children, direction.child_words),
            jumps: JumpTable::new(&JumpCounts::default().probabilities(), longest),
            jump_counts: JumpCounts::default(),
            fertility_counts: FertilityCounts::new(direction.parent_words),
            ratios: Vec::new(),
            scratch: Scratch::default(),
        };
        chain.begin(model);
        chain
    }

    fn begin(&mut self, model: &LogLinear) {
        let direction = self.direction;
        let mut weights = Vec::new();
        for at in 0..direction.sentences() {
            cancel::check();
            let cells = direction.cells.sentence(at);
            if cells.is_empty() {
                continue;
            }
            let parents = direction.parents.sentence(at);
            let children = direction.children.sentence(at);
            let (parent_step, child_step) = direction.strides(parents.len(), children.len());
            let start = direction.children.offsets[at] as usize;
            weights.resize(parents.len(), 0.0);
            for (child, &word) in children.iter().enumerate() {
                diagonal(model.tension, child, children.len(), &mut weights);
                let row = cells[child * child_step..].iter().step_by(parent_step);
                let mut total = 0.0;
                for (weight, &cell) in weights.iter_mut().zip(row) {
                    *weight *= model.translation[cell as usize] * (1.0 - model.null_probability);
                    total += *weight;
                }
                let null = model.null_probability * model.null[word as usize];
                let link = draw(&weights, null, total + null, &mut self.random);
                self.links[start + child] = link as u16;
                if link == 0 {
                    self.null_counts[word as usize] += UNIT;
                    self.null_total += u64::from(UNIT);
                } else {
                    let cell = cells[(link - 1) * parent_step + child * child_step];
                    self.counts[cell as usize] += UNIT;
                    self.totals[parents[link - 1] as usize] += u64::from(UNIT);
                }
            }
        }
    }

    /// The parent + 1 of every child, 0 for none.
    pub fn links(&self) -> &[u16] {
        &self.links
    }

    /// Jumps and fertilities as counted in the last call of [`Chain::estimate`].
    pub fn tallies(&self) -> (&JumpCounts, &FertilityCounts) {
        (&self.jump_counts, &self.fertility_counts)
    }

    /// Counts jumps and fertilities of the present links and takes them for the next pass.
    pub fn estimate(&mut self, with_fertility: bool) {
        self.tally();
        let longest = self.jumps.longest();
        self.jumps = JumpTable::new(&self.jump_counts.probabilities(), longest);
        if with_fertility {
            self.ratios = self.fertility_counts.ratios();
        }
    }

    fn tally(&mut self) {
        self.jump_counts = JumpCounts::default();
        self.fertility_counts.clear();
        let direction = self.direction;
        let fertility = &mut self.scratch.fertility;
        for at in 0..direction.sentences() {
            if direction.cells.sentence(at).is_empty() {
                continue;
            }
            let parents = direction.parents.sentence(at);
            let offsets = &direction.children.offsets;
            let links = &self.links[offsets[at] as usize..offsets[at + 1] as usize];
            let children = direction.children.sentence(at);
            fertility.clear();
            fertility.resize(parents.len(), 0);
            let (mut previous, mut class) = (0, BEGINNING);
            let linked = links.iter().zip(children).filter(|(link, _)| **link > 0);
            for (&link, &word) in linked {
                let link = usize::from(link);
                self.jump_counts.add(class, previous, link);
                (previous, class) = (link, self.classes[word as usize]);
                fertility[link - 1] += 1;
            }
            self.jump_counts.add(class, previous, parents.len() + 1);
            for (&word, &links) in parents.iter().zip(fertility.iter()) {
                self.fertility_counts.add(word, links);
            }
        }
    }

    /// Samples every link once, given the other direction's links.
    pub fn sweep(&mut self, other: &[u16], marginals: Option<&Marginals>) {
        for at in 0..self.direction.sentences() {
            cancel::check();
            if !self.direction.cells.sentence(at).is_empty() {
                self.sample_sentence(at, other, marginals);
            }
        }
    }

    fn sample_sentence(&mut self, at: usize, other: &[u16], marginals: Option<&Marginals>) {
        let direction = self.direction;
        let cells = direction.cells.sentence(at);
        let parents = direction.parents.sentence(at);
        let children = direction.children.sentence(at);
        let length = parents.len();
        let (parent_step, child_step) = direction.strides(length, children.len());
        let start = direction.children.offsets[at] as usize;
        let parent_start = direction.parents.offsets[at] as usize;
        let other = &other[parent_start..parent_start + length];
        self.prepare(parents, start, children.len());
        let (mut previous, mut class) = (0, BEGINNING);
        for (child, &word) in children.iter().enumerate() {
            let own_class = self.classes[word as usize];
            let place = child * child_step;
            let old = usize::from(self.links[start + child]);
            self.move_link(
                old,
                parents,
                word,
                |p| cells[place + p * parent_step],
                false,
            );
            let next = self.scratch.next[child] as usize;
            let row = cells[place..].iter().step_by(parent_step);
            let weights = &mut self.scratch.weights[..length];
            for (weight, &cell) in weights.iter_mut().zip(row) {
                *weight = self.counts[cell as usize] as f32;
            }
            let before = &self.jumps.from(class, previous, length)[..length];
            let after = &self.jumps.to(own_class, next, length)[..length];
            let inverse = &self.scratch.inverse[..length];
            let ratio = &self.scratch.ratio[..length];
            let (mine, coupling) = (child as u16 + 1, self.settings.coupling);
            for p in 0..length {
                let agreed = if other[p] == mine { coupling } else { 1.0 };
                weights[p] *= inverse[p] * ratio[p] * before[p] * after[p] * agreed;
            }
            let odds = self.settings.null_probability / (1.0 - self.settings.null_probability);
            let share = self.null_counts[word as usize] as f32 / self.null_total as f32;
            let null = odds * share * self.jumps.one(class, previous, next);
            let total = null + weights.iter().sum::<f32>();
            if let Some(marginals) = marginals {
                let (first, scale) = (direction.cells.offset(at) + place, 1.0 / total);
                for (p, weight) in weights.iter().enumerate() {
                    marginals.add(first + p * parent_step, weight * scale);
                }
            }
            let new = draw(weights, null, total, &mut self.random);
            self.links[start + child] = new as u16;
            self.move_link(new, parents, word, |p| cells[place + p * parent_step], true);
            if new > 0 {
                (previous, class) = (new, own_class);
            }
        }
    }

    /// Fills the scratch space for a sentence pair.
    fn prepare(&mut self, parents: &[u32], start: usize, children: usize) {
        let links = &self.links[start..start + children];
        let scratch = &mut self.scratch;
        let totals = &self.totals;
        scratch.weights.resize(parents.len(), 0.0);
        scratch.inverse.clear();
        let inverse = |&word: &u32| 1.0 / totals[word as usize] as f32;
        scratch.inverse.extend(parents.iter().map(inverse));
        scratch.fertility.clear();
        scratch.fertility.resize(parents.len(), 0);
        for &link in links.iter().filter(|&&link| link > 0) {
            scratch.fertility[usize::from(link) - 1] += 1;
        }
        scratch.ratio.clear();
        if self.ratios.is_empty() {
            scratch.ratio.resize(parents.len(), 1.0);
        } else {
            let words = parents.iter().zip(&scratch.fertility);
            let price = |(&word, &links)| ratio(&self.ratios, word as usize, links);
            scratch.ratio.extend(words.map(price));
        }
        scratch.next.clear();
        scratch.next.resize(children, 0);
        let mut next = parents.len() as u32 + 1;
        for (slot, &link) in scratch.next.iter_mut().zip(links).rev() {
            *slot = next;
            if link > 0 {
                next = u32::from(link);
            }
        }
    }

    /// Adds a link to the counts or takes it out of them.
    #[inline]
    fn move_link(
        &mut self,
        link: usize,
        parents: &[u32],
        child_word: u32,
        cell: impl Fn(usize) -> u32,
        add: bool,
    ) {
        // Taking out is adding the negative, in wrapping arithmetic.
        let step = if add { UNIT } else { UNIT.wrapping_neg() };
        let long_step = if add {
            u64::from(UNIT)
        } else {
            u64::from(UNIT).wrapping_neg()
        };
        if link == 0 {
            let count = &mut self.null_counts[child_word as usize];
            *count = count.wrapping_add(step);
            self.null_total = self.null_total.wrapping_add(long_step);
            return;
        }
        let parent = link - 1;
        let word = parents[parent];
        let count = &mut self.counts[cell(parent) as usize];
        *count = count.wrapping_add(step);
        let total = &mut self.totals[word as usize];
        *total = total.wrapping_add(long_step);
        let inverse = 1.0 / *total as f32;
        let scratch = &mut self.scratch;
        for (slot, &other) in scratch.inverse.iter_mut().zip(parents) {
            if other == word {
                *slot = inverse;
            }
        }
        let fertility = &mut scratch.fertility[parent];
        *fertility = fertility.wrapping_add(if add { 1 } else { u32::MAX });
        if !self.ratios.is_empty() {
            scratch.ratio[parent] = ratio(&self.ratios, word as usize, *fertility);
        }
    }
}
