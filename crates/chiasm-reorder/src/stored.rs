//! Model files: how the bytes of the known kinds of models are opened.

use crate::Result;
use crate::learned::LearnedModel;
use crate::lexicalised::LexicalisedModel;
use crate::model::OrientationModel;
use crate::settings::Settings;
use chiasm_store::{Container, Sections, Writer};
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

/// The kind of a model file.
pub const KIND: &str = "orientation-model";
/// The version of its layout.
pub const VERSION: u32 = 1;

/// A model of a known kind.
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
}

impl Deref for StoredModel {
    type Target = dyn OrientationModel;

    fn deref(&self) -> &Self::Target {
        match self {
            StoredModel::Learned(model) => model.as_ref(),
            StoredModel::Lexicalised(model) => model,
        }
    }
}

impl From<StoredModel> for Arc<dyn OrientationModel> {
    fn from(model: StoredModel) -> Self {
        match model {
            StoredModel::Learned(model) => Arc::new(*model),
            StoredModel::Lexicalised(model) => Arc::new(model),
        }
    }
}
