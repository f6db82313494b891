//! The log-linear reparameterisation of IBM Model 2 (Dyer, Chahuneau & Smith 2013).
//!
//! Child j of n has no parent with probability p0, else parent i of m with probability
//! (1-p0)·exp(λ·h(i,j,m,n)) / Z, h = -|i/m - j/n|: words near the diagonal are preferred, how much
//! is said by λ, the tension. Translation probabilities p(child|parent) have a Dirichlet prior and
//! are estimated by expectation maximisation, in the variational form (exp ψ) where asked for.
//! After each iteration λ is moved to where the model's expected h equals the one found. What follows
//! the first iterations is in [`crate::agreement`].

use crate::agreement::ALONE;
use crate::direction::Direction;
use crate::spelling::UNIT;
use crate::start::Start;
use chiasm_work::{Progress, cancel};
use std::collections::BTreeMap;

/// How the model is estimated.
#[derive(Clone, Copy, Debug)]
pub struct LogLinearSettings {
    /// Passes over the corpus.
    pub iterations: u32,
    /// p0, the share of words without a parent.
    pub null_probability: f32,
    /// λ at the beginning.
    pub tension: f32,
    /// Is λ fitted, or does it stay?
    pub fit_tension: bool,
    /// Added to the prior of every entry, in occurrences, where the variational form is used.
    pub variational_prior: Option<f32>,
}

/// The estimated parameters of one direction.
pub struct LogLinear {
    /// p(child|parent) of every entry of the table.
    pub translation: Vec<f32>,
    /// p(child|no parent) of every word.
    pub null: Vec<f32>,
    /// λ.
    pub tension: f32,
    /// p0.
    pub null_probability: f32,
    /// The expected links of every parent word, priors included.
    pub totals: Vec<f32>,
}

impl LogLinear {
    /// Estimates the parameters, from `start` on if there is one, in as many passes as directions go
    /// [`ALONE`]. `priors` are those of the entries, in units.
    pub fn estimate(
        direction: &Direction,
        priors: &[u32],
        settings: LogLinearSettings,
        start: Option<&Start>,
        progress: &dyn Progress,
    ) -> Self {
        let (translation, null) = match start {
            Some(start) => start.for_entries(direction),
            None => (vec![1.0; priors.len()], vec![1.0; direction.child_words]),
        };
        let mut model = LogLinear {
            translation,
            null,
            tension: settings.tension,
            null_probability: settings.null_probability,
            totals: Vec::new(),
        };
        let sizes = sizes(direction);
        for iteration in 0..settings.iterations.min(ALONE) {
            let expected = model.expectation(direction);
            model.maximise(direction, priors, &settings, &expected);
            progress.advance(1);
            // The first pass has nothing but the diagonal to go by and would say nothing new.
            if settings.fit_tension && iteration > 0 {
                model.tension = fit_tension(&sizes, expected.closeness, model.tension);
            }
        }
        model
    }

    fn expectation(&self, direction: &Direction) -> Expected {
        let mut expected = Expected {
            entries: vec![0.0; self.translation.len()],
            null: vec![0.0; self.null.len()],
            closeness: 0.0,
        };
        let (mut linked, mut closeness) = (0.0f64, 0.0f64);
        let mut weights = Vec::new();
        for at in 0..direction.sentences() {
            cancel::check();
            let cells = direction.cells.sentence(at);
            if cells.is_empty() {
                continue;
            }
            let parents = direction.parents.sentence(at).len();
            let children = direction.children.sentence(at);
            let (parent_step, child_step) = direction.strides(parents, children.len());
            weights.resize(parents, 0.0);
            for (child, &word) in children.iter().enumerate() {
                diagonal(self.tension, child, children.len(), &mut weights);
                let null = self.null_probability * self.null[word as usize];
                let rest = 1.0 - self.null_probability;
                let row = cells[child * child_step..].iter().step_by(parent_step);
                let mut total = 0.0;
                for (weight, &cell) in weights.iter_mut().zip(row.clone()) {
                    *weight *= self.translation[cell as usize];
                    total += *weight;
                }
                let total = null + rest * total;
                let scale = rest / total;
                let position = (child as f32 + 0.5) / children.len() as f32;
                let step = 1.0 / parents as f32;
                let (mut sum, mut distance) = (0.0, 0.0);
                for (parent, (weight, &cell)) in weights.iter().zip(row).enumerate() {
                    let posterior = weight * scale;
                    expected.entries[cell as usize] += posterior;
                    sum += posterior;
                    distance += posterior * ((parent as f32 + 0.5) * step - position).abs();
                }
                expected.null[word as usize] += null / total;
                linked += f64::from(sum);
                closeness -= f64::from(distance);
            }
        }
        expected.closeness = closeness / linked.max(1e-9);
        expected
    }

