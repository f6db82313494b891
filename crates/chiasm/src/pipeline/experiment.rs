//! Systems that differ in how they know that phrases move, trained on the same text, translating
//! the same test set.

use super::cache::Cache;
use super::{Request, train};
use crate::context::Context;
use anyhow::Context as _;
use chiasm_decode::{Decoder, Input, System, Translation, Wanted};
use chiasm_metrics::bleu::Bleu;
use chiasm_metrics::{Chrf, Metric, Nist, References, Statistics, Tokenizer, bootstrap};
use std::path::PathBuf;
use std::sync::Arc;

/// A tokenised test set.
pub struct TestSet {
    /// Source sentences.
    pub source: Vec<String>,
    /// Sets of references.
    pub references: Vec<Vec<String>>,
}

/// What one system did.
pub struct Result {
    /// Its name in tables.
    pub name: String,
    /// Its file.
    pub system: PathBuf,
    /// The best translation of each sentence.
    pub translations: Vec<Translation>,
    /// CPU seconds of decoding.
    pub decoding_seconds: f64,
    /// Size of the system in bytes.
    pub bytes: u64,
    /// Scores on the test set.
    pub scores: Scores,
}

/// How good the translations are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scores {
    /// BLEU on the tokens as they are.
    pub bleu: f64,
    /// NIST.
    pub nist: f64,
    /// chrF.
    pub chrf: f64,
    /// Significance of the difference in BLEU against the baseline; none for the baseline.
    pub p_value: Option<f64>,
}

impl Result {
    /// The translations as lines.
    pub fn lines(&self) -> Vec<String> {
        self.translations.iter().map(Translation::text).collect()
    }
}

/// Trains (or takes from the cache) and translates.
pub fn run(
    name: &str,
    request: &Request,
    test: &TestSet,
    cache: &mut Cache,
    context: &Context,
) -> anyhow::Result<Result> {
    context.say(format!("== {name}"));
    let path = train(request, cache, context).with_context(|| name.to_string())?;
    let system = Arc::new(System::open(&path)?);
    let search = system.configuration().search.clone();
    let decoder = Decoder::with_weights(system.clone(), &system.weights(), search)?;
    let inputs: Vec<Input> = test
        .source
        .iter()
        .map(|line| Input::from_line(line))
        .collect();
    let started = chiasm_learn::cpu_seconds();
    let wanted = Wanted {
        count: 1,
        distinct: false,
    };
    let lists = decoder.translate_batch(&inputs, wanted, context.threads)?;
    let decoding_seconds = chiasm_learn::cpu_seconds() - started;
    let translations = lists
        .into_iter()
        .map(|list| list.into_iter().next().unwrap_or_default())
        .collect();
    Ok(Result {
        name: name.to_string(),
        bytes: std::fs::metadata(&path)?.len(),
        system: path,
        translations,
        decoding_seconds,
        scores: Scores::default(),
    })
}

const SAMPLES: usize = 1000;

/// Scores all results, with significance against the one called `baseline`.
pub fn score(
    results: &mut [Result],
    test: &TestSet,
    baseline: &str,
    seed: u64,
) -> anyhow::Result<()> {
    let references = References::new(test.references.clone())?;
    let bleu = Bleu {
        tokenizer: Tokenizer::None,
        ..Default::default()
    };
    let nist = Nist::new(&references)?;
    let mut all = Vec::new();
    for result in results.iter_mut() {
        let lines = result.lines();
        let statistics = Statistics::collect(&bleu, &lines, &references)?;
        result.scores.bleu = bleu.score(&statistics.sum());
        let sum = Statistics::collect(&nist, &lines, &references)?.sum();
        result.scores.nist = nist.score(&sum);
        let chrf = Chrf::default();
        result.scores.chrf = chrf.score(&Statistics::collect(&chrf, &lines, &references)?.sum());
        all.push(statistics);
    }
    let Some(base) = results.iter().position(|result| result.name == baseline) else {
        return Ok(());
    };
    let samples = bootstrap::resample(&bleu, &all.iter().collect::<Vec<_>>(), SAMPLES, seed)?;
    for index in (0..results.len()).filter(|&index| index != base) {
        let difference = results[index].scores.bleu - results[base].scores.bleu;
        let comparison = samples.compare(index, base, difference);
        results[index].scores.p_value = Some(comparison.p_value);
    }
    Ok(())
}

/// The results as a table for a terminal.
pub fn table(results: &[Result], sentences: usize) -> String {
    let mut text = format!(
        "{:<34} {:>6} {:>6} {:>6} {:>9} {:>9} {:>9}\n",
        "reordering model", "BLEU", "NIST", "chrF", "p", "ms/sent.", "MB"
    );
    for result in results {
        let scores = &result.scores;
        let p_value = match scores.p_value {
            Some(p) => format!("{p:.3}"),
            None => "baseline".into(),
        };
        let milliseconds = 1000.0 * result.decoding_seconds / sentences.max(1) as f64;
        text += &format!(
            "{:<34} {:>6.2} {:>6.3} {:>6.2} {:>9} {:>9.1} {:>9.1}\n",
            result.name,
            scores.bleu,
            scores.nist,
            scores.chrf,
            p_value,
            milliseconds,
            result.bytes as f64 / 1e6
        );
    }
    text
}
