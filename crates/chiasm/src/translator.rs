//! A system that translates text as people write it.

use crate::Result;
use chiasm_decode::{
    Decoder, Glossary, GraphLimits, Input, Preparation, SearchSettings, System, Translation,
    Wanted, WordGraph, formats,
};
use std::path::Path;
use std::sync::Arc;

/// A system, opened; shared by any number of threads.
pub struct Translator {
    system: Arc<System>,
    decoder: Decoder,
    preparation: Preparation,
    glossary: Option<Glossary>,
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
        })
    }

    /// Words that must be translated so.
    pub fn glossary(mut self, glossary: Glossary) -> Self {
        self.glossary = Some(glossary);
        self
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
