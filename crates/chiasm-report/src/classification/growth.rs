//! How time and memory grow with the corpus: SVM Figure 2.

use super::experiments::{Experiments, Outcome, as_texts};
use super::split;
use chiasm_page::{Figure, Item, Plot, Series};

const LEARNERS: [(&str, &str); 3] = [
    ("multiclass SVM", "svm"),
    ("dual MLR", "dual"),
    ("MaxEnt", "lbfgs"),
];

impl Experiments<'_> {
    /// SVM Figure 2: time above and memory below against the number of phrase pairs.
    pub fn growth(&mut self) -> Outcome<Vec<Item>> {
        let total = split::count(&self.training)?;
        let shares: &[u64] = if self.quick {
            &[4, 1]
        } else {
            &[16, 8, 4, 2, 1]
        };
        let empty = |(name, _): (&str, &str)| Series {
            name: name.into(),
            points: Vec::new(),
        };
        let (mut time, mut memory) = (LEARNERS.map(empty), LEARNERS.map(empty));
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
            for (at, (_, learner)) in LEARNERS.iter().enumerate() {
                let options = match *learner {
                    "svm" => self.svm_options("S7"),
                    other => self.maxent_options("S7", other),
                };
                let test = self.test.clone();
                let run = self.runner.train(&part, &test, &as_texts(&options))?;
                let examples = run.training("examples");
                time[at]
                    .points
                    .push((examples, run.training("cpu_seconds")));
                let bytes = run.training("peak_memory_bytes");
                memory[at].points.push((examples, bytes / 1e6));
                commands.push(run.commands[0].clone());
            }
        }
        let figure = |title: &str, label: &str, series: [Series; 3]| {
            Item::Figure(Figure {
                title: title.into(),
                note: "S7; the first part of the training corpus, half as large each time.".into(),
                plot: Plot {
                    x_label: "phrase pairs".into(),
                    y_label: label.into(),
                    logarithmic: true,
                    series: series.to_vec(),
                },
                commands: commands.clone(),
            })
        };
        Ok(vec![
            figure(
                "SVM Figure 2, above: training time",
                "processor seconds of training",
                time,
            ),
            figure(
                "SVM Figure 2, below: memory",
                "MB at most, whole command",
                memory,
            ),
        ])
    }
}
