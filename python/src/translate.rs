//! Translating, and why.

use crate::call::call;
use crate::error::{raised, refused};
use chiasm::decode::{Constraint, Glossary, GraphLimits, Input};
use chiasm::phrases::Span;
use chiasm::report::{demo, kit};
use chiasm::{Translated, Translator as Door};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A source span (first word, end) and what it must become.
type Pin = (u32, u32, String);
/// A phrase in target order: source span, target span, orientation, its probabilities by name, whether it was copied.
type Phrase = (
    (u32, u32),
    (u32, u32),
    Option<String>,
    Vec<(String, f32)>,
    bool,
);

/// An opened system.
#[pyclass(module = "chiasm._chiasm", frozen)]
pub struct Translator {
    door: Arc<Door>,
}

#[pymethods]
impl Translator {
    #[new]
    fn open(
        path: PathBuf,
        tokenized: bool,
        glossary: Vec<(String, String)>,
        memory: Option<PathBuf>,
    ) -> PyResult<Self> {
        let mut door = Door::open(path).map_err(raised)?;
        if tokenized {
            door = door.tokenized();
        }
        if let Some(glossary) = made_glossary(&glossary)? {
            door = door.glossary(glossary);
        }
        if let Some(memory) = memory {
            door = door.memory(memory).map_err(raised)?;
        }
        Ok(Translator {
            door: Arc::new(door),
        })
    }

    /// The best translations of each text.
    #[pyo3(signature = (texts, count, pins, glossary, threads))]
    fn translate(
        &self,
        py: Python<'_>,
        texts: Vec<String>,
        count: usize,
        pins: Vec<Pin>,
        glossary: Vec<(String, String)>,
        threads: Option<usize>,
    ) -> PyResult<Vec<Vec<Translation>>> {
        let door = &self.door;
        let glossary = made_glossary(&glossary)?;
        let lists = call(py, threads, None, |_| {
            let mut inputs: Vec<Input> = texts.iter().map(|text| door.input(text)).collect();
            for input in &mut inputs {
                input.constraints.extend(pins.iter().map(constraint));
                if let Some(glossary) = &glossary {
                    glossary.apply(input);
                }
            }
            door.nbest_batch(&inputs, count.max(1), threads.unwrap_or_else(rayon_threads))
        })?;
        let wrap = |found: Translated| Translation {
            door: door.clone(),
            found,
        };
        Ok(lists
            .into_iter()
            .map(|list| list.into_iter().map(wrap).collect())
            .collect())
    }

    /// What follows the beginning of a translation.
    fn complete(&self, py: Python<'_>, text: &str, prefix: &str) -> PyResult<String> {
        call(py, Some(1), None, |_| self.door.complete(text, prefix))
    }

    /// How probable each word of a translation is.
    fn confidences(
        &self,
        py: Python<'_>,
        text: &str,
        translation: &Translation,
    ) -> PyResult<Vec<f32>> {
        let found = &translation.found;
        call(py, Some(1), None, |_| self.door.confidences(text, found))
    }

    /// Learns pairs; their numbers.
    fn learn(&self, py: Python<'_>, source: &str, target: &str) -> PyResult<u64> {
        call(py, Some(1), None, |_| self.door.learn(source, target))
    }

    /// Forgets a pair.
    fn forget(&self, py: Python<'_>, id: u64) -> PyResult<()> {
        call(py, Some(1), None, |_| self.door.forget(id))
    }

    /// Forgets the last pair: its number, if there was one.
    fn undo(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        let undone = call(py, Some(1), None, |_| self.door.undo())?;
        Ok(undone.map(|pair| pair.id))
    }

    /// What was learned: number, source, target.
    fn learned(&self) -> PyResult<Vec<(u64, String, String)>> {
        let pairs = self.door.learned().map_err(raised)?;
        let told = pairs
            .into_iter()
            .map(|pair| (pair.id, pair.source, pair.target));
        Ok(told.collect())
    }

