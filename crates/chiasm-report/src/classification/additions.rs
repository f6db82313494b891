//! Does anything improve on the best plain set? Word classes, products of three, selection, tags: each added to
//! S12+unaligned.

use super::experiments::{Experiments, Outcome, accuracy, as_texts, gain, seconds, strings};
use chiasm_page::Table;

/// What the additions are added to.
const BASE: &str = "S12+unaligned";

/// Name, feature set and further options.
const ADDITIONS: [(&str, &str, &[&str]); 6] = [
    ("word classes beside words", "S12+unaligned+classes", &[]),
    ("words with their links", "S15+unaligned", &[]),
    (
        "words with their links, and classes",
        "S15+unaligned+classes",
        &[],
    ),
    ("products of three as well", "S10+unaligned+anova=<=3", &[]),
    (
        "half of the features, by mutual information",
        BASE,
        &["--select", "HALF"],
    ),
    (
        "half of the 30,000 best, multivariate",
        BASE,
        &["--select-method", "nmifs"],
    ),
];

impl Experiments<'_> {
    /// The table; gains are paired, over S12+unaligned.
    pub fn additions(&mut self) -> Outcome<Table> {
        let base = self.run(&as_texts(&self.own_strength(BASE)))?;
        let mut table = Table {
            title: format!("Additions to {BASE}"),
            note: "SVM, each with a strength of its own, chosen on pairs of the training text. Gains are paired, with 95 % intervals over sentences. Distance classes \
                   answer another question, so their accuracy does not compare; tags need tagged text."
                .into(),
            columns: strings(&["addition", "features", "accuracy %", "log loss", "gain (* significant)", "features kept", "seconds"]),
            rows: Vec::new(),
            commands: Vec::new(),
        };
        let mut push = |name: &str, set: &str, run: &super::Run, gain: String| {
            table.rows.push(vec![
                name.into(),
                set.into(),
                accuracy(run),
                format!("{:.4}", run.test("log_loss")),
                gain,
                format!("{:.0}", run.training("features")),
                seconds(run),
            ]);
            table.commands.extend(run.commands.clone());
        };
        push("-", BASE, &base, String::new());
        let additions = if self.quick {
            &ADDITIONS[..1]
        } else {
            &ADDITIONS[..]
        };
        for (name, set, more) in additions {
            let mut options = self.own_strength(set);
            for option in *more {
                options.push(match *option {
                    "HALF" => self.median_information(set)?,
                    other => other.into(),
                });
            }
            let run = self.run(&as_texts(&options))?;
            push(name, set, &run, gain(&run, &base));
        }
        Ok(table)
    }

    /// What the SVM trains with if it is not to suffer from the strength that suits another set.
    fn own_strength(&self, set: &str) -> Vec<String> {
        strings(&[
            "--features",
            set,
            "--learner",
            "svm",
            "--c",
            "auto",
            "--gap",
            &self.gap,
        ])
    }

    /// The mutual information that half of a set's features reach.
    fn median_information(&mut self, set: &str) -> Outcome<String> {
        let ranked = self.run(&[
            "--features",
            set,
            "--learner",
            "nb-map",
            "--information",
            "2",
        ])?;
        Ok(ranked.training["information"][1]
            .as_f64()
            .unwrap_or(0.0)
            .to_string())
    }
}
