//! A system that is small enough to be made in a moment.

use chiasm_align::{Bitext, Preset, Settings, train};
use chiasm_decode::{
    Configuration, Feature, FeatureKind, Parts, PhraseTableBuilder, Precision, System,
};
use chiasm_phrases::PhraseLink;
use chiasm_text::{StoredVocabulary, Vocabulary};
use std::sync::Arc;

/// Five words each way, and an aligner that has seen them.
pub fn system() -> Arc<System> {
    let words = ["casa house", "blanca white", "la the", "es is", "gato cat"];
    let mut bitext = Bitext::new();
    let (mut source, mut target) = (Vocabulary::new(), Vocabulary::new());
    let mut table = PhraseTableBuilder::new(4);
    for (number, pair) in words.iter().enumerate() {
        let (f, e) = pair.split_once(' ').unwrap();
        let other = words[(number + 1) % words.len()].split_once(' ').unwrap();
        bitext.push(f, e);
        bitext.push(&format!("{f} {}", other.0), &format!("{e} {}", other.1));
        let (f, e) = (source.intern(f), target.intern(e));
        table.add(
            &[f],
            &[e],
            &[PhraseLink::new(0, 0)],
            &[-0.1, -0.1, -0.1, -0.1],
        );
    }
    let aligner = train(&bitext, &Settings::preset(Preset::Fast, bitext.len()), &())
        .unwrap()
        .model(&bitext)
        .unwrap();
    let feature = |name: &str, weights: Vec<f32>, kind| Feature {
        name: name.into(),
        weights,
        kind,
    };
    let system = System::new(Parts {
        configuration: Configuration {
            features: vec![
                feature("TranslationModel0", vec![0.2; 4], FeatureKind::PhraseTable),
                feature("Distortion0", vec![0.3], FeatureKind::Distortion),
                feature(
                    "UnknownWordPenalty0",
                    vec![1.0],
                    FeatureKind::UnknownWordPenalty,
                ),
            ],
            ..Configuration::default()
        },
        sparse_weights: Default::default(),
        source_words: StoredVocabulary::new(&source),
        target_words: StoredVocabulary::new(&target),
        table: table.finish(Precision::Sixteen),
        language_models: Vec::new(),
        reordering_models: Vec::new(),
        operation_models: Vec::new(),
        joint_model: None,
        sparse_vocabularies: Vec::new(),
        source_casing: None,
        ranker: None,
        aligner: Some(aligner.into()),
    });
    Arc::new(system.unwrap())
}
