//! The feature sets: SVM Tables 4 to 7 and Figure 1.

use super::experiments::{Experiments, Outcome, accuracy, as_texts, gain, seconds, strings};
use super::logistic::active_series;
use super::papers::{self, SetRow};
use super::runner::Run;
use chiasm_page::{Figure, Plot, Table};

/// The classes in the papers' order.
pub const CLASSES: [(&str, &str); 3] = [("monotone", "M"), ("swap", "S"), ("discontinuous", "D")];

impl Experiments<'_> {
    /// SVM Table 4: confusions of the lexicalised model.
    pub fn lexicalised_confusion(&mut self) -> Outcome<Table> {
        let run = self.lexicalised()?;
        let total = run.test("examples");
        let mut table = Table {
            title: "SVM Table 4: the lexicalised model".into(),
            note: "Rows are the truth, columns the answers, in per cent of all examples; recall, precision and F1 of each \
                   class (the paper prints recall as precision and precision as recall). First ours, then the paper's."
                .into(),
            columns: strings(&["truth", "mono", "swap", "disc", "recall", "precision", "F1"]),
            rows: Vec::new(),
            commands: run.commands.to_vec(),
        };
        for (truth, (name, _)) in CLASSES.iter().enumerate() {
            let mut row = vec![name.to_string()];
            for answer in 0..CLASSES.len() {
                let count = run.test["confusion"][truth][answer].as_f64();
                row.push(format!("{:.1}", 100.0 * count.unwrap_or(f64::NAN) / total));
            }
            for key in ["recall", "precision", "f1"] {
                row.push(format!("{:.1}", 100.0 * run.of_class(name, key)));
            }
            table.rows.push(row);
        }
        table.rows.push(wide_row("accuracy", accuracy(&run)));
        for (truth, (name, _)) in CLASSES.iter().enumerate() {
            let mut row = vec![format!("paper: {name}")];
            let shares = papers::LEXICALISED_CONFUSION[truth].iter();
            let qualities = papers::LEXICALISED_CLASSES[truth].iter();
            row.extend(shares.chain(qualities).map(|share| format!("{share:.1}")));
            table.rows.push(row);
        }
        let paper = format!("{:.1}", papers::LEXICALISED_ACCURACY);
        table.rows.push(wide_row("paper: accuracy", paper));
        Ok(table)
    }

    /// SVM Table 5: MaxEnt with all sets.
    pub fn maxent_sets(&mut self) -> Outcome<Table> {
        let mut table = sets_table("SVM Table 5: MaxEnt (L-BFGS)");
        for number in self.sets() {
            let run = self.maxent(&format!("S{number}"), "lbfgs")?;
            self.push_set(&mut table, number, &run, papers::MAXENT[number - 1])?;
        }
        Ok(table)
    }

    /// SVM Table 6: the SVM with all sets.
    pub fn svm_sets(&mut self) -> Outcome<Table> {
        let mut table = sets_table("SVM Table 6: multiclass SVM");
        for number in self.sets() {
            let run = self.svm(&format!("S{number}"))?;
            self.push_set(&mut table, number, &run, papers::SVM[number - 1])?;
        }
        Ok(table)
    }

    fn push_set(
        &mut self,
        table: &mut Table,
        number: usize,
        run: &Run,
        paper: SetRow,
    ) -> Outcome<()> {
        let lexicalised = self.lexicalised()?;
        let mut row = vec![
            format!("S{number}"),
            format!("{:.0}", paper.minutes),
            seconds(run),
            format!("{:.1}", paper.accuracy),
            accuracy(run),
            gain(run, &lexicalised),
        ];
        for (at, (class, _)) in CLASSES.iter().enumerate() {
            for key in ["recall", "precision", "f1"] {
                row.push(format!("{:.1}", 100.0 * run.of_class(class, key)));
            }
            row.push(format!("{:.1}", paper.f1[at]));
        }
        table.rows.push(row);
        table.commands.extend(run.commands.clone());
        Ok(())
    }

    /// SVM Figure 1: active phrase pairs, SVM against dual MLR.
    pub fn active_pairs(&mut self) -> Outcome<Figure> {
        let svm = self.svm_as_printed("1")?;
        let dual = self.dual_as_printed("0.1", "1")?;
        Ok(Figure {
            title: "SVM Figure 1: active phrase pairs during training".into(),
            note: "S7, ε = 0.1, both methods as they are printed; the first 20 iterations.".into(),
            plot: Plot {
                x_label: "iteration".into(),
                y_label: "active phrase pairs %".into(),
                logarithmic: false,
                series: vec![
                    active_series("multiclass SVM", &svm),
                    active_series("dual MLR", &dual),
                ],
            },
            commands: [svm.commands, dual.commands].concat(),
        })
    }

    /// The SVM as it is printed.
    pub fn svm_as_printed(&mut self, seed: &str) -> Outcome<Run> {
        let c = self.c.clone();
        self.run(&[
            "--features",
            "S7",
            "--learner",
            "svm",
            "--c",
            &c,
            "--iterations",
            "100",
            "--shrink",
            "paper",
            "--epsilon",
            "0.1",
            "--seed",
            seed,
        ])
    }

    /// SVM Table 7: parameters and sizes.
    pub fn parameters(&mut self) -> Outcome<Table> {
        let mut table = Table {
            title: "SVM Table 7: millions of parameters and GB on disk".into(),
            note: "Ours in binary files; the lexicalised one holds a row of probabilities a phrase pair. Below: the same \
                   with weights in fewer bits, and a table of Moses, compressed."
                .into(),
            columns: strings(&[
                "model",
                "paper, millions",
                "millions",
                "paper GB",
                "GB",
                "accuracy %",
            ]),
            rows: Vec::new(),
            commands: Vec::new(),
        };
        for (name, millions, gigabytes) in papers::SIZES {
            let run = match name.strip_prefix("SVM ") {
                Some(set) => self.svm(set)?,
                None => self.lexicalised()?,
            };
            push_size(&mut table, name, &run, Some((millions, gigabytes)));
        }
        for (set, bits) in [("S6", "16"), ("S6", "8"), ("S7", "16"), ("S7", "8")] {
            let mut options = self.svm_options(set);
            options.extend(strings(&["--bits", bits]));
            let run = self.run(&as_texts(&options))?;
            push_size(&mut table, &format!("SVM {set}, {bits} bits"), &run, None);
        }
        let (bytes, command) = self.moses_table()?;
        table.rows.push(vec![
            "table of Moses, gzipped".into(),
            String::new(),
            String::new(),
            String::new(),
            format!("{:.4}", bytes / 1e9),
            String::new(),
        ]);
        table.commands.push(command);
        Ok(table)
    }

    /// Bytes of the lexicalised model as a table of Moses, and how it was written.
    fn moses_table(&mut self) -> Outcome<(f64, String)> {
        let path = self.runner.folder.join("table.gz");
        let mut command = strings(&["reorder", "table", "--model", "hier-msd-backward-fe"]);
        for (name, file) in [
            ("--source", &self.training.source),
            ("--target", &self.training.target),
            ("--links", &self.training.links),
            ("-o", &path),
        ] {
            command.push(name.into());
            command.push(file.display().to_string());
        }
        command.push("--json".into());
        self.runner.run(&command)?;
        let metadata = std::fs::metadata(&path);
        let bytes = metadata.map_err(|error| chiasm_store::Error::io(&path, error))?;
        Ok((bytes.len() as f64, super::runner::shown(&command)))
    }
}

