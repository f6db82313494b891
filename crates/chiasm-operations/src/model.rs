//! The n-gram model of operations.

use crate::Result;
use crate::moves::Move;
use crate::names::{act_name, move_name};
use crate::units::Act;
use chiasm_lm::{Model, State};
use chiasm_store::{Array, Sections, Writer};
use std::sync::Arc;

/// The class of a word that has none.
pub const NO_CLASS: u32 = u32::MAX;

/// The classes of the words of two vocabularies, by number.
#[derive(Clone)]
pub struct WordClasses {
    /// Of source words.
    pub source: Array<u32>,
    /// Of target words.
    pub target: Array<u32>,
}

/// An n-gram model of operations, on words or on their classes.
#[derive(Clone)]
pub struct OperationModel {
    model: Arc<Model>,
    classes: Option<WordClasses>,
    moves: [u32; Move::CODES],
}

const SOURCE_CLASSES: &str = "source-classes";
const TARGET_CLASSES: &str = "target-classes";

impl OperationModel {
    /// Takes a model that [`crate::estimate`] made.
    pub fn new(model: Model, classes: Option<WordClasses>) -> Self {
        let id = |code: usize| model.vocabulary_id(&move_name(Move::of_code(code as u8)));
        OperationModel {
            moves: std::array::from_fn(id),
            model: model.into(),
            classes,
        }
    }

    /// Reads what [`OperationModel::write_sections`] wrote, for vocabularies of these sizes.
    pub fn from_sections(sections: &Sections, words: [usize; 2]) -> Result<Self> {
        let has_classes = sections.list().any(|(name, _)| name == SOURCE_CLASSES);
        let classes = match has_classes {
            false => None,
            true => {
                let side = |name: &str, words: usize| -> Result<Array<u32>> {
                    let classes: Array<u32> = sections.array(name)?;
                    match classes.len() == words {
                        true => Ok(classes),
                        false => Err(sections.corrupt(name, "does not fit the vocabulary").into()),
                    }
                };
                Some(WordClasses {
                    source: side(SOURCE_CLASSES, words[0])?,
                    target: side(TARGET_CLASSES, words[1])?,
                })
            }
        };
        Ok(Self::new(Model::from_sections(sections)?, classes))
    }

    /// Writes the model and its classes.
    pub fn write_sections(&self, writer: &mut Writer) -> chiasm_store::Result<()> {
        if let Some(classes) = &self.classes {
            writer.array(SOURCE_CLASSES, &classes.source)?;
            writer.array(TARGET_CLASSES, &classes.target)?;
        }
        self.model.write_sections(writer)
    }

    /// The n-grams.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Does it know words by their classes?
    pub fn is_of_classes(&self) -> bool {
        self.classes.is_some()
    }

    /// The number of an act. Words of both sides come with their numbers in the vocabularies and their spellings.
    pub fn act(
        &self,
        act: &Act,
        source: impl Fn(u32) -> (u32, String),
        target: impl Fn(u32) -> (u32, String),
    ) -> u32 {
        let mut name = String::new();
        self.act_name(act, source, target, &mut name);
        self.model.vocabulary_id(&name)
    }

    /// The name of an act in this model.
    pub fn act_name(
        &self,
        act: &Act,
        source: impl Fn(u32) -> (u32, String),
        target: impl Fn(u32) -> (u32, String),
        name: &mut String,
    ) {
        let called = |(number, spelling): (u32, String), side: Option<&Array<u32>>| match side {
            None => spelling,
            Some(classes) => {
                let class = classes.get(number as usize);
                class_name(class.copied().unwrap_or(NO_CLASS))
            }
        };
        let classes = self.classes.as_ref();
        act_name(
            act,
            |word| called(source(word), classes.map(|both| &both.source)),
            |word| called(target(word), classes.map(|both| &both.target)),
            name,
        );
    }

    /// The number of a move.
    #[inline]
    pub fn move_id(&self, code: u8) -> u32 {
        self.moves[usize::from(code) % Move::CODES]
    }

    /// The natural logarithm of an operation's probability after `state`, and the state after it.
    #[inline]
    pub fn score(&self, state: &State, operation: u32, after: &mut State) -> f32 {
        self.model.score(state, operation, after) * std::f32::consts::LN_10
    }

    /// Before the first operation.
    pub fn begin(&self) -> State {
        self.model.begin_sentence_state()
    }

    /// After operations that are not known.
    pub fn nothing(&self) -> State {
        self.model.null_state()
    }

    /// What follows the last operation.
    pub fn end(&self) -> u32 {
        self.model.end_of_sentence()
    }
}

/// What a class is called; words without one are all called the same.
pub fn class_name(class: u32) -> String {
    match class {
        NO_CLASS => "?".into(),
        _ => class.to_string(),
    }
}
