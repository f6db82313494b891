//! The stages of word classes: clustering, and a language model of classes.

use crate::cache::Stage;
use crate::settings::Settings;
use crate::{Error, Result};
use chiasm_lm::estimate::{Discounts, Options, SpecialWords, estimate};
use chiasm_reorder::classes::{Clustered, read_classes};
use chiasm_text::{Lines, TextOutput};
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
    let clustered = Clustered::of_file(text, count, &*progress)?;
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
    let written = folder.join("classes.text");
    let mut output = TextOutput::create(&written)?;
    let mut lines = Lines::open(text)?;
    let mut of_classes = String::new();
    while let Some(line) = lines.next_line()? {
        of_classes.clear();
        for word in chiasm_text::tokens(line) {
            of_classes.push_str(names.of(word));
            of_classes.push(' ');
        }
        of_classes.push('\n');
        output.write_text(of_classes.as_bytes())?;
    }
    output.finish()?;
    let mut options = Options::new(settings.lm.class_order);
    options.special = SpecialWords::Skip;
    // Classes are so frequent that the counts of counts may have gaps.
    options.fallback = Some(Discounts([0.5, 1.0, 1.5]));
    options.memory = settings.memory.bytes();
    options.folder = folder.to_path_buf();
    let progress = observer.begin("class lm", "words", None);
    let model = estimate(&[&written], &options, &*progress)?.into_model(&*progress)?;
    std::fs::remove_file(&written).map_err(|error| Error::io(&written, error))?;
    Ok(model.save(folder.join(CLASS_MODEL))?)
}
