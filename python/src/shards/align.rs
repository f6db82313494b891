//! Links of rows, and rounds of expected links.

use super::phrases::ONE;
use super::{Column, Flat, Written};
use crate::align::AlignmentModel;
use crate::call::call;
use crate::error::{raised, refused};
use chiasm::align::rounds::{Count, Round as Counting, RoundSums};
use chiasm::align::{Decoder, LinkMaker, Model, Posteriors, Preset, Settings, complaint};
use chiasm::text::links;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::collections::HashMap;
use std::fmt::Write;

/// Links, their posteriors, how probable the target is given the source and the source given the target, and what is wrong with
/// rows that have no links.
type Aligned<'py> = (
    Flat<'py>,
    Flat<'py>,
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray1<f32>>,
    Flat<'py>,
);

/// Aligns two columns.
#[pyfunction]
pub fn align_columns<'py>(
    py: Python<'py>,
    model: &AlignmentModel,
    source: Column<'_>,
    target: Column<'_>,
) -> PyResult<Aligned<'py>> {
    let (source, target) = (source.texts()?, target.texts()?);
    let (mut found, mut scores, mut problems) =
        (Written::default(), Written::default(), Written::default());
    let (mut forward, mut reverse) = (Vec::new(), Vec::new());
    call(py, ONE, None, |_| {
        let mut decoder = Decoder::new(&model.model);
        let (mut maker, mut posteriors) = (LinkMaker::default(), Posteriors::default());
        let (mut line, mut score_line) = (String::new(), String::new());
        for row in 0..source.len() {
            let texts = source.get(row).and_then(|one| Ok((one, target.get(row)?)));
            let problem = match texts {
                Ok((source, target)) => {
                    decoder.align(source, target, &mut posteriors);
                    complaint(source, target).map(|(_, reason)| reason)
                }
                Err(reason) => {
                    posteriors.reset(0, 0);
                    Some(reason)
                }
            };
            let pair = maker.links(&posteriors, model.links);
            line.clear();
            links::format(&pair.links, &mut line);
            found.push(&line);
            score_line.clear();
            for (at, score) in pair.scores.iter().enumerate() {
                let space = if at == 0 { "" } else { " " };
                let _ = write!(score_line, "{space}{score:.4}");
            }
            scores.push(&score_line);
            let [one, other] = pair.sentence.unwrap_or([f32::NAN; 2]);
            forward.push(one);
            reverse.push(other);
            problems.push(problem.as_deref().unwrap_or(""));
        }
        Ok(())
    })?;
    Ok((
        found.give(py),
        scores.give(py),
        PyArray1::from_vec(py, forward),
        PyArray1::from_vec(py, reverse),
        problems.give(py),
    ))
}

fn settings(preset: &str, pairs: usize, seed: u64) -> PyResult<Settings> {
    let preset: Preset = preset.parse().map_err(refused)?;
    let mut settings = Settings::preset(preset, pairs);
    settings.seed = seed;
    Ok(settings)
}

/// A log-linear model that knows words only, and how many rounds it takes.
#[pyfunction]
pub fn beginning(
    preset: &str,
    seed: u64,
    symmetrise: &str,
    source: Column<'_>,
    target: Column<'_>,
) -> PyResult<(AlignmentModel, u32)> {
    let settings = settings(preset, 1, seed)?;
    let (source, target) = (source.texts()?, target.texts()?);
    let model = Model::beginning(&settings, source.iter(), target.iter());
    let model = AlignmentModel::of(model, symmetrise)?;
    Ok((model, settings.log_linear.iterations))
}

/// The same model that knows these words, too.
#[pyfunction]
pub fn knowing(
    model: &AlignmentModel,
    symmetrise: &str,
    source: Column<'_>,
    target: Column<'_>,
) -> PyResult<AlignmentModel> {
    let (source, target) = (source.texts()?, target.texts()?);
    let knowing = model.model.knowing(source.iter(), target.iter());
    AlignmentModel::of(knowing, symmetrise)
}

/// Counts the links that a model expects.
#[pyclass(module = "chiasm._chiasm")]
pub struct Round {
    model: Py<AlignmentModel>,
    iteration: u32,
    aside: u64,
    counts: HashMap<(u8, u64), [i64; 2]>,
}

/// Kinds, keys, forward and reverse counts.
type Counts<'py> = (
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
);

#[pymethods]
impl Round {
    #[new]
    #[pyo3(signature = (model, iteration, aside))]
    fn new(model: Py<AlignmentModel>, iteration: Option<u32>, aside: u64) -> Self {
        Round {
            model,
            iteration: iteration.unwrap_or(Counting::LATER),
            aside,
            counts: HashMap::new(),
        }
    }

    /// Takes a batch; returns how many different counts there are by now.
    fn add(&mut self, py: Python<'_>, source: Column<'_>, target: Column<'_>) -> PyResult<usize> {
        let (source, target) = (source.texts()?, target.texts()?);
        let (iteration, aside, counts) = (self.iteration, self.aside, &mut self.counts);
        let model = &self.model.get().model;
        call(py, ONE, None, |_| {
            let mut counting = Counting::new(model, iteration, aside);
            for (source, target) in source.iter().zip(target.iter()) {
                counting.add(source, target);
            }
            for (key, [forward, reverse]) in counting.take() {
                let sums = counts.entry(key).or_default();
                sums[0] += forward;
                sums[1] += reverse;
            }
            Ok(())
        })?;
        Ok(self.counts.len())
    }

    /// All counts so far; counting begins anew.
    fn take<'py>(&mut self, py: Python<'py>) -> Counts<'py> {
        let mut counts: Vec<Count> = self.counts.drain().collect();
        counts.sort_unstable();
        let kinds = counts.iter().map(|count| i32::from(count.0.0)).collect();
        let keys = counts.iter().map(|count| count.0.1 as i64).collect();
        let forward = counts.iter().map(|count| count.1[0]).collect();
        let reverse = counts.iter().map(|count| count.1[1]).collect();
        (
            PyArray1::from_vec(py, kinds),
            PyArray1::from_vec(py, keys),
            PyArray1::from_vec(py, forward),
            PyArray1::from_vec(py, reverse),
        )
    }
}

/// The next model, how many pairs were counted, and how probable the last one found those kept aside.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn after_round(
    model: &AlignmentModel,
    preset: &str,
    symmetrise: &str,
    first: bool,
    kinds: PyReadonlyArray1<'_, i32>,
    keys: PyReadonlyArray1<'_, i64>,
    forward: PyReadonlyArray1<'_, i64>,
    reverse: PyReadonlyArray1<'_, i64>,
) -> PyResult<(AlignmentModel, u64, Option<f64>)> {
    let (kinds, keys) = (kinds.as_slice()?, keys.as_slice()?);
    let (forward, reverse) = (forward.as_slice()?, reverse.as_slice()?);
    let counts = kinds.iter().zip(keys).zip(forward.iter().zip(reverse));
    let counts = counts.map(|((&kind, &key), (&forward, &reverse))| {
        let kind = u8::try_from(kind).unwrap_or(u8::MAX);
        ((kind, key as u64), [forward, reverse])
    });
    let sums = RoundSums::new(counts);
    let log_linear = settings(preset, 1, 1)?.log_linear;
    let fit = log_linear.fit_tension && !first;
    let next = model.model.after_round(&sums, &log_linear, fit);
    let next = AlignmentModel::of(next.map_err(raised)?, symmetrise)?;
    Ok((next, sums.pairs(), sums.held_out()))
}
