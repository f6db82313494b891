//! What a report was measured on, with what and when.

use super::experiments::{Experiments, Outcome, strings};
use super::runner::Run;
use super::split;
use chiasm_page::Table;

impl Experiments<'_> {
    /// The first table of the page.
    pub fn facts(&mut self) -> Outcome<Table> {
        let lexicalised = self.lexicalised()?;
        let pairs = split::count(&self.training)?;
        let test_pairs = split::count(&self.test)?;
        let mut rows = Vec::new();
        let mut fact = |name: &str, value: String| rows.push(vec![name.to_string(), value]);
        for (name, corpus) in [("training", &self.training), ("test", &self.test)] {
            let files = [&corpus.source, &corpus.target, &corpus.links];
            let files = files.map(|path| path.display().to_string());
            fact(&format!("{name} files"), files.join(" "));
        }
        let of = match pairs == self.total {
            true => String::new(),
            false => format!(", spread over {} that there are", self.total),
        };
        fact("training sentence pairs", format!("{pairs}{of}"));
        fact(
            "training examples",
            format!("{:.0}", lexicalised.training("examples")),
        );
        fact("test sentence pairs", test_pairs.to_string());
        fact(
            "test examples",
            format!("{:.0}", lexicalised.test("examples")),
        );
        fact("classes of the test examples", shares(&lexicalised));
        fact(
            "orientation",
            "hierarchical, backward, three classes".into(),
        );
        fact(
            "strengths, unless given chosen on pairs of the training text",
            format!("C {}, σ² {}", self.c, self.sigma2),
        );
        fact("relative gap at which training ends", self.gap.clone());
        fact("program", self.made_by.clone());
        fact("date", self.date.clone());
        Ok(Table {
            title: "What was measured".into(),
            note: "Test examples are looked at once; nothing is chosen on them.".into(),
            columns: strings(&["", ""]),
            rows,
            commands: lexicalised.commands.to_vec(),
        })
    }
}

fn shares(run: &Run) -> String {
    let total = run.test("examples");
    let rows = run.test["confusion"].as_array();
    let sums = rows.into_iter().flatten().map(|row| {
        let counts = row.as_array().into_iter().flatten();
        counts.filter_map(|count| count.as_f64()).sum::<f64>()
    });
    let names = run.test["class_names"].as_array();
    let names = names.into_iter().flatten().filter_map(|name| name.as_str());
    let shown = names
        .zip(sums)
        .map(|(name, sum)| format!("{name} {:.1} %", 100.0 * sum / total));
    shown.collect::<Vec<_>>().join(", ")
}
