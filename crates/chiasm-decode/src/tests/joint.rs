//! A joint model in the search against a slow walk through the words of a translation.

use super::exhaustive::{compare, system};
use crate::configuration::{Feature, FeatureKind};
use crate::decoder::{Decoder, Wanted};
use crate::input::Input;
use crate::system::System;
use crate::translation::Translation;
use chiasm_neural::{EDGE, HISTORY, JointModel, JointRecipe, JointTraining, train_joint};
use chiasm_text::{Link, Links, MappedText};
use std::sync::Arc;

const SENTENCES: [&str; 4] = [
    "f1 f3 zzz f2",
    "f11 f16 f38",
    "f32 f34 f33 f5",
    "f37 f16 f5 f20 f22",
];

/// A model that has learned a little from translations of the system itself.
fn joint_model(found: &[(&str, Translation)]) -> JointModel {
    let folder = tempfile::tempdir().unwrap();
    let mut links = Links::default();
    let (mut source, mut target) = (Vec::new(), Vec::new());
    for (line, translation) in found {
        source.push((*line).to_string());
        target.push(translation.words.join(" "));
        let pairs = translation.phrases.iter().flat_map(|phrase| &phrase.links);
        let pairs = pairs.map(|&(source, target)| Link {
            source: source as u32,
            target: target as u32,
        });
        links.push(&pairs.collect::<Vec<_>>());
    }
    let text = |name: &str, lines: &[String]| {
        let path = folder.path().join(name);
        MappedText::write(&path, lines.iter().map(String::as_str)).unwrap();
        MappedText::open(&path).unwrap()
    };
    let recipe = JointRecipe {
        words: 30,
        embedding: 4,
        hidden: 11,
        examples: 20_000,
        dropout: 0.0,
        learning_rate: 0.02,
        seed: 1,
    };
    let training = JointTraining {
        source: &text("source", &source),
        target: &text("target", &target),
        links: &links,
        recipe: &recipe,
    };
    train_joint(&training, &chiasm_work::Silent).unwrap()
}

fn lists(system: System) -> Vec<(&'static str, Translation)> {
    let decoder = Decoder::new(Arc::new(system)).unwrap();
    let wanted = Wanted {
        count: 60,
        distinct: false,
    };
    let list = |line: &'static str| {
        let found = decoder.nbest(&Input::from_line(line), wanted).unwrap();
        found.into_iter().map(move |found| (line, found))
    };
    SENTENCES.into_iter().flat_map(list).collect()
}

fn whole(name: &str) -> System {
    let model = joint_model(&lists(system(name)));
    let mut parts = system(name).into_parts();
    parts.joint_model = Some(Arc::new(model));
    parts.configuration.features.push(Feature {
        name: "Joint0".into(),
        weights: vec![0.8],
        kind: FeatureKind::JointModel,
    });
    System::new(parts).unwrap()
}

#[test]
fn finds_every_derivation_in_order_with_a_joint_model() {
    for sentence in &SENTENCES[..3] {
        compare(whole("hier-mslr"), sentence, 3, None);
        compare(whole("word-msd"), sentence, 3, Some(2));
    }
}

/// The source word that a target word of a translation goes with: inside its phrase, by the definition.
fn centre(translation: &Translation, word: usize) -> usize {
    let mut phrases = translation.phrases.iter();
    let phrase = phrases.find(|phrase| phrase.target.range().contains(&word));
    let phrase = phrase.unwrap();
    let linked = |word: usize| -> Vec<usize> {
        let links = phrase.links.iter().filter(|link| link.1 == word);
        let mut found: Vec<usize> = links.map(|link| link.0).collect();
        found.sort_unstable();
        found
    };
    let others = phrase
        .target
        .range()
        .filter(|&other| !linked(other).is_empty());
    let near = others.min_by_key(|&other| (other.abs_diff(word), other < word));
    match near {
        None => phrase.source.start as usize,
        Some(near) => {
            let found = linked(near);
            found[(found.len() - 1) / 2]
        }
    }
}

#[test]
fn scores_are_those_of_a_slow_walk() {
    for name in ["hier-mslr", "word-msd"] {
        let system = whole(name);
        let model = system.joint_model().unwrap().clone();
        let at = system.layout().joint.unwrap();
        let weights = system.weights().dense;
        let mut longest = 0;
        for (line, found) in lists(system) {
            let source: Vec<u32> = line
                .split(' ')
                .map(|word| model.source_word(word))
                .collect();
            let mut contexts = Vec::new();
            model.contexts(&source, &mut contexts);
            let context = |place: usize| &contexts[place * model.width()..];
            let mut words = vec![EDGE; HISTORY];
            words.extend(found.words.iter().map(|word| model.target_word(word)));
            words.push(EDGE);
            let mut expected = 0.0;
            for place in 0..=found.words.len() {
                let history = [words[place + 2], words[place + 1], words[place]];
                let source = match place == found.words.len() {
                    true => source.len(),
                    false => centre(&found, place),
                };
                expected += model.score(context(source), &history, words[place + 3]);
            }
            assert!((expected - found.features[at]).abs() < 1e-3, "{line}");
            let weighted = found.features.iter().zip(&weights);
            let total: f32 = weighted.map(|(value, weight)| value * weight).sum();
            assert!((total - found.score).abs() < 1e-3);
            let lengths = found.phrases.iter().map(|phrase| phrase.target.len());
            longest = longest.max(lengths.max().unwrap_or(0));
        }
        assert!(longest > HISTORY, "no phrase is longer than the history");
    }
}
