//! What the papers do not show: all learners with all sets, words without a link, word classes, certificates.

use super::experiments::{Experiments, Outcome, accuracy, gain, megabytes, seconds, strings};
use super::runner::Run;
use chiasm_page::Table;

impl Experiments<'_> {
    /// Accuracy and log loss of every learner with every set.
    pub fn all_learners(&mut self) -> Outcome<Table> {
        let mut table = Table {
            title: "All learners with all sets: accuracy % (log loss)".into(),
            note: "Each learner with one strength for all sets.".into(),
            columns: strings(&[
                "set",
                "naive Bayes MAP",
                "Bayesian",
                "MaxEnt, dual",
                "MaxEnt, L-BFGS",
                "SVM",
            ]),
            rows: Vec::new(),
            commands: Vec::new(),
        };
        for number in self.sets() {
            let set = format!("S{number}");
            let mut row = vec![set.clone()];
            for learner in ["nb-map", "nb-bayes", "dual", "lbfgs", "svm"] {
                let run = match learner {
                    "svm" => self.svm(&set)?,
                    "dual" | "lbfgs" => self.maxent(&set, learner)?,
                    bayes => {
                        self.run(&["--features", &set, "--learner", bayes, "--alpha", "auto"])?
                    }
                };
                row.push(format!(
                    "{:.2} ({:.4})",
                    run.accuracy(),
                    run.test("log_loss")
                ));
                table.commands.extend(run.commands);
            }
            table.rows.push(row);
        }
        Ok(table)
    }

    /// Words without a link, and classes beside words and in their place.
    pub fn beyond(&mut self) -> Outcome<Table> {
        let sets: &[&str] = if self.quick {
            &["S7"]
        } else {
            &["S6", "S7", "S9", "S12", "S15"]
        };
        let mut table = Table {
            title: "SVM with words without a link, and with word classes".into(),
            note: "+unaligned: also every word of the phrase pair that no link touches; +classes: every part with words \
                   and with classes (exchange clustering, 50 classes a side); /classes: with classes only. Gains are \
                   paired, over the same set without additions."
                .into(),
            columns: strings(&["features", "accuracy %", "log loss", "gain (* significant)", "features kept", "seconds", "memory MB"]),
            rows: Vec::new(),
            commands: Vec::new(),
        };
        for set in sets {
            let plain = self.svm(set)?;
            push(&mut table, set, &plain, String::new());
            for addition in ["+unaligned", "+classes", "+unaligned+classes", "/classes"] {
                let name = format!("{set}{addition}");
                let run = self.svm(&name)?;
                push(&mut table, &name, &run, gain(&run, &plain));
            }
        }
        Ok(table)
    }

    /// How near each method is to the optimum, by its own certificate.
    pub fn certificates(&mut self) -> Outcome<Table> {
        let mut table = Table {
            title: "Certificates".into(),
            note: "The relative duality gap bounds how far the objective is from the optimum."
                .into(),
            columns: strings(&[
                "method",
                "features",
                "objective",
                "relative gap",
                "iterations",
                "seconds",
            ]),
            rows: Vec::new(),
            commands: Vec::new(),
        };
        let sets: &[&str] = if self.quick {
            &["S7"]
        } else {
            &["S7", "S9", "S15"]
        };
        for set in sets {
            let runs = [
                ("SVM", self.svm(set)?),
                ("MaxEnt, dual", self.maxent(set, "dual")?),
                ("MaxEnt, L-BFGS", self.maxent(set, "lbfgs")?),
            ];
            for (name, run) in runs {
                table.rows.push(vec![
                    name.into(),
                    set.to_string(),
                    format!("{:.2}", run.training("primal_objective")),
                    format!("{:.1e}", run.training("relative_gap")),
                    format!("{}", run.training("iterations")),
                    seconds(&run),
                ]);
                table.commands.push(run.commands[0].clone());
            }
        }
        Ok(table)
    }
}

fn push(table: &mut Table, name: &str, run: &Run, gain: String) {
    table.rows.push(vec![
        name.into(),
        accuracy(run),
        format!("{:.4}", run.test("log_loss")),
        gain,
        format!("{:.0}", run.training("features")),
        seconds(run),
        megabytes(run.training("peak_memory_bytes")),
    ]);
    table.commands.extend(run.commands.clone());
}
