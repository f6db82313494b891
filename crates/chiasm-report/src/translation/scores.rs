//! How good the systems of a design are, and which differences are more than chance in sentences and tuning.

use super::contenders::BASELINE;
use super::runs::Run;
use super::test_sets::TestSet;
use crate::Result;
use crate::score::evaluate::{MetricResults, evaluate_some};
use crate::score::{Contender, System, Task};
use chiasm_metrics::{Bleu, Comparison, References, Tokenizer};

/// What is said of a system on one test set: means over its runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scores {
    /// BLEU on the tokens as they are.
    pub bleu: f64,
    /// The standard deviation of BLEU over the runs; none of one run.
    pub deviation: Option<f64>,
    /// NIST.
    pub nist: f64,
    /// chrF.
    pub chrf: f64,
    /// BLEU beside the baseline's; none for the baseline.
    pub comparison: Option<Comparison>,
    /// Significance of that difference: over sentences and runs, of one run over sentences.
    pub p_value: Option<f64>,
    /// The same, corrected for the number of systems (Holm 1979).
    pub corrected: Option<f64>,
    /// CPU milliseconds of decoding a sentence.
    pub milliseconds: f64,
    /// Megabytes of the system.
    pub megabytes: f64,
}

const SAMPLES: usize = 1000;

/// The scores of systems with their names and runs on test set number `number`.
pub fn scores(systems: &[(&str, &[Run])], number: usize, test: &TestSet) -> Result<Vec<Scores>> {
    let base = systems.iter().position(|system| system.0 == BASELINE);
    // The baseline stands last in a task.
    let others = (0..systems.len()).filter(|&place| Some(place) != base);
    let order: Vec<usize> = others.chain(base).collect();
    let task = task(systems, &order, base.is_some(), number, test)?;
    let results = evaluate_some(&task, |key| ["bleu", "nist", "chrf"].contains(&key))?;
    let mut all = vec![Scores::default(); systems.len()];
    for (place, &system) in order.iter().enumerate() {
        let of = |key: &str| results.metrics.iter().find(|metric| metric.key == key);
        let score =
            |key| of(key).map_or(0.0, |metric: &MetricResults| metric.outcomes[place].score);
        let runs = systems[system].1;
        let seconds: f64 = runs.iter().map(|run| run.sets[number].seconds).sum();
        let sentences = (runs.len() * test.source.len()).max(1);
        let bleu = of("bleu").map(|metric| &metric.outcomes[place]);
        all[system] = Scores {
            bleu: score("bleu"),
            deviation: bleu.and_then(|bleu| bleu.deviation),
            nist: score("nist"),
            chrf: score("chrf"),
            comparison: bleu.and_then(|bleu| bleu.comparison),
            p_value: bleu.and_then(|bleu| bleu.p_value()),
            corrected: bleu.and_then(|bleu| bleu.corrected),
            milliseconds: 1000.0 * seconds / sentences as f64,
            megabytes: runs.first().map_or(0.0, |run| run.bytes as f64 / 1e6),
        };
    }
    Ok(all)
}

fn task(
    systems: &[(&str, &[Run])],
    order: &[usize],
    has_baseline: bool,
    number: usize,
    test: &TestSet,
) -> Result<Task> {
    let (mut outputs, mut contenders) = (Vec::new(), Vec::new());
    for &system in order {
        let (name, runs) = systems[system];
        let first = outputs.len();
        outputs.extend(runs.iter().map(|run| System {
            name: name.to_string(),
            lines: run.sets[number].lines.clone(),
        }));
        contenders.push(Contender {
            name: name.to_string(),
            runs: (first..outputs.len()).collect(),
        });
    }
    Ok(Task {
        references: References::new(test.references.clone())?,
        systems: outputs,
        contenders,
        has_baseline,
        bleu: Bleu {
            tokenizer: Tokenizer::None,
            ..Default::default()
        },
        samples: SAMPLES,
        seed: 1,
    })
}

/// The names of the columns of [`Scores::cells`].
pub const COLUMNS: [&str; 9] = [
    "reordering model",
    "BLEU",
    "sd",
    "difference",
    "p",
    "Holm",
    "NIST",
    "chrF",
    "ms/sent.",
];

impl Scores {
    /// A row of a table.
    pub fn cells(&self, name: &str) -> [String; 9] {
        let share = |p: Option<f64>| p.map_or("baseline".into(), |p| format!("{p:.3}"));
        let deviation = self.deviation.map(|sd| format!("{sd:.2}"));
        [
            name.to_string(),
            format!("{:.2}", self.bleu),
            deviation.unwrap_or_else(|| "-".into()),
            self.difference(),
            share(self.p_value),
            share(self.corrected),
            format!("{:.3}", self.nist),
            format!("{:.2}", self.chrf),
            format!("{:.1}", self.milliseconds),
        ]
    }

    /// The difference to the baseline with its 95 % interval.
    pub fn difference(&self) -> String {
        let Some(comparison) = self.comparison else {
            return "baseline".into();
        };
        let interval = comparison.interval;
        format!(
            "{:+.2} [{:+.2}, {:+.2}]",
            comparison.difference, interval.low, interval.high
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::runs::Translated;
    use super::*;

    fn run(lines: &[&str]) -> Run {
        let lines = lines.iter().map(ToString::to_string).collect();
        let sets = vec![Translated {
            lines,
            seconds: 0.5,
        }];
        Run {
            sets,
            bytes: 2_000_000,
        }
    }

    #[test]
    fn every_system_is_compared_with_the_table_wherever_it_stands() {
        let right = ["a b c d e", "f g h i j"];
        let test = TestSet {
            name: "test".into(),
            file: "test".into(),
            source: right.map(String::from).to_vec(),
            references: vec![right.map(String::from).to_vec()],
        };
        let poor = ["a b c d x", "f g h i x"];
        let (best, base, worst) = (
            [run(&right), run(&["a b c d e", "f g h i x"])],
            [run(&poor), run(&poor)],
            [run(&["x", "y"]), run(&["x", "y"])],
        );
        let systems: [(&str, &[Run]); 3] =
            [("better", &best), (BASELINE, &base), ("worse", &worst)];
        let scores = scores(&systems, 0, &test).unwrap();
        assert!(scores[0].bleu > scores[1].bleu && scores[1].bleu > scores[2].bleu);
        assert!(scores[0].comparison.unwrap().difference > 0.0);
        assert!(scores[1].comparison.is_none() && scores[1].p_value.is_none());
        assert!(scores[2].comparison.unwrap().difference < 0.0);
        assert!(scores[0].corrected.unwrap() >= scores[0].p_value.unwrap());
        assert!(scores[0].deviation.unwrap() > 0.0);
        assert_eq!(scores[0].milliseconds, 250.0);
        let cells = scores[0].cells("better");
        assert!(
            cells[3].starts_with('+') && cells[3].contains('['),
            "{cells:?}"
        );
        assert_eq!(scores[1].cells(BASELINE)[3], "baseline");
    }
}