    pub(crate) fn maximise(
        &mut self,
        direction: &Direction,
        priors: &[u32],
        settings: &LogLinearSettings,
        expected: &Expected,
    ) {
        let words = direction.cells.words();
        let extra = settings.variational_prior.unwrap_or(0.0);
        let count =
            |entry: usize| expected.entries[entry] + extra + priors[entry] as f32 / UNIT as f32;
        let mut totals = vec![0.0f32; direction.parent_words];
        for (entry, &words) in words.iter().enumerate() {
            totals[direction.parent_word(words)] += count(entry);
        }
        let variational = settings.variational_prior.is_some();
        self.totals.clone_from(&totals);
        for total in &mut totals {
            *total = 1.0
                / if variational {
                    exp_digamma(*total)
                } else {
                    *total
                };
        }
        for (entry, &words) in words.iter().enumerate() {
            let weight = if variational {
                exp_digamma(count(entry))
            } else {
                count(entry)
            };
            self.translation[entry] = weight * totals[direction.parent_word(words)];
        }
        let sum: f32 = expected.null.iter().sum::<f32>() + NULL_PRIOR * self.null.len() as f32;
        for (probability, &count) in self.null.iter_mut().zip(&expected.null) {
            *probability = (count + NULL_PRIOR) / sum;
        }
    }
}

/// Dirichlet prior of a word without a parent.
pub(crate) const NULL_PRIOR: f32 = 1.0 / 1024.0;

/// The links that a pass expects.
pub(crate) struct Expected {
    /// Of every entry of the table.
    pub entries: Vec<f32>,
    /// Of every child word: without a parent.
    pub null: Vec<f32>,
    /// The mean of h over the links.
    pub closeness: f64,
}

/// Writes exp(λ·h)/Z of every parent for a child.
#[inline]
pub fn diagonal(tension: f32, child: usize, children: usize, weights: &mut [f32]) {
    let parents = weights.len();
    let position = (child as f32 + 0.5) / children as f32 * parents as f32 - 0.5;
    let decay = (-tension / parents as f32).exp();
    // The first parent at or behind the diagonal, and the one before it.
    let behind = (position.ceil().max(0.0) as usize).min(parents);
    let power = |distance: f32| (-tension / parents as f32 * distance).exp();
    let mut sum = 0.0;
    let mut weight = power(behind as f32 - position);
    for slot in &mut weights[behind..] {
        *slot = weight;
        sum += weight;
        weight *= decay;
    }
    let mut weight = power(position - behind as f32 + 1.0);
    for slot in weights[..behind].iter_mut().rev() {
        *slot = weight;
        sum += weight;
        weight *= decay;
    }
    let scale = 1.0 / sum;
    for slot in weights {
        *slot *= scale;
    }
}

/// How many sentence pairs have so many parents and so many children.
pub(crate) fn sizes(direction: &Direction) -> BTreeMap<(usize, usize), u64> {
    let mut sizes = BTreeMap::new();
    for at in 0..direction.sentences() {
        if !direction.cells.sentence(at).is_empty() {
            let parents = direction.parents.sentence(at).len();
            let children = direction.children.sentence(at).len();
            *sizes.entry((parents, children)).or_insert(0) += 1;
        }
    }
    sizes
}

/// At most so many sizes are looked at: the most frequent ones say enough.
const SIZES: usize = 500;
const TENSION: std::ops::RangeInclusive<f32> = 0.1..=20.0;

