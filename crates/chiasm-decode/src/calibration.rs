//! Posteriors of the model as probabilities that hold on text: p = 1 / (1 + exp(-(a + b logit(q)))) for a posterior q, with a
//! and b such that words of a development set that stay in its translations are as frequent as they are said to be (Platt
//! 1999, "Probabilistic outputs for support vector machines").

use crate::system::System;
use crate::translation::Translation;
use crate::word_graph::WordGraph;
use serde::{Deserialize, Serialize};

/// The two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// a.
    pub offset: f64,
    /// b, never negative: what is more probable stays so.
    pub slope: f64,
}

/// Posteriors are kept so far from certainty.
const CERTAIN: f64 = 1e-4;

/// With fewer words nothing is said.
const FEWEST: usize = 50;

/// How much the slope is drawn to 1, as a variance of words.
const RIDGE: f64 = 1.0;

const ITERATIONS: usize = 100;

fn logit(posterior: f32) -> f64 {
    let share = f64::from(posterior).clamp(CERTAIN, 1.0 - CERTAIN);
    (share / (1.0 - share)).ln()
}

fn logistic(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}

impl Calibration {
    /// The maximum of the likelihood of words with their posteriors and whether they stayed, by Newton's method; `None` if
    /// there is too little to learn from.
    pub fn fit(words: &[(f32, bool)]) -> Option<Self> {
        let stayed = words.iter().filter(|(_, stays)| *stays).count();
        if words.len() < FEWEST || stayed == 0 || stayed == words.len() {
            return None;
        }
        let mut fitted = Calibration {
            offset: 0.0,
            slope: 1.0,
        };
        for _ in 0..ITERATIONS {
            let (mut gradient, mut curvature) = ([0.0; 2], [0.0, 0.0, RIDGE]);
            gradient[1] += RIDGE * (fitted.slope - 1.0);
            for &(posterior, stays) in words {
                let x = logit(posterior);
                let said = logistic(fitted.offset + fitted.slope * x);
                let (wrong, weight) = (said - f64::from(u8::from(stays)), said * (1.0 - said));
                gradient[0] += wrong;
                gradient[1] += wrong * x;
                curvature[0] += weight;
                curvature[1] += weight * x;
                curvature[2] += weight * x * x;
            }
            let determinant = curvature[0] * curvature[2] - curvature[1] * curvature[1];
            if determinant <= 1e-12 {
                break;
            }
            let step = [
                (curvature[2] * gradient[0] - curvature[1] * gradient[1]) / determinant,
                (curvature[0] * gradient[1] - curvature[1] * gradient[0]) / determinant,
            ];
            // Far from the maximum Newton's steps may be too long.
            let length = step.iter().map(|part| part.abs()).fold(1.0, f64::max);
            fitted.offset -= step[0] / length;
            fitted.slope = (fitted.slope - step[1] / length).max(0.0);
            if step.iter().all(|part| part.abs() < 1e-9) {
                break;
            }
        }
        Some(fitted)
    }

    /// The probability that a word with this posterior stays.
    pub fn apply(&self, posterior: f32) -> f32 {
        logistic(self.offset + self.slope * logit(posterior)) as f32
    }
}

impl System {
    /// For each word of a translation how probable it is that it stays when somebody corrects the translation; for systems
    /// that were not calibrated, the posterior. To be asked with a graph that has posteriors.
    pub fn confidences(&self, graph: &WordGraph, translation: &Translation) -> Vec<f32> {
        let posteriors = graph.confidences(translation).into_iter();
        match self.configuration().calibration {
            Some(calibration) => posteriors.map(|one| calibration.apply(one)).collect(),
            None => posteriors.collect(),
        }
    }
}

/// The share of a sentence's words that are expected to stay; `None` if it has none.
pub fn expected_to_stay(confidences: &[f32]) -> Option<f32> {
    let count = confidences.len() as f32;
    (count > 0.0).then(|| confidences.iter().sum::<f32>() / count)
}

/// Which words of a translation stay in the reference: those of the longest sequence that both have.
pub fn stays<T: PartialEq, U: PartialEq<T>>(words: &[T], reference: &[U]) -> Vec<bool> {
    let width = reference.len() + 1;
    let mut longest = vec![0_u32; (words.len() + 1) * width];
    for i in (0..words.len()).rev() {
        for j in (0..reference.len()).rev() {
            longest[i * width + j] = match reference[j] == words[i] {
                true => longest[(i + 1) * width + j + 1] + 1,
                false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut stays) = (0, 0, vec![false; words.len()]);
    while i < words.len() && j < reference.len() {
        if reference[j] == words[i] {
            stays[i] = true;
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    stays
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_longest_common_sequence_stay() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        let said = stays(
            &words("the house is small here"),
            &words("a house here is here"),
        );
        assert_eq!(said, [false, true, true, false, true]);
    }

    /// Words that stay by a logistic curve of their posteriors: it is found, and what is said holds.
    #[test]
    fn what_is_said_holds() {
        let mut words = Vec::new();
        for posterior in [0.05_f32, 0.2, 0.5, 0.8, 0.95, 0.99] {
            let truth = logistic(-0.5 + 0.4 * logit(posterior));
            for number in 0..4000 {
                words.push((posterior, f64::from(number) < truth * 4000.0));
            }
        }
        let fitted = Calibration::fit(&words).unwrap();
        assert!((fitted.offset + 0.5).abs() < 0.01, "{fitted:?}");
        assert!((fitted.slope - 0.4).abs() < 0.01, "{fitted:?}");
        let said: f32 = words
            .iter()
            .map(|(posterior, _)| fitted.apply(*posterior))
            .sum();
        let stayed = words.iter().filter(|(_, stays)| *stays).count();
        assert!((said - stayed as f32).abs() < 5.0);
        assert_eq!(Calibration::fit(&words[..10]), None);
        // Where probable words stay less often, the order is kept all the same.
        let backwards: Vec<(f32, bool)> = words
            .iter()
            .map(|(posterior, stays)| (*posterior, !stays))
            .collect();
        assert!(Calibration::fit(&backwards).unwrap().slope >= 0.0);
    }
}
