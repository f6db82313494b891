//! Systems that differ in how they know that phrases move, trained on the same text, translating
//! the same test set; each perhaps several times, with other seeds.

use crate::cache::Cache;
use crate::{Error, Request, Result, train};
use chiasm_decode::{Decoder, Input, System, Translation, Wanted};
use chiasm_metrics::bleu::Bleu;
use chiasm_metrics::{Chrf, Metric, Nist, References, Statistics, Tokenizer, bootstrap};
use chiasm_work::Observer;
use std::path::PathBuf;
use std::sync::Arc;

/// A tokenised test set.
pub struct TestSet {
    /// Source sentences.
    pub source: Vec<String>,
    /// Sets of references.
    pub references: Vec<Vec<String>>,
}

/// What one training brought.
pub struct Run {
    /// The system's file.
    pub system: PathBuf,
    /// The best translation of each sentence.
    pub translations: Vec<Translation>,
    /// CPU seconds of decoding.
    pub decoding_seconds: f64,
    /// Size of the system in bytes.
    pub bytes: u64,
}

/// What one kind of system did.
pub struct Contender {
    /// Its name in tables.
    pub name: String,
    /// One run a seed.
    pub runs: Vec<Run>,
    /// Scores on the test set.
    pub scores: Scores,
}

/// How good the translations are, as means over runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scores {
    /// BLEU on the tokens as they are.
    pub bleu: f64,
    /// The best run's BLEU less the worst's.
    pub spread: f64,
    /// NIST.
    pub nist: f64,
    /// chrF.
    pub chrf: f64,
    /// Significance of the difference in BLEU against the baseline; none for the baseline.
    pub p_value: Option<f64>,
}

impl Contender {
    /// Nothing run yet.
    pub fn new(name: impl Into<String>) -> Self {
        Contender {
            name: name.into(),
            runs: Vec::new(),
            scores: Scores::default(),
        }
    }

    /// CPU milliseconds of decoding a sentence.
    pub fn milliseconds(&self, sentences: usize) -> f64 {
        let all: f64 = self.runs.iter().map(|run| run.decoding_seconds).sum();
        1000.0 * all / (sentences * self.runs.len()).max(1) as f64
    }

    /// Megabytes of the system.
    pub fn megabytes(&self) -> f64 {
        self.runs.first().map_or(0.0, |run| run.bytes as f64 / 1e6)
    }
}

/// Trains (or takes from the cache) and translates.
pub fn run(
    request: &Request,
    test: &TestSet,
    cache: &mut Cache,
    observer: &dyn Observer,
) -> Result<Run> {
    let path = train(request, cache, observer)?;
    let system = Arc::new(System::open(&path)?);
    let search = system.configuration().search.clone();
    let decoder = Decoder::with_weights(system.clone(), &system.weights(), search)?;
    let inputs: Vec<Input> = test
        .source
        .iter()
        .map(|line| Input::from_line(line))
        .collect();
    let started = chiasm_work::cpu_seconds();
    let wanted = Wanted {
        count: 1,
        distinct: false,
    };
    let lists = decoder.translate_batch(&inputs, wanted, rayon::current_num_threads())?;
    let decoding_seconds = chiasm_work::cpu_seconds() - started;
    let translations = lists
        .into_iter()
        .map(|list| list.into_iter().next().unwrap_or_default())
        .collect();
    Ok(Run {
        bytes: std::fs::metadata(&path)
            .map_err(|error| Error::io(&path, error))?
            .len(),
        system: path,
        translations,
        decoding_seconds,
    })
}

const SAMPLES: usize = 1000;

/// Scores all contenders, with significance against the one called `baseline`.
pub fn score(
    contenders: &mut [Contender],
    test: &TestSet,
    baseline: &str,
    seed: u64,
) -> Result<()> {
    let references = References::new(test.references.clone())?;
    let bleu = Bleu {
        tokenizer: Tokenizer::None,
        ..Default::default()
    };
    let nist = Nist::new(&references)?;
    let chrf = Chrf::default();
    let mut statistics = Vec::new();
    let mut groups = Vec::new();
    for contender in contenders.iter_mut() {
        let mut of_runs = [Vec::new(), Vec::new(), Vec::new()];
        let first = statistics.len();
        for run in &contender.runs {
            let lines: Vec<String> = run.translations.iter().map(Translation::text).collect();
            let counted = Statistics::collect(&bleu, &lines, &references)?;
            of_runs[0].push(bleu.score(&counted.sum()));
            statistics.push(counted);
            let counted = Statistics::collect(&nist, &lines, &references)?;
            of_runs[1].push(nist.score(&counted.sum()));
            let counted = Statistics::collect(&chrf, &lines, &references)?;
            of_runs[2].push(chrf.score(&counted.sum()));
        }
        groups.push((first..statistics.len()).collect::<Vec<usize>>());
        let [bleu, nist, chrf] = of_runs.each_ref().map(|scores| mean(scores));
        let (low, high) = of_runs[0]
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &score| {
                (low.min(score), high.max(score))
            });
        contender.scores = Scores {
            bleu,
            spread: (high - low).max(0.0),
            nist,
            chrf,
            p_value: None,
        };
    }
    let Some(base) = contenders.iter().position(|c| c.name == baseline) else {
        return Ok(());
    };
    let all: Vec<&Statistics> = statistics.iter().collect();
    let samples = bootstrap::resample(&bleu, &all, SAMPLES, seed)?.means(&groups);
    for index in (0..contenders.len()).filter(|&index| index != base) {
        let difference = contenders[index].scores.bleu - contenders[base].scores.bleu;
        let comparison = samples.compare(index, base, difference);
        contenders[index].scores.p_value = Some(comparison.p_value);
    }
    Ok(())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The names of the columns of [`cells`].
pub const COLUMNS: [&str; 8] = [
    "reordering model",
    "BLEU",
    "spread",
    "NIST",
    "chrF",
    "p",
    "ms/sent.",
    "MB",
];

/// A contender as a row of a table.
pub fn cells(contender: &Contender, sentences: usize) -> [String; 8] {
    let scores = &contender.scores;
    [
        contender.name.clone(),
        format!("{:.2}", scores.bleu),
        if contender.runs.len() > 1 {
            format!("{:.2}", scores.spread)
        } else {
            "-".into()
        },
        format!("{:.3}", scores.nist),
        format!("{:.2}", scores.chrf),
        match scores.p_value {
            Some(p) => format!("{p:.3}"),
            None => "baseline".into(),
        },
        format!("{:.1}", contender.milliseconds(sentences)),
        format!("{:.1}", contender.megabytes()),
    ]
}

/// The contenders as a table for a terminal.
pub fn table(contenders: &[Contender], sentences: usize) -> String {
    let line = |cells: [&str; 8]| {
        let mut line = format!("{:<34}", cells[0]);
        for cell in &cells[1..] {
            line += &format!(" {cell:>9}");
        }
        line + "\n"
    };
    let mut text = line(COLUMNS);
    for contender in contenders {
        text += &line(cells(contender, sentences).each_ref().map(String::as_str));
    }
    text
}
