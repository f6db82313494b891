//! Naive Bayes: NB Tables 3 and 5, Figures 1 and 2.

use super::experiments::{Experiments, Outcome, error, gain, strings};
use super::runner::{Corpus, Run};
use super::{papers, split};
use chiasm_page::{Figure, Item, Plot, Series, Table};

/// Points of NB Figure 1.
const RANKS: usize = 200;

impl Experiments<'_> {
    /// Naive Bayes with S7; its prior is chosen on pairs of the training text as the strengths of the others are.
    pub fn naive_bayes(&mut self, learner: &str) -> Outcome<Run> {
        self.run(&["--features", "S7", "--learner", learner, "--alpha", "auto"])
    }

    /// NB Table 3: three repeats, each with other sentences to score on, and the test text.
    pub fn naive_bayes_errors(&mut self) -> Outcome<Table> {
        let repeats: u64 = if self.quick { 1 } else { 3 };
        let parts = self.repeats(repeats)?;
        let mut table = Table {
            title: "NB Table 3: error in per cent".into(),
            note: "S7, α chosen on pairs of the training text. Each repeat learns from the training corpus without \
                   some sentence pairs, spread evenly and others each time, and is scored on those; then the test \
                   links, with 95 % intervals over sentences, and the gain over the lexicalised model."
                .into(),
            columns: strings(&["method", "paper"]),
            rows: Vec::new(),
            commands: Vec::new(),
        };
        let numbers = (1..=repeats).map(|repeat| format!("repeat {repeat}"));
        table.columns.extend(numbers);
        table
            .columns
            .extend(strings(&["mean", "spread", "test", "gain (* significant)"]));
        let lexicalised = self.lexicalised()?;
        for (method, paper) in papers::NAIVE_BAYES_ERRORS {
            let options: &[&str] = match method {
                "lexicalised" => &["--learner", "lexicalised"],
                other => &["--features", "S7", "--learner", other, "--alpha", "auto"],
            };
            let mut errors = Vec::new();
            for (rest, aside) in &parts {
                let run = self.runner.train(rest, aside, options)?;
                errors.push(run.error());
                table.commands.extend(run.commands);
            }
            let run = self.run(options)?;
            table.commands.extend(run.commands.clone());
            let mean = errors.iter().sum::<f64>() / errors.len() as f64;
            let largest = errors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let smallest = errors.iter().copied().fold(f64::INFINITY, f64::min);
            let mut row = vec![method.to_string(), format!("{paper:.2}")];
            row.extend(errors.iter().map(|error| format!("{error:.2}")));
            row.push(format!("{mean:.2}"));
            row.push(format!("{:.2}", largest - smallest));
            row.push(error(&run));
            row.push(if method == "lexicalised" {
                String::new()
            } else {
                gain(&run, &lexicalised)
            });
            table.rows.push(row);
        }
        Ok(table)
    }

    /// The training corpus in two, once a repeat: what is learned from and what is scored on.
    pub fn repeats(&mut self, repeats: u64) -> Outcome<Vec<(Corpus, Corpus)>> {
        let total = split::count(&self.training)?;
        let size = split::count(&self.test)?.min(total / 5).max(1);
        let folder = self.runner.folder.clone();
        let mut parts = Vec::new();
        for repeat in 0..repeats {
            let held_out = move |index: u64| {
                let shifted = index + repeat * (total / size / repeats).max(1);
                shifted * size / total != (shifted + 1) * size / total
            };
            let part = |name: &str, wanted: &dyn Fn(u64) -> bool| {
                split::part(&self.training, &folder, &format!("{name}-{repeat}"), wanted)
            };
            let rest = part("rest", &|index| !held_out(index))?;
            parts.push((rest, part("aside", &held_out)?));
        }
        Ok(parts)
    }

    /// NB Table 5: size and time.
    pub fn naive_bayes_sizes(&mut self) -> Outcome<Table> {
        let runs = [
            ("lexicalised", self.lexicalised()?),
            (
                "Bayesian",
                self.run(&[
                    "--features",
                    "S7",
                    "--learner",
                    "nb-bayes",
                    "--alpha",
                    "auto",
                    "--keep-counts",
                    "off",
                ])?,
            ),
        ];
        let sentences = split::count(&self.test)?.max(1) as f64;
        let mut table = Table {
            title: "NB Table 5: size in MB and seconds a sentence".into(),
            note: "The paper's seconds are of translation with Moses. Here they are processor seconds to score every \
                   phrase pair of a test sentence, reading and extraction included; seconds of translation stand in the \
                   report on translation. The lexicalised model is our binary one; a table of Moses is many times \
                   larger."
                .into(),
            columns: strings(&["model", "paper MB", "MB", "paper s", "s"]),
            rows: Vec::new(),
            commands: Vec::new(),
        };
        for ((name, run), (size, seconds)) in runs.into_iter().zip(papers::NAIVE_BAYES_SIZES) {
            table.rows.push(vec![
                name.into(),
                format!("{size:.0}"),
                format!("{:.2}", run.training("model_bytes") / 1e6),
                format!("{seconds:.1}"),
                format!("{:.5}", run.scoring_seconds / sentences),
            ]);
            table.commands.extend(run.commands);
        }
        Ok(table)
    }

    /// NB Figures 1 and 2: what features tell, and the error without those that tell least.
    pub fn selection(&mut self) -> Outcome<Vec<Item>> {
        let ranked = self.ranked()?;
        let values: Vec<f64> = ranked.training["information"]
            .as_array()
            .map(|list| list.iter().filter_map(|value| value.as_f64()).collect())
            .unwrap_or_default();
        let features = ranked.training("features");
        let last = values.len().saturating_sub(1).max(1) as f64;
        let points = values.iter().enumerate();
        let first = Figure {
            title: "NB Figure 1: normalised mutual information of all features".into(),
            note: "S7; features ranked from the lowest to the highest.".into(),
            plot: Plot {
                x_label: "rank".into(),
                y_label: "normalised mutual information".into(),
                logarithmic: false,
                series: vec![Series {
                    name: "features".into(),
                    points: points
                        .map(|(at, &y)| (at as f64 / last * features, y))
                        .collect(),
                }],
            },
            commands: vec![ranked.commands[0].clone()],
        };
        let mut commands = Vec::new();
        let mut points = vec![(0.0, ranked.error())];
        for share in self.shares_left_out() {
            let Some(run) = self.without(share)? else {
                break;
            };
            points.push((1.0 - run.training("features") / features, run.error()));
            commands.extend(run.commands);
        }
        let second = Figure {
            title: "NB Figure 2: error against the share of features left out".into(),
            note: "S7, the Bayesian model; those with the least mutual information are left out first.".into(),
            plot: Plot {
                x_label: "share of features left out".into(),
                y_label: "error %".into(),
                logarithmic: false,
                series: vec![Series {
                    name: "Bayesian".into(),
                    points,
                }],
            },
            commands,
        };
        Ok(vec![Item::Figure(first), Item::Figure(second)])
    }

    fn shares_left_out(&self) -> Vec<f64> {
        if self.quick {
            vec![0.5]
        } else {
            vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95]
        }
    }

    /// The Bayesian model of all features, and what each of them tells.
    pub fn ranked(&mut self) -> Outcome<Run> {
        let ranks = RANKS.to_string();
        self.run(&[
            "--features",
            "S7",
            "--learner",
            "nb-bayes",
            "--alpha",
            "auto",
            "--information",
            &ranks,
        ])
    }

    /// The Bayesian model without about this share of the features; none if nothing would be left.
    pub fn without(&mut self, share: f64) -> Outcome<Option<Run>> {
        let ranked = self.ranked()?;
        let at = (share * RANKS as f64).round() as usize;
        let Some(threshold) = ranked.training["information"][at].as_f64() else {
            return Ok(None);
        };
        let threshold = threshold.to_string();
        let run = self.run(&[
            "--features",
            "S7",
            "--learner",
            "nb-bayes",
            "--alpha",
            "auto",
            "--select",
            &threshold,
        ])?;
        Ok(Some(run))
    }
}
