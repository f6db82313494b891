//! Models of orientation from examples in shards. Examples and dual variables lie in files.

use super::phrases::{ONE, Rows};
use super::words::Words;
use crate::call::call;
use crate::error::{raised, refused};
use chiasm::learn::shards::{self, RoundStart, ShardLearner};
use chiasm::learn::{Examples, Report};
use chiasm::phrases::IndexedCorpus;
use chiasm::phrases::shards::Shard;
use chiasm::reorder::shards::{Features as Whole, Gatherer, Plan, Seen};
use chiasm::reorder::{Method, Recipe, Workplace};
use chiasm::store::OutputFile;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};

fn recipe(text: &str) -> PyResult<Recipe> {
    let recipe: Recipe = text.parse().map_err(raised)?;
    recipe.check().map_err(raised)?;
    Ok(recipe)
}

fn plan(text: &str, memory: usize, folder: &Path) -> PyResult<Plan> {
    let folder = folder.to_path_buf();
    Plan::new(&recipe(text)?, &Workplace { memory, folder }).map_err(raised)
}

fn learner_recipe(text: &str) -> PyResult<chiasm::Recipe> {
    match recipe(text)?.method {
        Method::Learned(learner) => Ok(learner),
        Method::Lexicalised(_) => Err(refused("the lexicalised model does not learn")),
    }
}

fn learner(text: &str) -> PyResult<ShardLearner> {
    learner_recipe(text)?.shard_learner().map_err(raised)
}

/// What a recipe asks for: the learner's name, whether counts alone make its model, how often features must be seen and in how
/// many sentence pairs, the names of the classes, how many directions, the gap, the most iterations, and the weights' penalty.
#[allow(clippy::type_complexity)]
#[pyfunction]
pub fn describe(
    text: &str,
) -> PyResult<(String, bool, u64, u64, Vec<String>, usize, f64, u64, f64)> {
    let whole = recipe(text)?;
    let plan = plan(text, 1 << 20, &std::env::temp_dir())?;
    let recipe = learner_recipe(text)?;
    let penalty = match plan.counts_suffice() {
        true => 0.0,
        false => learner(text)?.penalty(),
    };
    let (count, sentences) = plan.least();
    let task = whole.task();
    Ok((
        recipe.learner.to_string(),
        plan.counts_suffice(),
        count,
        sentences,
        task.class_names(),
        task.directions.len(),
        recipe.gap,
        recipe.iterations.unwrap_or(1000),
        penalty,
    ))
}

/// Keys, columns, and three sums of each.
type SeenArrays<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i32>>,
    [Bound<'py, PyArray1<i64>>; 3],
);

/// What the rows of one machine have seen of features.
#[pyfunction]
pub fn seen<'py>(
    py: Python<'py>,
    rows: &mut Rows,
    recipe_text: &str,
    memory: usize,
) -> PyResult<SeenArrays<'py>> {
    let folder = rows.folder.path().to_path_buf();
    let plan = plan(recipe_text, memory, &folder)?;
    let corpus = rows.corpus()?;
    let (mut keys, mut columns) = (Vec::new(), Vec::new());
    let mut sums: [Vec<i64>; 3] = Default::default();
    call(py, ONE, None, |_| {
        plan.seen(corpus, |seen| {
            keys.push(seen.key as i64);
            columns.push(seen.column);
            for (all, one) in sums.iter_mut().zip(seen.sums) {
                all.push(one as i64);
            }
        })?;
        Ok(())
    })?;
    Ok((
        PyArray1::from_vec(py, keys),
        PyArray1::from_vec(py, columns),
        sums.map(|sums| PyArray1::from_vec(py, sums)),
    ))
}

fn no_rows(words: &Words, folder: &Path) -> PyResult<IndexedCorpus> {
    let shard = Shard::new(words.sides.clone(), folder).map_err(raised)?;
    shard.finish().map_err(raised)
}

/// The features of all rows.
#[pyclass(module = "chiasm._chiasm")]
pub struct Features {
    whole: Option<Whole>,
    bits: u32,
    _folder: tempfile::TempDir,
}

