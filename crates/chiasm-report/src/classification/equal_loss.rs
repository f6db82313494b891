//! Dual against primal MLR at an equal log loss: how much longer stochastic gradient descent takes to be as good on
//! pairs that were kept aside.

use super::experiments::{Experiments, Outcome, as_texts};
use super::runner::{Corpus, Run};
use chiasm_page::{Claim, Table};

/// First steps that are tried.
const RATES: [&str; 5] = ["0.01", "0.03", "0.1", "0.3", "1"];
/// Passes that are tried, until one is good enough.
const PASSES: [&str; 7] = ["1", "2", "5", "10", "20", "50", "100"];
/// Passes with which the rates are compared.
const TRIAL: &str = "5";
/// Nats by which a log loss may be higher and still count as equal.
const EQUAL: f64 = 0.001;

impl Experiments<'_> {
    /// The table of all seeds, and the claim.
    pub fn equal_loss(&mut self) -> Outcome<(Table, Claim)> {
        let seeds: &[&str] = if self.quick { &["1"] } else { &["1", "2", "3"] };
        let Some((rest, aside)) = self.repeats(1)?.pop() else {
            return Err(crate::Error::Request("no pairs to keep aside".into()));
        };
        let rate = self.best_rate(&rest, &aside)?;
        let mut table = Table {
            title: "Dual and primal MLR at an equal log loss".into(),
            note: format!(
                "S7, on pairs of the training text that were kept aside. The dual method as printed (ε = 0.1) sets the log loss; \
                 SGD, with the best of the rates {} after {TRIAL} passes ({rate}), makes as many passes as it takes to be \
                 within {EQUAL} nats of it, of {} at most. Seconds are those of training.",
                RATES.join(", "),
                PASSES[PASSES.len() - 1]
            ),
            columns: [
                "seed",
                "dual seconds",
                "dual log loss",
                "SGD passes",
                "SGD seconds",
                "SGD log loss",
                "ratio",
            ]
            .map(String::from)
            .to_vec(),
            rows: Vec::new(),
            commands: Vec::new(),
        };
        let mut ratios = Vec::new();
        for seed in seeds {
            let options = self.dual_options("0.1", seed);
            let dual = self.runner.train(&rest, &aside, &as_texts(&options))?;
            let (primal, passes) =
                self.as_good_by_sgd(&rest, &aside, (&rate, seed), dual.test("log_loss"))?;
            let ratio = primal.training("cpu_seconds") / dual.training("cpu_seconds");
            let reached = primal.test("log_loss") <= dual.test("log_loss") + EQUAL;
            ratios.push((ratio, reached));
            table.rows.push(vec![
                seed.to_string(),
                format!("{:.2}", dual.training("cpu_seconds")),
                format!("{:.4}", dual.test("log_loss")),
                if reached {
                    passes.into()
                } else {
                    format!("more than {passes}")
                },
                format!("{:.2}", primal.training("cpu_seconds")),
                format!("{:.4}", primal.test("log_loss")),
                format!("{ratio:.2}"),
            ]);
            table
                .commands
                .extend([dual.commands[0].clone(), primal.commands[0].clone()]);
        }
        let shown = ratios.iter().map(|(ratio, reached)| {
            let more = if *reached { "" } else { "more than " };
            format!("{more}{ratio:.2}")
        });
        let claim = Claim {
            text: "MLR: at an equal log loss the dual method (ε = 0.1) is four times as fast as SGD with the best rate".into(),
            found: format!("time ratios {}", shown.collect::<Vec<_>>().join(", ")),
            holds: ratios.iter().all(|(ratio, _)| *ratio >= 3.5),
        };
        Ok((table, claim))
    }

    fn best_rate(&mut self, rest: &Corpus, aside: &Corpus) -> Outcome<String> {
        let mut best = (f64::INFINITY, RATES[0]);
        for rate in RATES {
            let run = self.sgd(rest, aside, rate, TRIAL, "1")?;
            if run.test("log_loss") < best.0 {
                best = (run.test("log_loss"), rate);
            }
        }
        Ok(best.1.to_string())
    }

    fn as_good_by_sgd(
        &mut self,
        rest: &Corpus,
        aside: &Corpus,
        (rate, seed): (&str, &str),
        wanted: f64,
    ) -> Outcome<(Run, &'static str)> {
        let mut passes = PASSES.into_iter();
        let mut last = PASSES[0];
        let mut run = self.sgd(rest, aside, rate, last, seed)?;
        passes.next();
        for more in passes {
            if run.test("log_loss") <= wanted + EQUAL {
                break;
            }
            last = more;
            run = self.sgd(rest, aside, rate, last, seed)?;
        }
        Ok((run, last))
    }

    fn sgd(
        &mut self,
        rest: &Corpus,
        aside: &Corpus,
        rate: &str,
        passes: &str,
        seed: &str,
    ) -> Outcome<Run> {
        let mut options = self.primal_options(passes, seed);
        options.extend(["--rate".into(), rate.into()]);
        self.runner.train(rest, aside, &as_texts(&options))
    }
}
