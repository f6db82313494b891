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

fn teach_new_words(learned: &mut Learned, system: &System) {
    let [source, target] = ["f3 zzz f2 f9", "new e2 e1 e3"];
    teach(learned, system, source, target, "0-2 1-0 2-1 3-3");
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
        teach_new_words(&mut learned, &system);
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

#[test]
fn what_was_learned_comes_back_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let [path, snapshot] = ["system", "learned"].map(|name| folder.path().join(name));
    system("hier-mslr").write(&path).unwrap();
    let system = Arc::new(System::open(&path).unwrap());
    let decoder = Decoder::new(system.clone()).unwrap();
    let says = |learned: &Learned| {
        let mut input = Input::from_line("f1 f3 zzz f2 f11");
        input.learned = Some(Arc::new(learned.clone()));
        decoder
            .nbest(
                &input,
                Wanted {
                    count: 50,
                    distinct: false,
                },
            )
            .unwrap()
    };
    let mut learned = Learned::new(&system, Strengths::default());
    teach_new_words(&mut learned, &system);
    learned.save(&system, &[7, 8], &snapshot).unwrap();
    let (mut again, about) = Learned::open(&system, Strengths::default(), &snapshot).unwrap();
    assert_eq!((about, again.len()), (vec![7, 8], 1));
    assert_eq!(says(&again), says(&learned));
    // And it goes on from there.
    for learned in [&mut learned, &mut again] {
        teach(
            learned,
            &system,
            "yyy f3 zzz",
            "newer new e4",
            "0-0 1-2 2-1",
        );
    }
    assert_eq!(says(&again), says(&learned));
    // Another system has other words.
    let other = folder.path().join("other");
    super::exhaustive::system("word-msd").write(&other).unwrap();
    let other = System::open(&other).unwrap();
    assert!(Learned::open(&other, Strengths::default(), &snapshot).is_err());
    // Damage anywhere is noticed, and so is a file that is cut short.
    let whole = std::fs::read(&snapshot).unwrap();
    for at in (0..whole.len()).step_by(7) {
        let mut broken = whole.clone();
        broken[at] ^= 0x55;
        std::fs::write(&snapshot, &broken).unwrap();
        if let Ok((read, _)) = Learned::open(&system, Strengths::default(), &snapshot) {
            // Bytes between sections say nothing.
            assert_eq!(read.len(), 1);
        }
        std::fs::write(&snapshot, &whole[..at]).unwrap();
        assert!(Learned::open(&system, Strengths::default(), &snapshot).is_err());
    }
}
