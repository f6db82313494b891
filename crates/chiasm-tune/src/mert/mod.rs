//! Minimum error rate training (Och 2003): the weights whose choices from the lists have the best
//! BLEU, found by exact line searches.
//!
//! From each starting point all coordinates, in random order, and a few random directions are
//! searched in turn until a whole cycle gains next to nothing. Starting points are the weights of
//! all rounds so far, perturbed copies of the best and points drawn at random, each feature
//! scaled by how much it varies within a sentence. After two cycles only the best few starts go on. Each start has random numbers of its own, so
//! the result does not depend on the number of threads.

pub mod columns;
pub mod envelope;
pub mod line_search;

use crate::random::{Random, normal, random, shuffle};
use crate::{Pool, Weights};
use chiasm_work::cancel;
use columns::Columns;
use line_search::{Direction, Workspace};
use rand::RngExt;
use rayon::prelude::*;

/// How hard to search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Random starting points besides the given ones.
    pub restarts: usize,
    /// Random directions in each cycle besides the coordinates.
    pub directions: usize,
    /// A cycle that gains less BLEU (0 to 100) is the last.
    pub tolerance: f64,
    /// Cycles at most.
    pub cycles: usize,
}

/// Cycles after which most starts are given up.
const FIRST_CYCLES: usize = 2;
/// Starts that are gone on with: those that are best by then. Most of the rest would end in the same places.
const PROMISING: usize = 5;

impl Default for Settings {
    fn default() -> Self {
        Settings {
            restarts: 20,
            directions: 4,
            tolerance: 0.005,
            cycles: 25,
        }
    }
}

/// The best weights on the lists, and their BLEU there. `starts` are the points to start from, the
/// best one so far first; `round` tells the random numbers of one round from another's.
pub fn optimise(
    pool: &Pool,
    starts: &[Weights],
    settings: &Settings,
    seed: u64,
    round: usize,
) -> Option<(Weights, f64)> {
    let first = starts.first()?;
    let columns = Columns::new(pool, first);
    let mut points: Vec<Vec<f64>> = starts.iter().map(to_wide).collect();
    for restart in 0..settings.restarts {
        let mut random = random(seed, "mert start", round, restart);
        points.push(random_start(&columns, &points[0], restart, &mut random));
    }
    let begun = Settings {
        cycles: settings.cycles.min(FIRST_CYCLES),
        ..*settings
    };
    let mut climbed = climb_all(&columns, points, &begun, |start| {
        random(seed, "mert climb", round, start)
    });
    if settings.cycles > FIRST_CYCLES {
        // Stable, so that of equally good ones the first goes on, whatever thread found it.
        climbed.sort_by(|a, b| b.1.total_cmp(&a.1));
        let promising = climbed.into_iter().take(PROMISING);
        let promising = promising.map(|(point, _)| point).collect();
        climbed = climb_all(&columns, promising, settings, |start| {
            random(seed, "mert climb on", round, start)
        });
    }
    // The first of equally good ones, whatever thread found it.
    let mut best: Option<&(Vec<f64>, f64)> = None;
    for candidate in &climbed {
        let usable = candidate
            .0
            .iter()
            .all(|weight| (*weight as f32).is_finite());
        if usable && best.is_none_or(|best| candidate.1 > best.1) {
            best = Some(candidate);
        }
    }
    best.map(|(point, bleu)| (normalised(point, first), *bleu))
}

/// Climbs from each point, on all threads.
fn climb_all(
    columns: &Columns,
    points: Vec<Vec<f64>>,
    settings: &Settings,
    random: impl Fn(usize) -> Random + Sync,
) -> Vec<(Vec<f64>, f64)> {
    let numbered = points.into_par_iter().enumerate();
    let climbed = numbered.map(|(number, point)| {
        let mut random = random(number);
        climb(columns, point, settings, &mut random)
    });
    climbed.collect()
}

/// One cycle of line searches along the coordinates, from weights that another method found: what
/// a method that looks at sentences cannot see, the brevity of the whole above all, is put right.
pub fn calibrate(pool: &Pool, weights: &Weights, seed: u64, round: usize) -> (Weights, f64) {
    let columns = Columns::new(pool, weights);
    let once = Settings {
        cycles: 1,
        directions: 0,
        ..Settings::default()
    };
    let mut random = random(seed, "calibrate", round, 0);
    let (point, bleu) = climb(&columns, to_wide(weights), &once, &mut random);
    let found = normalised(&point, weights);
    if found.is_finite() {
        (found, bleu)
    } else {
        (weights.clone(), pool.bleu(weights))
    }
}

