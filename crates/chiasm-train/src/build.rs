//! The stages that learn: language model, phrase table, system.

use crate::cache::Stage;
use crate::normalise::{Side, read_casing};
use crate::prepare::{TRAIN_SOURCE, TRAIN_TARGET};
use crate::settings::Settings;
use crate::sparse::{EMPTY_COLUMNS, Sparse};
use crate::word_classes::ClassNames;
use crate::{Error, Result, joint, operations};
use chiasm_decode::{
    Case, Configuration, Feature, FeatureKind, LanguageModel, Parts, PhraseTableBuilder, Precision,
    ReorderingShape, System,
};
use chiasm_lm::estimate::{Discounts, Input, Options, SpecialWords};
use chiasm_phrases::{
    CountedPairs, Extraction, ForwardRule, IndexedCorpus, Lexicon, OrientationKind, score_pairs,
};
use chiasm_reorder::{OrientationColumns, Smoothing, StoredModel, TableName};
use chiasm_text::{MappedText, StoredVocabulary};
use chiasm_work::Observer;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The language model.
pub const LANGUAGE_MODEL: &str = "lm.bin";
/// The system before tuning.
pub const SYSTEM: &str = "system.chiasm";

/// How n-gram models are estimated here, whatever of.
pub fn ngram_options(order: usize, settings: &Settings, folder: &Path) -> Options {
    Options {
        special: SpecialWords::Skip,
        // Small texts, and classes, have counts of counts with gaps.
        fallback: Some(Discounts([0.5, 1.0, 1.5])),
        memory: settings.memory.bytes(),
        folder: folder.to_path_buf(),
        ..Options::new(order)
    }
}

/// Estimates the language model on the training text's target side, and on `more` lines if there are any.
pub fn language_model(
    text: &MappedText,
    more: Option<&Path>,
    settings: &Settings,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<()> {
    let mut options = ngram_options(settings.lm.order, settings, folder);
    options.prune.clone_from(&settings.lm.prune);
    let progress = observer.begin("lm", "words", None);
    let mut input = Input::new(&options);
    input.add_sentences(text.vocabulary().words(), text.sentences())?;
    if let Some(more) = more {
        input.add_file(more)?;
    }
    let model = input.estimate(&*progress)?.into_model(&*progress)?;
    Ok(model.save(folder.join(LANGUAGE_MODEL))?)
}

/// What a system is made from.
pub struct Ingredients<'a> {
    /// The text stage.
    pub text: &'a Stage,
    /// Its links, of one or more alignments.
    pub links: &'a [PathBuf],
    /// The language model.
    pub language_model: &'a Path,
    /// The model that made the links, if it is known.
    pub aligner: Option<PathBuf>,
    /// A language model of word classes, and the classes.
    pub class_model: Option<(PathBuf, Stage)>,
    /// Learned reordering models.
    pub models: &'a [PathBuf],
    /// Models of operation sequences, if there are any.
    pub operations: Option<Stage>,
    /// The classes that one of them knows words by.
    pub operation_classes: Option<[Stage; 2]>,
    /// A joint model, if there is one.
    pub joint: Option<Stage>,
    /// Classes of source and target words for sparse features, if there are any.
    pub sparse_classes: Option<[Stage; 2]>,
    /// Source and target language, if the text was not tokenised.
    pub languages: Option<&'a (String, String)>,
}