#[pymethods]
impl Features {
    #[new]
    fn new(
        words: &Words,
        recipe_text: &str,
        memory: usize,
        keys: PyReadonlyArray1<'_, i64>,
        columns: PyReadonlyArray1<'_, i32>,
        sums: [PyReadonlyArray1<'_, i64>; 3],
    ) -> PyResult<Self> {
        let folder = tempfile::tempdir()?;
        let plan = plan(recipe_text, memory, folder.path())?;
        let (keys, columns) = (keys.as_slice()?, columns.as_slice()?);
        let [first, second, third] = &sums;
        let sums = [first.as_slice()?, second.as_slice()?, third.as_slice()?];
        if columns.len() != keys.len() || sums.iter().any(|sums| sums.len() != keys.len()) {
            return Err(refused("columns of one length expected"));
        }
        let seen = (0..keys.len()).map(|at| Seen {
            key: keys[at] as u64,
            column: columns[at],
            sums: sums.map(|sums| sums[at] as u64),
        });
        let corpus = no_rows(words, folder.path())?;
        let whole = Whole::new(plan, corpus, seen).map_err(raised)?;
        Ok(Features {
            whole: Some(whole),
            bits: learner_recipe(recipe_text)?.bits,
            _folder: folder,
        })
    }

    fn __len__(&self) -> usize {
        self.whole.as_ref().map_or(0, Whole::len)
    }

    /// The keys of the features in their order.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let whole = self.whole.as_ref().ok_or_else(|| refused("used up"))?;
        let keys = whole.keys().into_iter().map(|key| key as i64).collect();
        Ok(PyArray1::from_vec(py, keys))
    }

    /// Makes and writes the model of naive Bayes; nothing is left.
    fn naive_bayes(&mut self, path: PathBuf) -> PyResult<()> {
        let whole = self.whole.take().ok_or_else(|| refused("used up"))?;
        let model = whole.naive_bayes().map_err(raised)?;
        model.save(path).map_err(raised)
    }

    /// Makes and writes the model of weights, those of each direction with the examples of some shard and a report.
    fn linear(
        &self,
        directions: Vec<(PathBuf, PyReadonlyArray1<'_, f64>, String)>,
        path: PathBuf,
    ) -> PyResult<()> {
        let whole = self.whole.as_ref().ok_or_else(|| refused("used up"))?;
        let mut classifiers = Vec::new();
        for (examples, weights, report) in &directions {
            let examples = Examples::open(examples).map_err(raised)?;
            let report: Report =
                serde_json::from_str(report).map_err(|error| refused(error.to_string()))?;
            let (model, _) =
                shards::model(&examples, weights.as_slice()?, report, self.bits).map_err(raised)?;
            classifiers.push(model);
        }
        let model = whole.model(&classifiers).map_err(raised)?;
        model.save(path).map_err(raised)
    }
}

/// Gathers the examples of a shard and writes those of each direction to `PREFIX.0`, `PREFIX.1`; returns for each how many
/// examples, rows and features.
#[pyfunction]
pub fn gather(
    py: Python<'_>,
    rows: &mut Rows,
    recipe_text: &str,
    memory: usize,
    keys: PyReadonlyArray1<'_, i64>,
    prefix: &str,
) -> PyResult<Vec<(f64, usize, usize)>> {
    let folder = rows.folder.path().to_path_buf();
    let plan = plan(recipe_text, memory, &folder)?;
    let keys: Vec<u64> = keys.as_slice()?.iter().map(|&key| key as u64).collect();
    let corpus = rows.corpus()?;
    call(py, ONE, None, |_| {
        let gatherer = Gatherer::new(plan, corpus, &keys)?;
        let mut written = Vec::new();
        for (direction, examples) in gatherer.examples(corpus)?.iter().enumerate() {
            examples.save(format!("{prefix}.{direction}"))?;
            written.push((examples.weight(), examples.rows(), examples.features()));
        }
        Ok(written)
    })
}

fn save_state(path: &Path, state: &[u8]) -> chiasm::Result<()> {
    let mut output = OutputFile::create(path)?;
    output.write_all(state)?;
    Ok(output.finish()?)
}

/// Begins with a shard, or goes on from dual variables in a file; returns what they add to the weights, and D(α)'s linear part.
#[pyfunction]
pub fn begin<'py>(
    py: Python<'py>,
    examples: PathBuf,
    recipe_text: &str,
    from: Option<PathBuf>,
    to: PathBuf,
) -> PyResult<(Bound<'py, PyArray1<f64>>, f64)> {
    let learner = learner(recipe_text)?;
    let found = call(py, ONE, None, |_| {
        let examples = Examples::open(examples)?;
        let state = from.map(std::fs::read).transpose()?;
        let found = learner.begin(&examples, state.as_deref())?;
        save_state(&to, &found.state)?;
        Ok(found)
    })?;
    Ok((PyArray1::from_vec(py, found.change), found.linear))
}

