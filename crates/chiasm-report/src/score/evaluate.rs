//! All metrics of all systems.

use super::Task;
use chiasm_metrics::{
    Bleu, Chrf, Comparison, Interval, Metric, Nist, Statistics, Ter, bleu, bootstrap,
};
use rayon::prelude::*;

/// One metric of one system.
pub struct Outcome {
    /// The score on the whole set.
    pub score: f64,
    /// Where it lies in 95 % of the samples.
    pub interval: Option<Interval>,
    /// Beside the baseline.
    pub comparison: Option<Comparison>,
}

/// One metric of all systems.
pub struct MetricResults {
    /// The key in JSON.
    pub key: &'static str,
    /// The name for people.
    pub name: String,
    /// How the score came about.
    pub signature: String,
    /// By system; the baseline, if any, last.
    pub outcomes: Vec<Outcome>,
}

/// Everything that is printed.
pub struct Results {
    /// BLEU, NIST, chrF, chrF++, TER.
    pub metrics: Vec<MetricResults>,
    /// BLEU's parts, by system.
    pub bleu: Vec<bleu::Score>,
}

/// Scores every system with every metric.
pub fn evaluate(task: &Task) -> chiasm_metrics::Result<Results> {
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
    for (key, metric) in metrics {
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
    let samples = if task.samples > 0 {
        let rows: Vec<&Statistics> = rows.iter().collect();
        Some(bootstrap::resample(metric, &rows, task.samples, task.seed)?)
    } else {
        None
    };
    let baseline = task.has_baseline.then(|| scores.len() - 1);
    let outcome = |system: usize| {
        let comparison = match (&samples, baseline) {
            (Some(samples), Some(baseline)) if system != baseline => {
                let difference = scores[system] - scores[baseline];
                Some(samples.compare(system, baseline, difference))
            }
            _ => None,
        };
        Outcome {
            score: scores[system],
            interval: samples.as_ref().map(|samples| samples.interval(system)),
            comparison,
        }
    };
    Ok(MetricResults {
        key,
        name: metric.name(),
        signature: metric.signature(task.references.count()),
        outcomes: (0..scores.len()).map(outcome).collect(),
    })
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
