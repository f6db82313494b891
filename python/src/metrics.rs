//! BLEU, NIST, chrF, TER and what a difference is worth.

use crate::call::call;
use crate::error::{raised, refused};
use chiasm::metrics::bleu::{Bleu, Smoothing};
use chiasm::metrics::{Chrf, Metric, Nist, References, Statistics, Ter, Tokenizer, bootstrap};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Options by sacreBLEU's names.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    metric: String,
    lowercase: bool,
    tokenize: String,
    smooth_method: String,
    smooth_value: Option<f64>,
    effective_order: bool,
    word_order: usize,
}

impl Options {
    fn metric(&self, references: &References) -> PyResult<Box<dyn Metric + Send>> {
        Ok(match self.metric.as_str() {
            "bleu" => Box::new(self.bleu()?),
            "nist" => Box::new(Nist::new(references).map_err(raised)?),
            "chrf" => Box::new(Chrf {
                word_order: self.word_order,
                lowercase: self.lowercase,
            }),
            "ter" => Box::new(Ter {
                case_sensitive: !self.lowercase,
            }),
            other => {
                return Err(refused(format!(
                    "{other}: bleu, nist, chrf or ter expected"
                )));
            }
        })
    }

    fn bleu(&self) -> PyResult<Bleu> {
        let tokenizer: Tokenizer = self
            .tokenize
            .parse()
            .map_err(|error| refused(format!("{error}")))?;
        Ok(Bleu {
            tokenizer,
            smoothing: Smoothing::named(&self.smooth_method, self.smooth_value).map_err(raised)?,
            lowercase: self.lowercase,
            effective_order: self.effective_order,
        })
    }
}

/// The score of a corpus: `score`, `signature`, and for BLEU its parts.
#[pyfunction]
pub fn corpus<'py>(
    py: Python<'py>,
    options: Options,
    hypotheses: Vec<String>,
    references: Vec<Vec<String>>,
) -> PyResult<Bound<'py, PyDict>> {
    let references = References::new(references).map_err(raised)?;
    let metric = options.metric(&references)?;
    let counted = call(py, None, None, |_| {
        Ok(Statistics::collect(&*metric, &hypotheses, &references)?)
    })?;
    let sum = counted.sum();
    let found = PyDict::new(py);
    found.set_item("name", metric.name())?;
    found.set_item("signature", metric.signature(references.count()))?;
    found.set_item("score", metric.score(&sum))?;
    if options.metric == "bleu" {
        let sums = <[f64; 10]>::try_from(sum.as_slice())
            .map_err(|_| refused("counts of BLEU expected"))?;
        let detail = options.bleu()?.detailed(&sums);
        found.set_item("precisions", detail.precisions)?;
        found.set_item("bp", detail.brevity_penalty)?;
        found.set_item("sys_len", detail.hypothesis_length)?;
        found.set_item("ref_len", detail.reference_length)?;
        found.set_item("format", detail.to_string())?;
    }
    Ok(found)
}

/// The score of each sentence by itself.
#[pyfunction]
pub fn sentences(
    py: Python<'_>,
    options: Options,
    hypotheses: Vec<String>,
    references: Vec<Vec<String>>,
) -> PyResult<Vec<f64>> {
    let references = References::new(references).map_err(raised)?;
    let metric = options.metric(&references)?;
    let counted = call(py, None, None, |_| {
        Ok(Statistics::collect(&*metric, &hypotheses, &references)?)
    })?;
    Ok((0..counted.sentences())
        .map(|at| metric.score(counted.row(at)))
        .collect())
}

/// What the difference between a system and a baseline is worth: (difference, p, low, high) by paired bootstrap resampling.
#[pyfunction]
pub fn compare(
    py: Python<'_>,
    options: Options,
    hypotheses: [Vec<String>; 2],
    references: Vec<Vec<String>>,
    samples: usize,
    seed: u64,
) -> PyResult<(f64, f64, f64, f64)> {
    let references = References::new(references).map_err(raised)?;
    let metric = options.metric(&references)?;
    call(py, None, None, |_| {
        let mut both = Vec::new();
        for lines in &hypotheses {
            both.push(Statistics::collect(&*metric, lines, &references)?);
        }
        let drawn = bootstrap::resample(&*metric, &[&both[0], &both[1]], samples, seed)?;
        let difference = metric.score(&both[0].sum()) - metric.score(&both[1].sum());
        let found = drawn.compare(0, 1, difference);
        Ok((
            found.difference,
            found.p_value,
            found.interval.low,
            found.interval.high,
        ))
    })
}
