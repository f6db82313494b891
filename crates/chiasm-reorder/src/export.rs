//! Examples and weights as text, for other programs and for people: LIBSVM files with the names of their features
//! beside them, and the weights of a model.
//!
//! In a LIBSVM file a feature has the number of its place in the model, from 1, so that files of training and test
//! examples fit each other; features of training examples that the model has no weight for have numbers beyond.
//! `FILE.names` has a line a feature: number, tab, the hash by which models know it, tab, its name.

use crate::corpus_view::{CorpusWords, PhraseFinder, is_hashed, unpack};
use crate::examples::ExampleSet;
use crate::features::{BaseFeature, Kind};
use crate::hashing::WordKey;
use crate::learned::LearnedModel;
use crate::model::{OrientationModel, Scratch};
use crate::spelling::{Spelling, spell};
use crate::stored::{KIND, StoredModel};
use crate::{Error, Result};
use chiasm_learn::{Model, libsvm};
use chiasm_phrases::IndexedCorpus;
use chiasm_store::Container;
use chiasm_text::{Lines, TextOutput};
use hashbrown::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Where the names of the features of a LIBSVM file go.
pub fn names_file(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".names");
    name.into()
}

/// The name of each feature of the examples of a corpus, such as `haus&house` or `das⁻`.
pub fn feature_names(set: &ExampleSet, corpus: &IndexedCorpus) -> Vec<String> {
    let named = |feature: u32| {
        let parts = set.index.keys(feature).map(|key| name(key, corpus));
        parts.collect::<Vec<_>>().join(" · ")
    };
    (0..set.index.len() as u32).map(named).collect()
}

/// Writes the training examples of the first direction, and the names of their features.
pub fn export_training(
    set: &ExampleSet,
    model: &StoredModel,
    corpus: &IndexedCorpus,
    path: &Path,
) -> Result<()> {
    let StoredModel::Learned(model) = model else {
        return Err(no_features(path));
    };
    let hash = |feature: u32| set.index.hash(feature, &set.words);
    // Those that the model does not have come after its own, in the order of their frequency.
    let mut beyond = model.feature_count() as u32;
    let mut number = |feature: u32| {
        model.dictionary.find(hash(feature)).unwrap_or_else(|| {
            beyond += 1;
            beyond - 1
        })
    };
    let numbers: Vec<u32> = (0..set.index.len() as u32).map(&mut number).collect();
    let examples = set.examples[0].renamed(|feature| numbers[feature as usize]);
    let mut output = TextOutput::create(path)?;
    let written = libsvm::write(&examples, 1, &mut output);
    written.map_err(|error| chiasm_store::Error::io(path, error))?;
    let mut order: Vec<u32> = (0..set.index.len() as u32).collect();
    order.sort_unstable_by_key(|&feature| numbers[feature as usize]);
    let mut names = TextOutput::create(names_file(path))?;
    let mut text = String::new();
    let spelled = feature_names(set, corpus);
    for feature in order {
        text.clear();
        let (number, hash) = (numbers[feature as usize] + 1, hash(feature));
        let parts = &spelled[feature as usize];
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{number}\t{hash:016x}\t{parts}");
        names.write_text(text.as_bytes())?;
    }
    output.finish()?;
    Ok(names.finish()?)
}

fn no_features(path: &Path) -> Error {
    Error::Request(format!(
        "{}: a lexicalised model has no features to export",
        path.display()
    ))
}

/// A base feature in the words of a corpus.
fn name(key: u64, corpus: &IndexedCorpus) -> String {
    if is_hashed(key) {
        return format!("#{key:016x}");
    }
    let (kind, source, target) = unpack(key);
    let words = KeyWords {
        corpus,
        source: source.unwrap_or(0),
        target,
    };
    // Positions only say whether the word lies before, within or after a sentence of one word.
    let source = match source {
        Ok(_) => 0,
        Err(before) => i32::from(!before) * 2 - 1,
    };
    let feature = BaseFeature {
        kind,
        source,
        target: 0,
    };
    let side = match kind.of_words() {
        Kind::TARGET | Kind::TARGET_BOUNDARY => "e:",
        Kind::SOURCE | Kind::SOURCE_BOUNDARY => "f:",
        _ => "",
    };
    format!("{side}{}", spell(feature, 1, &words))
}

/// The words of one base feature.
struct KeyWords<'a> {
    corpus: &'a IndexedCorpus,
    source: u64,
    target: u64,
}

