//! A language model as the search sees it: target vocabulary in, natural logarithms out.

use crate::Result;
use chiasm_lm::{Model, State};
use chiasm_store::{Array, Sections, Writer};
use chiasm_text::StoredVocabulary;

/// A language model and the numbers that the target vocabulary's words have in it.
#[derive(Clone)]
pub struct LanguageModel {
    model: std::sync::Arc<Model>,
    ids: Array<u32>,
}

impl LanguageModel {
    /// Connects a model with a target vocabulary.
    pub fn new<'a>(model: Model, words: impl Iterator<Item = &'a str>) -> Self {
        let ids: Vec<u32> = words.map(|word| model.vocabulary_id(word)).collect();
        LanguageModel {
            model: model.into(),
            ids: ids.into(),
        }
    }

    pub(crate) fn from_sections(sections: &Sections, words: &StoredVocabulary) -> Result<Self> {
        let ids = sections.array("target-ids")?;
        if ids.len() != words.len() {
            let reason = "does not fit the target vocabulary";
            return Err(sections.corrupt("target-ids", reason).into());
        }
        Ok(LanguageModel {
            model: Model::from_sections(sections)?.into(),
            ids,
        })
    }

    pub(crate) fn write_sections(&self, writer: &mut Writer) -> chiasm_store::Result<()> {
        writer.array("target-ids", &self.ids)?;
        self.model.write_sections(writer)
    }

    /// The model itself.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Is it a model of these words themselves, not of their classes?
    pub fn is_of_words(&self, words: &StoredVocabulary) -> bool {
        let all = (0..words.len() as u32).zip(self.ids.iter());
        all.into_iter()
            .all(|(word, &id)| self.model.vocabulary_id(words.word(word)) == id)
    }

    /// The model's number of a word of the target vocabulary.
    pub(crate) fn id(&self, word: u32) -> Option<u32> {
        self.ids.get(word as usize).copied()
    }

    pub(crate) fn id_of(&self, word: &str) -> u32 {
        self.model.vocabulary_id(word)
    }

    /// The natural logarithm of the word's probability after `state`, and the state after it.
    #[inline]
    pub(crate) fn score(&self, state: &State, word: u32, after: &mut State) -> f32 {
        self.model.score(state, word, after) * std::f32::consts::LN_10
    }

    pub(crate) fn end_of_sentence(&self) -> u32 {
        self.model.end_of_sentence()
    }

    pub(crate) fn begin(&self) -> State {
        self.model.begin_sentence_state()
    }

    pub(crate) fn nothing(&self) -> State {
        self.model.null_state()
    }
}

/// Does the state know nothing from before the last `words` words?
#[inline]
pub(crate) fn is_within(state: &State, words: usize) -> bool {
    state.context().len() <= words
}
