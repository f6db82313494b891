//! Scores, states and batches against the definition of a back-off model.

mod common;

use chiasm_lm::arpa::{NgramList, OrderList};
use chiasm_lm::{Model, State};
use common::{Slow, data, score_line};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

const WORDS: [&str; 7] = ["<unk>", "<s>", "</s>", "a", "b", "c", "d"];

/// A model with random n-grams, some of which lack suffix or prefix.
fn random_list(order: usize, picks: &[(Vec<u32>, f32, f32)]) -> NgramList {
    let mut vocabulary = chiasm_text::Vocabulary::new();
    let mut orders = vec![OrderList::default(); order];
    for (id, word) in WORDS.iter().enumerate() {
        vocabulary.intern(word);
        orders[0].words.push(id as u32);
        orders[0].probabilities.push(-0.5 - id as f32 / 8.0);
        orders[0]
            .backoffs
            .push(if id % 2 == 0 { 0.0 } else { -0.25 });
    }
    let distinct: BTreeMap<&[u32], (f32, f32)> = picks
        .iter()
        .map(|(words, p, b)| (&words[..], (*p, *b)))
        .collect();
    for (words, (probability, backoff)) in distinct {
        if (2..=order).contains(&words.len()) {
            let list = &mut orders[words.len() - 1];
            list.words.extend_from_slice(words);
            list.probabilities.push(probability);
            list.backoffs
                .push(if words.len() < order { backoff } else { 0.0 });
        }
    }
    NgramList { vocabulary, orders }
}

fn random_ngrams() -> impl Strategy<Value = Vec<(Vec<u32>, f32, f32)>> {
    let words = prop::collection::vec(0u32..7, 2..=5);
    // No sum of back-offs makes a probability more than one. Back-offs of zero are common, in order to meet the states that may be shortened.
    let backoff = prop_oneof![Just(0.0f32), -2.0f32..0.1];
    prop::collection::vec((words, -4.0f32..-0.5, backoff), 0..120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn every_word_scores_as_defined(
        order in 1usize..=5,
        picks in random_ngrams(),
        text in prop::collection::vec(0u32..7, 1..40),
    ) {
        let list = random_list(order, &picks);
        let slow = Slow::new(&list);
        // So few n-grams that eight bits lose nothing.
        let quantised = Model::quantised(list.clone(), Path::new("random")).unwrap();
        let probing = Model::from_list(list, Path::new("random")).unwrap();
        for model in [quantised, probing] {
            let mut state = model.null_state();
            let mut next = State::default();
            for (at, &word) in text.iter().enumerate() {
                let expected = slow.score(&text[..at], word);
                let found = f64::from(model.score(&state, word, &mut next));
                prop_assert!((found - expected).abs() < 1e-5, "{} for {}", found, expected);
                prop_assert!(next.context().len() < order.max(1));
                state = next;
            }
        }
    }

    #[test]
    fn equal_states_score_every_continuation_alike(
        order in 2usize..=5,
        picks in random_ngrams(),
        first in prop::collection::vec(0u32..7, 0..6),
        second in prop::collection::vec(0u32..7, 0..6),
        rest in prop::collection::vec(0u32..7, 1..6),
    ) {
        let model = Model::from_list(random_list(order, &picks), Path::new("random")).unwrap();
        let after = |words: &[u32]| {
            let (mut state, mut next) = (model.null_state(), State::default());
            for &word in words {
                model.score(&state, word, &mut next);
                state = next;
            }
            state
        };
        let (mut left, mut right) = (after(&first), after(&second));
        if left == right {
            for &word in &rest {
                let (mut a, mut b) = (State::default(), State::default());
                let scores = (model.score(&left, word, &mut a), model.score(&right, word, &mut b));
                prop_assert_eq!(scores.0, scores.1);
                prop_assert_eq!(a, b);
                (left, right) = (a, b);
            }
        }
    }
}

#[test]
fn an_arpa_file_whose_ngrams_lack_suffix_and_prefix_scores_as_defined() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("holes.arpa");
    let text = "\\data\\\nngram 1=5\nngram 2=1\nngram 3=1\n\n\\1-grams:\n-2\t<unk>\n-99\t<s>\t-0.3\n\
        -0.7\t</s>\n-0.6\ta\t-0.2\n-0.5\tb\t-0.1\n\n\\2-grams:\n-0.4\ta a\t-0.05\n\n\\3-grams:\n\
        -0.2\ta b a\n\n\\end\\\n";
    std::fs::write(&path, text).unwrap();
    let model = Model::open(&path).unwrap();
    let slow = Slow::new(&NgramList::read(&path).unwrap());
    let ids: Vec<u32> = ["a", "b", "a", "a", "b"]
        .map(|w| model.vocabulary_id(w))
        .to_vec();
    let (mut state, mut next) = (model.null_state(), State::default());
    for (at, &id) in ids.iter().enumerate() {
        let expected = slow.score(&ids[..at], id);
        let found = f64::from(model.score(&state, id, &mut next));
        assert!((found - expected).abs() < 1e-6);
        state = next;
    }
    // The implied 2-grams "a b" and "b a" are counted.
    assert_eq!(model.counts(), &[5, 3, 1]);
}

#[test]
fn a_batch_scores_as_its_parts() {
    let model = Model::open(data("order3.arpa.xz")).unwrap();
    let words: Vec<u32> = (0..100u32).map(|i| i * 53 % 6000).collect();
    let mut states = vec![model.begin_sentence_state(); words.len()];
    let (mut next, mut scores) = (states.clone(), vec![0.0; words.len()]);
    for _ in 0..3 {
        model.score_batch(&states, &words, &mut next, &mut scores);
        for index in 0..words.len() {
            let mut one = State::default();
            assert_eq!(
                scores[index],
                model.score(&states[index], words[index], &mut one)
            );
            assert_eq!(one, next[index]);
        }
        std::mem::swap(&mut states, &mut next);
    }
}

#[test]
fn a_sentence_scores_as_its_words() {
    let model = Model::open(data("order3.arpa.xz")).unwrap();
    let line = "w1 w3 nothing w20 w4";
    let ids: Vec<u32> = chiasm_text::tokens(line)
        .map(|w| model.vocabulary_id(w))
        .collect();
    let whole = f64::from(model.score_sentence(&ids));
    assert!((whole - score_line(&model, line).0).abs() < 1e-4);
}
