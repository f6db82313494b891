//! What must hold of every sentence pair, whatever the seed.

use chiasm_synthesis::{GoldPhrase, Language, Orientation, SentencePair};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashSet};

const LANGUAGES: [Language; 2] = [Language::ArabicLike, Language::JapaneseLike];

/// Words that may lack a sure link: what one language says by order, by an ending, or not at all.
const ARABIC_UNALIGNED: &[&str] = &["إلى", "من", "،", "هل"];
const JAPANESE_UNALIGNED: &[&str] = &["wa", "ga", "o", "ni", "no", "de", "ko", "nin", ","];
const ENGLISH_UNALIGNED: &[&str] = &[
    "the", "a", "an", "of", "'s", "is", "are", "who", "that", "he", "she", "they", "will", "did",
    "does", "do", "at", ",",
];

fn check(pair: &SentencePair, language: Language) {
    let source: Vec<&str> = pair.source().collect();
    let target: Vec<&str> = pair.target().collect();
    for side in [&source, &target] {
        assert!((3..=40).contains(&side.len()), "{side:?}");
        for word in side.iter() {
            assert!(
                !word.is_empty() && !word.contains(char::is_whitespace),
                "{side:?}"
            );
            assert_ne!(*word, "|||");
        }
    }
    let mut seen = HashSet::new();
    for &(s, t) in pair.links() {
        assert!(
            (s as usize) < source.len() && (t as usize) < target.len(),
            "{s}-{t}"
        );
        assert!(seen.insert((s, t)), "{s}-{t} twice");
    }
    let unaligned = match language {
        Language::ArabicLike => ARABIC_UNALIGNED,
        Language::JapaneseLike => JAPANESE_UNALIGNED,
    };
    check_possible(pair, &source, &target);
    for (position, word) in source.iter().enumerate() {
        let linked = pair.links().iter().any(|&(s, _)| s as usize == position);
        assert!(
            linked || unaligned.contains(word),
            "{word} in {}",
            pair.source_text()
        );
    }
    for (position, word) in target.iter().enumerate() {
        let linked = pair.links().iter().any(|&(_, t)| t as usize == position);
        assert!(
            linked || ENGLISH_UNALIGNED.contains(word),
            "{word} in {}",
            pair.target_text()
        );
    }
}

/// A word has possible links if, and only if, it has no sure one or is what such a word may be linked with.
fn check_possible(pair: &SentencePair, source: &[&str], target: &[&str]) {
    let free_source = |s: u32| pair.links().iter().all(|link| link.0 != s);
    let free_target = |t: u32| pair.links().iter().all(|link| link.1 != t);
    assert!(pair.possible_links().is_sorted());
    let mut seen = HashSet::new();
    for &(s, t) in pair.possible_links() {
        assert!((s as usize) < source.len() && (t as usize) < target.len());
        assert!(seen.insert((s, t)), "{s}p{t} twice");
        assert!(
            free_source(s) || free_target(t),
            "{s}p{t} in {}\n{}",
            pair.gold_text(),
            pair.target_text()
        );
    }
    for (position, word) in source.iter().enumerate() {
        let position = position as u32;
        let possible = pair.possible_links().iter().any(|link| link.0 == position);
        assert!(
            possible || !free_source(position),
            "{word} in {}",
            pair.source_text()
        );
    }
    for (position, word) in target.iter().enumerate() {
        let position = position as u32;
        let possible = pair.possible_links().iter().any(|link| link.1 == position);
        assert!(
            possible || !free_target(position),
            "{word} in {}",
            pair.target_text()
        );
    }
}

