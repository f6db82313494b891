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
//! where all translation counts leave out the link itself. The factor c couples the two
//! directions: each is sampled given the other's links, so that they come to agree as in the
//! joint training of Liang, Taskar & Klein (2006). Samplers begin at links drawn from the
//! log-linear model, not at random ones, which saves most of the burn-in.
//!
//! The schedule: within a sentence pair counts change with every link. Sentence pairs of one block do not see each other's
//! changes ([`World::blocks`]), which are counted behind the block, in order; jumps are those of the pass before. Random numbers
//! begin anew with every sentence pair and pass. So threads share the work and never change the result.

mod sentence;

use crate::Result;
use crate::changes::{BEGINNING_OF_ALL, Changes, NONE};
use crate::fertility::{CommonFertility, FertilityCounts};
use crate::jumps::{JumpCounts, JumpTable};
use crate::rows::Rows;
use crate::start::{Start, Weights};
use crate::sums::{Reader, Scale, Sums};
use crate::world::World;
use chiasm_work::cancel;
use rand_xoshiro::Xoshiro128PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use sentence::{OldSums, Scratch};

/// Prior of a child word without a parent, in units.
const NULL_PRIOR: f32 = 1.0;
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
    world: &'a World<'a>,
    settings: ChainSettings,
    /// The parent + 1 of every child, 0 for none.
    links: Vec<u16>,
    rows: Rows,
    null_counts: Vec<u32>,
    null_total: u64,
    jump_counts: JumpCounts,
    fertilities: FertilityCounts,
}

/// One pass over the corpus.
pub struct Pass<'a> {
    /// Its number, for the random numbers; 0 is the draw of the first links.
    pub number: u32,
    /// How often every link of a sentence pair is sampled before the next one is looked at: looking counts up costs as much as
    /// sampling.
    pub sweeps: u32,
    /// Do fertilities count?
    pub with_fertility: bool,
    /// The other direction's links.
    pub other: &'a [u16],
}

/// What a pass needs to know beside the counts.
struct Ready<'a> {
    pass: &'a Pass<'a>,
    jumps: JumpTable,
    common: CommonFertility,
    scale: Option<Scale>,
}

impl<'a> Chain<'a> {
    /// Goes on from links.
    pub fn of_links(world: &'a World<'a>, links: Vec<u16>, settings: ChainSettings) -> Self {
        let mut chain = Self::without_links(world, settings);
        for piece in 0..world.pieces() {
            let mut changes = Changes::default();
            let mut start = world.children_of(piece).start;
            for at in world.sentences_of(piece) {
                let (parents, children) = (world.parents.sentence(at), world.children.sentence(at));
                let own = &links[start..start + children.len()];
                start += children.len();
                if world.takes_part(at) {
                    changes.first_links(parents, children, own, &world.classes);
                }
            }
            chain.apply(&changes);
        }
        chain.links = links;
        chain
    }

    fn without_links(world: &'a World<'a>, settings: ChainSettings) -> Self {
        Chain {
            world,
            settings,
            links: vec![0; world.children.tokens.len()],
            rows: Rows::new(world.parent_words),
            null_counts: vec![0; world.child_words],
            null_total: 0,
            jump_counts: JumpCounts::default(),
            fertilities: FertilityCounts::new(world.parent_words),
        }
    }

    /// The parent + 1 of every child, 0 for none.
    pub fn links(&self) -> &[u16] {
        &self.links
    }

    /// Jumps and fertilities of the present links.
    pub fn tallies(self) -> (JumpCounts, FertilityCounts) {
        (self.jump_counts, self.fertilities)
    }

