//! Model files: whichever kind of model they hold, behind one door.

use crate::Result;
use crate::hashing::WordKey;
use crate::learned::LearnedModel;
use crate::lexicalised::LexicalisedModel;
use crate::model::{OrientationModel, Scratch};
use crate::settings::Settings;
use chiasm_phrases::{ClassSet, Directions, OrientationKind, PhraseLink, Span};
use chiasm_store::{Container, Sections, Writer};
use std::path::Path;

/// The kind of a model file.
pub const KIND: &str = "orientation-model";
/// The version of its layout.
pub const VERSION: u32 = 1;

/// A model of either kind.
#[derive(Clone, Debug)]
pub enum StoredModel {
    /// Features and a classifier.
    Learned(Box<LearnedModel>),
    /// A table of phrase pairs.
    Lexicalised(LexicalisedModel),
}

impl StoredModel {
    /// Maps a model file and checks its contents.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let sections = Container::open(path)?.expect_kind(KIND, VERSION)?;
        sections.verify()?;
        Self::from_sections(&sections)
    }

    /// Writes the model as a file of its own.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut writer = Writer::create(path, KIND, VERSION)?;
        self.write_sections(&mut writer)?;
        Ok(writer.finish()?)
    }

    /// Writes the model as sections of a larger file.
    pub fn write_sections(&self, writer: &mut Writer) -> Result<()> {
        match self {
            StoredModel::Learned(model) => model.write_sections(writer),
            StoredModel::Lexicalised(model) => model.write_sections(writer),
        }
    }

    /// Maps the model in a larger file.
    pub fn from_sections(sections: &Sections) -> Result<Self> {
        if Settings::read(sections)?.features.is_some() {
            Ok(Self::Learned(Box::new(LearnedModel::from_sections(
                sections,
            )?)))
        } else {
            Ok(Self::Lexicalised(LexicalisedModel::from_sections(
                sections,
            )?))
        }
    }

    /// What the model was made for.
    pub fn settings(&self) -> &Settings {
        match self {
            StoredModel::Learned(model) => model.settings(),
            StoredModel::Lexicalised(model) => model.settings(),
        }
    }

    fn as_model(&self) -> &dyn OrientationModel {
        match self {
            StoredModel::Learned(model) => model.as_ref(),
            StoredModel::Lexicalised(model) => model,
        }
    }
}

impl OrientationModel for StoredModel {
    fn kind(&self) -> OrientationKind {
        self.as_model().kind()
    }

    fn classes(&self) -> ClassSet {
        self.as_model().classes()
    }

    fn directions(&self) -> Directions {
        self.as_model().directions()
    }

    fn source_word(&self, word: &str) -> WordKey {
        self.as_model().source_word(word)
    }

    fn target_word(&self, word: &str) -> WordKey {
        self.as_model().target_word(word)
    }

    fn log_probabilities(
        &self,
        scratch: &mut Scratch,
        span: Span,
        target: &[WordKey],
        links: &[PhraseLink],
        out: &mut [f32],
    ) -> bool {
        self.as_model()
            .log_probabilities(scratch, span, target, links, out)
    }
}