/// The definitions of a consistent phrase pair and of the backward `word` orientation, read off the links.
fn from_links(pair: &SentencePair, phrase: &GoldPhrase) -> Option<Orientation> {
    let links: BTreeSet<(i64, i64)> = pair
        .links()
        .iter()
        .map(|&(s, t)| (i64::from(s), i64::from(t)))
        .collect();
    let (fs, fe) = (i64::from(phrase.source_start), i64::from(phrase.source_end));
    let (es, ee) = (i64::from(phrase.target_start), i64::from(phrase.target_end));
    let inside_source = |s: i64| (fs..=fe).contains(&s);
    let inside_target = |t: i64| (es..=ee).contains(&t);
    let consistent = links
        .iter()
        .all(|&(s, t)| inside_source(s) == inside_target(t));
    let linked_within = links
        .iter()
        .any(|&(s, t)| inside_source(s) && inside_target(t));
    if !consistent || !linked_within {
        return None;
    }
    let linked = |s: i64, t: i64| (s, t) == (-1, -1) || links.contains(&(s, t));
    Some(match (linked(fs - 1, es - 1), linked(fe + 1, es - 1)) {
        (true, false) => Orientation::Monotone,
        (false, true) => Orientation::Swap,
        _ => Orientation::Discontinuous,
    })
}

fn check_phrases(pair: &SentencePair) {
    assert!(!pair.phrases().is_empty(), "{}", pair.source_text());
    assert!(pair.phrases().is_sorted());
    for phrase in pair.phrases() {
        assert_eq!(
            from_links(pair, phrase),
            Some(phrase.orientation),
            "{phrase:?}\n{}\n{}\n{}",
            pair.source_text(),
            pair.target_text(),
            pair.links_text()
        );
    }
}

#[test]
fn every_sentence_keeps_the_rules() {
    for language in LANGUAGES {
        for vocabulary in [0, 5000] {
            let generator = language.generator(11, vocabulary);
            for pair in generator.pairs().take(4000) {
                check(&pair, language);
                check_phrases(&pair);
            }
        }
    }
}

proptest! {
    #[test]
    fn any_seed_and_number(seed: u64, index: u64, japanese: bool, vocabulary in 0u32..300) {
        let language = LANGUAGES[usize::from(japanese)];
        let generator = language.generator(seed, vocabulary);
        let pair = generator.pair(index);
        check(&pair, language);
        check_phrases(&pair);
    }
}

#[test]
fn english_agrees() {
    for language in LANGUAGES {
        let generator = language.generator(5, 0);
        for pair in generator.pairs().take(5000) {
            let text = format!(" {} ", pair.target_text());
            for wrong in [
                " a a",
                " a e",
                " a i",
                " a o",
                " an b",
                " an s",
                " an university ",
                " he write ",
                " they is ",
            ] {
                assert!(!text.contains(wrong), "{wrong} in{text}");
            }
            for wrong in [
                " does not writes ",
                " did not wrote ",
                " these man ",
                " this men ",
                " three man ",
            ] {
                assert!(!text.contains(wrong), "{wrong} in{text}");
            }
        }
    }
}

#[test]
fn sentences_are_those_that_were_checked_by_eye() {
    let show = |language: Language, index| {
        let generator = language.generator(1, 0);
        let pair = generator.pair(index);
        [pair.source_text(), pair.target_text(), pair.gold_text()]
    };
    assert_eq!(
        show(Language::ArabicLike, 21),
        [
            "ذهبت ليلى إلى فرنسا مرة أخرى .",
            "layla went to france again .",
            "0-1 1-0 2-2 3-3 4-4 5-4 6-5"
        ]
    );
    assert_eq!(
        show(Language::JapaneseLike, 18),
        [
            "shiawase na shounen wa ame o tabe masen deshita .",
            "the glad boy did not eat the candy .",
            "0-1 1-1 2-2 4-7 6-5 7-4 8-3 9-8 2p0 3p0 3p2 4p6 5p6 5p7"
        ]
    );
    assert_eq!(
        show(Language::ArabicLike, 22),
        [
            "سوف تربي الأخت أسد الرجل المتعب .",
            "the sister will keep the tired lion of the man .",
            "0-2 1-3 2-0 2-1 3-6 4-8 4-9 5-5 6-10 3p4 4p7 5p4"
        ]
    );
}
