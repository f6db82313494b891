//! Classifiers on sparse matrices.

use crate::call::{Listener, call};
use crate::error::{raised, refused};
use chiasm::learn::model::{Form, UNKNOWN};
use chiasm::learn::{Builder, Examples, Model, Recipe, Row, selection};
use chiasm::work::{Observer, cancel};
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use std::path::PathBuf;

/// The three arrays of a matrix in compressed sparse rows, as SciPy has them, and the number of its columns.
#[derive(FromPyObject)]
pub struct Matrix<'py>(
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i32>,
    PyReadonlyArray1<'py, f64>,
    usize,
);

/// The same without Python.
#[derive(Clone, Copy)]
struct Rows<'a> {
    offsets: &'a [i64],
    indices: &'a [i32],
    values: &'a [f64],
}

impl Matrix<'_> {
    /// Checked, so that whatever comes from outside is a matrix.
    fn rows(&self) -> PyResult<Rows<'_>> {
        let rows = Rows {
            offsets: self.0.as_slice()?,
            indices: self.1.as_slice()?,
            values: self.2.as_slice()?,
        };
        let entries = rows.indices.len();
        if rows.values.len() != entries {
            return Err(refused(format!(
                "{entries} indices but {} values",
                rows.values.len()
            )));
        }
        let ends = rows.offsets.first().zip(rows.offsets.last());
        let rising = rows.offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        if ends != Some((&0, &(entries as i64))) || !rising {
            return Err(refused(format!(
                "offsets do not rise from 0 to the {entries} entries"
            )));
        }
        let columns = self.3 as i64;
        if rows
            .indices
            .iter()
            .any(|&index| index < 0 || i64::from(index) >= columns)
        {
            return Err(refused(format!(
                "an index is not one of the {columns} columns"
            )));
        }
        if rows.values.iter().any(|value| !value.is_finite()) {
            return Err(refused("Input X contains NaN or infinity"));
        }
        Ok(rows)
    }
}

impl Rows<'_> {
    fn count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    fn row(&self, at: usize, entries: &mut Vec<(u32, f64)>) {
        let range = self.offsets[at] as usize..self.offsets[at + 1] as usize;
        entries.clear();
        let indices = self.indices[range.clone()]
            .iter()
            .map(|&index| index as u32);
        entries.extend(indices.zip(self.values[range].iter().copied()));
    }

    fn examples(
        &self,
        labels: &[i64],
        weights: Option<&[f64]>,
        classes: usize,
    ) -> chiasm::Result<Examples> {
        let mut builder = Builder::new((0..classes).map(|class| class.to_string()).collect())?;
        let mut entries = Vec::new();
        for at in 0..self.count() {
            cancel::check();
            self.row(at, &mut entries);
            let weight = weights.map_or(1.0, |weights| weights[at]);
            builder.push(&mut entries, labels[at] as usize, weight)?;
        }
        Ok(builder.finish()?)
    }
}

/// Trains a classifier as the recipe says; returns it and the report as JSON.
#[pyfunction]
#[pyo3(signature = (recipe, matrix, labels, weights, classes, threads, listener))]
pub fn learn_fit(
    py: Python<'_>,
    recipe: &str,
    matrix: Matrix<'_>,
    labels: PyReadonlyArray1<'_, i64>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    classes: usize,
    threads: Option<usize>,
    listener: Listener<'_>,
) -> PyResult<(Classifier, String)> {
    let recipe: Recipe = recipe.parse().map_err(raised)?;
    let rows = matrix.rows()?;
    let labels = labels.as_slice()?;
    let weights = weights
        .as_ref()
        .map(|weights| weights.as_slice())
        .transpose()?;
    let wrong = |found: usize| {
        refused(format!(
            "{} rows but {found} labels or weights",
            rows.count()
        ))
    };
    if labels.len() != rows.count() {
        return Err(wrong(labels.len()));
    }
    if let Some(weights) = weights.filter(|weights| weights.len() != rows.count()) {
        return Err(wrong(weights.len()));
    }
    if labels
        .iter()
        .any(|&label| label < 0 || label >= classes as i64)
    {
        return Err(refused(format!("a label is not one of {classes} classes")));
    }
    let (model, report) = call(py, threads, listener, |meter| {
        let examples = rows.examples(labels, weights, classes)?;
        let progress = meter.begin("learn", "iterations", None);
        Ok(recipe.train(examples, None, &*progress)?)
    })?;
    let report = serde_json::to_string(&report).map_err(|error| refused(error.to_string()))?;
    Ok((Classifier(model), report))
}