fn class_name(class: u64) -> String {
    match class.checked_sub(1) {
        Some(class) => format!("[{class}]"),
        None => "[no class]".into(),
    }
}

impl Spelling for KeyWords<'_> {
    fn source(&self, _: usize) -> String {
        self.corpus
            .source
            .vocabulary
            .word(self.source as u32)
            .to_string()
    }

    fn target(&self, _: usize) -> String {
        self.corpus
            .target
            .vocabulary
            .word(self.target as u32)
            .to_string()
    }

    fn source_class(&self, _: usize) -> String {
        class_name(self.source)
    }

    fn target_class(&self, _: usize) -> String {
        class_name(self.target)
    }

    fn tag(&self, _: usize) -> String {
        let tags = self.corpus.tags.as_ref();
        tags.map_or_else(String::new, |tags| {
            format!("|{}", tags.word(self.source as u32))
        })
    }
}

#[derive(Default)]
struct Work {
    finder: PhraseFinder,
    scratch: Scratch,
    source: Vec<WordKey>,
    target: Vec<WordKey>,
    text: String,
}

/// Writes the phrase pairs of a corpus, each with its class in the model's first direction and the features that the
/// model knows.
pub fn export_test(model: &StoredModel, corpus: &mut IndexedCorpus, path: &Path) -> Result<()> {
    let StoredModel::Learned(model) = model else {
        return Err(no_features(path));
    };
    crate::examples::check(corpus, &model.features)?;
    let task = model.settings().task;
    let direction = task.directions.as_slice()[0];
    let words = CorpusWords::new(
        corpus,
        |word| model.source_word(word),
        |word| model.target_word(word),
    );
    let mut output = TextOutput::create(path)?;
    corpus.for_each_in_order(
        |pair, work: &mut Work| {
            let Work {
                finder,
                scratch,
                source,
                target,
                text,
            } = work;
            words.keys_of(pair, source, target);
            scratch.begin_sentence(source);
            finder.find(&task, pair, |phrase| {
                let spans = phrase.instance.spans;
                let target = &target[spans.target.range()];
                let cache = &mut scratch.cache;
                model.look(source, spans.source, target, phrase.links, cache);
                let places = cache.sorted_places();
                let class = phrase.class(task.classes, direction).unwrap_or_default();
                let _ = write!(text, "{}", class + 1);
                for same in places.chunk_by(|a, b| a == b) {
                    let _ = write!(text, " {}:{}", same[0] + 1, same.len());
                }
                text.push('\n');
            });
        },
        |work, _| {
            output.write_text(work.text.as_bytes())?;
            work.text.clear();
            Ok(())
        },
    )?;
    Ok(output.finish()?)
}

/// The weights of a model of orientation or of a classifier: a line a feature with a column a class. Features have the
/// names of a file that was written beside training examples, or else their numbers.
pub fn weights_text(path: &Path, names: Option<&Path>) -> Result<String> {
    let kind = Container::open(path)?.kind().to_string();
    if kind != KIND {
        let model = Model::open(path)?;
        return Ok(model.weights_text(|id| id.to_string()));
    }
    let StoredModel::Learned(model) = StoredModel::open(path)? else {
        return Err(no_features(path));
    };
    let names = match names {
        Some(names) => read_names(names, &model)?,
        None => HashMap::new(),
    };
    let name = |place: u32| match names.get(&place) {
        Some(name) => name.clone(),
        None => (place + 1).to_string(),
    };
    let mut text = String::new();
    let directions = model.settings().task.directions.iter();
    for (direction, classifier) in directions.zip(model.classifiers()) {
        let _ = write!(text, "# {direction}\n{}", classifier.weights_text(name));
    }
    Ok(text)
}

/// Names by place in the model.
fn read_names(path: &Path, model: &LearnedModel) -> Result<HashMap<u32, String>> {
    let mut lines = Lines::open(path)?;
    let mut names = HashMap::new();
    while let Some(line) = lines.next_line()? {
        let mut columns = line.splitn(3, '\t');
        let hash = columns
            .nth(1)
            .and_then(|hash| u64::from_str_radix(hash, 16).ok());
        let (Some(hash), Some(name)) = (hash, columns.next()) else {
            let expected = "number, tab, hash, tab, name expected";
            return Err(lines.error(expected).into());
        };
        if let Some(place) = model.dictionary.find(hash) {
            names.insert(place, name.to_string());
        }
    }
    Ok(names)
}
