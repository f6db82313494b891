//! The stage of a learned reordering model.

use crate::Result;
use crate::cache::Stage;
use crate::prepare::{TRAIN_SOURCE, TRAIN_TARGET};
use crate::settings::Settings;
use chiasm_phrases::IndexedCorpus;
use chiasm_reorder::Recipe;
use chiasm_reorder::classes::Clustered;
use chiasm_reorder::trainer::{self, Workplace};
use chiasm_text::MappedText;
use chiasm_work::{Observer, Progress};
use std::path::{Path, PathBuf};

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
    links: &[PathBuf],
    recipe: &Recipe,
    settings: &Settings,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<()> {
    let recipe = completed(recipe, settings);
    let source = MappedText::open(text.file(TRAIN_SOURCE))?;
    let target = MappedText::open(text.file(TRAIN_TARGET))?;
    let texts = [&source, &target];
    let workplace = Workplace {
        memory: settings.memory.bytes(),
        folder: folder.to_path_buf(),
    };
    let progress = observer.begin("read", "pairs", None);
    let mut corpus = IndexedCorpus::of_texts(texts, links, folder, &*progress)?;
    drop(progress);
    let cluster = |side: usize, progress: &dyn Progress| {
        Clustered::of_text(texts[side], recipe.word_classes, progress)
    };
    let classes = trainer::word_classes(&recipe, cluster, observer)?;
    match trainer::train(&recipe, &mut corpus, classes, &workplace, observer) {
        Ok(model) => Ok(model.save(folder.join(MODEL))?),
        Err(error) if error.nothing_to_learn() => {
            observer.say(&format!("left out: '{recipe}': {error}"));
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}
