//! Words of all rows, numbered once for all.

use super::columns::{Column, Flat, Written};
use crate::error::{raised, refused};
use chiasm::phrases::Side;
use chiasm::phrases::shards::Cuts;
use chiasm::store::{Container, Writer};
use chiasm::text::{StoredVocabulary, Vocabulary, tokens};
use numpy::PyArray1;
use pyo3::prelude::*;
use std::path::PathBuf;

const KIND: &str = "words";
const VERSION: u32 = 1;

/// Counts the words of rows, and draws beginnings of phrases.
#[pyclass(module = "chiasm._chiasm")]
#[derive(Default)]
pub struct WordCounter {
    words: [Vocabulary; 2],
    counts: [Vec<i64>; 2],
    drawn: Written,
    draws: usize,
    rows: u64,
}

/// Of so many rows one is drawn from.
const EVERY: u64 = 32;
/// Phrases begin with so many words that all of them differ enough.
const BEGINNING: usize = 3;
/// A machine draws no more than that.
const MOST_DRAWN: usize = 20_000;

#[pymethods]
impl WordCounter {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn add(&mut self, source: Column<'_>, target: Column<'_>) -> PyResult<()> {
        let sides = [source.texts()?, target.texts()?];
        for (side, texts) in sides.into_iter().enumerate() {
            for word in texts.iter().flat_map(tokens) {
                let number = self.words[side].intern(word) as usize;
                let counts = &mut self.counts[side];
                match counts.get_mut(number) {
                    Some(count) => *count += 1,
                    None => counts.push(1),
                }
            }
        }
        for sentence in sides[0].iter() {
            self.rows += 1;
            if self.rows % EVERY == 1 && self.draws < MOST_DRAWN {
                let words: Vec<&str> = tokens(sentence).take(1000).collect();
                for at in (0..words.len()).step_by(2) {
                    let end = words.len().min(at + BEGINNING);
                    self.drawn.push(&words[at..end].join(" "));
                    self.draws += 1;
                }
            }
        }
        Ok(())
    }

    /// Kinds (0 source words, 1 target words, 2 beginnings of phrases, 3 rows), texts, counts.
    #[allow(clippy::type_complexity)]
    fn finish<'py>(
        &mut self,
        py: Python<'py>,
    ) -> (
        Bound<'py, PyArray1<i32>>,
        Flat<'py>,
        Bound<'py, PyArray1<i64>>,
    ) {
        let whole = std::mem::take(self);
        let (mut kinds, mut counts) = (Vec::new(), Vec::new());
        let mut texts = whole.drawn;
        kinds.resize(whole.draws, 2);
        counts.resize(whole.draws, 1);
        for (side, (words, found)) in whole.words.iter().zip(whole.counts).enumerate() {
            words.words().for_each(|word| texts.push(word));
            kinds.resize(kinds.len() + found.len(), side as i32);
            counts.extend(found);
        }
        texts.push("");
        kinds.push(3);
        counts.push(whole.rows as i64);
        (
            PyArray1::from_vec(py, kinds),
            texts.give(py),
            PyArray1::from_vec(py, counts),
        )
    }
}

/// The words of both sides, numbered by spelling.
#[pyclass(module = "chiasm._chiasm", frozen)]
pub struct Words {
    pub sides: [Side; 2],
}

impl Words {
    pub fn both(&self) -> [&Side; 2] {
        [&self.sides[0], &self.sides[1]]
    }
}

#[pymethods]
impl Words {
    #[new]
    fn new(source: Column<'_>, target: Column<'_>) -> PyResult<Self> {
        let (source, target) = (source.texts()?, target.texts()?);
        let sides = [Side::of_words(source.iter()), Side::of_words(target.iter())];
        Ok(Words { sides })
    }

    #[staticmethod]
    fn open(path: PathBuf) -> PyResult<Self> {
        let sections = Container::open(path).and_then(|file| file.expect_kind(KIND, VERSION));
        let sections = sections.map_err(raised)?;
        sections.verify().map_err(raised)?;
        let side = |name: &str| -> PyResult<Side> {
            let words = StoredVocabulary::from_sections(&sections.within(name)).map_err(raised)?;
            let spellings: Vec<&str> = (0..words.len() as u32).map(|id| words.word(id)).collect();
            Ok(Side::of_words(spellings.into_iter()))
        };
        let sides = [side("source/")?, side("target/")?];
        Ok(Words { sides })
    }

    fn save(&self, path: PathBuf) -> PyResult<()> {
        let mut writer = Writer::create(path, KIND, VERSION).map_err(raised)?;
        for (side, name) in self.sides.iter().zip(["source/", "target/"]) {
            let words = StoredVocabulary::new(&side.vocabulary);
            let written = writer.within(name, |writer| words.write_sections(writer));
            written.map_err(raised)?;
        }
        writer.finish().map_err(raised)
    }

    /// How many words either side has.
    fn sizes(&self) -> (usize, usize) {
        let [source, target] = self.both();
        (source.vocabulary.len(), target.vocabulary.len())
    }

    /// Where runs of phrase pairs are cut, so that so many places have about as much to do.
    fn cuts(&self, drawn: Column<'_>, places: usize) -> PyResult<Vec<u32>> {
        if places == 0 || places >= 1 << 20 {
            return Err(refused(format!(
                "{places} partitions; between 1 and a million expected"
            )));
        }
        let drawn = drawn.texts()?;
        Ok(Cuts::new(drawn.iter(), &self.sides[0], places).to_numbers())
    }
}
