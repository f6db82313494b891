//! How phrases move: examples, models, reasons.

use crate::call::{Listener, call};
use crate::error::{raised, refused};
use chiasm::phrases::{AlignedFiles, IndexedCorpus, Span};
use chiasm::reorder::trainer::{self, Preparation, Workplace};
use chiasm::reorder::{
    Outcome, PairRequest, Recipe, StoredModel, Target, explain_pair, open_learned,
};
use chiasm::work::Observer;
use numpy::PyArray1;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// Three files: source, target, links.
type Files = (PathBuf, PathBuf, PathBuf);

fn corpus(files: &Files, folder: &Path, meter: &dyn Observer) -> chiasm::Result<IndexedCorpus> {
    let files = AlignedFiles {
        source: files.0.clone(),
        target: files.1.clone(),
        links: files.2.clone(),
    };
    let progress = meter.begin("read", "pairs", None);
    Ok(IndexedCorpus::read(&files, folder, &*progress)?)
}

fn recipe(text: &str) -> PyResult<Recipe> {
    let recipe: Recipe = text.parse().map_err(raised)?;
    recipe.check().map_err(raised)?;
    Ok(recipe)
}

/// The examples of a direction: offsets, indices, values, classes, weights; names of features and classes.
type Gathered<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Vec<String>,
    Vec<String>,
);

/// Examples as a sparse matrix with classes and weights.
struct Rows {
    offsets: Vec<i64>,
    indices: Vec<i32>,
    values: Vec<f64>,
    labels: Vec<i64>,
    weights: Vec<f64>,
}

impl Rows {
    fn of(set: &chiasm::learn::Examples) -> Self {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        let (mut labels, mut weights) = (Vec::new(), Vec::new());
        for at in 0..set.rows() {
            chiasm::work::cancel::tick();
            for pair in set.pairs_of(at) {
                for (feature, value) in set.row(at).entries() {
                    indices.push(feature as i32);
                    values.push(value);
                }
                offsets.push(indices.len() as i64);
                labels.push(set.pair_class(pair) as i64);
                weights.push(set.pair_weight(pair));
            }
        }
        Rows {
            offsets,
            indices,
            values,
            labels,
            weights,
        }
    }
}

/// Gathers the examples of an aligned corpus as a sparse matrix: a row for each distinct example and class.
#[pyfunction]
pub fn examples<'py>(
    py: Python<'py>,
    files: Files,
    recipe_text: &str,
    memory: usize,
    threads: Option<usize>,
    listener: Listener<'_>,
) -> PyResult<Gathered<'py>> {
    let recipe = recipe(recipe_text)?;
    let (rows, names, class_names) = call(py, threads, listener, |meter| {
        let folder = tempfile::tempdir()?;
        let workplace = Workplace {
            memory,
            folder: folder.path().into(),
        };
        let classes = trainer::word_classes_of_files(&recipe, [&files.0, &files.1], meter)?;
        let mut corpus = corpus(&files, folder.path(), meter)?;
        let mut set = Preparation::new(&recipe, &mut corpus, classes, &workplace, meter)?.set;
        let names = chiasm::reorder::export::feature_names(&set, &corpus);
        let set = set.examples.swap_remove(0);
        Ok((Rows::of(&set), names, set.class_names().to_vec()))
    })?;
    let Rows {
        offsets,
        indices,
        values,
        labels,
        weights,
    } = rows;
    Ok((
        PyArray1::from_vec(py, offsets),
        PyArray1::from_vec(py, indices),
        PyArray1::from_vec(py, values),
        PyArray1::from_vec(py, labels),
        PyArray1::from_vec(py, weights),
        names,
        class_names,
    ))
}

/// Trains what the recipe says and writes the model.
#[pyfunction]
pub fn reorder_train(
    py: Python<'_>,
    files: Files,
    recipe_text: &str,
    output: PathBuf,
    memory: usize,
    threads: Option<usize>,
    listener: Listener<'_>,
) -> PyResult<()> {
    let recipe = recipe(recipe_text)?;
    call(py, threads, listener, |meter| {
        let folder = tempfile::tempdir()?;
        let workplace = Workplace {
            memory,
            folder: folder.path().into(),
        };
        let classes = trainer::word_classes_of_files(&recipe, [&files.0, &files.1], meter)?;
        let mut corpus = corpus(&files, folder.path(), meter)?;
        let model = trainer::train(&recipe, &mut corpus, classes, &workplace, meter)?;
        Ok(model.save(output)?)
    })
}

/// A model of how phrases move.
#[pyclass(module = "chiasm._chiasm", frozen)]
pub struct OrientationModel {
    model: StoredModel,
    path: PathBuf,
}

#[pymethods]
impl OrientationModel {
    #[new]
    fn open(path: PathBuf) -> PyResult<Self> {
        let model = StoredModel::open(&path).map_err(raised)?;
        Ok(OrientationModel { model, path })
    }

    /// How well it tells orientations apart, as `chiasm reorder evaluate --json` prints it.
    fn evaluate(
        &self,
        py: Python<'_>,
        files: Files,
        threads: Option<usize>,
        listener: Listener<'_>,
    ) -> PyResult<String> {
        call(py, threads, listener, |meter| {
            let folder = tempfile::tempdir()?;
            let mut corpus = corpus(&files, folder.path(), meter)?;
            let model = &self.model;
            let progress = meter.begin("evaluate", "pairs", Some(corpus.passed.sentence_pairs));
            let outcomes =
                chiasm::reorder::evaluate(&**model, model.settings(), &mut corpus, &*progress)?;
            Ok(Outcome::json_of_all(&outcomes).to_string())
        })
    }

    /// Why phrases of a sentence pair move as they do: JSON objects.
    fn explain(
        &self,
        sentence: &str,
        translation: &str,
        links: &str,
        span: Option<(u32, u32)>,
        top: usize,
    ) -> PyResult<Vec<String>> {
        let model = open_learned(
            &self.path,
            "it has no features to explain, its table says all",
        )
        .map_err(raised)?;
        if span.is_some_and(|span| span.0 >= span.1) {
            return Err(refused(
                "span: first word and end expected, the end not included",
            ));
        }
        let request = PairRequest {
            sentence,
            target: Target::Translation(translation),
            links,
            span: span.map(|span| Span::new(span.0, span.1)),
            top,
        };
        let found = explain_pair(&model, &request).map_err(raised)?;
        Ok(found
            .iter()
            .map(|phrase| phrase.json().to_string())
            .collect())
    }
}
