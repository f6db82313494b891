//! A kind of orientation model that the decoder has never heard of.

use chiasm_decode::{
    Configuration, Decoder, Feature, FeatureKind, Input, Parts, PhraseTableBuilder, Precision,
    ReorderingShape, System,
};
use chiasm_phrases::{ClassSet, Directions, OrientationKind, PhraseLink, Span};
use chiasm_reorder::{OrientationModel, Scratch, WordKey};
use chiasm_store::{Container, Writer};
use chiasm_text::{StoredVocabulary, Vocabulary};
use std::sync::Arc;

/// Says that phrases of one source word change places with what was before them, and others follow.
struct OneWordSwaps(&'static str);

fn key(word: &str) -> WordKey {
    WordKey::of(word)
}

impl OrientationModel for OneWordSwaps {
    fn kind(&self) -> OrientationKind {
        OrientationKind::Hier
    }

    fn classes(&self) -> ClassSet {
        ClassSet::Msd
    }

    fn directions(&self) -> Directions {
        Directions::Backward
    }

    fn family(&self) -> &'static str {
        "toy"
    }

    fn write_sections(&self, writer: &mut Writer) -> chiasm_reorder::Result<()> {
        Ok(writer.bytes("toy-word", self.0.as_bytes())?)
    }

    fn source_word(&self, word: &str) -> WordKey {
        key(word)
    }

    fn target_word(&self, word: &str) -> WordKey {
        key(word)
    }

    fn log_probabilities(
        &self,
        scratch: &mut Scratch,
        span: Span,
        target: &[WordKey],
        links: &[PhraseLink],
        out: &mut [f32],
    ) -> bool {
        assert_eq!((target.len(), links), (1, &[PhraseLink::new(0, 0)][..]));
        let swaps = scratch.source()[span.range()] == [key(self.0)];
        let (monotone, swap) = if swaps { (-5.0, -0.1) } else { (-0.1, -5.0) };
        out.copy_from_slice(&[monotone, swap, -1.0]);
        true
    }
}

fn system(model: OneWordSwaps) -> System {
    let (mut source, mut target) = (Vocabulary::new(), Vocabulary::new());
    let mut table = PhraseTableBuilder::new(1);
    for (from, to) in [("hon", "book"), ("o", "the"), ("yomu", "read")] {
        let (from, to) = (source.intern(from), target.intern(to));
        table.add(&[from], &[to], &[PhraseLink::new(0, 0)], &[0.0]);
    }
    let model: Arc<dyn OrientationModel> = Arc::new(model);
    let shape = ReorderingShape::of_model(model.as_ref());
    let feature = |name: &str, count, kind| Feature {
        name: name.into(),
        weights: vec![1.0; count],
        kind,
    };
    System::new(Parts {
        configuration: Configuration {
            features: vec![
                feature("TranslationModel0", 1, FeatureKind::PhraseTable),
                feature("Toy0", 3, FeatureKind::ReorderingModel(shape)),
            ],
            ..Configuration::default()
        },
        sparse_weights: Default::default(),
        source_words: StoredVocabulary::new(&source),
        target_words: StoredVocabulary::new(&target),
        table: table.finish(Precision::Sixteen),
        language_models: Vec::new(),
        reordering_models: vec![model],
        operation_models: Vec::new(),
        joint_model: None,
        sparse_vocabularies: vec![Vec::new()],
        source_casing: None,
        ranker: None,
        aligner: None,
    })
    .unwrap()
}

fn translated(model: OneWordSwaps) -> String {
    let system = Arc::new(system(model));
    let decoder = Decoder::new(system).unwrap();
    decoder
        .translate(&Input::from_line("hon o yomu"))
        .unwrap()
        .text()
}

#[test]
fn the_decoder_asks_any_model() {
    assert_eq!(translated(OneWordSwaps("nothing")), "book the read");
    assert_eq!(translated(OneWordSwaps("hon")), "the book read");
}

#[test]
fn a_system_writes_what_the_model_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toy.chiasm");
    system(OneWordSwaps("hon")).write(&path).unwrap();
    let sections = Container::open(&path)
        .unwrap()
        .expect_kind(chiasm_decode::KIND, chiasm_decode::VERSION)
        .unwrap();
    assert_eq!(sections.text("reordering0/toy-word").unwrap(), "hon");
    // Nobody here knows how to open it.
    let error = System::open(&path).err().unwrap().to_string();
    assert!(error.contains("reordering0/settings"), "{error}");
}
