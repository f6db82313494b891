//! Files, threads, and the statistics that make the language worth learning.

use chiasm_synthesis::{Language, Orientation, write_corpus};
use chiasm_work::Progress;
use std::collections::{HashMap, HashSet};
use std::path::Path;

struct Silent;

impl Progress for Silent {
    fn advance(&self, _: u64) {}
}

const FILES: [&str; 5] = ["source", "target", "links", "orientations", "gold"];

fn write(language: Language, pairs: u64, threads: usize, folder: &Path) -> Vec<String> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    let generator = language.generator(42, 2000);
    let summary = pool
        .install(|| write_corpus(&generator, pairs, folder, &Silent))
        .unwrap();
    assert_eq!(summary.pairs, pairs);
    FILES
        .map(|name| std::fs::read_to_string(folder.join(name)).unwrap())
        .to_vec()
}

#[test]
fn files_do_not_depend_on_threads_and_a_short_run_is_a_prefix() {
    for language in [Language::ArabicLike, Language::JapaneseLike] {
        let folder = tempfile::tempdir().unwrap();
        let one = write(language, 10_000, 1, &folder.path().join("one"));
        let three = write(language, 10_000, 3, &folder.path().join("three"));
        assert_eq!(one, three);
        let short = write(language, 1000, 2, &folder.path().join("short"));
        for (whole, part) in one.iter().zip(&short) {
            assert!(whole.starts_with(part.as_str()));
            assert_eq!(part.lines().count(), 1000);
            assert_eq!(whole.lines().count(), 10_000);
        }
        let generator = language.generator(42, 2000);
        for (index, line) in one[0].lines().enumerate().step_by(997) {
            let pair = generator.pair(index as u64);
            assert_eq!(line, pair.source_text());
            assert_eq!(one[1].lines().nth(index), Some(pair.target_text().as_str()));
            assert_eq!(one[2].lines().nth(index), Some(pair.links_text().as_str()));
            assert_eq!(one[4].lines().nth(index), Some(pair.gold_text().as_str()));
        }
    }
}

#[test]
fn another_seed_is_another_corpus() {
    let text = |seed| {
        let generator = Language::ArabicLike.generator(seed, 0);
        generator
            .pairs()
            .take(20)
            .map(|pair| pair.source_text())
            .collect::<Vec<_>>()
    };
    assert_ne!(text(1), text(2));
    assert_eq!(text(1), text(1));
}

#[test]
fn no_pairs_give_empty_files() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        write(Language::ArabicLike, 0, 1, folder.path()),
        vec![String::new(); 5]
    );
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let generator = Language::ArabicLike.generator(1, 0);
    let error = write_corpus(&generator, 1, &file.join("sub"), &Silent).unwrap_err();
    assert!(error.to_string().contains("file/sub"), "{error}");
}

/// Entropy in bits of counts by class.
fn entropy(counts: &[f64; 3]) -> f64 {
    let total: f64 = counts.iter().sum();
    let term = |count: &f64| {
        if *count > 0.0 {
            -count / total * (count / total).log2()
        } else {
            0.0
        }
    };
    counts.iter().map(term).sum()
}

/// Entropy of the orientation given a key, over keys seen often enough to judge.
fn conditional(examples: &[(String, Orientation)]) -> f64 {
    let mut by_key: HashMap<&str, [f64; 3]> = HashMap::new();
    for (key, orientation) in examples {
        by_key.entry(key).or_default()[*orientation as usize] += 1.0;
    }
    let frequent: Vec<&[f64; 3]> = by_key
        .values()
        .filter(|c| c.iter().sum::<f64>() >= 30.0)
        .collect();
    let total: f64 = frequent.iter().map(|c| c.iter().sum::<f64>()).sum();
    frequent
        .iter()
        .map(|c| entropy(c) * c.iter().sum::<f64>() / total)
        .sum()
}

#[test]
fn words_and_context_both_tell_something_and_never_all() {
    let bands = [
        (Language::ArabicLike, [0.30..0.60, 0.08..0.25, 0.30..0.60]),
        (Language::JapaneseLike, [0.15..0.40, 0.08..0.25, 0.45..0.70]),
    ];
    for (language, shares) in bands {
        let generator = language.generator(3, 0);
        let mut counts = [0.0; 3];
        let (mut by_word, mut by_context) = (Vec::new(), Vec::new());
        for pair in generator.pairs().take(15_000) {
            let words: Vec<&str> = pair.source().collect();
            for phrase in pair
                .phrases()
                .iter()
                .filter(|p| p.source_end - p.source_start < 3)
            {
                counts[phrase.orientation as usize] += 1.0;
                let word = words[phrase.source_start as usize];
                let last = words[phrase.source_end as usize];
                let before = match phrase.source_start {
                    0 => "<s>",
                    start => words[start as usize - 1],
                };
                by_word.push((format!("{word} {last}"), phrase.orientation));
                by_context.push((format!("{before} {word} {last}"), phrase.orientation));
            }
        }
        let total: f64 = counts.iter().sum();
        for (count, band) in counts.iter().zip(&shares) {
            assert!(
                band.contains(&(count / total)),
                "{language:?}: {counts:?} of {total}"
            );
        }
        let (plain, word, context) = (
            entropy(&counts),
            conditional(&by_word),
            conditional(&by_context),
        );
        println!("{language:?}: {counts:?}, entropies {plain:.3} {word:.3} {context:.3}");
        assert!(word < plain - 0.1, "words tell nothing: {word} of {plain}");
        assert!(
            context < word - 0.1,
            "the context tells nothing: {context} of {word}"
        );
        assert!(context > 0.1, "nothing is left to chance: {context}");
    }
}

#[test]
fn a_source_word_has_several_translations() {
    let generator = Language::ArabicLike.generator(3, 0);
    let mut translations: HashMap<String, HashSet<String>> = HashMap::new();
    for pair in generator.pairs().take(20_000) {
        let (source, target): (Vec<&str>, Vec<&str>) =
            (pair.source().collect(), pair.target().collect());
        for &(s, t) in pair.links() {
            translations
                .entry(source[s as usize].into())
                .or_default()
                .insert(target[t as usize].into());
        }
    }
    for (word, expected) in [
        ("العين", ["eye", "spring"]),
        ("الرجل", ["man", "leg"]),
        ("الكبيرة", ["big", "old"]),
    ] {
        for translation in expected {
            assert!(
                translations[word].contains(translation),
                "{word}: {:?}",
                translations[word]
            );
        }
    }
}

#[test]
fn made_up_words_make_the_vocabulary_grow_as_heaps_says() {
    for language in [Language::ArabicLike, Language::JapaneseLike] {
        for (vocabulary, exponents) in [(300_000, 0.45..0.85), (0, 0.0..0.12)] {
            let generator = language.generator(9, vocabulary);
            let (mut types, mut tokens, mut points) = (HashSet::new(), 0u64, Vec::new());
            for (index, pair) in generator.pairs().take(40_000).enumerate() {
                for word in pair.source() {
                    tokens += 1;
                    if !types.contains(word) {
                        types.insert(word.to_string());
                    }
                }
                if [10_000, 40_000].contains(&(index + 1)) {
                    points.push((tokens as f64, types.len() as f64));
                }
            }
            let exponent = (points[1].1 / points[0].1).ln() / (points[1].0 / points[0].0).ln();
            println!("{language:?} {vocabulary}: {points:?}, exponent {exponent:.2}");
            assert!(
                exponents.contains(&exponent),
                "{language:?} {vocabulary}: {exponent}"
            );
        }
    }
}