    /// The translations that the search looks at, as JSON: nodes and arcs.
    fn word_graph(&self, py: Python<'_>, text: &str, beam: f32, arcs: usize) -> PyResult<String> {
        let limits = GraphLimits { beam, arcs };
        let graph = call(py, Some(1), None, |_| self.door.word_graph(text, limits))?;
        serde_json::to_string(&graph).map_err(|error| refused(error.to_string()))
    }

    /// What is in the system, as JSON: languages, features, weights.
    fn configuration(&self) -> PyResult<String> {
        let configuration = self.door.system().configuration();
        serde_json::to_string(configuration).map_err(|error| refused(error.to_string()))
    }

    /// The words that a text is translated by.
    fn tokens(&self, text: &str) -> Vec<String> {
        self.door.input(text).tokens
    }
}

fn made_glossary(entries: &[(String, String)]) -> PyResult<Option<Glossary>> {
    let mut glossary = Glossary::default();
    for (source, target) in entries {
        if !glossary.add(source, target) {
            let reason = format!("glossary: no words in the source phrase of {target:?}");
            return Err(refused(reason));
        }
    }
    Ok((!entries.is_empty()).then_some(glossary))
}

fn rayon_threads() -> usize {
    rayon::current_num_threads()
}

fn constraint(pin: &Pin) -> Constraint {
    Constraint {
        span: Span::new(pin.0, pin.1.max(pin.0)),
        exclusive: true,
        translations: vec![(pin.2.clone(), 1.0)],
    }
}

/// What a sentence became, and why.
#[pyclass(module = "chiasm._chiasm", frozen)]
pub struct Translation {
    door: Arc<Door>,
    found: Translated,
}

#[pymethods]
impl Translation {
    /// The translation as people write it.
    #[getter]
    fn text(&self) -> &str {
        &self.found.text
    }

    /// The model score: weights times features.
    #[getter]
    fn score(&self) -> f32 {
        self.found.derivation.score
    }

    /// The source as words; spans count them.
    #[getter]
    fn source_tokens(&self) -> Vec<String> {
        self.found.tokens.clone()
    }

    /// The translation as words.
    #[getter]
    fn tokens(&self) -> Vec<String> {
        self.found.derivation.words.clone()
    }

    /// Links between source and target words.
    #[getter]
    fn alignment(&self) -> Vec<(usize, usize)> {
        self.found.derivation.links().collect()
    }

    /// Source words that were copied because they are unknown.
    #[getter]
    fn unknown(&self) -> Vec<usize> {
        self.found.derivation.unknown().collect()
    }

    /// The phrases in target order.
    fn phrase_list(&self) -> Vec<Phrase> {
        let span = |span: Span| (span.start, span.end);
        let phrases = self.found.derivation.phrases.iter();
        phrases
            .map(|phrase| {
                let said = phrase.told();
                let named = |(name, value): &(&str, f32)| (name.to_string(), *value);
                (
                    span(phrase.source),
                    span(phrase.target),
                    said.and_then(|said| said.orientation).map(String::from),
                    said.map_or(Vec::new(), |said| {
                        said.probabilities.iter().map(named).collect()
                    }),
                    phrase.unknown,
                )
            })
            .collect()
    }

    /// Everything as `chiasm translate --json` writes it.
    fn json(&self) -> String {
        self.door.json(&self.found).to_string()
    }

    fn __str__(&self) -> &str {
        &self.found.text
    }

    fn __repr__(&self) -> String {
        format!("<Translation {:?}>", self.found.text)
    }

    /// Crossing phrases as a picture, for notebooks.
    fn _repr_html_(&self) -> String {
        let picture = demo::page::draw(&self.found.tokens.join(" "), &self.found.derivation);
        let style = kit::PLOT_STYLE;
        format!("<div style=\"--soft:#888;--line:#ccc\"><style>{style}</style>{picture}</div>")
    }
}
