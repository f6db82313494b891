//! The averaged perceptron with a margin (after Ni et al. 2011): of an example x of class y the rival is
//! k* = argmax_{k≠y} Δ(k, y) + w_kᵀx - w_yᵀx; where that is positive, w_y ← w_y + x and w_k* ← w_k* - x.
//! Δ is the loss of taking one class for another: 1 for all, or, where classes lie on a line, how far they lie apart.
//! What is returned is the average of the weights after every visit (Freund & Schapire 1999; Collins 2002).
//!
//! A row that stands for n examples is visited n times in a row. There is no objective, so there is no certificate:
//! `converged` says that a whole pass found nothing to mend.

use crate::kernels::{self, with_stride};
use crate::learner::{Trained, at_least_one, setters_of_passes};
use crate::report::Stopwatch;
use crate::{Examples, Learner, Report, Result, Row};
use chiasm_work::Progress;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// The loss of taking one class for another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// The same for all.
    #[default]
    ZeroOne,
    /// How many classes they lie apart.
    Distance,
}

impl Loss {
    /// Δ(k, y).
    #[inline(always)]
    pub fn between(self, class: usize, truth: usize) -> f64 {
        match self {
            Loss::ZeroOne => f64::from(u8::from(class != truth)),
            Loss::Distance => class.abs_diff(truth) as f64,
        }
    }
}

/// Parameters, unchecked.
#[derive(Clone, Debug)]
pub struct PerceptronParameters {
    loss: Loss,
    iterations: u64,
    seed: u64,
}

impl Default for PerceptronParameters {
    fn default() -> Self {
        PerceptronParameters {
            loss: Loss::ZeroOne,
            iterations: 10,
            seed: 1,
        }
    }
}

impl PerceptronParameters {
    /// Every mistake costs the same, 10 passes.
    pub fn new() -> Self {
        Self::default()
    }

    /// The loss of taking one class for another.
    pub fn loss(mut self, loss: Loss) -> Self {
        self.loss = loss;
        self
    }

    setters_of_passes!();

    /// A learner with these parameters, if they make sense.
    pub fn check(self) -> Result<Perceptron> {
        at_least_one("iterations", self.iterations)?;
        Ok(Perceptron(self))
    }
}

/// The averaged perceptron.
#[derive(Clone, Debug)]
pub struct Perceptron(PerceptronParameters);

impl Learner for Perceptron {
    fn name(&self) -> &'static str {
        "perceptron"
    }

    fn train(&self, examples: &Examples, progress: &dyn Progress) -> Result<Trained> {
        examples.check_learnable()?;
        with_stride!(examples.classes(), STRIDE => {
            Ok(learn::<STRIDE>(examples, &self.0, progress))
        })
    }
}

/// Weights w, and u = Σ t (change at visit t), so that the average over T visits is w - u / T.
struct State<const S: usize> {
    weights: Vec<[f64; S]>,
    late: Vec<[f64; S]>,
    visits: f64,
}

fn learn<const S: usize>(
    examples: &Examples,
    parameters: &PerceptronParameters,
    progress: &dyn Progress,
) -> Trained {
    let watch = Stopwatch::start();
    let mut report = Report::of("perceptron", examples);
    let mut state = State {
        weights: vec![[0.0; S]; examples.features()],
        late: vec![[0.0; S]; examples.features()],
        visits: 0.0,
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(parameters.seed);
    let mut order: Vec<u32> = (0..examples.rows() as u32).collect();
    while report.iterations < parameters.iterations && !report.converged {
        for end in (1..order.len()).rev() {
            order.swap(end, random.random_range(0..=end));
        }
        let mut mended = false;
        for (visit, &row) in order.iter().enumerate() {
            examples.visited(visit, false);
            for pair in examples.pairs_of(row as usize) {
                let (class, weight) = (examples.pair_class(pair), examples.pair_weight(pair));
                let row = examples.row(row as usize);
                mended |= state.visit(row, class, weight, examples.classes(), parameters.loss);
            }
        }
        report.iterations += 1;
        report.active_share.push(1.0);
        report.converged = !mended;
        progress.advance(1);
    }
    let visits = state.visits.max(1.0);
    let pairs = state
        .weights
        .iter_mut()
        .flatten()
        .zip(state.late.iter().flatten());
    for (weight, late) in pairs {
        *weight -= late / visits;
    }
    Trained::linear(examples, &state.weights, report, watch)
}

impl<const S: usize> State<S> {
    /// Visits an example as often as it weighs. Was there anything to mend?
    fn visit(&mut self, row: Row, truth: usize, weight: f64, classes: usize, loss: Loss) -> bool {
        let mut left = weight;
        let mut mended = false;
        while left > 0.0 {
            let step = left.min(1.0);
            let scores = kernels::scores(&self.weights, row);
            let margin = |class: usize| loss.between(class, truth) + scores[class] - scores[truth];
            let mut rivals = (0..classes).filter(|&class| class != truth);
            let first = rivals.next().unwrap_or(truth);
            // The first of equals.
            let better = |best, class| {
                if margin(class) > margin(best) {
                    class
                } else {
                    best
                }
            };
            let rival = rivals.fold(first, better);
            if margin(rival) <= 0.0 {
                break;
            }
            let mut change = [0.0; S];
            change[truth] = step;
            change[rival] = -step;
            kernels::add(&mut self.weights, row, &change);
            // The change counts from this visit on, so the visits before it are subtracted.
            let before = self.visits;
            kernels::add(&mut self.late, row, &change.map(|change| change * before));
            self.visits += step;
            left -= step;
            mended = true;
        }
        self.visits += left;
        mended
    }
}
