//! How probable a sentence is.

use crate::call::{Listener, call};
use crate::error::{raised, refused};
use chiasm::lm;
use chiasm::work::Observer;
use pyo3::prelude::*;
use std::path::PathBuf;

/// An n-gram language model, interpolated modified Kneser-Ney.
#[pyclass(module = "chiasm._chiasm", frozen)]
pub struct LanguageModel(lm::Model);

/// What a model remembers of the words before.
#[pyclass(module = "chiasm._chiasm", frozen, eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub struct State(lm::State);

#[pymethods]
impl LanguageModel {
    #[new]
    fn open(path: PathBuf) -> PyResult<Self> {
        Ok(LanguageModel(lm::Model::open(path).map_err(raised)?))
    }

    /// Estimates on tokenised files; with `arpa`, writes that file, too.
    #[staticmethod]
    #[pyo3(signature = (files, order, prune, memory, arpa, threads, listener))]
    fn estimate_files(
        py: Python<'_>,
        files: Vec<PathBuf>,
        order: usize,
        prune: Vec<u64>,
        memory: usize,
        arpa: Option<PathBuf>,
        threads: Option<usize>,
        listener: Listener<'_>,
    ) -> PyResult<Self> {
        let mut options = lm::estimate::Options::new(order);
        options.prune = prune;
        options.memory = memory;
        options.special = lm::estimate::SpecialWords::Skip;
        options.fallback = Some(lm::estimate::Discounts::FALLBACK);
        let model = call(py, threads, listener, |meter| {
            let progress = meter.begin("language model", "n-grams", None);
            let estimated = lm::estimate::estimate(&files, &options, &*progress)?;
            let Some(path) = arpa else {
                return Ok(estimated.into_model(&*progress)?);
            };
            estimated.write_arpa(&path, &*progress)?;
            Ok(lm::Model::open(path)?)
        })?;
        Ok(LanguageModel(model))
    }

    #[getter]
    fn order(&self) -> usize {
        self.0.order()
    }

    #[getter]
    fn vocabulary_size(&self) -> usize {
        self.0.vocabulary_size()
    }

    fn __contains__(&self, word: &str) -> bool {
        self.0.vocabulary_id(word) != lm::UNKNOWN
    }

    /// log10 of the probability of a tokenised sentence.
    #[pyo3(signature = (sentence, bos = true, eos = true))]
    fn score(&self, sentence: &str, bos: bool, eos: bool) -> f64 {
        // A whole sentence has its own, faster way; there, marks in the text are unknown words.
        if bos && eos && !sentence.contains("s>") {
            return self.0.score_line(sentence).log10;
        }
        let mut total = 0.0;
        self.walk(sentence, bos, eos, |log10, _, _| total += f64::from(log10));
        total
    }

    /// For each word: log10 of its probability, the length of the n-gram that was found, whether it is unknown.
    #[pyo3(signature = (sentence, bos = true, eos = true))]
    fn full_scores(&self, sentence: &str, bos: bool, eos: bool) -> Vec<(f32, usize, bool)> {
        let mut all = Vec::new();
        self.walk(sentence, bos, eos, |log10, order, unknown| {
            all.push((log10, order, unknown))
        });
        all
    }

    /// The perplexity of a tokenised sentence, its end included.
    fn perplexity(&self, sentence: &str) -> f64 {
        self.0.score_line(sentence).perplexity()
    }

    /// The state at the beginning of a sentence.
    fn begin_state(&self) -> State {
        State(self.0.begin_sentence_state())
    }

    /// The state that knows nothing.
    fn null_state(&self) -> State {
        State(self.0.null_state())
    }

    /// log10 of the probability of a word after a state, and the state after it.
    fn advance(&self, state: &State, word: &str) -> (f32, State) {
        let mut next = lm::State::empty();
        let id = self.id(word);
        let score = self.0.score(&state.0, id, &mut next);
        (score, State(next))
    }

    /// Writes the binary file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.0.save(path).map_err(raised)
    }
}

impl LanguageModel {
    fn id(&self, word: &str) -> u32 {
        match word {
            "</s>" => self.0.end_of_sentence(),
            _ => self.0.vocabulary_id(word),
        }
    }

    fn walk(&self, sentence: &str, bos: bool, eos: bool, mut tell: impl FnMut(f32, usize, bool)) {
        let model = &self.0;
        let mut state = match bos {
            true => model.begin_sentence_state(),
            false => model.null_state(),
        };
        let mut next = lm::State::empty();
        let words = chiasm::text::tokens(sentence).map(|word| model.vocabulary_id(word));
        let end = eos.then(|| model.end_of_sentence());
        for word in words.chain(end) {
            let (log10, length) = model.score_and_length(&state, word, &mut next);
            tell(log10, length, word == lm::UNKNOWN);
            std::mem::swap(&mut state, &mut next);
        }
    }
}

#[pymethods]
impl State {
    fn __repr__(&self) -> String {
        format!("<state of {} words>", self.0.context().len())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refused("states are not kept: score the words again"))
    }
}