    /// Samples every link once, and adds what was found to the sums.
    pub fn sweep(&mut self, pass: &Pass, mut sums: Option<&mut Sums>) -> Result<()> {
        let world = self.world;
        let ready = Ready {
            pass,
            jumps: JumpTable::new(&self.jump_counts.probabilities(), world.longest),
            common: self.fertilities.common(),
            scale: sums.as_ref().map(|sums| sums.scale),
        };
        self.jump_counts = JumpCounts::default();
        let mut links = std::mem::take(&mut self.links);
        let mut rest = &mut links[..];
        let mut alone = Scratch::default();
        for block in world.blocks() {
            let frozen = &*self;
            let shared = sums.as_deref();
            let sample = |scratch: &mut Scratch, (piece, links): (usize, &mut [u16])| {
                frozen.sample_piece(&ready, piece, links, shared, scratch)
            };
            let first = block.start;
            let mut pieces = split(world, block, &mut rest);
            let changes: Result<Vec<Changes>> = match pieces.len() {
                1 => pieces
                    .drain(..)
                    .map(|piece| sample(&mut alone, piece))
                    .collect(),
                _ => pieces
                    .into_par_iter()
                    .map_init(Scratch::default, sample)
                    .collect(),
            };
            for (number, mut changes) in changes?.into_iter().enumerate() {
                self.apply(&changes);
                if let Some(sums) = &mut sums {
                    sums.put(first + number, std::mem::take(&mut changes.sums))?;
                }
            }
        }
        if let Some(sums) = sums {
            sums.end_of_pass();
        }
        self.links = links;
        Ok(())
    }

    fn apply(&mut self, changes: &Changes) {
        for &(child, before, now) in &changes.moves {
            match before {
                NONE => {
                    self.null_counts[child as usize] -= 1;
                    self.null_total -= 1;
                }
                BEGINNING_OF_ALL => {}
                parent => self.rows.remove_one(parent, child),
            }
            match now {
                NONE => {
                    self.null_counts[child as usize] += 1;
                    self.null_total += 1;
                }
                parent => self.rows.add(parent, child, 1),
            }
        }
        for &(word, before, now) in &changes.fertilities {
            match before {
                BEGINNING_OF_ALL => self.fertilities.add(word, now),
                before => self.fertilities.change(word, before, now),
            }
        }
        for &jump in &changes.jumps {
            self.jump_counts.add_one(jump);
        }
    }

    fn sample_piece(
        &self,
        ready: &Ready,
        piece: usize,
        links: &mut [u16],
        sums: Option<&Sums>,
        scratch: &mut Scratch,
    ) -> Result<Changes> {
        let world = self.world;
        let mut changes = Changes::default();
        let old = sums.map(|sums| sums.piece(piece)).transpose()?;
        let mut old = OldSums {
            piece: old.unwrap_or_default(),
            reader: Reader::default(),
        };
        let mut rest = links;
        for at in world.sentences_of(piece) {
            cancel::check();
            let length = world.children.sentence(at).len();
            let own = rest.split_off_mut(..length).unwrap_or_default();
            if world.takes_part(at) {
                self.sample_sentence(ready, at, own, &mut old, scratch, &mut changes);
            }
        }
        Ok(changes)
    }
}

/// Draws the first links.
pub fn first_links(world: &World, start: &Start, seed: u64) -> Vec<u16> {
    let mut links = vec![0; world.children.tokens.len()];
    let mut rest = &mut links[..];
    let pieces = split(world, 0..world.pieces(), &mut rest);
    pieces
        .into_par_iter()
        .for_each_init(Weights::default, |scratch, (piece, mut links)| {
            for at in world.sentences_of(piece) {
                cancel::check();
                let (parents, children) = (world.parents.sentence(at), world.children.sentence(at));
                let own = links.split_off_mut(..children.len()).unwrap_or_default();
                if !world.takes_part(at) {
                    continue;
                }
                let mut random = random(seed, 0, at);
                start.prepare(world, parents, scratch);
                for (child, link) in own.iter_mut().enumerate() {
                    let null = start.weigh(world, children, child, scratch);
                    let total = null + scratch.weights.iter().sum::<f32>();
                    *link = draw(&scratch.weights, null, total, &mut random) as u16;
                }
            }
        });
    links
}

/// The random numbers of a sentence pair in a pass.
fn random(seed: u64, pass: u32, sentence: usize) -> Xoshiro128PlusPlus {
    let place = u64::from(pass) << 40 ^ sentence as u64;
    let mixed = seed ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Xoshiro128PlusPlus::seed_from_u64(mixed ^ mixed >> 29)
}

/// The links of each piece of a block, taken from the front of what is left of them.
fn split<'l>(
    world: &World,
    block: std::ops::Range<usize>,
    rest: &mut &'l mut [u16],
) -> Vec<(usize, &'l mut [u16])> {
    let take = |piece: usize| {
        let length = world.children_of(piece).len();
        (piece, rest.split_off_mut(..length).unwrap_or_default())
    };
    block.map(take).collect()
}
