//! A neural model that has the last word, and none where it may not.

use chiasm_decode::{
    Configuration, Constraint, Decoder, Feature, FeatureKind, Input, Parts, PhraseTableBuilder,
    Precision, Preparation, RankingWeights, SearchSettings, System, Translation, Wanted, formats,
};
use chiasm_neural::{Model, Recipe, Size, Training};
use chiasm_phrases::{PhraseLink, Span};
use chiasm_text::{MappedText, StoredVocabulary, Vocabulary};
use chiasm_work::Silent;
use std::sync::Arc;

/// The phrase table prefers `bank`, the text that the ranker learned from says `shore` beside a river.
const PHRASES: [(&str, &str, f32); 4] = [
    ("bank", "bank", 0.6),
    ("bank", "shore", 0.4),
    ("river", "river", 1.0),
    ("money", "money", 1.0),
];

fn system() -> System {
    let (mut source, mut target) = (Vocabulary::new(), Vocabulary::new());
    let mut table = PhraseTableBuilder::new(1);
    for (from, to, probability) in PHRASES {
        let (from, to) = (source.intern(from), target.intern(to));
        let score = [f32::ln(probability)];
        table.add(&[from], &[to], &[PhraseLink::new(0, 0)], &score);
    }
    let feature = |name: &str, kind| Feature {
        name: name.into(),
        weights: vec![1.0],
        kind,
    };
    System::new(Parts {
        configuration: Configuration {
            features: vec![
                feature("TranslationModel0", FeatureKind::PhraseTable),
                feature("Distortion0", FeatureKind::Distortion),
                feature("UnknownWordPenalty0", FeatureKind::UnknownWordPenalty),
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
        aligner: None,
    })
    .unwrap()
}

fn ranker() -> Arc<Model> {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (folder.path().join("s"), folder.path().join("t"));
    let pairs = [
        ("river bank", "river shore"),
        ("money bank", "money bank"),
        ("bank", "bank"),
    ];
    let many = |side: fn(&(&'static str, &'static str)) -> &'static str| {
        std::iter::repeat_n(pairs, 30)
            .flatten()
            .map(move |pair| side(&pair))
    };
    MappedText::write(&source, many(|pair| pair.0)).unwrap();
    MappedText::write(&target, many(|pair| pair.1)).unwrap();
    let training = Training {
        source: &MappedText::open(&source).unwrap(),
        target: &MappedText::open(&target).unwrap(),
        held_out: &[],
        recipe: &Recipe {
            size: Size::Tiny,
            steps: 80,
            batch: 60,
            dropout: Some(0.0),
            label_smoothing: 0.1,
            learning_rate: 0.003,
            warm_up: 10,
            patience: 100,
            seed: 1,
            memory: 1 << 30,
        },
        checkpoint: None,
    };
    Arc::new(chiasm_neural::train(&training, &Silent).unwrap())
}

const WEIGHTS: RankingWeights = RankingWeights {
    score: 1.0,
    ranker: 2.0,
    word: 0.1,
};

fn nbest(system: &Arc<System>, ranked: usize, input: &Input, count: usize) -> Vec<Translation> {
    let settings = SearchSettings {
        ranked,
        ..system.configuration().search.clone()
    };
    let decoder = Decoder::with_weights(system.clone(), &system.weights(), settings).unwrap();
    let wanted = Wanted {
        count,
        distinct: false,
    };
    decoder.nbest(input, wanted).unwrap()
}

#[test]
fn it_chooses_among_derivations_and_says_instead_of_what() {
    let mut ranked = system();
    ranked.set_ranker(ranker(), WEIGHTS, 10);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ranked.chiasm");
    ranked.write(&path).unwrap();
    let (plain, ranked) = (Arc::new(system()), Arc::new(System::open(&path).unwrap()));
    ranked.verify().unwrap();
    let input = Input::from_line("river bank");

    let found = nbest(&ranked, 10, &input, 4);
    assert_eq!(found[0].text(), "river shore");
    assert_eq!(nbest(&plain, 0, &input, 1)[0].text(), "river bank");
    let ranking = found[0].ranking.as_ref().unwrap();
    assert_eq!(ranking.place, 2);
    let before = ranking.instead_of.as_ref().unwrap();
    assert_eq!(before.words, ["river", "bank"]);
    assert!(before.score > found[0].score && before.ranker < ranking.ranker);
    for one in &found {
        let ranking = one.ranking.as_ref().unwrap();
        let total = WEIGHTS.total(one.score, ranking.ranker, one.words.len());
        assert_eq!(ranking.total, total);
        assert_eq!(one.phrases.len(), 2);
    }
    assert!(found.is_sorted_by(|a, b| {
        a.ranking.as_ref().unwrap().total >= b.ranking.as_ref().unwrap().total
    }));
    let preparation = Preparation::tokenized();
    let json = formats::sentence_json(&ranked, &preparation, &input.tokens, &found, false);
    assert_eq!(json["ranking"]["place"], 2);
    assert_eq!(json["ranking"]["instead_of"]["tokens"][1], "bank");

    // Agreement has nothing to replace; without a ranker nothing is said of one.
    let agreed = nbest(&ranked, 10, &Input::from_line("money bank"), 1);
    assert_eq!(agreed[0].text(), "money bank");
    assert!(agreed[0].ranking.as_ref().unwrap().instead_of.is_none());
    let json = formats::sentence_json(
        &plain,
        &preparation,
        &[],
        &nbest(&plain, 10, &input, 1),
        false,
    );
    assert!(json.get("ranking").is_none());
}

#[test]
fn off_is_off_and_constraints_hold() {
    let mut ranked = system();
    ranked.set_ranker(ranker(), WEIGHTS, 10);
    let (plain, ranked) = (Arc::new(system()), Arc::new(ranked));
    let mut constrained = Input::from_line("river bank");
    constrained.constraints.push(Constraint {
        span: Span::new(1, 2),
        exclusive: true,
        translations: vec![("bank".into(), 1.0)],
    });
    assert_eq!(nbest(&ranked, 10, &constrained, 1)[0].text(), "river bank");
    let long = vec!["river bank 猫"; 60].join(" ");
    for input in [
        constrained,
        Input::from_line(""),
        Input::from_line("猫 x"),
        Input::from_line(&long),
    ] {
        for count in [1, 3] {
            assert_eq!(
                nbest(&ranked, 0, &input, count),
                nbest(&plain, 0, &input, count)
            );
        }
        assert_eq!(nbest(&ranked, 10, &input, 1).len(), 1);
    }
}

#[test]
fn half_a_ranker_is_refused() {
    let mut parts = system().into_parts();
    parts.configuration.ranker = Some(WEIGHTS);
    let error = System::new(parts).err().unwrap().to_string();
    assert!(error.contains("ranker"), "{error}");
}
