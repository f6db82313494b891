//! What a model says about the lines of a LIBSVM file.

use crate::evaluation::{Evaluation, most_probable};
use crate::libsvm::{self, Line};
use crate::model::{Form, UNKNOWN};
use crate::{Error, Model, Result, Row};
use serde_json::Value;
use std::io::BufRead;
use std::path::Path;

/// What is done with a line whose class the model does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownClass {
    /// It cannot be scored, and that is an error.
    Refuse,
    /// It gets its answer and is counted apart.
    Count,
}

/// How the answers compare with the classes that stand in the file.
#[derive(Clone, Debug)]
pub struct Predicted {
    /// Right and wrong answers.
    pub evaluation: Evaluation,
    /// Examples of a class that the model does not know.
    pub unknown: u64,
}

/// Lets the model answer for every line; `answer` gets the most probable class and the log probabilities of all
/// classes. `path` is the input's name, for errors.
pub fn predict_lines(
    model: &Model,
    input: impl BufRead,
    path: &Path,
    unknown_class: UnknownClass,
    mut answer: impl FnMut(&str, &[f64]),
) -> Result<Predicted> {
    let names = model.class_names();
    let mut predicted = Predicted {
        evaluation: Evaluation::new(names),
        unknown: 0,
    };
    let mut logarithms = vec![0.0; names.len()];
    let mut features = Features::default();
    libsvm::for_each_line(input, path, |line, number| {
        let failed = |reason| Error::line(path, number, reason);
        features.load(model, line).map_err(failed)?;
        model.log_probabilities(features.row(), &mut logarithms);
        let label = line.label.to_string();
        match names.iter().position(|name| *name == label) {
            Some(truth) => {
                predicted.evaluation.add(&logarithms, truth, 1.0);
            }
            None if unknown_class == UnknownClass::Refuse => {
                let known = names.join(", ");
                return Err(failed(format!(
                    "class {label} is not one of the model's: {known}"
                )));
            }
            None => predicted.unknown += 1,
        }
        answer(&names[most_probable(&logarithms)], &logarithms);
        Ok(())
    })?;
    Ok(predicted)
}

/// The features of a line that the model knows, each once.
#[derive(Default)]
struct Features {
    numbers: Vec<u32>,
    values: Vec<f64>,
}

impl Features {
    fn load(&mut self, model: &Model, line: &mut Line) -> std::result::Result<(), String> {
        let counts = matches!(model.form(), Form::NaiveBayes(_));
        self.numbers.clear();
        self.values.clear();
        line.entries.sort_unstable_by_key(|&(id, _)| id);
        for &(id, value) in &line.entries {
            if value < 0.0 && counts {
                return Err(format!(
                    "{id}:{value}: naive Bayes counts; no negative value"
                ));
            }
            let Some(feature) = model.feature_number(id).filter(|&number| number != UNKNOWN) else {
                continue;
            };
            match self.values.last_mut() {
                Some(last) if self.numbers.last() == Some(&feature) => *last += value,
                _ => {
                    self.numbers.push(feature);
                    self.values.push(value);
                }
            }
        }
        Ok(())
    }

    fn row(&self) -> Row<'_> {
        Row {
            features: &self.numbers,
            values: &self.values,
        }
    }
}

impl Predicted {
    /// The keys that scripts rely on, those of `reorder evaluate`.
    pub fn json(&self) -> Value {
        self.evaluation.json(self.unknown)
    }
}
