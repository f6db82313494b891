//! All metrics of all systems.

use super::Task;
use chiasm_metrics::{
    Bleu, Chrf, Comparison, Interval, Metric, Nist, Statistics, Ter, bleu, bootstrap, randomisation,
};
use rayon::prelude::*;

/// One metric of one system.
pub struct Outcome {
    /// The score on the whole set; of several runs, the mean.
    pub score: f64,
    /// The standard deviation of several runs.
    pub deviation: Option<f64>,
    /// Where it lies in 95 % of the samples.
    pub interval: Option<Interval>,
    /// Beside the baseline.
    pub comparison: Option<Comparison>,
    /// The p-value of that difference, with chance in sentences and runs, if there are several runs.
    pub randomised: Option<f64>,
    /// The p-value that counts, corrected for the number of systems that are compared.
    pub corrected: Option<f64>,
}

impl Outcome {
    /// The p-value that counts: over sentences and runs if there are several, over sentences if not.
    pub fn p_value(&self) -> Option<f64> {
        let sampled = self.comparison.map(|comparison| comparison.p_value);
        self.randomised.or(sampled)
    }
}

/// One metric of all systems.
pub struct MetricResults {
    /// The key in JSON.
    pub key: &'static str,
    /// The name for people.
    pub name: String,
    /// How the score came about.
    pub signature: String,
    /// By contender; the baseline, if any, last.
    pub outcomes: Vec<Outcome>,
}

/// Everything that is printed.
pub struct Results {
    /// BLEU, NIST, chrF, chrF++, TER.
    pub metrics: Vec<MetricResults>,
    /// BLEU's parts, by run.
    pub bleu: Vec<bleu::Score>,
}

/// Scores every system with every metric.
pub fn evaluate(task: &Task) -> chiasm_metrics::Result<Results> {
    evaluate_some(task, |_| true)
}

