//! Words that the phrase table does not know are read as known forms of them, where that is asked for.

use chiasm_decode::{
    Configuration, Constraint, Decoder, Feature, FeatureKind, Input, Learned, Lesson, Parts,
    PhraseTableBuilder, Precision, SearchSettings, Strengths, System, Unknown, Wanted, formats,
};
use chiasm_phrases::{PhraseLink, Span};
use chiasm_text::{Link, StoredVocabulary, Vocabulary};
use std::sync::Arc;

const STEMS: [(&str, &str); 7] = [
    ("kalt", "cold"),
    ("warm", "warm"),
    ("jung", "young"),
    ("klug", "clever"),
    ("ruhig", "calm"),
    ("stark", "strong"),
    ("wolf", "wolf"),
];

/// Six words with three endings each, one that has none of them, and one that a longer phrase knows with another ending.
fn decoder(unknown: Unknown) -> Decoder {
    let (mut source, mut target) = (Vocabulary::new(), Vocabulary::new());
    let mut table = PhraseTableBuilder::new(1);
    for (from, to) in STEMS {
        let endings: &[&str] = if from == "wolf" {
            &[""]
        } else {
            &["", "e", "en"]
        };
        for ending in endings {
            let from = source.intern(&format!("{from}{ending}"));
            table.add(
                &[from],
                &[target.intern(to)],
                &[PhraseLink::new(0, 0)],
                &[-0.5],
            );
        }
    }
    let link = [PhraseLink::new(0, 0)];
    let one = source.intern("alberne");
    table.add(&[one], &[target.intern("foolish")], &link, &[-0.5]);
    let two = [source.intern("albernen"), source.intern("wolf")];
    let silly = [target.intern("silly"), target.intern("wolf")];
    table.add(&two, &silly, &link, &[-0.5]);
    let feature = |name: &str, kind| Feature {
        name: name.into(),
        weights: vec![1.0],
        kind,
    };
    let system = System::new(Parts {
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
    .unwrap();
    let settings = SearchSettings {
        unknown,
        ..SearchSettings::default()
    };
    let system = Arc::new(system);
    Decoder::with_weights(system.clone(), &system.weights(), settings).unwrap()
}

#[test]
fn an_unknown_word_is_read_as_the_nearest_form_and_says_so() {
    let input = Input::from_line("wolfe jung obama");
    let copied = decoder(Unknown::Copy).translate(&input).unwrap();
    assert_eq!(copied.text(), "wolfe young obama");
    assert!(copied.read_as.is_empty());
    let decoder = decoder(Unknown::Nearest);
    let read = decoder.translate(&input).unwrap();
    assert_eq!(read.text(), "wolf young obama");
    assert_eq!(read.read_as, [(0, "wolf".to_string())]);
    assert_eq!(read.unknown().collect::<Vec<_>>(), [2]);
    assert_eq!(decoder.words_read(&input), ["wolf", "jung", "obama"]);
    let json = formats::translation_json(decoder.system(), &input.tokens, &read);
    assert_eq!(json["read_as"][0]["word"], "wolfe");
    assert_eq!(json["read_as"][0]["as"], "wolf");
}

#[test]
fn a_word_of_longer_phrases_borrows_translations_where_it_stands_alone() {
    let decoder = decoder(Unknown::Nearest);
    let alone = decoder.translate(&Input::from_line("albernen jung"));
    let alone = alone.unwrap();
    assert_eq!(alone.text(), "foolish young");
    assert_eq!(alone.read_as, [(0, "alberne".to_string())]);
    let together = decoder.translate(&Input::from_line("albernen wolf"));
    let together = together.unwrap();
    assert_eq!(together.text(), "silly wolf");
    assert!(together.read_as.is_empty());
    let given = ["foolish".to_string(), "young".to_string()];
    let input = Input::from_line("albernen jung");
    let forced = decoder.force(&input, &given, Wanted::BEST).unwrap();
    assert_eq!(forced[0].read_as, alone.read_as);
}

#[test]
fn windows_count_from_the_beginning_of_the_sentence() {
    let decoder = decoder(Unknown::Nearest);
    let long = "jung ".repeat(200) + "wolfe";
    let read = decoder.translate(&Input::from_line(&long)).unwrap();
    assert_eq!(read.read_as, [(200, "wolf".to_string())]);
}

#[test]
fn what_people_say_of_a_word_comes_first() {
    let decoder = decoder(Unknown::Nearest);
    let mut pinned = Input::from_line("wolfe");
    pinned.constraints.push(Constraint {
        span: Span::new(0, 1),
        exclusive: true,
        translations: vec![("wolves".into(), 1.0)],
    });
    let pinned = decoder.translate(&pinned).unwrap();
    assert_eq!(pinned.text(), "wolves");
    assert!(pinned.read_as.is_empty());
    let given = ["wolfe".to_string()];
    let wolfe = Input::from_line("wolfe");
    let forced = decoder.force(&wolfe, &given, Wanted::BEST).unwrap();
    assert_eq!(forced[0].text(), "wolfe");
    let lesson = Lesson {
        source: &wolfe.tokens,
        target: &["wolves".to_string()],
        links: &[Link {
            source: 0,
            target: 0,
        }],
        probabilities: &[[0.5, 0.5]],
    };
    let mut learned = Learned::new(decoder.system(), Strengths::default());
    learned.add(decoder.system(), lesson);
    let taught = Input {
        learned: Some(Arc::new(learned)),
        ..wolfe
    };
    assert_eq!(decoder.translate(&taught).unwrap().text(), "wolves");
    // A word of the target language is a name or borrowed.
    let borrowed = decoder.translate(&Input::from_line("young")).unwrap();
    assert_eq!(borrowed.text(), "young");
}