/// A round of a shard: reads its dual variables, writes them improved. `arrays` are the weights, their average, what the round
/// before added to the weights, and what this shard added then. Returns change of weights, gap, linear part of D(α), and the loss
/// under the average weights.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn round<'py>(
    py: Python<'py>,
    examples: PathBuf,
    recipe_text: &str,
    from: PathBuf,
    to: PathBuf,
    arrays: [PyReadonlyArray1<'_, f64>; 4],
    momentum: f64,
    count: usize,
    seed: u64,
) -> PyResult<(Bound<'py, PyArray1<f64>>, f64, f64, f64)> {
    let learner = learner(recipe_text)?;
    let [weights, average, change, own_change] = &arrays;
    let start = RoundStart {
        weights: weights.as_slice()?,
        average: average.as_slice()?,
        change: change.as_slice()?,
        own_change: own_change.as_slice()?,
        momentum,
        shards: count,
        seed,
    };
    let found = call(py, ONE, None, |_| {
        let examples = Examples::open(examples)?;
        let state = std::fs::read(from)?;
        let found = learner.round(&examples, &state, start)?;
        save_state(&to, &found.state)?;
        Ok(found)
    })?;
    let change = PyArray1::from_vec(py, found.change);
    Ok((change, found.gap, found.linear, found.average_loss))
}

/// How far ahead of the weights the next round begins.
#[pyclass(module = "chiasm._chiasm")]
#[derive(Default)]
pub struct Momentum(shards::Momentum);

#[pymethods]
impl Momentum {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// The share of the last change.
    #[getter]
    fn share(&self) -> f64 {
        self.0.share()
    }

    /// After a round: the products of all shards' changes before and now, and of those now with themselves.
    fn after(&mut self, overlap: f64, length: f64) {
        self.0.after(overlap, length);
    }
}

/// The logistic loss of a shard and its gradient.
#[pyfunction]
pub fn gradient<'py>(
    py: Python<'py>,
    examples: PathBuf,
    weights: PyReadonlyArray1<'_, f64>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, f64)> {
    let weights = weights.as_slice()?;
    let (loss, gradient) = call(py, ONE, None, |_| {
        Ok(shards::gradient(&Examples::open(examples)?, weights)?)
    })?;
    Ok((PyArray1::from_vec(py, gradient), loss))
}

/// How much the loss of a shard curves along each feature.
#[pyfunction]
pub fn curvature<'py>(py: Python<'py>, examples: PathBuf) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let found = call(py, ONE, None, |_| {
        Ok(shards::curvature(&Examples::open(examples)?))
    })?;
    Ok(PyArray1::from_vec(py, found))
}

/// L-BFGS with a loss that `evaluate(weights)` gives with its gradient; returns weights and the report as JSON.
#[pyfunction]
pub fn minimise<'py>(
    py: Python<'py>,
    recipe_text: &str,
    classes: usize,
    curvature: Vec<f64>,
    evaluate: Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, String)> {
    let ShardLearner::Lbfgs(learner) = learner(recipe_text)? else {
        return Err(refused("lbfgs expected"));
    };
    let mut report = Report {
        learner: "lbfgs".into(),
        features: curvature.len() as u64,
        ..Report::default()
    };
    let ask = |weights: &[f64], gradient: &mut [f64]| -> PyResult<f64> {
        let weights = PyArray1::from_slice(py, weights);
        let found = evaluate.call1((weights,))?;
        let (slope, loss): (Bound<'_, PyArray1<f64>>, f64) = found.extract()?;
        let slope = slope.readonly();
        let slope = slope.as_slice()?;
        if slope.len() != gradient.len() {
            return Err(refused("a gradient as long as the weights expected"));
        }
        gradient.copy_from_slice(slope);
        Ok(loss)
    };
    let weights = learner.minimise_shards(classes, curvature, ask, &mut report, &())?;
    let report = serde_json::to_string(&report).map_err(|error| refused(error.to_string()))?;
    Ok((PyArray1::from_vec(py, weights), report))
}
