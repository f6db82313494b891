//! One sentence pair of the sampler: its links, one after the other, given all others.

use super::{Chain, NULL_PRIOR, Ready, draw, random};
use crate::changes::Changes;
use crate::jumps::BEGINNING;
use crate::rows::spread;
use crate::spelling::UNIT;
use crate::sums::{Reader, write_word};
use rand_xoshiro::Xoshiro128PlusPlus;

/// What passes before have summed in a piece.
pub(super) struct OldSums {
    pub piece: Vec<u16>,
    pub reader: Reader,
}

/// What one sentence pair needs, kept from one to the next.
#[derive(Default)]
pub(super) struct Scratch {
    /// Count and prior of every child (row) and parent, in units.
    translation: Vec<f32>,
    /// Of each parent, priors included.
    totals: Vec<f32>,
    /// 1 / total of each parent.
    inverse: Vec<f32>,
    /// The price of one more link to each parent.
    ratio: Vec<f32>,
    fertility: Vec<u32>,
    weights: Vec<f32>,
    /// The position of the next linked child's parent.
    next: Vec<u32>,
    before: Vec<u16>,
    /// Of each child its spelling and its number, spread.
    child_spellings: Vec<(u32, u32)>,
    dense: Vec<u16>,
}

impl Scratch {
    /// Finds the position that follows every child's.
    fn look_ahead(&mut self, links: &[u16], parents: usize) {
        self.next.clear();
        self.next.resize(links.len(), 0);
        let mut next = parents as u32 + 1;
        for (slot, &link) in self.next.iter_mut().zip(links).rev() {
            *slot = next;
            if link > 0 {
                next = u32::from(link);
            }
        }
    }
}

