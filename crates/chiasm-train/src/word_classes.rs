//! The stages of word classes: clustering, and a language model of classes.

use crate::Result;
use crate::build::ngram_options;
use crate::cache::Stage;
use crate::settings::Settings;
use chiasm_lm::estimate::Input;
use chiasm_reorder::classes::{Clustered, read_classes};
use chiasm_text::MappedText;
use chiasm_work::Observer;
use std::collections::HashMap;
use std::path::Path;

/// The classes: word, tab, class.
pub const CLASSES: &str = "classes";
/// The language model of classes.
pub const CLASS_MODEL: &str = "class-lm.bin";

/// Clusters the words of one side.
pub fn cluster(text: &Path, count: usize, folder: &Path, observer: &dyn Observer) -> Result<()> {
    let progress = observer.begin("classes", "rounds", None);
    let clustered = Clustered::of_text(&MappedText::open(text)?, count, &*progress)?;
    Ok(clustered
        .found
        .write(&clustered.vocabulary, &folder.join(CLASSES))?)
}

/// The name of every word's class in the language model of classes.
pub struct ClassNames(HashMap<String, String>);

impl ClassNames {
    /// Reads what [`cluster`] wrote.
    pub fn read(classes: &Stage) -> Result<Self> {
        let pairs = read_classes(&classes.file(CLASSES))?;
        let named = pairs
            .into_iter()
            .map(|(word, class)| (word, format!("<class{class}>")));
        Ok(ClassNames(named.collect()))
    }

    /// The name of a word's class.
    pub fn of<'a>(&'a self, word: &str) -> &'a str {
        self.0.get(word).map_or("<unk>", String::as_str)
    }
}

/// Estimates a language model on the classes of the words of `text`.
pub fn language_model(
    text: &Path,
    classes: &Stage,
    settings: &Settings,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<()> {
    let names = ClassNames::read(classes)?;
    let options = ngram_options(settings.lm.class_order, settings, folder);
    let progress = observer.begin("class lm", "words", None);
    let text = MappedText::open(text)?;
    let mut input = Input::new(&options);
    let words = text.vocabulary().words();
    input.add_sentences(words.map(|word| names.of(word)), text.sentences())?;
    let model = input.estimate(&*progress)?.into_model(&*progress)?;
    Ok(model.save(folder.join(CLASS_MODEL))?)
}
