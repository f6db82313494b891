//! Orientation models that released versions wrote: readable for ever, with the same answers.

use chiasm_phrases::{PhraseLink, Span};
use chiasm_reorder::{Scratch, StoredModel, WordKey};
use std::collections::HashSet;
use std::path::PathBuf;

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden/0.1.0")
        .join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(golden(name)).unwrap()
}

fn numbers(pair: &str) -> (usize, usize) {
    let (one, other) = pair.split_once('-').unwrap();
    (one.parse().unwrap(), other.parse().unwrap())
}

fn probabilities(
    model: &StoredModel,
    sentence: &str,
    span: &str,
    target: &str,
    links: &str,
) -> Vec<f64> {
    let source: Vec<WordKey> = sentence
        .split(' ')
        .map(|word| model.source_word(word))
        .collect();
    let target: Vec<WordKey> = target
        .split(' ')
        .map(|word| model.target_word(word))
        .collect();
    let links = links.split(' ').map(numbers);
    let links: Vec<PhraseLink> = links
        .map(|(s, t)| PhraseLink::new(s as u8, t as u8))
        .collect();
    let (first, last) = numbers(span);
    let mut scratch = Scratch::default();
    scratch.begin_sentence(&source);
    let mut logarithms = vec![0.0; model.columns()];
    let known = model.log_probabilities(
        &mut scratch,
        Span::new(first as u32, last as u32 + 1),
        &target,
        &links,
        &mut logarithms,
    );
    assert!(known, "{span} {target:?}");
    logarithms
        .iter()
        .map(|&logarithm| f64::from(logarithm).exp())
        .collect()
}

#[test]
fn models_of_0_1_0_still_give_their_probabilities() {
    let sentence = text("sentence");
    let mut seen = HashSet::new();
    for line in text("answers").lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, span, target, links, answer] = fields[..] else {
            panic!("{line}");
        };
        let model = StoredModel::open(golden(&format!("{name}.model"))).unwrap();
        let found = probabilities(&model, sentence.trim_end(), span, target, links);
        let expected: Vec<f64> = answer
            .split(' ')
            .map(|number| number.parse().unwrap())
            .collect();
        assert_eq!(found.len(), expected.len(), "{line}");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-5, "{line}: {found}");
        }
        seen.insert(name.to_string());
    }
    assert_eq!(seen.len(), 4);
}

#[test]
fn counts_of_0_1_0_can_still_be_merged() {
    let model = StoredModel::open(golden("nb-map.model")).unwrap();
    let StoredModel::Learned(model) = model else {
        panic!("a learned model");
    };
    let twice = model.merged(&model).unwrap();
    assert_eq!(twice.feature_count(), 389);
}
