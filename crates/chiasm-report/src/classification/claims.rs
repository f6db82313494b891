//! What the papers claim, tested on the corpus at hand.

use super::experiments::{Experiments, Outcome};
use super::interval::{Interval, difference};
use super::runner::Run;
use chiasm_page::Claim;

/// Points of accuracy that "as good as" allows.
const MARGIN: f64 = 0.2;

impl Experiments<'_> {
    /// The claims; a claim holds only if the test says so.
    pub fn claims(&mut self) -> Outcome<Vec<Claim>> {
        let lexicalised = self.lexicalised()?;
        let mut claims = Vec::new();
        for (name, learner) in [("MAP", "nb-map"), ("Bayesian", "nb-bayes")] {
            let run = self.naive_bayes(learner)?;
            claims.push(better(
                &format!("NB: naive Bayes ({name}, S7) errs less than the lexicalised model"),
                &run,
                &lexicalised,
            ));
        }
        if let Some(half) = self.without(0.5)? {
            let all = self.ranked()?;
            claims.push(as_good(
                "NB: the Bayesian model is as good with half of the features",
                &half,
                &all,
            ));
        }
        let lbfgs = self.maxent("S7", "lbfgs")?;
        let svm = self.svm("S7")?;
        claims.push(better(
            "SVM: the SVM (S7) errs less than the lexicalised model",
            &svm,
            &lexicalised,
        ));
        claims.push(as_good(
            "SVM: the SVM (S7) is as good as MaxEnt",
            &svm,
            &lbfgs,
        ));
        claims.push(ratio(
            "SVM: the SVM trains nearly four times as fast as MaxEnt",
            (&lbfgs, &svm),
            "cpu_seconds",
            3.5,
        ));
        claims.push(ratio(
            "SVM: the SVM needs half the memory of MaxEnt",
            (&lbfgs, &svm),
            "peak_memory_bytes",
            2.0,
        ));
        claims.extend(self.dual_claims()?);
        Ok(claims)
    }

    /// The dual method against the primal one, over three seeds.
    fn dual_claims(&mut self) -> Outcome<Vec<Claim>> {
        let seeds: &[&str] = if self.quick { &["1"] } else { &["1", "2", "3"] };
        let (mut ratios, mut shares, mut losses) = (Vec::new(), Vec::new(), Vec::new());
        for seed in seeds {
            let primal = self.primal(seed)?;
            let dual = self.dual_as_printed("0.1", seed)?;
            ratios.push(primal.training("cpu_seconds") / dual.training("cpu_seconds"));
            losses.push(dual.test("log_loss") - primal.test("log_loss"));
            let after_two = dual.training["active_share"][2].as_f64().unwrap_or(0.0);
            shares.push(100.0 * after_two);
        }
        let shown = |values: &[f64]| {
            let texts = values.iter().map(|value| format!("{value:.3}"));
            texts.collect::<Vec<_>>().join(", ")
        };
        let equal = losses.iter().all(|&loss| loss < 0.01);
        Ok(vec![
            Claim {
                text: "MLR: the dual method (ε = 0.1) is four times as fast as the primal one (SGD), at no worse a log loss".into(),
                found: format!(
                    "time ratios of {} seeds {}; log loss higher by {}",
                    seeds.len(),
                    shown(&ratios),
                    shown(&losses)
                ),
                holds: equal && ratios.iter().all(|&ratio| ratio >= 3.5),
            },
            Claim {
                text: "MLR: more than 99 % of the phrase pairs are left out after two iterations (ε = 0.1)".into(),
                found: format!("active after two iterations: {} %", shown(&shares)),
                holds: shares.iter().all(|&share| share < 1.0),
            },
        ])
    }
}

fn better(text: &str, run: &Run, over: &Run) -> Claim {
    let interval = difference(&run.sentences, &over.sentences);
    Claim {
        text: text.into(),
        found: found(interval),
        holds: interval.is_some_and(|interval| interval.low > 0.0),
    }
}

fn as_good(text: &str, run: &Run, over: &Run) -> Claim {
    let interval = difference(&run.sentences, &over.sentences);
    Claim {
        text: format!("{text} (less than {MARGIN} points worse)"),
        found: found(interval),
        holds: interval.is_some_and(|interval| interval.low > -MARGIN),
    }
}

fn found(interval: Option<Interval>) -> String {
    interval.map_or("not measured".into(), |interval| {
        format!(
            "accuracy {} points (95 % interval over sentences)",
            interval.shown()
        )
    })
}

/// How many times as much of something the first takes; one run, so there is no interval.
fn ratio(text: &str, runs: (&Run, &Run), key: &str, least: f64) -> Claim {
    let ratio = runs.0.training(key) / runs.1.training(key);
    Claim {
        text: text.into(),
        found: format!("{ratio:.2} times, one run"),
        holds: ratio >= least,
    }
}
