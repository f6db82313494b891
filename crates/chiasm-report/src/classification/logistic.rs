//! Multinomial logistic regression, primal and dual: MLR Table 2 and Figure 1.

use super::experiments::{Experiments, Outcome, seconds, strings};
use super::papers;
use crate::page::{Figure, Item, Table};
use crate::svg::{Plot, Series};

impl Experiments<'_> {
    /// MLR Table 2 and Figure 1.
    pub fn dual_and_primal(&mut self) -> Outcome<Vec<Item>> {
        let (sigma2, gap) = (self.sigma2.clone(), self.gap.clone());
        let common = [
            "--features",
            "S7",
            "--sigma2",
            &sigma2,
            "--iterations",
            "100",
            "--gap",
            &gap,
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
            note: format!(
                "S7, at most 100 iterations, ε-shrinking as printed in the paper, and exact shrinking, which ends at a \
                 relative gap of {gap}, as L-BFGS does. The paper: the dual with ε = 0.1 four times faster than the \
                 primal."
            ),
            columns: strings(&[
                "method",
                "error %",
                "paper %",
                "log loss",
                "iterations",
                "seconds",
                "relative gap",
                "mean active share",
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