fn push_size(table: &mut Table, name: &str, run: &Run, paper: Option<(f64, f64)>) {
    table.rows.push(vec![
        name.into(),
        paper.map_or(String::new(), |(millions, _)| format!("{millions:.1}")),
        format!("{:.3}", run.training("parameters") / 1e6),
        paper.map_or(String::new(), |(_, gigabytes)| format!("{gigabytes:.1}")),
        format!("{:.4}", run.training("model_bytes") / 1e9),
        format!("{:.2}", run.accuracy()),
    ]);
    table.commands.push(run.commands[0].clone());
}

fn wide_row(name: &str, value: String) -> Vec<String> {
    let mut row = vec![name.to_string(), value];
    row.resize(7, String::new());
    row
}

fn sets_table(title: &str) -> Table {
    let mut columns = strings(&[
        "set",
        "paper min",
        "seconds",
        "paper acc. %",
        "accuracy %",
        "gain over lexicalised (* significant)",
    ]);
    for (_, letter) in CLASSES {
        let names = ["recall", "precision", "F1", "paper F1"];
        columns.extend(names.map(|name| format!("{letter} {name}")));
    }
    Table {
        title: title.into(),
        note: "All sets with one strength. Recall is the share of a class that was found (the paper prints recall as \
               precision and precision as recall). Accuracy with its 95 % interval over sentences; the gain is paired."
            .into(),
        columns,
        rows: Vec::new(),
        commands: Vec::new(),
    }
}
