//! The stage of the joint model.

use crate::Result;
use crate::cache::Stage;
use crate::prepare::{TRAIN_SOURCE, TRAIN_TARGET};
use crate::settings::Settings;
use chiasm_decode::{Configuration, Feature, FeatureKind};
use chiasm_neural::{JointModel, JointRecipe, JointTraining, train_joint};
use chiasm_text::{Links, MappedText};
use chiasm_work::Observer;
use std::path::Path;
use std::sync::Arc;

/// The trained model.
const MODEL: &str = "joint.model";

/// Its weight before tuning.
const WEIGHT: f32 = 0.3;

/// How the model is trained.
pub fn recipe(settings: &Settings) -> JointRecipe {
    let joint = &settings.joint;
    JointRecipe {
        words: joint.words,
        embedding: joint.embedding,
        hidden: joint.hidden,
        examples: joint.examples,
        dropout: joint.dropout,
        learning_rate: joint.learning_rate,
        seed: settings.seed,
    }
}

/// Trains the model on one alignment of the text; where there is nothing to learn from there is none.
pub fn learn(
    text: &Stage,
    links: &Path,
    settings: &Settings,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<()> {
    let source = MappedText::open(text.file(TRAIN_SOURCE))?;
    let target = MappedText::open(text.file(TRAIN_TARGET))?;
    let lengths = |pair: usize| {
        let both = source.len().min(target.len());
        (pair < both).then(|| (source.sentence(pair).len(), target.sentence(pair).len()))
    };
    let training = JointTraining {
        links: &Links::read(links, lengths)?,
        source: &source,
        target: &target,
        recipe: &recipe(settings),
    };
    match train_joint(&training, observer) {
        Ok(model) => Ok(model.write(folder.join(MODEL))?),
        Err(error @ chiasm_neural::Error::Nothing(_)) => {
            observer.say(&format!("left out: the joint model: {error}"));
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// Opens the model and gives the configuration its feature.
pub fn attach(
    stage: Option<&Stage>,
    configuration: &mut Configuration,
) -> Result<Option<Arc<JointModel>>> {
    let Some(model) = stage
        .map(|stage| stage.file(MODEL))
        .filter(|file| file.exists())
    else {
        return Ok(None);
    };
    configuration.features.push(Feature {
        name: "Joint0".into(),
        weights: vec![WEIGHT],
        kind: FeatureKind::JointModel,
    });
    Ok(Some(JointModel::open(model)?.into()))
}
