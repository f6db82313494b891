//! The stage of a learned reordering model.

use crate::Result;
use crate::cache::Stage;
use crate::prepare::{TRAIN_SOURCE, TRAIN_TARGET};
use crate::settings::Settings;
use chiasm_phrases::{AlignedFiles, IndexedCorpus};
use chiasm_reorder::Recipe;
use chiasm_reorder::trainer::{self, Workplace};
use chiasm_work::Observer;
use std::path::Path;

/// The model's file, if something could be learned.
pub const MODEL: &str = "moves.model";

/// The recipe of a model with what the rest of the system says: the longest phrase and the seed.
pub fn completed(recipe: &Recipe, settings: &Settings) -> Recipe {
    let recipe = recipe.or_max_length(settings.phrases.max_length);
    recipe.or_seed(settings.seed)
}

/// Trains one model. Text in which nothing can be learned of moves, such as a very small one or one
/// where every phrase stays in its place, makes none, and says so.
pub fn learn(
    text: &Stage,
    links: &Path,
    recipe: &Recipe,
    settings: &Settings,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<()> {
    let recipe = completed(recipe, settings);
    let files = AlignedFiles {
        source: text.file(TRAIN_SOURCE),
        target: text.file(TRAIN_TARGET),
        links: links.to_path_buf(),
    };
    let workplace = Workplace {
        memory: settings.memory.bytes(),
        folder: folder.to_path_buf(),
    };
    let progress = observer.begin("read", "pairs", None);
    let mut corpus = IndexedCorpus::read(&files, folder, &*progress)?;
    drop(progress);
    let classes = trainer::word_classes(&recipe, [&files.source, &files.target], observer)?;
    match trainer::train(&recipe, &mut corpus, classes, &workplace, observer) {
        Ok(model) => Ok(model.save(folder.join(MODEL))?),
        Err(error) if error.nothing_to_learn() => {
            observer.say(&format!("left out: '{recipe}': {error}"));
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}
