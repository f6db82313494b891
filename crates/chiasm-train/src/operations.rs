//! The stage of the models of operation sequences.

use crate::Result;
use crate::build::ngram_options;
use crate::cache::Stage;
use crate::prepare::{TRAIN_SOURCE, TRAIN_TARGET};
use crate::settings::Settings;
use crate::word_classes::CLASSES;
use chiasm_decode::{Configuration, Feature, FeatureKind};
use chiasm_operations::{NO_CLASS, OperationModel, WordClasses, estimate};
use chiasm_phrases::IndexedCorpus;
use chiasm_reorder::classes::read_classes;
use chiasm_text::{MappedText, Vocabulary};
use chiasm_work::Observer;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The model on words.
pub const OF_WORDS: &str = "operations.bin";
/// The model on classes of words, if there is one.
pub const OF_CLASSES: &str = "class-operations.bin";

/// The weight of each model before tuning.
const WEIGHT: f32 = 0.2;

/// Estimates the model on words, and one on classes if there are any.
pub fn learn(
    text: &Stage,
    links: &[PathBuf],
    classes: Option<&[Stage; 2]>,
    settings: &Settings,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<()> {
    let source = MappedText::open(text.file(TRAIN_SOURCE))?;
    let target = MappedText::open(text.file(TRAIN_TARGET))?;
    let mut corpus = IndexedCorpus::of_texts([&source, &target], links, folder, &())?;
    let options = ngram_options(settings.reordering.operations, settings, folder);
    let spelled = |words: &Vocabulary| -> Vec<String> { words.words().map(String::from).collect() };
    let names = [
        spelled(&corpus.source.vocabulary),
        spelled(&corpus.target.vocabulary),
    ];
    let progress = observer.begin("operations", "pairs", Some(corpus.passed.sentence_pairs));
    let model = estimate(&mut corpus, [&names[0], &names[1]], &options, &*progress)?;
    drop(progress);
    model.save(folder.join(OF_WORDS))?;
    if let Some(stages) = classes {
        let classes = word_classes(stages, &corpus)?;
        let named = |classes: &[u32]| -> Vec<String> {
            let classes = classes.iter();
            classes
                .map(|&class| chiasm_operations::class_name(class))
                .collect()
        };
        let names = [named(&classes.source), named(&classes.target)];
        let pairs = Some(corpus.passed.sentence_pairs);
        let progress = observer.begin("class operations", "pairs", pairs);
        let model = estimate(&mut corpus, [&names[0], &names[1]], &options, &*progress)?;
        model.save(folder.join(OF_CLASSES))?;
    }
    Ok(())
}

/// The class of every word of the corpus.
fn word_classes(stages: &[Stage; 2], corpus: &IndexedCorpus) -> Result<WordClasses> {
    let side = |stage: &Stage, words: &Vocabulary| -> Result<Vec<u32>> {
        let classes: HashMap<String, u32> = read_classes(&stage.file(CLASSES))?
            .into_iter()
            .map(|(word, class)| (word, u32::from(class)))
            .collect();
        let of = |word: &str| classes.get(word).copied().unwrap_or(NO_CLASS);
        Ok(words.words().map(of).collect())
    };
    Ok(WordClasses {
        source: side(&stages[0], &corpus.source.vocabulary)?.into(),
        target: side(&stages[1], &corpus.target.vocabulary)?.into(),
    })
}

/// Opens the models and gives the configuration their features.
pub fn attach(
    stage: Option<&Stage>,
    classes: Option<&[Stage; 2]>,
    corpus: &IndexedCorpus,
    configuration: &mut Configuration,
) -> Result<Vec<OperationModel>> {
    let Some(stage) = stage else {
        return Ok(Vec::new());
    };
    let open = |file: &str| chiasm_lm::Model::open(stage.file(file));
    let mut models = vec![OperationModel::new(open(OF_WORDS)?, None)];
    if let Some(stages) = classes {
        let classes = word_classes(stages, corpus)?;
        models.push(OperationModel::new(open(OF_CLASSES)?, Some(classes)));
    }
    for number in 0..models.len() {
        configuration.features.push(Feature {
            name: format!("Operations{number}"),
            weights: vec![WEIGHT],
            kind: FeatureKind::OperationModel,
        });
    }
    configuration.features.push(Feature {
        name: "OperationCounts0".into(),
        weights: vec![0.0; 4],
        kind: FeatureKind::OperationSupport,
    });
    Ok(models)
}
