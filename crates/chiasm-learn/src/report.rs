//! What every learner says about its work.

use crate::{Examples, quantisation::QuantisationLoss};
use chiasm_work::cpu_seconds;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// How training went. Objectives are those of the specification; the dual one is signed so that
/// primal + dual = gap ≥ 0, zero at the optimum.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The learner's name.
    pub learner: String,
    /// Examples before merging, those without features included.
    #[serde(serialize_with = "whole_if_possible")]
    pub examples: f64,
    /// Distinct rows of features; 0 if they were only counted.
    pub rows: u64,
    /// Features in the examples.
    pub features: u64,
    /// Parameters that are not zero.
    pub parameters: u64,
    /// The objective that is minimised; none for naive Bayes, which has a closed form.
    pub primal_objective: Option<f64>,
    /// The dual objective, where the method has one.
    pub dual_objective: Option<f64>,
    /// (primal + dual) / primal: an upper bound of how far the objective is from the optimum.
    pub relative_gap: Option<f64>,
    /// C of the SVM, σ² of MaxEnt.
    #[serde(default)]
    pub strength: Option<f64>,
    /// Passes over the (active) examples, or steps of L-BFGS.
    pub iterations: u64,
    /// The share of the examples that each iteration looked at.
    pub active_share: Vec<f64>,
    /// Did the method reach the tolerance that was asked for, rather than the limit of iterations?
    pub converged: bool,
    /// Seconds that training took.
    pub seconds: f64,
    /// Seconds of processor time that training took, over all threads.
    pub cpu_seconds: f64,
    /// The most memory that the process held.
    pub peak_memory_bytes: u64,
    /// Size of the model file; 0 until it is written.
    pub model_bytes: u64,
    /// What scores are divided by before the softmax.
    pub temperature: Option<f64>,
    /// What storing the weights in fewer bits cost.
    pub quantisation: Option<QuantisationLoss>,
}

impl Report {
    /// The report of a learner that is about to begin.
    pub fn of(learner: &str, examples: &Examples) -> Self {
        Report {
            learner: learner.into(),
            examples: examples.weight(),
            rows: examples.rows() as u64,
            features: examples.features() as u64,
            ..Report::default()
        }
    }
}

impl Report {
    /// Without what differs from run to run, so that a model file does not.
    pub fn reproducible(&self) -> Self {
        Report {
            seconds: 0.0,
            cpu_seconds: 0.0,
            peak_memory_bytes: 0,
            model_bytes: 0,
            ..self.clone()
        }
    }
}

/// Measures the time of training.
pub struct Stopwatch {
    wall: Instant,
    cpu: f64,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Stopwatch {
            wall: Instant::now(),
            cpu: cpu_seconds(),
        }
    }

    /// Notes time and memory in `report`.
    pub fn stop(&self, report: &mut Report) {
        report.seconds = self.wall.elapsed().as_secs_f64();
        report.cpu_seconds = cpu_seconds() - self.cpu;
        report.peak_memory_bytes = chiasm_work::peak_memory_bytes();
    }
}

impl Report {
    /// How training went, a line for each thing worth saying.
    pub fn lines(&self) -> Vec<String> {
        let part = |value: Option<f64>, show: fn(f64) -> String| value.map_or(String::new(), show);
        let objective = part(self.primal_objective, |p| format!(", objective {p:.4}"));
        let gap = part(self.relative_gap, |g| format!(", relative gap {g:.2e}"));
        let strength = self.strength.map_or(String::new(), |strength| {
            let name = if self.learner == "svm" { "c" } else { "sigma2" };
            format!(" ({name} {strength})")
        });
        // Counting needs no rows.
        let rows = match self.rows {
            0 => String::new(),
            rows => format!(" in {rows} rows"),
        };
        let mut lines = vec![format!(
            "{}{strength}: {} examples{rows}, {} features, {} iterations{objective}{gap}, {:.2} s",
            self.learner, self.examples, self.features, self.iterations, self.seconds,
        )];
        if let Some(loss) = &self.quantisation {
            lines.push(format!(
                "{} bits a weight: accuracy {:+.5}, log loss {:+.5} nats on the training examples",
                loss.bits, -loss.accuracy_loss, loss.log_loss_increase,
            ));
        }
        if let Some(temperature) = self.temperature {
            lines.push(format!("temperature {temperature:.4}"));
        }
        if !self.converged {
            lines.push("note: training ended before the gap that was asked for".into());
        }
        lines
    }
}

/// Weights need not be whole, but where they are, nobody wants to read `600.0` examples.
pub(crate) fn whole_if_possible<S: serde::Serializer>(
    number: &f64,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    if number.fract() == 0.0 && *number >= 0.0 && *number < 1e15 {
        serializer.serialize_u64(*number as u64)
    } else {
        serializer.serialize_f64(*number)
    }
}