fn to_wide(weights: &Weights) -> Vec<f64> {
    weights
        .dense
        .iter()
        .map(|&weight| f64::from(weight))
        .collect()
}

/// Half of the random starts perturb the best weights, half forget them.
fn random_start(columns: &Columns, best: &[f64], restart: usize, random: &mut Random) -> Vec<f64> {
    let scales = columns.scales();
    let influence = |(weight, scale): (&f64, &f64)| (weight * scale).abs();
    let typical = best.iter().zip(scales).map(influence).sum::<f64>() / best.len().max(1) as f64;
    let draw = |(&weight, &scale): (&f64, &f64)| {
        if scale == 0.0 {
            return weight;
        }
        let noise = typical.max(1e-3) / scale * normal(random);
        if restart.is_multiple_of(2) {
            weight + 0.5 * noise
        } else {
            noise
        }
    };
    best.iter().zip(scales).map(draw).collect()
}

/// Searches direction after direction until nothing is gained.
fn climb(
    columns: &Columns,
    mut point: Vec<f64>,
    settings: &Settings,
    random: &mut Random,
) -> (Vec<f64>, f64) {
    let mut workspace = Workspace::default();
    let mut scores = Vec::new();
    let mut bleu = f64::NEG_INFINITY;
    // Features that never vary cannot change a choice; they keep their weights.
    let mut coordinates: Vec<usize> = (0..columns.features())
        .filter(|&feature| columns.scales()[feature] > 0.0)
        .collect();
    for _ in 0..settings.cycles {
        let before = bleu;
        keep_penalties(columns, &mut point);
        // Afresh each cycle, so that rounding does not pile up.
        columns.scores(&point, &mut scores);
        shuffle(&mut coordinates, random);
        for &feature in &coordinates {
            cancel::check();
            let direction = Direction::Coordinate(feature);
            let bounds = direction.bounds(&point, columns.penalties());
            let step = line_search::search(columns, &scores, direction, bounds, &mut workspace);
            bleu = step.bleu;
            if step.gamma != 0.0 {
                point[feature] += step.gamma;
                columns.shift(&mut scores, feature, step.gamma);
            }
        }
        for _ in 0..settings.directions {
            cancel::check();
            let vector = random_direction(columns, random);
            let direction = Direction::Vector(&vector);
            let bounds = direction.bounds(&point, columns.penalties());
            let step = line_search::search(columns, &scores, direction, bounds, &mut workspace);
            bleu = step.bleu;
            if step.gamma != 0.0 {
                for (weight, part) in point.iter_mut().zip(&vector) {
                    *weight += step.gamma * part;
                }
                columns.scores(&point, &mut scores);
            }
        }
        if bleu - before < settings.tolerance {
            break;
        }
    }
    keep_penalties(columns, &mut point);
    (point, bleu)
}

/// Starting points may reward a penalty, and rounding may by a hair.
fn keep_penalties(columns: &Columns, point: &mut [f64]) {
    for &penalty in columns.penalties() {
        point[penalty] = point[penalty].max(0.0);
    }
}

fn random_direction(columns: &Columns, random: &mut Random) -> Vec<f64> {
    let part = |&scale: &f64| {
        if scale > 0.0 {
            normal(random) / scale
        } else {
            0.0
        }
    };
    let mut vector: Vec<f64> = columns.scales().iter().map(part).collect();
    // A few features at a time: the others' weights have been found together.
    if vector.len() > 3 {
        let kept = random.random_range(2..=vector.len());
        let mut order: Vec<usize> = (0..vector.len()).collect();
        shuffle(&mut order, random);
        for &feature in &order[kept..] {
            vector[feature] = 0.0;
        }
    }
    vector
}

/// The point with the norm (Σ|w|) of the weights before, since only proportions matter. Where
/// sparse weights take part, they were added as they are, and so is the point.
fn normalised(point: &[f64], like: &Weights) -> Weights {
    let norm: f64 = point.iter().map(|weight| weight.abs()).sum();
    let wanted: f64 = like
        .dense
        .iter()
        .map(|&weight| f64::from(weight).abs())
        .sum();
    let factor = if like.sparse.is_empty() && norm > 0.0 && wanted > 0.0 {
        wanted / norm
    } else {
        1.0
    };
    Weights {
        dense: point
            .iter()
            .map(|weight| (weight * factor) as f32)
            .collect(),
        sparse: like.sparse.clone(),
    }
}

#[cfg(test)]
mod tests;
