//! What the feature sets reach: SVM Tables 4 to 7, and what goes beyond them.

use super::experiments::{Experiments, Outcome, megabytes, seconds, strings};
use super::papers;
use super::runner::Run;
use crate::page::{Item, Table};

impl Experiments<'_> {
    /// SVM Tables 4 to 6: all sets, with the majority class and the lexicalised model first.
    pub fn feature_sets(&mut self) -> Outcome<Vec<Item>> {
        let lexicalised = self.lexicalised()?;
        let groups = [
            ("SVM Table 4: the phrase pair alone", 1..=3),
            ("SVM Table 5: with one source word before and after", 4..=9),
            (
                "SVM Table 6: with three source words before and after",
                10..=15,
            ),
        ];
        let mut items = Vec::new();
        for (title, range) in groups {
            let mut table = quality_table(title);
            table.rows.push(majority_row(&lexicalised));
            push_quality(
                &mut table,
                "lexicalised",
                &lexicalised,
                papers::svm_accuracy("lexicalised"),
            );
            for number in self
                .sets()
                .into_iter()
                .filter(|number| range.contains(number))
            {
                let set = format!("S{number}");
                let run = self.svm(&set)?;
                push_quality(&mut table, &set, &run, papers::svm_accuracy(&set));
            }
            items.push(Item::Table(table));
        }
        Ok(items)
    }

    /// SVM Table 7: MaxEnt beside the SVM.
    pub fn maxent_beside_svm(&mut self) -> Outcome<Table> {
        let sets: &[&str] = if self.quick {
            &["S7"]
        } else {
            &["S6", "S7", "S9", "S15"]
        };
        let mut table = Table {
            title: "SVM Table 7: SVM and MaxEnt".into(),
            note: "Accuracy on the test links; processor seconds of training (of the whole command) and peak \
                   memory of the whole command. The papers: SVM about four times faster than L-BFGS MaxEnt at half \
                   its memory."
                .into(),
            columns: strings(&[
                "features", "method", "accuracy %", "paper %", "log loss", "seconds", "memory MB", "relative gap",
            ]),
            rows: Vec::new(),
            commands: Vec::new(),
        };
        for set in sets {
            let runs = [
                ("SVM", self.svm(set)?, papers::svm_accuracy(set)),
                ("MaxEnt, dual", self.maxent(set, "dual")?, None),
                (
                    "MaxEnt, L-BFGS",
                    self.maxent(set, "lbfgs")?,
                    papers::maxent_accuracy(set),
                ),
            ];
            for (name, run, paper) in runs {
                table.rows.push(vec![
                    set.to_string(),
                    name.into(),
                    format!("{:.2}", run.accuracy()),
                    paper.map_or(String::new(), |p| format!("{p:.1}")),
                    format!("{:.4}", run.test("log_loss")),
                    seconds(&run),
                    megabytes(run.training("peak_memory_bytes")),
                    format!("{:.1e}", run.training("relative_gap")),
                ]);
                table.commands.extend(run.commands);
            }
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
        let mut table = quality_table("SVM with words without a link, and with word classes");
        table.note.push_str(
            " +unaligned: also every word of the phrase pair that no link touches; +classes: every part with words \
             and with classes (exchange clustering, 50 classes a side); /classes: with classes only.",
        );
        let lexicalised = self.lexicalised()?;
        push_quality(&mut table, "lexicalised", &lexicalised, None);
        for set in sets {
            for beyond in [
                "",
                "+unaligned",
                "+classes",
                "+unaligned+classes",
                "/classes",
            ] {
                let name = format!("{set}{beyond}");
                let run = self.svm(&name)?;
                push_quality(&mut table, &name, &run, papers::svm_accuracy(&name));
            }
        }
        Ok(table)
    }
}

const CLASSES: [(&str, &str); 3] = [("monotone", "M"), ("swap", "S"), ("discontinuous", "D")];

fn quality_table(title: &str) -> Table {
    let mut columns = strings(&["features", "accuracy %", "paper %", "log loss"]);
    for (_, letter) in CLASSES {
        columns.extend(["precision", "recall", "F1"].map(|name| format!("{letter} {name}")));
    }
    columns.extend(strings(&[
        "features kept",
        "seconds",
        "memory MB",
        "model bytes",
    ]));
    Table {
        title: title.into(),
        note: "Precision, recall and F1 in per cent, recall being the share of the examples of a class that were \
               found (the paper prints precision and recall under each other's names)."
            .into(),
        columns,
        rows: Vec::new(),
        commands: Vec::new(),
    }
}

/// What always answering with the most frequent class reaches.
fn majority_row(run: &Run) -> Vec<String> {
    let share = run.test("majority_accuracy");
    let mut row = vec![
        "majority class".to_string(),
        format!("{:.2}", 100.0 * share),
        format!("{:.1}", papers::MAJORITY),
    ];
    row.resize(4 + 3 * CLASSES.len() + 4, String::new());
    row
}

fn push_quality(table: &mut Table, name: &str, run: &Run, paper: Option<f64>) {
    let mut row = vec![
        name.to_string(),
        format!("{:.2}", run.accuracy()),
        paper.map_or(String::new(), |p| format!("{p:.1}")),
        format!("{:.4}", run.test("log_loss")),
    ];
    for (class, _) in CLASSES {
        for key in ["precision", "recall", "f1"] {
            row.push(format!("{:.1}", 100.0 * run.of_class(class, key)));
        }
    }
    row.push(format!("{:.0}", run.training("features")));
    row.push(if run.training["cpu_seconds"].is_null() {
        format!("({:.1})", run.total_seconds)
    } else {
        seconds(run)
    });
    row.push(megabytes(run.training("peak_memory_bytes")));
    row.push(format!("{:.0}", run.training("model_bytes")));
    table.rows.push(row);
    table.commands.extend(run.commands.clone());
}