/// The mutual information of each column with the classes, and the same normalised (NB eq. 14 to 16).
#[pyfunction]
pub fn mutual_information(
    py: Python<'_>,
    matrix: Matrix<'_>,
    labels: PyReadonlyArray1<'_, i64>,
    classes: usize,
) -> PyResult<(Vec<f64>, Vec<f64>)> {
    let rows = matrix.rows()?;
    let labels = labels.as_slice()?;
    if labels.len() != rows.count()
        || labels
            .iter()
            .any(|&label| label < 0 || label >= classes as i64)
    {
        return Err(refused(format!(
            "a label of {classes} classes for each of {} rows expected",
            rows.count()
        )));
    }
    let columns = matrix.3;
    call(py, None, None, |_| {
        let examples = rows.examples(labels, None, classes)?;
        let (mut mutual, mut normalised) = (vec![0.0; columns], vec![0.0; columns]);
        let ids = examples.feature_ids();
        for (&id, found) in ids.iter().zip(selection::mutual_information(&examples)) {
            mutual[id as usize] = found.mutual;
            normalised[id as usize] = found.normalised;
        }
        Ok((mutual, normalised))
    })
}

/// A trained classifier.
#[pyclass(module = "chiasm._chiasm", frozen)]
pub struct Classifier(Model);

#[pymethods]
impl Classifier {
    #[new]
    fn open(path: PathBuf) -> PyResult<Self> {
        Ok(Classifier(Model::open(path).map_err(raised)?))
    }

    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.0.save(path).map_err(raised)
    }

    /// The bytes of the file that `save` writes, for pickling.
    fn to_bytes(&self) -> PyResult<Vec<u8>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("model");
        self.0.save(&path).map_err(raised)?;
        Ok(std::fs::read(path)?)
    }

    /// A classifier of such bytes.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("model");
        std::fs::write(&path, bytes)?;
        Classifier::open(path)
    }

    /// Scores of all classes for each row, or the logarithms of their probabilities.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        matrix: Matrix<'py>,
        logarithms: bool,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = matrix.rows()?;
        let classes = self.0.class_names().len();
        let ids: Vec<u32> = (0..matrix.3 as u32).collect();
        let found = call(py, threads, None, |_| {
            let mut found = vec![0.0; rows.count() * classes];
            let numbers = self.0.feature_numbers(&ids);
            let mut entries = Vec::new();
            let (mut features, mut values) = (Vec::new(), Vec::new());
            for (at, out) in found.chunks_exact_mut(classes.max(1)).enumerate() {
                cancel::check();
                rows.row(at, &mut entries);
                entries.sort_unstable_by_key(|entry| entry.0);
                features.clear();
                values.clear();
                for &(feature, value) in &entries {
                    let number = numbers[feature as usize];
                    if number != UNKNOWN && value != 0.0 {
                        features.push(number);
                        values.push(value);
                    }
                }
                let row = Row {
                    features: &features,
                    values: &values,
                };
                match logarithms {
                    true => self.0.log_probabilities(row, out),
                    false => self.0.scores(row, out),
                }
            }
            Ok(found)
        })?;
        let array = numpy::PyArray1::from_vec(py, found);
        array.reshape([rows.count(), classes])
    }

    /// The weights of a linear classifier, a row a class; none for naive Bayes.
    fn weights<'py>(
        &self,
        py: Python<'py>,
        columns: usize,
    ) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let Form::Linear(linear) = self.0.form() else {
            return Ok(None);
        };
        let classes = self.0.class_names().len();
        let mut weights = vec![0.0; classes * columns];
        for (number, &id) in linear.feature_ids().iter().enumerate() {
            for class in 0..classes {
                weights[class * columns + id as usize] = linear.weight(number as u32, class);
            }
        }
        let array = numpy::PyArray1::from_vec(py, weights);
        array.reshape([classes, columns]).map(Some)
    }
}