/// Counts phrase pairs and packs the system, with default weights.
pub fn system(
    made: &Ingredients,
    settings: &Settings,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<()> {
    let source = MappedText::open(made.text.file(TRAIN_SOURCE))?;
    let target = MappedText::open(made.text.file(TRAIN_TARGET))?;
    let table = settings.reordering.table.0;
    let case = settings.text.case.case(made.languages.is_none());
    let budget = settings.memory.bytes();
    let mut corpus = IndexedCorpus::of_texts([&source, &target], made.links, folder, &())?;
    let lexicon = Lexicon::count(&mut corpus)?;
    let extraction = Extraction {
        max_length: settings.phrases.max_length,
        kind: table.map_or(OrientationKind::Word, |name| name.kind),
        forward_rule: ForwardRule::Moses,
    };
    let alignments = corpus.passed.sentence_pairs * corpus.alignments as u64;
    let progress = observer.begin("phrases", "pairs", Some(alignments));
    let pairs = CountedPairs::count(&mut corpus, &extraction, budget / 2, folder, &*progress)?;
    drop(progress);
    if pairs.totals.total == 0 {
        let reason = "no phrase pair could be extracted: the links are empty";
        return Err(Error::Request(reason.into()));
    }
    let orientations = table.map(|name| {
        let smoothing = Smoothing::Constant(0.5);
        OrientationColumns::new(name.classes, name.directions, smoothing, &pairs.totals)
    });
    let sparse_alone = settings.reordering.sparse && table.is_none() && made.models.is_empty();
    let columns = match &orientations {
        Some(orientations) => 4 + orientations.len(),
        None if sparse_alone => 4 + EMPTY_COLUMNS,
        None => 4,
    };
    let mut builder = PhraseTableBuilder::new(columns);
    let mut scores = Vec::new();
    let smoothing = settings.phrases.smoothing;
    score_pairs(pairs, &lexicon, smoothing, budget / 4, folder, |scored| {
        scores.clear();
        scores.extend(scored.scores.iter().map(|score| score.ln() as f32));
        if let Some(orientations) = &orientations {
            scores.extend(orientations.logarithms(&scored.pair.counts));
        }
        scores.resize(columns, 0.0);
        let pair = &scored.pair;
        builder.add(&pair.source, &pair.target, &pair.links, &scores);
        Ok(())
    })?;
    let mut configuration = configuration(table, made.languages, case, settings);
    let mut sparse_vocabularies = table.map_or_else(Vec::new, |_| vec![Vec::new()]);
    let mut reordering_models = Vec::new();
    for (number, path) in made.models.iter().enumerate() {
        let model = StoredModel::open(path)?;
        let shape = ReorderingShape::of_model(&*model);
        configuration.features.push(Feature {
            name: format!("Orientation{number}"),
            weights: vec![REORDERING_WEIGHT; shape.columns()],
            kind: FeatureKind::ReorderingModel(shape),
        });
        reordering_models.push(model.into());
        sparse_vocabularies.push(Vec::new());
    }
    if settings.reordering.sparse {
        let classes = made.sparse_classes.as_ref();
        let sparse = Sparse::new(made.text, classes, &settings.reordering)?;
        sparse.attach(&mut configuration, &mut sparse_vocabularies);
    }
    let language_models = language_models(made, &corpus, &mut configuration)?;
    let operation_models = operations::attach(
        made.operations.as_ref(),
        made.operation_classes.as_ref(),
        &corpus,
        &mut configuration,
    )?;
    let joint_model = joint::attach(made.joint.as_ref(), &mut configuration)?;
    let aligner = made.aligner.as_ref().map(chiasm_align::Model::open);
    let aligner = aligner.transpose()?.map(Arc::new);
    let system = System::new(Parts {
        configuration,
        sparse_weights: Default::default(),
        source_words: StoredVocabulary::new(&corpus.source.vocabulary),
        target_words: StoredVocabulary::new(&corpus.target.vocabulary),
        language_models,
        table: builder.finish(Precision::Sixteen),
        reordering_models,
        operation_models,
        joint_model,
        sparse_vocabularies,
        ranker: None,
        aligner,
        source_casing: match case {
            Case::Truecased => {
                let casing = read_casing(&made.text.file(Side::Source.casing_file()))?;
                Some(casing.into())
            }
            _ => None,
        },
    })?;
    Ok(system.write(folder.join(SYSTEM))?)
}

/// The language model of words, and that of classes if there is one.
fn language_models(
    made: &Ingredients,
    corpus: &IndexedCorpus,
    configuration: &mut Configuration,
) -> Result<Vec<LanguageModel>> {
    let words = || corpus.target.vocabulary.words();
    let model = chiasm_lm::Model::open(made.language_model)?;
    let mut models = vec![LanguageModel::new(model, words())];
    if let Some((path, classes)) = &made.class_model {
        let names = ClassNames::read(classes)?;
        let model = chiasm_lm::Model::open(path)?;
        models.push(LanguageModel::new(
            model,
            words().map(|word| names.of(word)),
        ));
        configuration.features.push(Feature {
            name: "ClassLM0".into(),
            weights: vec![CLASS_MODEL_WEIGHT],
            kind: FeatureKind::LanguageModel,
        });
    }
    Ok(models)
}

/// Every orientation score's weight before tuning.
const REORDERING_WEIGHT: f32 = 0.3;

/// The weight of a language model of classes before tuning.
const CLASS_MODEL_WEIGHT: f32 = 0.2;

/// The features with weights that are a fair start for tuning.
fn configuration(
    table: Option<TableName>,
    languages: Option<&(String, String)>,
    case: Case,
    settings: &Settings,
) -> Configuration {
    let feature = |name: &str, weights: Vec<f32>, kind| Feature {
        name: name.into(),
        weights,
        kind,
    };
    let mut features = vec![
        feature(
            "UnknownWordPenalty0",
            vec![1.0],
            FeatureKind::UnknownWordPenalty,
        ),
        feature("WordPenalty0", vec![-1.0], FeatureKind::WordPenalty),
        feature("PhrasePenalty0", vec![0.2], FeatureKind::PhrasePenalty),
        feature("TranslationModel0", vec![0.2; 4], FeatureKind::PhraseTable),
        feature("Distortion0", vec![0.3], FeatureKind::Distortion),
        feature("LM0", vec![0.5], FeatureKind::LanguageModel),
    ];
    if let Some(name) = table {
        let shape = ReorderingShape {
            orientation: name.kind,
            classes: name.classes,
            directions: name.directions,
            sparse: None,
        };
        let weights = vec![REORDERING_WEIGHT; shape.columns()];
        let kind = FeatureKind::ReorderingTable(shape);
        features.push(feature("LexicalReordering0", weights, kind));
    }
    let search = chiasm_decode::SearchSettings {
        pop_limit: settings.search.pop_limit,
        unknown: settings.search.unknown,
        ..Default::default()
    };
    Configuration {
        ranker: None,
        calibration: None,
        source_language: languages.map(|both| both.0.clone()),
        target_language: languages.map(|both| both.1.clone()),
        case,
        made_by: Some(format!("chiasm {}", env!("CARGO_PKG_VERSION"))),
        language_model_files: Vec::new(),
        search,
        features,
    }
}