impl Chain<'_> {
    pub(super) fn sample_sentence(
        &self,
        ready: &Ready,
        at: usize,
        links: &mut [u16],
        old: &mut OldSums,
        scratch: &mut Scratch,
        changes: &mut Changes,
    ) {
        let world = self.world;
        let (parents, children) = (world.parents.sentence(at), world.children.sentence(at));
        let length = parents.len();
        let parent_start = world.parents.offsets[at] as usize;
        let other = &ready.pass.other[parent_start..parent_start + length];
        let mut random = random(self.settings.seed, ready.pass.number, at);
        self.prepare(ready, parents, children, links, scratch);
        if ready.scale.is_some() {
            scratch.dense.clear();
            scratch.dense.resize(length * children.len(), 0);
            for dense in scratch.dense.chunks_exact_mut(length) {
                for (parent, sum) in old.reader.next_word(&old.piece) {
                    if let Some(slot) = dense.get_mut(parent) {
                        *slot = sum;
                    }
                }
            }
        }
        for sweep in 0..ready.pass.sweeps {
            if sweep > 0 {
                scratch.look_ahead(links, length);
            }
            self.sweep_sentence(ready, parents, children, links, other, &mut random, scratch);
        }
        if ready.scale.is_some() {
            for dense in scratch.dense.chunks_exact_mut(length) {
                write_word(dense, &mut changes.sums);
            }
        }
        changes.new_links(parents, children, &scratch.before, links, &world.classes);
    }

    /// Samples every link of a sentence pair once.
    #[allow(clippy::too_many_arguments)]
    fn sweep_sentence(
        &self,
        ready: &Ready,
        parents: &[u32],
        children: &[u32],
        links: &mut [u16],
        other: &[u16],
        random: &mut Xoshiro128PlusPlus,
        scratch: &mut Scratch,
    ) {
        let (world, length) = (self.world, parents.len());
        let odds = self.settings.null_probability / (1.0 - self.settings.null_probability);
        let null_prior = NULL_PRIOR * self.null_counts.len() as f32;
        let (mut previous, mut class) = (0, BEGINNING);
        for (child, &word) in children.iter().enumerate() {
            let own_class = world.classes[word as usize];
            let before = usize::from(links[child]);
            self.leave(ready, before, parents, child, scratch);
            let next = scratch.next[child] as usize;
            let counts = &scratch.translation[child * length..][..length];
            let from = &ready.jumps.from(class, previous, length)[..length];
            let to = &ready.jumps.to(own_class, next, length)[..length];
            let (inverse, ratio) = (&scratch.inverse[..length], &scratch.ratio[..length]);
            let weights = &mut scratch.weights[..length];
            let (mine, coupling) = (child as u16 + 1, self.settings.coupling);
            for p in 0..length {
                let agreed = if other[p] == mine { coupling } else { 1.0 };
                weights[p] = counts[p] * inverse[p] * ratio[p] * from[p] * to[p] * agreed;
            }
            // Of what this sentence pair itself has linked to no parent, the link that the counts have is left out.
            let own = u32::from(scratch.before[child] == 0);
            let share = ((self.null_counts[word as usize] - own) as f32 * UNIT as f32 + NULL_PRIOR)
                / ((self.null_total - u64::from(own)) as f32 * UNIT as f32 + null_prior);
            let null = odds * share * ready.jumps.one(class, previous, next);
            let total = null + weights.iter().sum::<f32>();
            if let Some(scale) = ready.scale {
                let dense = &mut scratch.dense[child * length..][..length];
                scale.add(weights, 1.0 / total, dense);
            }
            let now = draw(weights, null, total, random);
            links[child] = now as u16;
            self.enter(ready, before, now, parents, children, child, scratch);
            if now > 0 {
                (previous, class) = (now, own_class);
            }
        }
    }

    /// Fills the scratch space for a sentence pair.
    fn prepare(
        &self,
        ready: &Ready,
        parents: &[u32],
        children: &[u32],
        links: &[u16],
        scratch: &mut Scratch,
    ) {
        let world = self.world;
        let length = parents.len();
        scratch.before.clear();
        scratch.before.extend_from_slice(links);
        scratch
            .weights
            .resize(length.max(scratch.weights.len()), 0.0);
        scratch.child_spellings.clear();
        let spelling = |&word: &u32| (world.spellings.of_child(word), spread(word));
        scratch
            .child_spellings
            .extend(children.iter().map(spelling));
        scratch.translation.resize(length * children.len(), 0.0);
        scratch.totals.clear();
        for (at, &parent) in parents.iter().enumerate() {
            let row = self.rows.row(parent);
            let spelling = world.spellings.of_parent(parent);
            let known = world.known.as_ref().map(|known| known.row(parent));
            let mass = world.masses[parent as usize];
            scratch.totals.push(row.total as f32 * UNIT as f32 + mass);
            let column = scratch.translation[at..].iter_mut().step_by(length);
            let words = children.iter().zip(&scratch.child_spellings);
            for (slot, (&child, &(beginning, spread))) in column.zip(words) {
                let count = row.get_spread(child, spread) as f32 * UNIT as f32;
                let extra = known.map_or(0, |row| row.get(child));
                *slot = count + (spelling.prior(child, beginning) + extra) as f32;
            }
        }
        scratch.inverse.clear();
        scratch
            .inverse
            .extend(scratch.totals.iter().map(|total| 1.0 / total));
        scratch.fertility.clear();
        scratch.fertility.resize(length, 0);
        for &link in links.iter().filter(|&&link| link > 0) {
            scratch.fertility[usize::from(link) - 1] += 1;
        }
        scratch.ratio.clear();
        if ready.pass.with_fertility {
            let words = parents.iter().zip(&scratch.fertility);
            let price = |(&word, &links)| self.fertilities.ratio(&ready.common, word, links);
            scratch.ratio.extend(words.map(price));
        } else {
            scratch.ratio.resize(length, 1.0);
        }
        scratch.look_ahead(links, length);
    }

    /// Takes a child's link out of what it is drawn from.
    #[inline]
    fn leave(
        &self,
        ready: &Ready,
        link: usize,
        parents: &[u32],
        child: usize,
        scratch: &mut Scratch,
    ) {
        if link == 0 {
            return;
        }
        let (parent, word) = (link - 1, parents[link - 1]);
        let row = &mut scratch.translation[child * parents.len()..][..parents.len()];
        for (at, _) in parents
            .iter()
            .enumerate()
            .filter(|(_, other)| **other == word)
        {
            row[at] -= UNIT as f32;
            scratch.totals[at] -= UNIT as f32;
            scratch.inverse[at] = 1.0 / scratch.totals[at];
        }
        scratch.fertility[parent] -= 1;
        if ready.pass.with_fertility {
            let links = scratch.fertility[parent];
            scratch.ratio[parent] = self.fertilities.ratio(&ready.common, word, links);
        }
    }

    /// Puts the link that was drawn in, also for the same word elsewhere in the sentence.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    fn enter(
        &self,
        ready: &Ready,
        before: usize,
        now: usize,
        parents: &[u32],
        children: &[u32],
        child: usize,
        scratch: &mut Scratch,
    ) {
        let length = parents.len();
        if now > 0 {
            let word = parents[now - 1];
            for (at, _) in parents
                .iter()
                .enumerate()
                .filter(|(_, other)| **other == word)
            {
                scratch.totals[at] += UNIT as f32;
                scratch.inverse[at] = 1.0 / scratch.totals[at];
            }
            scratch.fertility[now - 1] += 1;
            if ready.pass.with_fertility {
                let links = scratch.fertility[now - 1];
                scratch.ratio[now - 1] = self.fertilities.ratio(&ready.common, word, links);
            }
        }
        if before == now {
            if now > 0 {
                let word = parents[now - 1];
                let row = &mut scratch.translation[child * length..][..length];
                let same = parents
                    .iter()
                    .enumerate()
                    .filter(|(_, other)| **other == word);
                same.for_each(|(at, _)| row[at] += UNIT as f32);
            }
            return;
        }
        let same_word = children.iter().enumerate();
        for (twin, _) in same_word.filter(|(_, word)| **word == children[child]) {
            let row = &mut scratch.translation[twin * length..][..length];
            // Its own row has lost the link from before already.
            let steps = [
                (before, if twin == child { 0.0 } else { -(UNIT as f32) }),
                (now, UNIT as f32),
            ];
            for (link, step) in steps {
                if link > 0 {
                    let word = parents[link - 1];
                    let same = parents
                        .iter()
                        .enumerate()
                        .filter(|(_, other)| **other == word);
                    same.for_each(|(at, _)| row[at] += step);
                }
            }
        }
    }
}
