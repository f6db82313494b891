//! Multinomial logistic regression, primal and dual: MLR Table 2 and Figure 1.

use super::experiments::{Experiments, Outcome, as_texts, error, seconds, strings};
use super::papers;
use super::runner::Run;
use chiasm_page::{Figure, Item, Plot, Series, Table};

/// The paper trains both for so many iterations.
const ITERATIONS: &str = "100";

impl Experiments<'_> {
    /// MLR Table 2 and Figure 1.
    pub fn dual_and_primal(&mut self) -> Outcome<Vec<Item>> {
        let mut table = Table {
            title: "MLR Table 2: training time and error".into(),
            note: "S7, at most 100 iterations; single examples, visited and removed as the paper prints it. Primal is \
                   stochastic gradient descent. The paper's minutes and ours compare in their ratios alone. Below the \
                   line: L-BFGS and our dual method with exact shrinking, which end at the gap."
                .into(),
            columns: strings(&[
                "method",
                "paper min",
                "seconds",
                "paper error %",
                "error %",
                "log loss",
                "iterations",
                "converged",
                "relative gap",
            ]),
            rows: Vec::new(),
            commands: Vec::new(),
        };
        let mut series = Vec::new();
        for (name, minutes, paper) in papers::LOGISTIC {
            let run = match name.strip_prefix("dual, ε = ") {
                Some(epsilon) => self.dual_as_printed(epsilon, "1")?,
                None => self.primal("1")?,
            };
            push(&mut table, name, &run, Some((minutes, paper)));
            if name.starts_with("dual") {
                series.push(active_series(name, &run));
            }
        }
        for (name, learner) in [
            ("primal, L-BFGS", "lbfgs"),
            ("dual, exact shrinking", "dual"),
        ] {
            let run = self.maxent("S7", learner)?;
            push(&mut table, name, &run, None);
        }
        let figure = Figure {
            title: "MLR Figure 1: active phrase pairs in per cent".into(),
            note: "The share of the phrase pairs that each iteration visits, for each ε; the first 20 iterations.".into(),
            plot: Plot {
                x_label: "iteration".into(),
                y_label: "active phrase pairs %".into(),
                logarithmic: false,
                series,
            },
            commands: table.commands.clone(),
        };
        Ok(vec![Item::Table(table), Item::Figure(figure)])
    }

    /// The dual method as it is printed.
    pub fn dual_as_printed(&mut self, epsilon: &str, seed: &str) -> Outcome<Run> {
        let options = self.dual_options(epsilon, seed);
        self.run(&as_texts(&options))
    }

    /// What `dual_as_printed` trains with.
    pub fn dual_options(&self, epsilon: &str, seed: &str) -> Vec<String> {
        strings(&[
            "--features",
            "S7",
            "--learner",
            "dual",
            "--sigma2",
            &self.sigma2,
            "--iterations",
            ITERATIONS,
            "--shrink",
            "paper",
            "--epsilon",
            epsilon,
            "--seed",
            seed,
        ])
    }

    /// Stochastic gradient descent.
    pub fn primal(&mut self, seed: &str) -> Outcome<Run> {
        let options = self.primal_options(ITERATIONS, seed);
        self.run(&as_texts(&options))
    }

    /// What `primal` trains with.
    pub fn primal_options(&self, passes: &str, seed: &str) -> Vec<String> {
        strings(&[
            "--features",
            "S7",
            "--learner",
            "sgd",
            "--sigma2",
            &self.sigma2,
            "--iterations",
            passes,
            "--seed",
            seed,
        ])
    }
}

fn push(table: &mut Table, name: &str, run: &Run, paper: Option<(f64, f64)>) {
    let gap = run.training("relative_gap");
    table.rows.push(vec![
        name.into(),
        paper.map_or(String::new(), |(minutes, _)| format!("{minutes:.0}")),
        seconds(run),
        paper.map_or(String::new(), |(_, error)| format!("{error:.2}")),
        error(run),
        format!("{:.4}", run.test("log_loss")),
        format!("{}", run.training("iterations")),
        if run.training["converged"] == true {
            "yes"
        } else {
            "no"
        }
        .into(),
        if gap.is_nan() {
            String::new()
        } else {
            format!("{gap:.1e}")
        },
    ]);
    table.commands.extend(run.commands.clone());
}

/// The share of active phrase pairs in the first twenty iterations.
pub fn active_series(name: &str, run: &Run) -> Series {
    let shares = run.training["active_share"].as_array();
    let shares = shares
        .into_iter()
        .flatten()
        .filter_map(|share| share.as_f64());
    Series {
        name: name.into(),
        points: shares
            .take(20)
            .enumerate()
            .map(|(at, share)| (at as f64 + 1.0, 100.0 * share))
            .collect(),
    }
}