/// The λ at which the model's expected h is `closeness`. It rises with λ, so secants find it.
pub(crate) fn fit_tension(
    sizes: &BTreeMap<(usize, usize), u64>,
    closeness: f64,
    start: f32,
) -> f32 {
    let mut frequent: Vec<_> = sizes.iter().map(|(&size, &count)| (count, size)).collect();
    frequent.sort_unstable_by(|a, b| b.cmp(a));
    frequent.truncate(SIZES);
    let (mut low, mut high) = (*TENSION.start(), *TENSION.end());
    let mut tension = start.clamp(low, high);
    for _ in 0..8 {
        if mean_closeness(&frequent, tension) < closeness {
            low = tension;
        } else {
            high = tension;
        }
        tension = (low * high).sqrt();
    }
    tension
}

fn mean_closeness(sizes: &[(u64, (usize, usize))], tension: f32) -> f64 {
    let (mut sum, mut words) = (0.0, 0.0);
    let mut weights = Vec::new();
    for &(count, (parents, children)) in sizes {
        weights.resize(parents, 0.0);
        let mut distance = 0.0f32;
        for child in 0..children {
            diagonal(tension, child, children, &mut weights);
            let position = (child as f32 + 0.5) / children as f32;
            let step = 1.0 / parents as f32;
            for (parent, weight) in weights.iter().enumerate() {
                distance += weight * ((parent as f32 + 0.5) * step - position).abs();
            }
        }
        sum -= f64::from(distance) * count as f64;
        words += (children as u64 * count) as f64;
    }
    sum / f64::max(words, 1.0)
}

/// exp(ψ(x)): recurrence up to 4, then the first terms of the asymptotic series.
#[inline]
pub fn exp_digamma(x: f32) -> f32 {
    const SMALLEST: f32 = 0.012;
    if x < SMALLEST {
        return f32::MIN_POSITIVE;
    }
    let series = |y: f32| y - 0.5 + 1.0 / (24.0 * y) + 1.0 / (48.0 * y * y);
    if x >= 4.0 {
        return series(x);
    }
    let steps = 1.0 / x + 1.0 / (x + 1.0) + 1.0 / (x + 2.0) + 1.0 / (x + 3.0);
    series(x + 4.0) * (-steps).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_digamma_is_right() {
        // ψ(1) = -γ, ψ(1/2) = -γ - 2 ln 2, ψ(10) = 2.2517525890667.
        let gamma = 0.577_215_7_f32;
        for (x, digamma) in [
            (1.0, -gamma),
            (0.5, -gamma - 2.0 * 2f32.ln()),
            (10.0, 2.251_752_6),
            (0.1, -10.423_755),
            (3.999, 1.255_834),
        ] {
            let relative = exp_digamma(x) / digamma.exp() - 1.0;
            assert!(relative.abs() < 2e-3, "{x}: {relative}");
        }
        assert!(exp_digamma(0.001) > 0.0);
    }

    #[test]
    fn the_diagonal_is_a_distribution_that_peaks_where_it_should() {
        for (parents, children) in [(1, 1), (1, 7), (9, 4), (5, 5), (3, 30)] {
            for child in 0..children {
                let mut weights = vec![0.0; parents];
                diagonal(6.0, child, children, &mut weights);
                let position = (child as f32 + 0.5) / children as f32;
                let expected: Vec<f32> = (0..parents)
                    .map(|p| (-6.0 * ((p as f32 + 0.5) / parents as f32 - position).abs()).exp())
                    .collect();
                let sum: f32 = expected.iter().sum();
                for (found, expected) in weights.iter().zip(expected) {
                    assert!((found - expected / sum).abs() < 1e-5);
                }
            }
        }
    }

    #[test]
    fn tension_is_recovered() {
        let sizes = BTreeMap::from([((10, 12), 5), ((7, 3), 2)]);
        let list: Vec<_> = sizes.iter().map(|(&size, &count)| (count, size)).collect();
        for tension in [0.5, 4.0, 11.0] {
            let found = fit_tension(&sizes, mean_closeness(&list, tension), 4.0);
            assert!((found / tension - 1.0).abs() < 0.02, "{tension}: {found}");
        }
    }
}
