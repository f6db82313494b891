//! What was learned, in the search: against every derivation, and with nothing learned the same as ever.

use super::exhaustive::{compare_orders, system};
use crate::decoder::{Decoder, Wanted};
use crate::input::Input;
use crate::learned::{Learned, Lesson, Strengths};
use crate::system::System;
use std::sync::Arc;

/// A pair of which nothing but its links is known.
fn teach(learned: &mut Learned, system: &System, source: &str, target: &str, links: &str) {
    let words = |text: &str| -> Vec<String> { text.split(' ').map(String::from).collect() };
    let (source, target) = (words(source), words(target));
    let mut parsed = Vec::new();
    chiasm_text::links::parse(links, source.len(), target.len(), &mut parsed).unwrap();
    let lesson = Lesson {
        source: &source,
        target: &target,
        links: &parsed,
        probabilities: &vec![[0.25, 0.5]; parsed.len()],
    };
    learned.add(system, lesson);
}

#[test]
fn finds_every_derivation_in_order_of_what_was_learned() {
    for (name, sentence) in [("hier-mslr", "f1 f3 zzz f2"), ("word-msd", "f11 f16 f38")] {
        let system = system(name);
        let strengths = Strengths {
            text: 20.0,
            ..Strengths::default()
        };
        let mut learned = Learned::new(&system, strengths);
        teach(
            &mut learned,
            &system,
            "f3 zzz f2 f9",
            "new e2 e1 e3",
            "0-2 1-0 2-1 3-3",
        );
        teach(
            &mut learned,
            &system,
            "f16 f38 f3",
            "e4 new e4",
            "0-1 1-0 2-2",
        );
        compare_orders(system, sentence, 2, None, (false, Some(learned)));
    }
}

#[test]
fn a_sentence_that_was_learned_comes_back() {
    let system = Arc::new(system("hier-mslr"));
    let decoder = Decoder::new(system.clone()).unwrap();
    let mut input = Input::from_line("f1 f3 zzz f2");
    let before = decoder.nbest(&input, Wanted::BEST).unwrap();
    let mut learned = Learned::new(&system, Strengths::default());
    input.learned = Some(Arc::new(learned.clone()));
    assert_eq!(decoder.nbest(&input, Wanted::BEST).unwrap(), before);
    teach(
        &mut learned,
        &system,
        "f1 f3 zzz f2",
        "quite other words",
        "0-0 1-1",
    );
    input.learned = Some(Arc::new(learned));
    let after = decoder.translate(&input).unwrap();
    assert_eq!(after.text(), "quite other words");
    assert!(after.learned > 0.0);
    let weights = system.weights().dense;
    let features = after.features.iter().zip(&weights);
    let sum: f32 = features.map(|(value, weight)| value * weight).sum();
    assert!((sum + after.learned - after.score).abs() < 1e-2);
}