/// Scores every system with the metrics whose keys are wanted.
pub fn evaluate_some(
    task: &Task,
    wanted: impl Fn(&str) -> bool,
) -> chiasm_metrics::Result<Results> {
    let nist = Nist::new(&task.references)?;
    let chrf = |word_order| Chrf {
        word_order,
        lowercase: task.bleu.lowercase,
    };
    let metrics: [(&'static str, &dyn Metric); 5] = [
        ("bleu", &task.bleu),
        ("nist", &nist),
        ("chrf", &chrf(0)),
        ("chrf_plus_plus", &chrf(2)),
        ("ter", &Ter::default()),
    ];
    let mut results = Results {
        metrics: Vec::new(),
        bleu: Vec::new(),
    };
    for (key, metric) in metrics.into_iter().filter(|one| wanted(one.0)) {
        results.metrics.push(evaluate_metric(task, key, metric)?);
    }
    for system in &task.systems {
        let rows = Statistics::collect(&task.bleu, &system.lines, &task.references)?;
        let mut sum = [0.0; bleu::WIDTH];
        sum.copy_from_slice(&rows.sum());
        results.bleu.push(task.bleu.detailed(&sum));
    }
    Ok(results)
}

fn evaluate_metric(
    task: &Task,
    key: &'static str,
    metric: &dyn Metric,
) -> chiasm_metrics::Result<MetricResults> {
    let rows = task
        .systems
        .iter()
        .map(|system| Statistics::collect(metric, &system.lines, &task.references))
        .collect::<chiasm_metrics::Result<Vec<_>>>()?;
    let scores: Vec<f64> = rows.iter().map(|rows| metric.score(&rows.sum())).collect();
    let groups: Vec<Vec<usize>> = task.contenders.iter().map(|one| one.runs.clone()).collect();
    let samples = if task.samples > 0 {
        let rows: Vec<&Statistics> = rows.iter().collect();
        let samples = bootstrap::resample(metric, &rows, task.samples, task.seed)?;
        Some(samples.means(&groups))
    } else {
        None
    };
    let baseline = task.has_baseline.then(|| groups.len() - 1);
    let mut outcomes = Vec::with_capacity(groups.len());
    for (number, runs) in groups.iter().enumerate() {
        let mut outcome = Outcome {
            score: mean(runs, &scores),
            deviation: deviation(runs, &scores),
            interval: samples.as_ref().map(|samples| samples.interval(number)),
            comparison: None,
            randomised: None,
            corrected: None,
        };
        if let (Some(samples), Some(baseline)) = (&samples, baseline)
            && number != baseline
        {
            let others = &groups[baseline];
            let difference = outcome.score - mean(others, &scores);
            outcome.comparison = Some(samples.compare(number, baseline, difference));
            if runs.len() + others.len() > 2 {
                let of = |runs: &[usize]| runs.iter().map(|&run| &rows[run]).collect::<Vec<_>>();
                let (shuffles, seed) = (task.samples, task.seed);
                let p = randomisation::p_value(metric, &of(runs), &of(others), shuffles, seed)?;
                outcome.randomised = Some(p);
            }
        }
        outcomes.push(outcome);
    }
    correct(&mut outcomes);
    Ok(MetricResults {
        key,
        name: metric.name(),
        signature: metric.signature(task.references.count()),
        outcomes,
    })
}

/// Several systems beside one baseline: a difference must be the less probable, the more were looked at.
fn correct(outcomes: &mut [Outcome]) {
    let values: Vec<f64> = outcomes.iter().filter_map(Outcome::p_value).collect();
    let mut corrected = randomisation::holm(&values).into_iter();
    for outcome in outcomes {
        if outcome.p_value().is_some() {
            outcome.corrected = corrected.next();
        }
    }
}

fn mean(runs: &[usize], scores: &[f64]) -> f64 {
    runs.iter().map(|&run| scores[run]).sum::<f64>() / runs.len().max(1) as f64
}

/// The standard deviation of a sample; one run has none.
fn deviation(runs: &[usize], scores: &[f64]) -> Option<f64> {
    let centre = mean(runs, scores);
    let squares = runs.iter().map(|&run| (scores[run] - centre).powi(2));
    (runs.len() > 1).then(|| (squares.sum::<f64>() / (runs.len() - 1) as f64).sqrt())
}

/// BLEU of every sentence of a system, orders that a sentence is too short for left out.
pub fn sentence_bleu(task: &Task, system: usize) -> Vec<f64> {
    let bleu = Bleu {
        effective_order: true,
        ..task.bleu
    };
    let lines = task.systems[system].lines.par_iter().enumerate();
    lines
        .map(|(i, line)| bleu.sentence_score(line, &task.references.of(i)))
        .collect()
}

/// A line a sentence: for each system BLEU, chrF2 and TER.
pub fn sentence_scores(task: &Task) -> String {
    let mut header = vec!["sentence".to_string()];
    let mut columns = Vec::new();
    let chrf = Chrf {
        word_order: 0,
        lowercase: task.bleu.lowercase,
    };
    for (index, system) in task.systems.iter().enumerate() {
        for name in ["BLEU", "chrF2", "TER"] {
            header.push(format!("{} {name}", system.name));
        }
        columns.push(sentence_bleu(task, index));
        columns.push(by_sentence(task, index, &chrf));
        columns.push(by_sentence(task, index, &Ter::default()));
    }
    let mut text = header.join("\t") + "\n";
    for i in 0..task.references.sentences() {
        text.push_str(&(i + 1).to_string());
        for column in &columns {
            text.push_str(&format!("\t{:.2}", column[i]));
        }
        text.push('\n');
    }
    text
}

fn by_sentence(task: &Task, system: usize, metric: &dyn Metric) -> Vec<f64> {
    let lines = task.systems[system].lines.par_iter().enumerate();
    lines
        .map(|(i, line)| {
            let mut row = vec![0.0; metric.width()];
            metric.sentence(line, &task.references.of(i), &mut row);
            metric.score(&row)
        })
        .collect()
}
