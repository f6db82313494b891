//! The last passes of the log-linear model, in which the two directions learn from each other.
//!
//! Each direction counts its expected links after it was told what the other one expects
//! ([`crate::links::Posteriors`]), so that both come to agree (after Liang, Taskar & Klein 2006). The posteriors of some sentence
//! pairs are computed on all threads, then each direction adds them up in their order: threads never change the result.

use crate::direction::Direction;
use crate::links::Posteriors;
use crate::loglinear::{Expected, LogLinear, LogLinearSettings, fit_tension, sizes};
use crate::posteriors::exact;
use chiasm_work::{Progress, cancel};
use rayon::prelude::*;
use std::ops::Range;

/// In so many passes each direction goes by itself: links that both hardly know yet are nothing to agree on.
pub(crate) const ALONE: u32 = 3;
/// A link that the other direction is sure of is so many times as probable in the passes behind them.
pub(crate) const ESTIMATION_COUPLING: f32 = 10.0;
/// Posteriors of about so many cells are held at a time.
const CELLS: usize = 1 << 20;

/// Makes the passes that are left when each direction has gone [`ALONE`]. Directions and priors are source to target and back.
pub(crate) fn agree(
    models: &mut [LogLinear; 2],
    directions: [&Direction; 2],
    priors: [&[u32]; 2],
    settings: &LogLinearSettings,
    progress: &dyn Progress,
) {
    let sizes = directions.map(sizes);
    for _ in ALONE..settings.iterations {
        let expected = expected_links(models, directions);
        for side in 0..2 {
            let (model, expected) = (&mut models[side], &expected[side]);
            model.maximise(directions[side], priors[side], settings, expected);
            if settings.fit_tension {
                model.tension = fit_tension(&sizes[side], expected.closeness, model.tension);
            }
        }
        progress.advance(2);
    }
}

fn expected_links(models: &[LogLinear; 2], directions: [&Direction; 2]) -> [Expected; 2] {
    let [mut forward, mut reverse] = [0, 1].map(|side| Tally::new(&models[side]));
    let mut first = 0;
    while first < directions[0].sentences() {
        let some = next_sentences(directions[0], first);
        first = some.end;
        let coupled = |at| coupled(models, directions[0], at);
        let posteriors: Vec<Posteriors> = some.clone().into_par_iter().map(coupled).collect();
        rayon::join(
            || forward.add(directions[0], some.clone(), &posteriors),
            || reverse.add(directions[1], some.clone(), &posteriors),
        );
    }
    [forward.expected(), reverse.expected()]
}

/// The sentence pairs from `first` on that have about [`CELLS`] together, at least one.
fn next_sentences(direction: &Direction, first: usize) -> Range<usize> {
    let (mut end, mut cells) = (first, 0);
    while end < direction.sentences() && cells < CELLS {
        cells += direction.cells.sentence(end).len().max(1);
        end += 1;
    }
    first..end
}

/// The posteriors of both directions of a sentence pair, coupled; nothing of a pair that takes no part.
fn coupled(models: &[LogLinear; 2], forward: &Direction, at: usize) -> Posteriors {
    cancel::check();
    let mut posteriors = Posteriors::default();
    let cells = forward.cells.sentence(at);
    if cells.is_empty() {
        return posteriors;
    }
    let (source, target) = (forward.parents.sentence(at), forward.children.sentence(at));
    posteriors.reset(source.len(), target.len());
    let (matrix, other) = (&mut posteriors.forward, &mut posteriors.reverse);
    exact(&models[0], cells, true, source.len(), target, matrix);
    exact(&models[1], cells, false, target.len(), source, other);
    posteriors.couple(ESTIMATION_COUPLING);
    posteriors
}

/// What one direction has counted so far.
struct Tally {
    expected: Expected,
    links: f64,
    closeness: f64,
}

impl Tally {
    fn new(model: &LogLinear) -> Self {
        Tally {
            expected: Expected {
                entries: vec![0.0; model.translation.len()],
                null: vec![0.0; model.null.len()],
                closeness: 0.0,
            },
            links: 0.0,
            closeness: 0.0,
        }
    }

    fn add(&mut self, direction: &Direction, some: Range<usize>, posteriors: &[Posteriors]) {
        for (at, posteriors) in some.zip(posteriors) {
            let matrix = match direction.forward {
                true => &posteriors.forward,
                false => &posteriors.reverse,
            };
            if !matrix.is_empty() {
                self.add_pair(direction, at, matrix);
            }
        }
    }

    fn add_pair(&mut self, direction: &Direction, at: usize, matrix: &[f32]) {
        let cells = direction.cells.sentence(at);
        let parents = direction.parents.sentence(at).len();
        let children = direction.children.sentence(at);
        let (parent_step, child_step) = direction.strides(parents, children.len());
        let step = 1.0 / parents as f32;
        for (child, &word) in children.iter().enumerate() {
            let position = (child as f32 + 0.5) / children.len() as f32;
            let (mut sum, mut distance) = (0.0f32, 0.0f32);
            for parent in 0..parents {
                let cell = child * child_step + parent * parent_step;
                let posterior = matrix[cell];
                self.expected.entries[cells[cell] as usize] += posterior;
                sum += posterior;
                distance += posterior * ((parent as f32 + 0.5) * step - position).abs();
            }
            self.expected.null[word as usize] += (1.0 - sum).max(0.0);
            self.links += f64::from(sum);
            self.closeness -= f64::from(distance);
        }
    }

    fn expected(mut self) -> Expected {
        self.expected.closeness = self.closeness / self.links.max(1e-9);
        self.expected
    }
}
