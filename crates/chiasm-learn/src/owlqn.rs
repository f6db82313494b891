//! MaxEnt with L1 by orthant-wise limited-memory quasi-Newton (Andrew & Gao 2007; SVM §5):
//! λ Σ_k ‖w_k‖₁ - Σ_i log p(o_i|x_i).
//!
//! The certificate: the dual is max Σ_i H(α_i) over α_i on the simplex with |Σ_i (p̃_i - α_i) x_im| ≤ λ
//! for every feature and class. With t = min(1, λ / largest slope of the loss), the point
//! α_i = p̃_i + t (p_i - p̃_i) between the truth and the model's probabilities satisfies that.

use crate::lbfgs::{History, dot};
use crate::objective::LogisticLoss;
use crate::{Examples, Report};
use chiasm_work::Progress;

/// After so many steps that gain no more than rounding, it ends.
const MOST_IDLE: u32 = 20;
const ROUNDING: f64 = 1e-14;

const SUFFICIENT: f64 = 1e-4;
const MOST_TRIALS: usize = 40;
/// The certificate costs a pass, so most steps go without it.
const CHECK_EVERY: u64 = 5;

pub(crate) struct Settings {
    pub l1: f64,
    pub gap: f64,
    pub iterations: u64,
}

pub(crate) fn minimise<const S: usize>(
    examples: &Examples,
    settings: &Settings,
    report: &mut Report,
    progress: &dyn Progress,
) -> Vec<[f64; S]> {
    let classes = examples.classes();
    let mut loss = LogisticLoss::<S>::new(examples);
    let mut history = History::new(examples, 0.0);
    let mut weights = vec![[0.0; S]; examples.features()];
    let mut gradient = weights.clone();
    let mut value = loss.evaluate(&weights, &mut gradient);
    let mut objective = value + settings.l1 * absolute_sum(&weights);
    let mut trial = weights.clone();
    let mut trial_gradient = weights.clone();
    let mut idle = 0;
    loop {
        let pseudo = pseudo_gradient(&weights, &gradient, settings.l1, classes);
        let last = report.iterations == settings.iterations
            || absolute_sum(&pseudo) == 0.0
            || idle == MOST_IDLE;
        if last || report.iterations.is_multiple_of(CHECK_EVERY) {
            certify(&loss, &weights, &gradient, objective, settings, report);
            if last || report.converged {
                return weights;
            }
        }
        let mut direction = history.direction(&pseudo);
        keep_descending(&mut direction, &pseudo);
        let mut step = if report.iterations == 0 { 0.5 } else { 1.0 };
        let mut accepted = false;
        let before = objective;
        for _ in 0..MOST_TRIALS {
            project_step(&mut trial, &weights, &direction, &pseudo, step);
            value = loss.evaluate(&trial, &mut trial_gradient);
            let new = value + settings.l1 * absolute_sum(&trial);
            let moved: f64 = moved_along(&pseudo, &trial, &weights);
            if new <= objective + SUFFICIENT * moved {
                objective = new;
                accepted = true;
                break;
            }
            step *= 0.5;
        }
        if !accepted {
            certify(&loss, &weights, &gradient, objective, settings, report);
            return weights;
        }
        let gained = before - objective > ROUNDING * objective;
        idle = if gained { 0 } else { idle + 1 };
        history.remember(&weights, &trial, &gradient, &trial_gradient);
        std::mem::swap(&mut weights, &mut trial);
        std::mem::swap(&mut gradient, &mut trial_gradient);
        report.iterations += 1;
        report.active_share.push(1.0);
        progress.advance(1);
    }
}

fn certify<const S: usize>(
    loss: &LogisticLoss<S>,
    weights: &[[f64; S]],
    gradient: &[[f64; S]],
    objective: f64,
    settings: &Settings,
    report: &mut Report,
) {
    let steepest = gradient
        .iter()
        .flatten()
        .fold(0.0f64, |a, g| a.max(g.abs()));
    let t = if steepest > settings.l1 {
        settings.l1 / steepest
    } else {
        1.0
    };
    let dual = -loss.entropy_between(weights, t);
    report.primal_objective = Some(objective);
    report.dual_objective = Some(dual);
    report.relative_gap = Some((objective + dual) / objective);
    report.converged = objective + dual <= settings.gap * objective;
}

/// Σ |w|.
fn absolute_sum<const S: usize>(weights: &[[f64; S]]) -> f64 {
    weights.iter().flatten().map(|weight| weight.abs()).sum()
}

/// The steepest one-sided slope of loss + λ‖w‖₁ (Andrew & Gao eq. 4).
fn pseudo_gradient<const S: usize>(
    weights: &[[f64; S]],
    gradient: &[[f64; S]],
    l1: f64,
    classes: usize,
) -> Vec<[f64; S]> {
    let mut pseudo = vec![[0.0; S]; weights.len()];
    for ((out, weight), slope) in pseudo.iter_mut().zip(weights).zip(gradient) {
        for k in 0..classes {
            out[k] = if weight[k] > 0.0 {
                slope[k] + l1
            } else if weight[k] < 0.0 {
                slope[k] - l1
            } else if slope[k] + l1 < 0.0 {
                slope[k] + l1
            } else if slope[k] - l1 > 0.0 {
                slope[k] - l1
            } else {
                0.0
            };
        }
    }
    pseudo
}

/// Where the quasi-Newton direction climbs the pseudo-gradient, it does not go at all.
fn keep_descending<const S: usize>(direction: &mut Vec<[f64; S]>, pseudo: &[[f64; S]]) {
    let pairs = direction.iter_mut().flatten().zip(pseudo.iter().flatten());
    for (move_by, slope) in pairs {
        if *move_by * slope >= 0.0 {
            *move_by = 0.0;
        }
    }
    if dot(direction, pseudo) >= 0.0 {
        // Nothing descends: fall back to the steepest way down.
        *direction = pseudo.to_vec();
        direction
            .iter_mut()
            .flatten()
            .for_each(|value| *value = -*value);
    }
}

/// A step that stops at zero where it would leave its orthant.
fn project_step<const S: usize>(
    trial: &mut [[f64; S]],
    weights: &[[f64; S]],
    direction: &[[f64; S]],
    pseudo: &[[f64; S]],
    step: f64,
) {
    let from = weights.iter().flatten().zip(direction.iter().flatten());
    let with_slope = from.zip(pseudo.iter().flatten());
    for (new, ((&weight, &move_by), &slope)) in trial.iter_mut().flatten().zip(with_slope) {
        let orthant = if weight != 0.0 { weight } else { -slope };
        let wanted = weight + step * move_by;
        *new = if wanted * orthant > 0.0 { wanted } else { 0.0 };
    }
}

fn moved_along<const S: usize>(
    pseudo: &[[f64; S]],
    trial: &[[f64; S]],
    weights: &[[f64; S]],
) -> f64 {
    let steps = trial.iter().flatten().zip(weights.iter().flatten());
    let pairs = pseudo.iter().flatten().zip(steps);
    pairs.map(|(slope, (new, old))| slope * (new - old)).sum()
}
