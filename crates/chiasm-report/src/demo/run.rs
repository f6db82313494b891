//! The whole way on the built-in language pair: text, one system a reordering model, scores.

use super::Outcome;
use crate::{Error, Result};
use chiasm_synthesis::Language;
use chiasm_text::TextOutput;
use chiasm_train::cache::Cache;
use chiasm_train::experiment::{self, Contender, TestSet};
use chiasm_train::{Input, Preset, Raw, Settings, deliver};
use chiasm_work::Observer;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What to show.
#[derive(Clone, Debug)]
pub struct Request {
    /// The language pair.
    pub language: Language,
    /// Sentence pairs to train on.
    pub pairs: u64,
    /// Seed of everything random.
    pub seed: u64,
    /// The folder for everything that is made.
    pub folder: PathBuf,
}

const DEVELOPMENT: u64 = 300;
const TEST: u64 = 500;
const BASELINE: &str = "lexicalised table";

/// The reordering models side by side: name, table, learned model.
const CONTENDERS: [(&str, &str, Option<&str>); 5] = [
    ("none (distance only)", "none", None),
    (BASELINE, "hier-msd-backward-fe", None),
    (
        "naive Bayes, S7",
        "none",
        Some("--learner nb-map --features S7 --direction backward"),
    ),
    (
        "maximum entropy (dual), S7",
        "none",
        Some("--learner dual --features S7 --direction backward"),
    ),
    (
        "support vector machine, S7",
        "none",
        Some("--learner svm --c 0.1 --features S7 --direction backward"),
    ),
];

/// Synthesises, trains, translates, compares; the last system is delivered as `demo.chiasm`.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Outcome> {
    let text = request.folder.join("text");
    std::fs::create_dir_all(&text).map_err(|error| chiasm_store::Error::io(&text, error))?;
    observer.say(&format!(
        "writing {} sentence pairs of the {} language pair",
        request.pairs,
        request.language.name()
    ));
    let (raw, test) = write_text(request, &text)?;
    let stages = request.folder.join("stages");
    let mut cache = Cache::open(stages.clone(), observer)?;
    let mut contenders = Vec::new();
    for (name, table, model) in CONTENDERS {
        let training = chiasm_train::Request {
            raw: raw.clone(),
            lm_text: None,
            lm: None,
            settings: settings(request.seed, table, model)?,
            cache: stages.clone(),
        };
        observer.say(&format!("== {name}"));
        let run = experiment::run(&training, &test, &mut cache, observer);
        let mut contender = Contender::new(name);
        contender.runs.push(run.map_err(|source| Error::Contender {
            name: name.to_string(),
            source,
        })?);
        contenders.push(contender);
    }
    experiment::score(&mut contenders, &test, BASELINE, request.seed)?;
    let outcome = Outcome { contenders, test };
    if let Some(best) = outcome.best() {
        deliver(&best.system, &request.folder.join("demo.chiasm"))?;
    }
    Ok(outcome)
}

/// Quick training that differs in the reordering model alone.
fn settings(seed: u64, table: &str, model: Option<&str>) -> Result<Settings> {
    let mut settings = Settings::preset(Preset::Quick);
    settings.seed = seed;
    settings.align.preset = chiasm_align::Preset::Standard;
    settings.align.alignments = 1;
    settings.search.pop_limit = 800;
    settings.reordering.table = table.parse().map_err(Error::Request)?;
    settings.reordering.models = model
        .iter()
        .map(|model| model.parse())
        .collect::<std::result::Result<_, _>>()?;
    Ok(settings)
}

#[derive(Default)]
struct Lines {
    source: Vec<String>,
    target: Vec<String>,
}

/// Training, development and test text; sentence numbers do not overlap.
fn write_text(request: &Request, folder: &Path) -> Result<(Raw, TestSet)> {
    let generator = request.language.generator(request.seed, 0);
    let part = |name: &str, range: Range<u64>| -> Result<Lines> {
        let mut lines = Lines::default();
        for index in range {
            let pair = generator.pair(index);
            lines.source.push(pair.source_text());
            lines.target.push(pair.target_text());
        }
        write(&folder.join(format!("{name}.source")), &lines.source)?;
        write(&folder.join(format!("{name}.target")), &lines.target)?;
        Ok(lines)
    };
    let train = request.pairs;
    part("train", 0..train)?;
    part("dev", train..train + DEVELOPMENT)?;
    let test = part("test", train + DEVELOPMENT..train + DEVELOPMENT + TEST)?;
    let file = |name: &str| folder.join(name);
    let raw = Raw {
        input: Input::Lines {
            source: file("train.source"),
            target: file("train.target"),
            links: None,
        },
        dev: Some((file("dev.source"), vec![file("dev.target")])),
        languages: None,
    };
    let test = TestSet {
        source: test.source,
        references: vec![test.target],
    };
    Ok((raw, test))
}

fn write(path: &Path, lines: &[String]) -> Result<()> {
    let mut output = TextOutput::create(path)?;
    for line in lines {
        output.write_text(line.as_bytes())?;
        output.write_text(b"\n")?;
    }
    Ok(output.finish()?)
}
