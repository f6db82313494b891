//! Real text, prepared by other hands, must come out as they have it.

use chiasm_text::{PunctuationNormalizer, Tokenizer};
use std::path::{Path, PathBuf};

fn corpora() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    if folder.exists() {
        return Some(folder);
    }
    println!("skipped: {} is absent", folder.display());
    None
}

/// Share of lines that agree with the prepared ones; the first that do not are printed.
fn agreement(folder: &Path, name: &str, language: &str, normalize: bool) -> f64 {
    let read = |path: String| std::fs::read_to_string(folder.join(path)).unwrap();
    let raw = read(format!("{name}.raw.{language}"));
    let expected = read(format!("{name}.{language}"));
    let normalizer = PunctuationNormalizer::new(language);
    let mut tokenizer = Tokenizer::new(language);
    let (mut equal, mut shown) = (0usize, 0);
    for (line, expected) in raw.lines().zip(expected.lines()) {
        let line = if normalize {
            normalizer.normalize(line)
        } else {
            line.to_string()
        };
        let tokens = tokenizer.tokenize(&line).to_lowercase();
        if tokens == expected {
            equal += 1;
        } else if shown < 12 {
            shown += 1;
            println!("- {expected}\n+ {tokens}");
        }
    }
    let share = equal as f64 / expected.lines().count() as f64;
    println!("{name}.{language}: {share:.3}");
    share
}

#[test]
fn english_and_german_agree_with_moses() {
    let Some(folder) = corpora() else { return };
    for (name, language) in [
        ("ar-en/dev", "en"),
        ("de-en/dev", "en"),
        ("de-en/test", "en"),
        ("de-en/dev", "de"),
        ("de-en/test", "de"),
        ("ja-en-tech/dev", "en"),
        ("zh-en/dev", "en"),
    ] {
        assert!(
            agreement(&folder, name, language, true) > 0.98,
            "{name}.{language}"
        );
    }
}

#[test]
fn arabic_agrees_with_the_prepared_text() {
    let Some(folder) = corpora() else { return };
    for name in ["ar-en/dev", "ar-en/test", "ar-en/news-test"] {
        assert!(agreement(&folder, name, "ar", false) > 0.985, "{name}");
    }
}

#[test]
fn unspaced_languages_are_cut_into_words_of_similar_number() {
    let Some(folder) = corpora() else { return };
    for (name, language) in [("ja-en-tech/dev", "ja"), ("zh-en/dev", "zh")] {
        let read = |path: String| std::fs::read_to_string(folder.join(path)).unwrap();
        let raw = read(format!("{name}.raw.{language}"));
        let expected = read(format!("{name}.{language}"));
        let mut tokenizer = Tokenizer::new(language);
        let count = |line| tokenizer.tokenize(line).split(' ').count();
        let ours: usize = raw.lines().map(count).sum();
        let theirs = expected.split_whitespace().count();
        let ratio = ours as f64 / theirs as f64;
        println!("{name}.{language}: {ours} tokens, {theirs} in the prepared text");
        assert!((0.7..1.3).contains(&ratio), "{name}: {ratio}");
    }
}
