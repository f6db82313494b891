//! Systems that are trained, translate the test sets, and are forgotten: their translations are what is kept. A design has
//! hundreds of systems of up to a gigabyte each.

use super::test_sets::TestSet;
use crate::Result;
use chiasm_decode::{Decoder, Input, System, Wanted};
use chiasm_text::{TextOutput, read_lines};
use chiasm_train::cache::{Cache, Stage, contents, look};
use chiasm_train::{Error, Plan, Request, train};
use chiasm_work::Observer;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What one tuned system did.
pub struct Run {
    /// By test set.
    pub sets: Vec<Translated>,
    /// Size of the system in bytes.
    pub bytes: u64,
}

/// A test set, translated.
pub struct Translated {
    /// The best translation of each sentence.
    pub lines: Vec<String>,
    /// CPU seconds of decoding.
    pub seconds: f64,
}

const STAGE: &str = "translated";
const LINES: &str = "translations";
const FACTS: &str = "facts.json";

/// What goes into the translations of a test set: the tuned system and the text.
pub fn ingredients(plan: &Plan, source: &Path) -> chiasm_train::Result<Vec<String>> {
    let (name, made) = match &plan.ranker {
        Some(plan) => ("ranking", &plan.ranking),
        None => ("tune", &plan.tune),
    };
    let system = look(Path::new(""), name, made).0;
    Ok(vec![system, contents(source)?])
}

/// Is the text translated already?
pub fn is_there(request: &Request, ingredients: &[String]) -> bool {
    look(&request.cache, STAGE, ingredients).1
}

/// Trains and translates what has not been translated yet. The tuned system goes when its translations are there, unless
/// `keep` says otherwise.
pub fn run(
    request: &Request,
    tests: &[TestSet],
    keep: bool,
    cache: &mut Cache,
    observer: &dyn Observer,
) -> Result<Run> {
    let plan = Plan::new(request)?;
    let needs = tests.iter().map(|test| ingredients(&plan, &test.file));
    let needs = needs.collect::<chiasm_train::Result<Vec<_>>>()?;
    let mut trained = None;
    if !needs.iter().all(|needs| is_there(request, needs)) {
        trained = Some(train(request, cache, observer)?);
    }
    let mut run = Run {
        sets: Vec::new(),
        bytes: 0,
    };
    for (test, needs) in tests.iter().zip(&needs) {
        let stage = cache.stage(STAGE, needs, |folder| match &trained {
            Some(system) => translate(system, test, folder),
            // Whatever was there a moment ago is gone.
            None => Err(Error::Request(format!("{}: removed", folder.display()))),
        })?;
        let (translated, bytes) = read(&stage, test)?;
        run.sets.push(translated);
        run.bytes = bytes;
    }
    if let Some(folder) = trained.as_deref().and_then(Path::parent)
        && !keep
    {
        std::fs::remove_dir_all(folder).map_err(|error| Error::io(folder, error))?;
    }
    Ok(run)
}

fn translate(path: &PathBuf, test: &TestSet, folder: &Path) -> chiasm_train::Result<()> {
    let system = Arc::new(System::open(path)?);
    let search = system.configuration().search.clone();
    let decoder = Decoder::with_weights(system.clone(), &system.weights(), search)?;
    let inputs = test.source.iter().map(|line| Input::from_line(line));
    let inputs: Vec<Input> = inputs.collect();
    let wanted = Wanted {
        count: 1,
        distinct: false,
    };
    let started = chiasm_work::cpu_seconds();
    let lists = decoder.translate_batch(&inputs, wanted, rayon::current_num_threads())?;
    let seconds = chiasm_work::cpu_seconds() - started;
    let file = std::fs::metadata(path).map_err(|error| Error::io(path, error))?;
    let facts = json!({ "seconds": seconds, "bytes": file.len() });
    let best = lists.into_iter().map(|list| {
        let best = list.into_iter().next().unwrap_or_default();
        best.text() + "\n"
    });
    write(&folder.join(LINES), &best.collect::<String>())?;
    write(&folder.join(FACTS), &facts.to_string())
}

fn write(path: &Path, text: &str) -> chiasm_train::Result<()> {
    let mut output = TextOutput::create(path)?;
    output.write_text(text.as_bytes())?;
    Ok(output.finish()?)
}

/// What [`translate`] wrote.
fn read(stage: &Stage, test: &TestSet) -> Result<(Translated, u64)> {
    let facts = stage.file(FACTS);
    let text = std::fs::read_to_string(&facts).map_err(|error| Error::io(&facts, error))?;
    let facts: Value = serde_json::from_str(&text).unwrap_or_default();
    let mut lines = read_lines(stage.file(LINES))?;
    // The last translations may be empty lines.
    lines.resize(test.source.len(), String::new());
    let translated = Translated {
        lines,
        seconds: facts["seconds"].as_f64().unwrap_or_default(),
    };
    Ok((translated, facts["bytes"].as_u64().unwrap_or_default()))
}
