//! How good a model is on examples it has not seen.

use crate::{Error, Examples, Model, Result, Row};
use serde::Serialize;
use serde_json::{Value, json};

/// Counts of right and wrong answers, and how surprised the model was. All weights count.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Evaluation {
    /// Names of the classes.
    pub class_names: Vec<String>,
    /// `confusion[truth][answer]`.
    pub confusion: Vec<Vec<f64>>,
    /// Σ -log p(truth) in nats.
    pub total_log_loss: f64,
}

/// Precision, recall and F1 of one class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClassQuality {
    /// Right answers among the answers of this class.
    pub precision: f64,
    /// Right answers among the examples of this class.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
}

impl Evaluation {
    /// Nothing seen yet.
    pub fn new(class_names: &[String]) -> Self {
        let classes = class_names.len();
        Evaluation {
            class_names: class_names.to_vec(),
            confusion: vec![vec![0.0; classes]; classes],
            total_log_loss: 0.0,
        }
    }

    /// Counts an answer: the log probabilities for an example of class `truth`. Was it right?
    pub fn add(&mut self, logarithms: &[f64], truth: usize, weight: f64) -> bool {
        let answer = most_probable(logarithms);
        self.confusion[truth][answer] += weight;
        self.total_log_loss -= logarithms[truth] * weight;
        answer == truth
    }

    /// The number of examples.
    pub fn examples(&self) -> f64 {
        self.confusion.iter().flatten().sum()
    }

    /// The share of right answers.
    pub fn accuracy(&self) -> f64 {
        let right: f64 = (0..self.confusion.len())
            .map(|k| self.confusion[k][k])
            .sum();
        share(right, self.examples())
    }

    /// The mean of -log p(truth) in nats.
    pub fn log_loss(&self) -> f64 {
        share(self.total_log_loss, self.examples())
    }

    /// Precision, recall and F1 of a class; 0 where there is nothing to count.
    pub fn class_quality(&self, class: usize) -> ClassQuality {
        let right = self.confusion[class][class];
        let answers: f64 = self.confusion.iter().map(|row| row[class]).sum();
        let truths: f64 = self.confusion[class].iter().sum();
        ClassQuality {
            precision: share(right, answers),
            recall: share(right, truths),
            f1: share(2.0 * right, answers + truths),
        }
    }

    /// The keys that scripts rely on, the same wherever a model is scored. `unknown` is how many examples the model had
    /// no answer of its own for.
    pub fn json(&self, unknown: u64) -> Value {
        let whole = |row: &Vec<f64>| row.iter().map(|&count| count as u64).collect::<Vec<_>>();
        let confusion: Vec<Vec<u64>> = self.confusion.iter().map(whole).collect();
        let mut classes = serde_json::Map::new();
        for (class, name) in self.class_names.iter().enumerate() {
            let quality = json!(self.class_quality(class));
            classes.insert(name.clone(), quality);
        }
        json!({
            "accuracy": self.accuracy(),
            "error": 1.0 - self.accuracy(),
            "log_loss": self.log_loss(),
            "examples": self.examples() as u64,
            "majority_accuracy": self.majority_share(),
            "unknown": unknown,
            "class_names": self.class_names,
            "confusion": confusion,
            "classes": classes,
        })
    }

    /// The share of the most frequent class: what a constant answer reaches.
    pub fn majority_share(&self) -> f64 {
        let truths = self.confusion.iter().map(|row| row.iter().sum::<f64>());
        share(truths.fold(0.0, f64::max), self.examples())
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The class with the highest score; the first one of equals.
pub fn most_probable(scores: &[f64]) -> usize {
    let mut best = 0;
    for (class, &score) in scores.iter().enumerate() {
        if score > scores[best] {
            best = class;
        }
    }
    best
}

/// Which class of the model each class of the examples is.
pub fn class_numbers(model: &Model, examples: &Examples) -> Result<Vec<usize>> {
    let known = model.class_names();
    let find = |name: &String| {
        known.iter().position(|k| k == name).ok_or_else(|| {
            let reason = format!(
                "class {name} is not one of the model's: {}",
                known.join(", ")
            );
            Error::Mismatch(reason)
        })
    };
    examples.class_names().iter().map(find).collect()
}

/// Lets the model answer for every example.
pub fn evaluate(model: &Model, examples: &Examples) -> Result<Evaluation> {
    let classes = class_numbers(model, examples)?;
    let mut evaluation = Evaluation::new(model.class_names());
    let mut predictor = model.predictor(examples);
    let mut logarithms = vec![0.0; model.class_names().len()];
    for index in examples.scan() {
        predictor.log_probabilities(examples.row(index), &mut logarithms);
        for pair in examples.pairs_of(index) {
            let truth = classes[examples.pair_class(pair)];
            evaluation.add(&logarithms, truth, examples.pair_weight(pair));
        }
    }
    predictor.log_probabilities(Row::of(&[]), &mut logarithms);
    for (class, &weight) in examples.featureless().iter().enumerate() {
        if weight > 0.0 {
            evaluation.add(&logarithms, classes[class], weight);
        }
    }
    Ok(evaluation)
}
