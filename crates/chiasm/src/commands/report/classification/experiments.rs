//! Which models are trained, and the tables and figures that come of them.

use super::super::page::{Figure, Item, Table};
use super::super::svg::{Plot, Series};
use super::papers;
use super::runner::{Corpus, Run, Runner};
use super::split;

/// Everything that the measurements need.
pub struct Experiments<'a> {
    /// Runs commands.
    pub runner: Runner<'a>,
    /// What is learned from.
    pub training: Corpus,
    /// What is scored on.
    pub test: Corpus,
    /// Of the SVM.
    pub c: String,
    /// Of MaxEnt.
    pub sigma2: String,
    /// Fewer sets, sizes and repeats.
    pub quick: bool,
}

type Outcome<T> = anyhow::Result<T>;

impl Experiments<'_> {
    /// All tables and figures.
    pub fn all(&mut self) -> Outcome<Vec<Item>> {
        let mut items = Vec::new();
        items.push(Item::Heading("Feature sets (SVM, Tables 4 to 7)".into()));
        items.extend(self.feature_sets()?);
        items.push(Item::Table(self.maxent_beside_svm()?));
        items.extend(self.growth()?);
        items.push(Item::Heading("Word classes as features".into()));
        items.push(Item::Table(self.word_classes()?));
        items.push(Item::Heading(
            "Naive Bayes (NB, Tables 3 and 5, Figures 1 and 2)".into(),
        ));
        items.push(Item::Table(self.repeats()?));
        items.push(Item::Table(self.sizes()?));
        items.extend(self.selection()?);
        items.push(Item::Heading(
            "Multinomial logistic regression (MLR, Table 2, Figure 1)".into(),
        ));
        items.extend(self.dual_and_primal()?);
        Ok(items)
    }

    fn run(&mut self, options: &[&str]) -> Outcome<Run> {
        let (training, test) = (self.training.clone(), self.test.clone());
        self.runner.train(&training, &test, options)
    }

    fn lexicalised(&mut self) -> Outcome<Run> {
        self.run(&["--learner", "lexicalised"])
    }

    fn svm(&mut self, set: &str) -> Outcome<Run> {
        let c = self.c.clone();
        self.run(&["--features", set, "--learner", "svm", "--c", &c])
    }

    fn maxent(&mut self, set: &str, learner: &str) -> Outcome<Run> {
        let sigma2 = self.sigma2.clone();
        self.run(&["--features", set, "--learner", learner, "--sigma2", &sigma2])
    }

    fn sets(&self) -> Vec<usize> {
        if self.quick {
            vec![3, 4, 7, 9]
        } else {
            (1..=15).collect()
        }
    }

    /// SVM Tables 4 to 6: all sets, with the majority class and the lexicalised model first.
    fn feature_sets(&mut self) -> Outcome<Vec<Item>> {
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
    fn maxent_beside_svm(&mut self) -> Outcome<Table> {
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

    /// SVM Figures 1 and 2: time and memory against the number of sentence pairs.
    fn growth(&mut self) -> Outcome<Vec<Item>> {
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
                let (c, sigma2) = (self.c.clone(), self.sigma2.clone());
                let options: [&str; 6] = match *learner {
                    "svm" => ["--features", "S7", "--learner", "svm", "--c", &c],
                    other => ["--features", "S7", "--learner", other, "--sigma2", &sigma2],
                };
                let test = self.test.clone();
                let run = self.runner.train(&part, &test, &options)?;
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

    /// Classes beside words and in their place.
    fn word_classes(&mut self) -> Outcome<Table> {
        let sets: &[&str] = if self.quick {
            &["S7"]
        } else {
            &["S6", "S7", "S9", "S12", "S15"]
        };
        let mut table =
            quality_table("SVM with word classes (exchange clustering, 50 classes a side)");
        table.note.push_str(
            " +classes: every part with words and with classes; /classes: with classes only.",
        );
        for set in sets {
            for name in [
                set.to_string(),
                format!("{set}+classes"),
                format!("{set}/classes"),
            ] {
                let run = self.svm(&name)?;
                push_quality(&mut table, &name, &run, papers::svm_accuracy(&name));
            }
        }
        Ok(table)
    }

    /// NB Table 3: three repeats, each with other sentences to score on.
    fn repeats(&mut self) -> Outcome<Table> {
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
    fn sizes(&mut self) -> Outcome<Table> {
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
        let bytes = std::fs::metadata(&table_path)?.len() as f64;
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
        let c = self.c.clone();
        let models: [(&str, Vec<&str>); 6] = [
            ("lexicalised, binary", vec!["--learner", "lexicalised"]),
            (
                "naive Bayes MAP, S7",
                vec!["--learner", "nb-map", "--keep-counts", "off"],
            ),
            (
                "SVM S7, 32 bits",
                vec![
                    "--features",
                    "S7",
                    "--learner",
                    "svm",
                    "--c",
                    &c,
                    "--bits",
                    "32",
                ],
            ),
            (
                "SVM S7, 16 bits",
                vec![
                    "--features",
                    "S7",
                    "--learner",
                    "svm",
                    "--c",
                    &c,
                    "--bits",
                    "16",
                ],
            ),
            (
                "SVM S7, 8 bits",
                vec![
                    "--features",
                    "S7",
                    "--learner",
                    "svm",
                    "--c",
                    &c,
                    "--bits",
                    "8",
                ],
            ),
            (
                "SVM S6, 8 bits",
                vec![
                    "--features",
                    "S6",
                    "--learner",
                    "svm",
                    "--c",
                    &c,
                    "--bits",
                    "8",
                ],
            ),
        ];
        for (name, options) in models {
            let run = self.run(&options)?;
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
    fn selection(&mut self) -> Outcome<Vec<Item>> {
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
                let x: f64 = threshold.parse()?;
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

    /// MLR Table 2 and Figure 1.
    fn dual_and_primal(&mut self) -> Outcome<Vec<Item>> {
        let sigma2 = self.sigma2.clone();
        let common = [
            "--features",
            "S7",
            "--sigma2",
            &sigma2,
            "--iterations",
            "100",
        ];
        let methods: [(&str, Vec<&str>, Option<f64>); 6] = [
            (
                "primal, SGD",
                vec!["--learner", "sgd"],
                papers::mlr_error("primal"),
            ),
            ("primal, L-BFGS", vec!["--learner", "lbfgs"], None),
            (
                "dual, ε = 0.01",
                vec![
                    "--learner",
                    "dual",
                    "--shrink",
                    "paper",
                    "--epsilon",
                    "0.01",
                ],
                papers::mlr_error("0.01"),
            ),
            (
                "dual, ε = 0.1",
                vec!["--learner", "dual", "--shrink", "paper", "--epsilon", "0.1"],
                papers::mlr_error("0.1"),
            ),
            (
                "dual, ε = 1",
                vec!["--learner", "dual", "--shrink", "paper", "--epsilon", "1"],
                papers::mlr_error("1"),
            ),
            ("dual, exact shrinking", vec!["--learner", "dual"], None),
        ];
        let mut table = Table {
            title: "MLR Table 2: primal and dual".into(),
            note: "S7, at most 100 iterations, ε-shrinking as printed in the paper, and exact shrinking, which ends at a \
                   relative gap of 0.001. The paper: the dual with ε = 0.1 four times faster than the primal."
                .into(),
            columns: strings(&[
                "method", "error %", "paper %", "log loss", "iterations", "seconds", "relative gap", "mean active share",
            ]),
            rows: Vec::new(),
            commands: Vec::new(),
        };
        let mut series = Vec::new();
        for (name, options, paper) in methods {
            let options = [&common[..], &options[..]].concat();
            let run = self.run(&options)?;
            let shares: Vec<f64> = run.training["active_share"]
                .as_array()
                .map(|shares| shares.iter().filter_map(|share| share.as_f64()).collect())
                .unwrap_or_default();
            let gap = run.training("relative_gap");
            table.rows.push(vec![
                name.into(),
                format!("{:.2}", run.error()),
                paper.map_or(String::new(), |p| format!("{p:.2}")),
                format!("{:.4}", run.test("log_loss")),
                format!("{}", run.training("iterations")),
                seconds(&run),
                if gap.is_nan() {
                    String::new()
                } else {
                    format!("{gap:.1e}")
                },
                format!(
                    "{:.3}",
                    shares.iter().sum::<f64>() / shares.len().max(1) as f64
                ),
            ]);
            table.commands.extend(run.commands.clone());
            if name.starts_with("dual") {
                let numbered = shares.iter().enumerate();
                series.push(Series {
                    name: name.into(),
                    points: numbered
                        .map(|(i, &share)| (i as f64 + 1.0, 100.0 * share))
                        .collect(),
                });
            }
        }
        let figure = Figure {
            title: "MLR Figure 1: active examples".into(),
            note: "The share of the examples that each iteration of the dual method looks at."
                .into(),
            plot: Plot {
                x_label: "iteration".into(),
                y_label: "active examples %".into(),
                logarithmic: false,
                series,
            },
            commands: table.commands.clone(),
        };
        Ok(vec![Item::Table(table), Item::Figure(figure)])
    }
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

fn seconds(run: &Run) -> String {
    format!(
        "{:.1} ({:.1})",
        run.training("cpu_seconds"),
        run.total_seconds
    )
}

fn megabytes(bytes: f64) -> String {
    format!("{:.0}", bytes / 1e6)
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
