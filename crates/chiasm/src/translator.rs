//! A system that translates text as people write it.

use crate::{Error, Result};
use chiasm_adapt::{Memory, Pair};
use chiasm_decode::{
    Decoder, Glossary, GraphLimits, Input, Preparation, SearchSettings, System, Translation,
    Wanted, WordGraph, formats,
};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A system, opened; shared by any number of threads.
pub struct Translator {
    system: Arc<System>,
    decoder: Decoder,
    preparation: Preparation,
    glossary: Option<Glossary>,
    memory: Option<Mutex<Memory>>,
}

/// What a sentence became, and why.
#[derive(Clone, Debug)]
pub struct Translated {
    /// As people write it.
    pub text: String,
    /// The source as tokens; spans of the derivation count them.
    pub tokens: Vec<String>,
    /// The derivation: phrases in target order with their orientations, links, score, features.
    pub derivation: Translation,
}

impl Translator {
    /// Opens a system file; it is mapped, so this takes milliseconds whatever its size.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let system = Arc::new(System::open(path)?);
        let search = system.configuration().search.clone();
        Translator::with_search(system, search)
    }

    /// A system with other settings of the search.
    pub fn with_search(system: Arc<System>, search: SearchSettings) -> Result<Self> {
        let decoder = Decoder::with_weights(system.clone(), &system.weights(), search)?;
        Ok(Translator {
            preparation: Preparation::new(&system),
            decoder,
            system,
            glossary: None,
            memory: None,
        })
    }

    /// Words that must be translated so.
    pub fn glossary(mut self, glossary: Glossary) -> Self {
        self.glossary = Some(glossary);
        self
    }

    /// Learns from its user: what [`learn`](Translator::learn) is told lies in the file at `path` beside the system, which
    /// itself never changes, and is used from the next sentence on.
    pub fn memory(mut self, path: impl AsRef<Path>) -> Result<Self> {
        self.memory = Some(Mutex::new(Memory::open(self.system.clone(), path)?));
        Ok(self)
    }

    /// Learns that `source` is translated by `target`. Returns the number of the pair.
    pub fn learn(&self, source: &str, target: &str) -> Result<u64> {
        let ids = self.with_memory(|memory| memory.learn(&self.preparation, [(source, target)]))?;
        Ok(ids.first().copied().unwrap_or_default())
    }

    /// Forgets a pair that was learned.
    pub fn forget(&self, id: u64) -> Result<()> {
        self.with_memory(|memory| memory.forget(id))
    }

    /// Forgets the pair that was learned last.
    pub fn undo(&self) -> Result<Option<Pair>> {
        self.with_memory(Memory::undo)
    }

    /// The pairs that were learned and not forgotten.
    pub fn learned(&self) -> Result<Vec<Pair>> {
        self.with_memory(|memory| Ok(memory.pairs().to_vec()))
    }

    fn with_memory<T>(
        &self,
        work: impl FnOnce(&mut Memory) -> chiasm_adapt::Result<T>,
    ) -> Result<T> {
        let memory = self.memory.as_ref().ok_or(Error::NoMemory)?;
        // A memory is whole whenever its lock is given back: a panic elsewhere does not spoil it.
        let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(work(&mut memory)?)
    }

    /// What follows the beginning of a translation that somebody has typed, as text to be put right after it. There is
    /// always an answer, whatever was typed.
    pub fn complete(&self, text: &str, prefix: &str) -> Result<String> {
        let graph = self.word_graph(text, GraphLimits::default())?;
        Ok(self.complete_in(&graph, prefix))
    }

    /// The same with a graph that is at hand: as one types, it need not be made again.
    pub fn complete_in(&self, graph: &WordGraph, prefix: &str) -> String {
        self.preparation.complete(graph, prefix)
    }

    /// For each target word of a translation, how probable it is that it stays when somebody corrects the translation.
    pub fn confidences(&self, text: &str, translated: &Translated) -> Result<Vec<f32>> {
        let graph = self.word_graph(text, GraphLimits::default())?;
        Ok(self.system.confidences(&graph, &translated.derivation))
    }

    /// The system behind it.
    pub fn system(&self) -> &Arc<System> {
        &self.system
    }

    /// Text comes and goes tokenised: words between spaces.
    pub fn tokenized(mut self) -> Self {
        self.preparation = Preparation::tokenized();
        self
    }

    /// The best translation.
    pub fn translate(&self, text: &str) -> Result<Translated> {
        let best = self.nbest(text, 1)?.into_iter().next();
        Ok(best.unwrap_or_else(|| self.translated(&self.input(text), Translation::default())))
    }

    /// The best translations that differ in their words, the best first.
    pub fn nbest(&self, text: &str, count: usize) -> Result<Vec<Translated>> {
        let input = self.input(text);
        let found = self.decoder.nbest(&input, wanted(count))?;
        let translated = found.into_iter().map(|one| self.translated(&input, one));
        Ok(translated.collect())
    }

    /// Many sentences on so many threads, in their order; the result does not depend on the number.
    pub fn translate_batch(
        &self,
        texts: &[impl AsRef<str>],
        threads: usize,
    ) -> Result<Vec<Translated>> {
        let inputs: Vec<Input> = texts.iter().map(|text| self.input(text.as_ref())).collect();
        let lists = self.nbest_batch(&inputs, 1, threads)?;
        let first = |list: Vec<Translated>| list.into_iter().next();
        let best = inputs.iter().zip(lists).map(|(input, list)| {
            first(list).unwrap_or_else(|| self.translated(input, Translation::default()))
        });
        Ok(best.collect())
    }

    /// The best translations of each of many inputs, whose words may be constrained, on so many threads.
    pub fn nbest_batch(
        &self,
        inputs: &[Input],
        count: usize,
        threads: usize,
    ) -> Result<Vec<Vec<Translated>>> {
        let lists = self
            .decoder
            .translate_batch(inputs, wanted(count), threads)?;
        let described = inputs.iter().zip(lists).map(|(input, list)| {
            let translated = list.into_iter().map(|one| self.translated(input, one));
            translated.collect()
        });
        Ok(described.collect())
    }

    /// The translations that the search looks at, as a graph of phrases with their posteriors.
    pub fn word_graph(&self, text: &str, limits: GraphLimits) -> Result<WordGraph> {
        Ok(self.decoder.word_graph(&self.input(text), limits, 1.0)?)
    }

    /// A translation as `chiasm translate --json` writes it: phrases, orientations with their probabilities, links.
    pub fn json(&self, translated: &Translated) -> serde_json::Value {
        let found = std::slice::from_ref(&translated.derivation);
        formats::sentence_json(
            &self.system,
            &self.preparation,
            &translated.tokens,
            found,
            false,
        )
    }

    /// The words of a text, with what the glossary says of them.
    pub fn input(&self, text: &str) -> Input {
        let mut input = Input::from_line(&self.preparation.source_tokens(text));
        if let Some(glossary) = &self.glossary {
            glossary.apply(&mut input);
        }
        if let Some(memory) = &self.memory {
            let memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
            input.learned = Some(memory.learned());
        }
        input
    }

    fn translated(&self, input: &Input, derivation: Translation) -> Translated {
        Translated {
            text: self.preparation.text(&derivation),
            tokens: input.tokens.clone(),
            derivation,
        }
    }
}

fn wanted(count: usize) -> Wanted {
    Wanted {
        count,
        distinct: count > 1,
    }
}
