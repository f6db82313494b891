//! From posterior probabilities to links.

use crate::cells::MOST_CELLS;
use crate::direction::strides;
use crate::symmetrise::{Method, Symmetriser};
use chiasm_text::Link;

/// Posterior probabilities of the links of one sentence pair, source-major, both directions.
#[derive(Default)]
pub struct Posteriors {
    /// How many source words.
    pub sources: usize,
    /// How many target words.
    pub targets: usize,
    /// Of target word j having source word i as its parent, at i·J + j.
    pub forward: Vec<f32>,
    /// Of source word i having target word j as its parent, at i·J + j.
    pub reverse: Vec<f32>,
    /// How probable a model finds the target given the source, and the source given the target: the mean natural logarithm a
    /// word. None if it was not asked, or there is nothing to be probable.
    pub sentence: Option<[f32; 2]>,
}

impl Posteriors {
    /// Makes room for a sentence pair; everything is 0. A pair too large to be sentences gets no room, so that it has no
    /// links: a matrix of it could be larger than the memory.
    pub fn reset(&mut self, sources: usize, targets: usize) {
        let (sources, targets) = match sources * targets {
            0..=MOST_CELLS => (sources, targets),
            _ => (0, 0),
        };
        (self.sources, self.targets, self.sentence) = (sources, targets, None);
        for matrix in [&mut self.forward, &mut self.reverse] {
            matrix.clear();
            matrix.resize(sources * targets, 0.0);
        }
    }
}

impl Posteriors {
    /// Tells each direction what the other expects: a link that the other direction has with probability p becomes
    /// 1 + (c - 1) p times as probable, as samplers have it with links that are drawn (after Liang, Taskar & Klein 2006).
    pub(crate) fn couple(&mut self, coupling: f32) {
        let targets = self.targets;
        if coupling == 1.0 || targets == 0 {
            return;
        }
        // What each child's parents have together, before and after.
        let mut forward_sums = vec![(0.0, 0.0); targets];
        let mut reverse_sums = vec![(0.0, 0.0); self.sources];
        let more = |other: f32| 1.0 + (coupling - 1.0) * other;
        for (cell, (forward, reverse)) in cells(&mut self.forward, &mut self.reverse) {
            let before = (*forward, *reverse);
            *forward *= more(before.1);
            *reverse *= more(before.0);
            let sums = &mut forward_sums[cell % targets];
            *sums = (sums.0 + before.0, sums.1 + *forward);
            let sums = &mut reverse_sums[cell / targets];
            *sums = (sums.0 + before.1, sums.1 + *reverse);
        }
        // Having no parent is as probable against the others as it was.
        let scale =
            |&(before, after): &(f32, f32)| 1.0 / (1.0 - before + after).max(f32::MIN_POSITIVE);
        let forward_scales: Vec<f32> = forward_sums.iter().map(scale).collect();
        let reverse_scales: Vec<f32> = reverse_sums.iter().map(scale).collect();
        for (cell, (forward, reverse)) in cells(&mut self.forward, &mut self.reverse) {
            *forward *= forward_scales[cell % targets];
            *reverse *= reverse_scales[cell / targets];
        }
    }
}

type Cell<'a> = (usize, (&'a mut f32, &'a mut f32));

fn cells<'a>(forward: &'a mut [f32], reverse: &'a mut [f32]) -> impl Iterator<Item = Cell<'a>> {
    forward.iter_mut().zip(reverse).enumerate()
}

/// The links of one sentence pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairAlignment {
    /// Each target word's most probable parent, if it has one.
    pub forward: Vec<Link>,
    /// Each source word's most probable parent, if it has one.
    pub reverse: Vec<Link>,
    /// Both made one.
    pub links: Vec<Link>,
    /// The mean of both directions' posterior probabilities of each of `links`.
    pub scores: Vec<f32>,
    /// How probable a model finds the pair; see [`Posteriors::sentence`].
    pub sentence: Option<[f32; 2]>,
}

/// How posteriors become links.
#[derive(Clone, Copy, Debug)]
pub struct LinkSettings {
    /// How both directions are made one.
    pub method: Method,
    /// A word stays without a link if having none is this many times as probable as its best
    /// parent. 1 is the most probable answer; larger values leave fewer words unaligned.
    pub null_bias: f32,
}

impl Default for LinkSettings {
    fn default() -> Self {
        LinkSettings {
            method: Method::GrowDiagFinalAnd,
            null_bias: 1.0,
        }
    }
}

/// Turns posteriors into links, sentence after sentence.
#[derive(Default)]
pub struct LinkMaker {
    symmetriser: Symmetriser,
}

