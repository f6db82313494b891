//! Systems that released versions wrote: readable for ever, with the same translations.

use chiasm_decode::{Decoder, Input, Preparation, System};
use std::path::PathBuf;
use std::sync::Arc;

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden/0.1.0")
        .join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(golden(name)).unwrap()
}

fn check(name: &str) {
    let system = Arc::new(System::open(golden(&format!("{name}.chiasm"))).unwrap());
    system.verify().unwrap();
    assert_eq!(
        system.configuration().made_by.as_deref(),
        Some("chiasm 0.1.0")
    );
    let preparation = Preparation::new(&system);
    let decoder = Decoder::new(system.clone()).unwrap();
    let (input, answers) = (
        text(&format!("{name}.input")),
        text(&format!("{name}.answers")),
    );
    assert_eq!(input.lines().count(), answers.lines().count());
    for (line, answer) in input.lines().zip(answers.lines()) {
        let (score, expected) = answer.split_once('\t').unwrap();
        let tokens = preparation.source_tokens(line);
        let best = decoder.translate(&Input::from_line(&tokens)).unwrap();
        assert_eq!(preparation.text(&best), expected);
        let score: f64 = score.parse().unwrap();
        assert!(
            (f64::from(best.score) - score).abs() < 1e-3,
            "{answer}: {}",
            best.score
        );
    }
}

#[test]
fn a_system_of_0_1_0_with_table_svm_and_class_model_still_translates() {
    check("tokenised");
}

#[test]
fn a_system_of_0_1_0_with_casing_naive_bayes_and_sparse_features_still_translates() {
    check("raw");
}
