//! Naive Bayes: NB Tables 3 and 5, Figures 1 and 2.

use super::experiments::{Experiments, Outcome, as_texts, strings};
use super::runner::Run;
use super::{papers, split};
use crate::page::{Figure, Item, Table};
use crate::svg::{Plot, Series};

impl Experiments<'_> {
    /// NB Table 3: three repeats, each with other sentences to score on.
    pub fn repeats(&mut self) -> Outcome<Table> {
        let repeats: u64 = if self.quick { 1 } else { 3 };
        let total = split::count(&self.training)?;
        let size = split::count(&self.test)?.min(total / 5).max(1);
        let mut table = Table {
            title: "NB Table 3: error in per cent".into(),
            note: format!(
                "Each repeat learns from the training corpus without {size} sentence pairs, spread evenly and others \
                 each time, and is scored on those; S7. The mean and the spread (largest minus smallest) of the repeats."
            ),
            columns: strings(&["method"]),
            rows: Vec::new(),
            commands: Vec::new(),
        };
        table
            .columns
            .extend((1..=repeats).map(|repeat| format!("repeat {repeat}")));
        table
            .columns
            .extend(strings(&["mean", "spread", "test links", "paper"]));
        let mut parts = Vec::new();
        for repeat in 0..repeats {
            let held_out = move |index: u64| {
                let shifted = index + repeat * (total / size / repeats.max(1)).max(1);
                shifted * size / total != (shifted + 1) * size / total
            };
            let folder = self.runner.folder.clone();
            let rest = split::part(&self.training, &folder, &format!("rest-{repeat}"), |i| {
                !held_out(i)
            })?;
            let aside = split::part(
                &self.training,
                &folder,
                &format!("aside-{repeat}"),
                held_out,
            )?;
            parts.push((rest, aside));
        }
        for method in ["majority", "lexicalised", "nb-map", "nb-bayes"] {
            let options: &[&str] = match method {
                "majority" | "lexicalised" => &["--learner", "lexicalised"],
                other => &["--features", "S7", "--learner", other],
            };
            let error = |run: &Run| match method {
                "majority" => 100.0 * (1.0 - run.test("majority_accuracy")),
                _ => run.error(),
            };
            let mut errors = Vec::new();
            for (rest, aside) in &parts {
                let run = self.runner.train(rest, aside, options)?;
                errors.push(error(&run));
                table.commands.extend(run.commands);
            }
            let on_test = error(&self.run(options)?);
            let mean = errors.iter().sum::<f64>() / errors.len() as f64;
            let largest = errors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let smallest = errors.iter().copied().fold(f64::INFINITY, f64::min);
            let mut row = vec![method.to_string()];
            row.extend(errors.iter().map(|error| format!("{error:.2}")));
            row.push(format!("{mean:.2}"));
            row.push(format!("{:.2}", largest - smallest));
            row.push(format!("{on_test:.2}"));
            let paper = match method {
                "majority" => Some(100.0 - papers::MAJORITY),
                _ => papers::naive_bayes_error(method),
            };
            row.push(paper.map_or(String::new(), |p| format!("{p:.2}")));
            table.rows.push(row);
        }
        Ok(table)
    }

    /// NB Table 5: sizes on disk.
    pub fn sizes(&mut self) -> Outcome<Table> {
        let table_path = self.runner.folder.join("table.gz").display().to_string();
        let mut command: Vec<String> =
            strings(&["reorder", "table", "--model", "hier-msd-backward-fe"]);
        for (name, path) in [
            ("--source", &self.training.source),
            ("--target", &self.training.target),
            ("--links", &self.training.links),
            ("-o", &table_path.clone().into()),
        ] {
            command.push(name.into());
            command.push(path.display().to_string());
        }
        command.push("--json".into());
        self.runner.run(&command)?;
        let bytes = std::fs::metadata(&table_path)
            .map_err(|error| chiasm_store::Error::io(&table_path, error))?
            .len() as f64;
        let mut table = Table {
            title: "NB Table 5: sizes on disk".into(),
            note: "Backward models. The papers: 604 MB lexicalised, 18 MB naive Bayes (NB); 5.9 GB lexicalised, 0.7 GB \
                   S6, 0.1 GB S7 (SVM)."
                .into(),
            columns: strings(&["model", "features", "bytes", "share of the gzipped table"]),
            rows: vec![vec![
                "Moses reordering table, gzipped".into(),
                String::new(),
                format!("{bytes:.0}"),
                "1".into(),
            ]],
            commands: vec![super::runner::shown(&command)],
        };
        let mut models = vec![
            (
                "lexicalised, binary",
                strings(&["--learner", "lexicalised"]),
            ),
            (
                "naive Bayes MAP, S7",
                strings(&[
                    "--features",
                    "S7",
                    "--learner",
                    "nb-map",
                    "--keep-counts",
                    "off",
                ]),
            ),
        ];
        for (name, set, bits) in [
            ("SVM S7, 32 bits", "S7", "32"),
            ("SVM S7, 16 bits", "S7", "16"),
            ("SVM S7, 8 bits", "S7", "8"),
            ("SVM S6, 8 bits", "S6", "8"),
        ] {
            let mut options = self.svm_options(set);
            options.extend(strings(&["--bits", bits]));
            models.push((name, options));
        }
        for (name, options) in models {
            let run = self.run(&as_texts(&options))?;
            let size = run.training("model_bytes");
            table.rows.push(vec![
                format!("{name} (accuracy {:.2} %)", run.accuracy()),
                format!("{:.0}", run.training("features")),
                format!("{size:.0}"),
                format!("1/{:.1}", bytes / size),
            ]);
            table.commands.push(run.commands[0].clone());
        }
        Ok(table)
    }

    /// NB Figures 1 and 2: error and features against the threshold of mutual information.
    pub fn selection(&mut self) -> Outcome<Vec<Item>> {
        let thresholds: &[&str] = if self.quick {
            &["0.001", "0.01"]
        } else {
            &[
                "0.0001", "0.0005", "0.001", "0.002", "0.005", "0.01", "0.02", "0.05",
            ]
        };
        let methods = [("MAP", "nb-map"), ("Bayesian", "nb-bayes")];
        let mut errors: Vec<Series> = Vec::new();
        let mut features = Series {
            name: "features left".into(),
            points: Vec::new(),
        };
        let mut commands = Vec::new();
        for (name, learner) in methods {
            let mut points = Vec::new();
            for threshold in thresholds {
                let options = [
                    "--features",
                    "S7",
                    "--learner",
                    learner,
                    "--select",
                    threshold,
                ];
                let run = match self.run(&options) {
                    Ok(run) => run,
                    // A threshold that no feature of this corpus reaches ends the line.
                    Err(error) if error.to_string().contains("no features left") => break,
                    Err(error) => return Err(error),
                };
                let x: f64 = threshold.parse().unwrap_or(f64::NAN);
                points.push((x, run.error()));
                if learner == "nb-map" {
                    features.points.push((x, run.training("features")));
                }
                commands.extend(run.commands);
            }
            errors.push(Series {
                name: name.into(),
                points,
            });
        }
        let figure = |title: &str, label: &str, series: Vec<Series>| {
            Item::Figure(Figure {
                title: title.into(),
                note: "S7; features whose normalised mutual information with the class is below the threshold are \
                       dropped."
                    .into(),
                plot: Plot {
                    x_label: "threshold".into(),
                    y_label: label.into(),
                    logarithmic: true,
                    series,
                },
                commands: commands.clone(),
            })
        };
        Ok(vec![
            figure("NB Figure 1: error", "error %", errors),
            figure("NB Figure 2: features", "features", vec![features]),
        ])
    }
}