impl LinkMaker {
    /// The links of a sentence pair.
    pub fn links(&mut self, posteriors: &Posteriors, settings: LinkSettings) -> PairAlignment {
        let mut pair = PairAlignment {
            forward: best_parents(posteriors, true, settings.null_bias),
            reverse: best_parents(posteriors, false, settings.null_bias),
            sentence: posteriors.sentence,
            ..PairAlignment::default()
        };
        let PairAlignment {
            forward,
            reverse,
            links,
            ..
        } = &mut pair;
        self.symmetriser
            .symmetrise(settings.method, forward, reverse, links);
        let score = |link: &Link| {
            let cell = link.source as usize * posteriors.targets + link.target as usize;
            (posteriors.forward[cell] + posteriors.reverse[cell]) / 2.0
        };
        pair.scores = pair.links.iter().map(score).collect();
        pair
    }
}

fn best_parents(posteriors: &Posteriors, forward: bool, null_bias: f32) -> Vec<Link> {
    let (matrix, parents, children) = if forward {
        (&posteriors.forward, posteriors.sources, posteriors.targets)
    } else {
        (&posteriors.reverse, posteriors.targets, posteriors.sources)
    };
    let mut links = Vec::new();
    if parents == 0 {
        return links;
    }
    let (parent_step, child_step) = strides(forward, parents, children);
    for child in 0..children {
        let row = matrix[child * child_step..].iter().step_by(parent_step);
        let (mut best, mut highest, mut sum) = (0, 0.0, 0.0);
        for (parent, &probability) in row.take(parents).enumerate() {
            sum += probability;
            if probability > highest {
                (best, highest) = (parent, probability);
            }
        }
        if highest * null_bias > 1.0 - sum {
            let (parent, child) = (best as u32, child as u32);
            let (source, target) = if forward {
                (parent, child)
            } else {
                (child, parent)
            };
            links.push(Link { source, target });
        }
    }
    links.sort_unstable();
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coupled_directions_are_distributions_that_lean_towards_each_other() {
        let mut posteriors = Posteriors::default();
        posteriors.reset(2, 3);
        posteriors.forward = vec![0.5, 0.2, 0.0, 0.25, 0.7, 0.9];
        posteriors.reverse = vec![0.8, 0.1, 0.1, 0.1, 0.3, 0.3];
        let (forward, reverse) = (posteriors.forward.clone(), posteriors.reverse.clone());
        posteriors.couple(4.0);
        for target in 0..3 {
            let cell = |source: usize| source * 3 + target;
            let none = 1.0 - forward[cell(0)] - forward[cell(1)];
            let weight = |source| forward[cell(source)] * (1.0 + 3.0 * reverse[cell(source)]);
            let total = none + weight(0) + weight(1);
            for source in 0..2 {
                let found = posteriors.forward[cell(source)];
                assert!((found - weight(source) / total).abs() < 1e-6);
            }
        }
        for source in 0..2 {
            let cell = |target: usize| source * 3 + target;
            let none: f32 = 1.0 - (0..3).map(|target| reverse[cell(target)]).sum::<f32>();
            let weight = |target| reverse[cell(target)] * (1.0 + 3.0 * forward[cell(target)]);
            let total = none + (0..3).map(weight).sum::<f32>();
            for target in 0..3 {
                let found = posteriors.reverse[cell(target)];
                assert!((found - weight(target) / total).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn the_most_probable_parent_or_none() {
        let mut posteriors = Posteriors::default();
        posteriors.reset(2, 3);
        posteriors
            .forward
            .copy_from_slice(&[0.9, 0.2, 0.0, 0.1, 0.3, 0.0]);
        posteriors
            .reverse
            .copy_from_slice(&[0.7, 0.2, 0.1, 0.0, 0.1, 0.0]);
        let settings = LinkSettings {
            method: Method::Union,
            null_bias: 1.0,
        };
        let link = |source, target| Link { source, target };
        let pair = LinkMaker::default().links(&posteriors, settings);
        assert_eq!(pair.forward, [link(0, 0)]);
        assert_eq!(pair.reverse, [link(0, 0)]);
        assert!((pair.scores[0] - 0.8).abs() < 1e-6);
        // 0.3 against 0.5 without a parent.
        let settings = LinkSettings {
            null_bias: 2.0,
            ..settings
        };
        let pair = LinkMaker::default().links(&posteriors, settings);
        assert_eq!(pair.forward, [link(0, 0), link(1, 1)]);
        posteriors.reset(0, 3);
        let none = LinkMaker::default().links(&posteriors, settings);
        assert_eq!(none, PairAlignment::default());
    }
}
