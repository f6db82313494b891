//! Which words translate each other.

use crate::call::{Listener, call};
use crate::error::{raised, refused};
use chiasm::align::{self, Bitext, LinkSettings};
use chiasm::align::{
    Comparison, Decoder, Method, Model, PairAlignment, Posteriors, Preset, Symmetriser,
};
use chiasm::text::Link;
use chiasm::work::Observer;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Links of a sentence pair with the posterior probability of each.
type Scored = (Vec<(u32, u32)>, Vec<f32>);

fn scored(pair: PairAlignment) -> Scored {
    (plain(&pair.links), pair.scores)
}

fn plain(links: &[Link]) -> Vec<(u32, u32)> {
    links
        .iter()
        .map(|link| (link.source, link.target))
        .collect()
}

/// A model that aligns sentence pairs, one at a time or many.
#[pyclass(module = "chiasm._chiasm", frozen)]
pub struct AlignmentModel {
    pub model: Arc<Model>,
    pub links: LinkSettings,
}

impl AlignmentModel {
    /// A model in memory.
    pub fn of(model: Model, symmetrise: &str) -> PyResult<Self> {
        Ok(AlignmentModel {
            model: Arc::new(model),
            links: settings(symmetrise)?,
        })
    }
}

/// Learns from tokenised pairs; returns the model and the links of those pairs.
#[pyfunction]
#[pyo3(signature = (pairs, preset, seed, symmetrise, memory, threads, listener))]
pub fn align_fit(
    py: Python<'_>,
    pairs: Bound<'_, PyAny>,
    preset: &str,
    seed: u64,
    symmetrise: &str,
    memory: Option<u64>,
    threads: Option<usize>,
    listener: Listener<'_>,
) -> PyResult<(AlignmentModel, Vec<Scored>)> {
    let preset: Preset = preset
        .parse()
        .map_err(|reason| refused(format!("{reason}")))?;
    let links = settings(symmetrise)?;
    // Words become numbers as the pairs come, so that they are not held twice.
    let mut bitext = Bitext::new();
    for pair in pairs.try_iter()? {
        let pair = pair?;
        let (source, target): (Bound<PyAny>, Bound<PyAny>) = pair.extract()?;
        bitext.push(&one_line(source.extract()?)?, &one_line(target.extract()?)?);
    }
    let (model, all) = call(py, threads, listener, |meter| {
        let mut settings = align::Settings::preset(preset, bitext.len());
        settings.seed = seed;
        if let Some(memory) = memory {
            settings.memory = chiasm::MemorySize(memory);
        }
        let progress = meter.begin("align", "passes", Some(align::passes(&settings)));
        let trained = align::train(&bitext, &settings, &*progress)?;
        let mut all = Vec::with_capacity(bitext.len());
        align::align_corpus(&trained, &bitext, links, &(), |pair| {
            all.push(scored(pair.clone()));
            Ok(())
        })?;
        Ok((trained.model(&bitext)?, all))
    })?;
    let model = Arc::new(model);
    Ok((AlignmentModel { model, links }, all))
}

fn settings(symmetrise: &str) -> PyResult<LinkSettings> {
    Ok(LinkSettings {
        method: method(symmetrise)?,
        ..LinkSettings::default()
    })
}

fn method(name: &str) -> PyResult<Method> {
    name.parse().map_err(|reason| refused(format!("{reason}")))
}

fn one_line(text: &str) -> PyResult<String> {
    match text.contains(['\n', '\r']) {
        true => Err(refused("a sentence has a line break in it")),
        false => Ok(text.to_string()),
    }
}

#[pymethods]
impl AlignmentModel {
    /// Opens a model that `chiasm align --save` or `Aligner.save` wrote.
    #[new]
    fn open(path: PathBuf, symmetrise: &str) -> PyResult<Self> {
        Ok(AlignmentModel {
            model: Arc::new(Model::open(path).map_err(raised)?),
            links: settings(symmetrise)?,
        })
    }

    /// The links of tokenised sentence pairs, each with its posterior probability.
    fn align(
        &self,
        py: Python<'_>,
        pairs: Vec<(String, String)>,
        threads: Option<usize>,
    ) -> PyResult<Vec<Scored>> {
        let (model, links) = (&self.model, self.links);
        call(py, threads, None, |_| {
            let mut pairs = Some(pairs);
            let mut all = Vec::new();
            let read = |batch: &mut Vec<(String, String)>| {
                *batch = pairs.take().unwrap_or_default();
                Ok(!batch.is_empty())
            };
            align::align_texts(model, links, read, |pair| {
                all.push(scored(pair.clone()));
                Ok(())
            })?;
            Ok(all)
        })
    }

    /// The posterior probabilities of all links of a tokenised sentence pair, row by row: target words given source words
    /// and source words given target words.
    fn posteriors(&self, source: &str, target: &str) -> (usize, usize, Vec<f32>, Vec<f32>) {
        let mut found = Posteriors::default();
        Decoder::new(&self.model).align(source, target, &mut found);
        (found.sources, found.targets, found.forward, found.reverse)
    }

    /// What a source word is translated by: target words with p(target | source) and p(source | target).
    fn lexicon(&self, word: &str) -> Vec<(String, f32, f32)> {
        let found = self.model.translations_of(word).into_iter();
        found
            .map(|(target, [forward, reverse])| (target.to_string(), forward, reverse))
            .collect()
    }

    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.model.save(path).map_err(raised)
    }
}

/// Two directions' links made one. Links are lists of (source, target) pairs.
#[pyfunction]
pub fn symmetrise(
    forward: Vec<(u32, u32)>,
    reverse: Vec<(u32, u32)>,
    method_name: &str,
) -> PyResult<Vec<(u32, u32)>> {
    let method = method(method_name)?;
    let links = |pairs: Vec<(u32, u32)>| {
        let mut links: Vec<Link> = pairs
            .into_iter()
            .map(|(source, target)| Link { source, target })
            .collect();
        links.sort_unstable();
        links.dedup();
        links
    };
    let mut found = Vec::new();
    Symmetriser::new().symmetrise(method, &links(forward), &links(reverse), &mut found);
    Ok(plain(&found))
}

/// The comparison of two files of links, as `chiasm aer --json` prints it.
#[pyfunction]
pub fn aer(gold: PathBuf, found: PathBuf) -> PyResult<String> {
    let comparison = Comparison::read(gold, found).map_err(raised)?;
    Ok(comparison.json(0).to_string())
}
