//! How time and memory grow with the corpus: SVM Figures 1 and 2.

use super::experiments::{Experiments, Outcome, as_texts};
use super::split;
use crate::page::{Figure, Item};
use crate::svg::{Plot, Series};

impl Experiments<'_> {
    /// SVM Figures 1 and 2: time and memory against the number of sentence pairs.
    pub fn growth(&mut self) -> Outcome<Vec<Item>> {
        let total = split::count(&self.training)?;
        let shares: &[u64] = if self.quick {
            &[4, 1]
        } else {
            &[16, 8, 4, 2, 1]
        };
        let learners = [
            ("SVM", "svm"),
            ("MaxEnt, dual", "dual"),
            ("MaxEnt, L-BFGS", "lbfgs"),
        ];
        let mut time: Vec<Series> = Vec::new();
        let mut memory: Vec<Series> = Vec::new();
        for (name, _) in learners {
            let empty = || Series {
                name: name.into(),
                points: Vec::new(),
            };
            time.push(empty());
            memory.push(empty());
        }
        let mut commands = Vec::new();
        for &share in shares {
            let pairs = total / share;
            let part = if share == 1 {
                self.training.clone()
            } else {
                let name = format!("first-{pairs}");
                split::part(&self.training, &self.runner.folder, &name, |index| {
                    index < pairs
                })?
            };
            for (at, (_, learner)) in learners.iter().enumerate() {
                let options = match *learner {
                    "svm" => self.svm_options("S7"),
                    other => self.maxent_options("S7", other),
                };
                let test = self.test.clone();
                let run = self.runner.train(&part, &test, &as_texts(&options))?;
                time[at]
                    .points
                    .push((pairs as f64, run.training("cpu_seconds")));
                let bytes = run.training("peak_memory_bytes");
                memory[at].points.push((pairs as f64, bytes / 1e6));
                commands.push(run.commands[0].clone());
            }
        }
        let figure = |title: &str, label: &str, series: Vec<Series>| {
            Item::Figure(Figure {
                title: title.into(),
                note: "S7; the first part of the training corpus, half as large each time.".into(),
                plot: Plot {
                    x_label: "sentence pairs".into(),
                    y_label: label.into(),
                    logarithmic: true,
                    series,
                },
                commands: commands.clone(),
            })
        };
        Ok(vec![
            figure(
                "SVM Figure 1: training time",
                "processor seconds of training",
                time,
            ),
            figure("SVM Figure 2: peak memory", "MB, whole command", memory),
        ])
    }
}
