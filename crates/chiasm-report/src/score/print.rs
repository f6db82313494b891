//! The results as a table for people and as JSON for machines.

use super::Task;
use super::evaluate::{MetricResults, Outcome, Results};
use serde_json::{Map, Value, json};

/// The table: a line a system, a column a metric, then the signatures.
pub fn table(task: &Task, results: &Results) -> String {
    let mut rows = vec![vec!["system".to_string()]];
    for metric in &results.metrics {
        rows[0].push(metric.name.clone());
    }
    let systems = task.contenders.len();
    // The baseline is the last system and the first line.
    let mut order: Vec<usize> = (0..systems).collect();
    if task.has_baseline {
        order.rotate_right(1);
    }
    for system in order {
        let is_baseline = task.has_baseline && system == systems - 1;
        let mark = if is_baseline { " (baseline)" } else { "" };
        let mut row = vec![format!("{}{mark}", task.contenders[system].name)];
        for metric in &results.metrics {
            row.push(cell(metric, &metric.outcomes[system]));
        }
        rows.push(row);
    }
    let mut text = aligned(&rows);
    text.push('\n');
    for (system, score) in task.systems.iter().zip(&results.bleu) {
        text.push_str(&format!("{}: {score}\n", system.name));
    }
    text.push('\n');
    for metric in &results.metrics {
        text.push_str(&format!("{}|{}\n", metric.name, metric.signature));
    }
    if task.samples > 0 {
        text.push_str(&format!(
            "± is half of the 95 % interval of {} bootstrap samples (seed {})",
            task.samples, task.seed
        ));
        let outcomes = results.metrics.iter().flat_map(|metric| &metric.outcomes);
        let several = outcomes.clone().any(|one| one.randomised.is_some());
        if several {
            text.push_str(
                "; sd: standard deviation of the runs; p: share of shuffles of sentences and runs (Clark et al. 2011) in \
                 which the difference is as large",
            );
        } else if task.has_baseline {
            text.push_str("; p: share of them in which the better system is not better");
        }
        if task.contenders.len() > 2 && task.has_baseline {
            text.push_str("; Holm: p corrected for the number of systems");
        }
        text.push('\n');
    }
    text
}

fn cell(metric: &MetricResults, outcome: &Outcome) -> String {
    let decimals = if metric.key == "nist" { 4 } else { 2 };
    let mut cell = format!("{:.decimals$}", outcome.score);
    if let Some(interval) = outcome.interval {
        let half = (interval.high - interval.low) / 2.0;
        cell.push_str(&format!(" ± {half:.2}"));
    }
    if let Some(deviation) = outcome.deviation {
        cell.push_str(&format!(" (sd {deviation:.2})"));
    }
    if let (Some(comparison), Some(p)) = (outcome.comparison, outcome.p_value()) {
        if outcome.randomised.is_some() {
            let (difference, interval) = (comparison.difference, comparison.interval);
            let (low, high) = (interval.low, interval.high);
            cell.push_str(&format!(
                " {difference:+.decimals$} [{low:+.2}, {high:+.2}]"
            ));
        }
        cell.push_str(&format!(" (p = {p:.3})"));
        if metric.outcomes.len() > 2 {
            cell.push_str(&format!(" (Holm {:.3})", outcome.corrected.unwrap_or(p)));
        }
    }
    cell
}

fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows[0].len();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..columns)
        .map(|column| width(column).unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{cell:width$}  "));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The JSON object, on one line a system or setting.
pub fn json(task: &Task, results: &Results) -> String {
    let systems = task.contenders.len() - usize::from(task.has_baseline);
    let all: Vec<Value> = (0..task.contenders.len())
        .map(|index| system(task, results, index))
        .collect();
    let value = json!({
        "sentences": task.references.sentences(),
        "references": task.references.count(),
        "samples": task.samples,
        "seed": task.seed,
        "baseline": all.get(systems),
        "systems": &all[..systems],
    });
    format!("{value:#}\n")
}

fn system(task: &Task, results: &Results, index: usize) -> Value {
    let mut object = Map::new();
    object.insert("name".into(), json!(task.contenders[index].name));
    let runs = &task.contenders[index].runs;
    let first = runs.first().copied().unwrap_or_default();
    object.insert("runs".into(), json!(runs.len()));
    for metric in &results.metrics {
        let outcome = &metric.outcomes[index];
        let mut value = Map::new();
        value.insert("score".into(), json!(outcome.score));
        value.insert("signature".into(), json!(metric.signature));
        if let Some(interval) = outcome.interval {
            value.insert("confidence".into(), json!([interval.low, interval.high]));
            value.insert("bootstrap_mean".into(), json!(interval.mean));
        }
        if let Some(deviation) = outcome.deviation {
            value.insert("deviation".into(), json!(deviation));
        }
        if let (Some(comparison), Some(p_value)) = (outcome.comparison, outcome.p_value()) {
            let interval = comparison.interval;
            value.insert("difference".into(), json!(comparison.difference));
            let confidence = json!([interval.low, interval.high]);
            value.insert("difference_confidence".into(), confidence);
            value.insert("p_value".into(), json!(p_value));
            value.insert("p_value_corrected".into(), json!(outcome.corrected));
            value.insert("over_runs".into(), json!(outcome.randomised.is_some()));
            value.insert("wins".into(), json!(comparison.wins));
            if metric.key == "bleu" {
                object.insert("p_value".into(), json!(p_value));
            }
        }
        if metric.key == "bleu" && runs.len() == 1 {
            let bleu = &results.bleu[first];
            value.insert("verbose".into(), json!(bleu.to_string()));
            value.insert("precisions".into(), json!(bleu.precisions));
            value.insert("brevity_penalty".into(), json!(bleu.brevity_penalty));
            value.insert("hypothesis_length".into(), json!(bleu.hypothesis_length));
            value.insert("reference_length".into(), json!(bleu.reference_length));
        }
        object.insert(metric.key.into(), Value::Object(value));
    }
    Value::Object(object)
}
