//! Estimation: odd texts, any budget, any number of threads, and the formulas done slowly.

mod common;

use chiasm_lm::arpa::NgramList;
use chiasm_lm::estimate::{Discounts, Input, Options, SpecialWords, estimate};
use chiasm_lm::{Model, Result};
use common::{Slow, data};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn with_fallback(order: usize) -> Options {
    Options {
        fallback: Some(Discounts::FALLBACK),
        ..Options::new(order)
    }
}

fn list_of(text: impl AsRef<[u8]>, options: &Options) -> Result<NgramList> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("text");
    std::fs::write(&path, text).unwrap();
    estimate(&[path], options, &())?.into_list(&())
}

fn complaint(text: impl AsRef<[u8]>, options: &Options) -> String {
    let message = list_of(text, options).unwrap_err().to_string();
    message.rsplit("/text: ").next().unwrap().to_string()
}

#[test]
fn sentences_of_numbers_are_what_their_lines_are() {
    let mut options = with_fallback(3);
    options.special = SpecialWords::Skip;
    let text = "a b <unk> a\n\nc b a\n";
    let words = || ["a", "b", "<unk>", "c"].into_iter();
    let sentences: [&[u32]; 3] = [&[0, 1, 2, 0], &[], &[3, 1, 0]];
    let list = |options: &Options| {
        let mut input = Input::new(options);
        input.add_sentences(words(), sentences.into_iter())?;
        input.estimate(&())?.into_list(&())
    };
    let (numbers, lines) = (list(&options).unwrap(), list_of(text, &options).unwrap());
    let spelled = |list: &NgramList| list.vocabulary.words().collect::<Vec<_>>().join(" ");
    assert_eq!(spelled(&numbers), spelled(&lines));
    assert_eq!(
        format!("{:?}", numbers.orders),
        format!("{:?}", lines.orders)
    );
    options.special = SpecialWords::Refuse;
    assert!(list(&options).is_err());
}

#[test]
fn odd_texts() {
    let options = with_fallback(3);
    assert_eq!(complaint("", &options), "there are no words in the text");
    assert_eq!(
        complaint("\n\n", &options),
        "there are no words in the text"
    );
    assert_eq!(
        complaint(b"good\nb\xffad\n", &options),
        "line 2: invalid UTF-8 at byte 2; it looks like Latin-1"
    );
    for word in ["<s>", "</s>", "<unk>"] {
        let expected =
            format!("line 2: the word {word} has a meaning of its own in a language model");
        assert_eq!(complaint(format!("a b\nb {word} a\n"), &options), expected);
    }
    let skip = Options {
        special: SpecialWords::Skip,
        ..options.clone()
    };
    let skipped = list_of("a b\nb <s> a\n<unk>\n", &skip).unwrap();
    let without = list_of("a b\nb a\n\n", &options).unwrap();
    assert_eq!(skipped.orders, without.orders);
    let message = complaint("a\n", &Options::new(2));
    assert!(
        message.contains("discounts of the 1-grams cannot be estimated"),
        "{message}"
    );
    // One-word sentences, an empty line, no end of the last line.
    let single = list_of("a\na\n\nb", &options).unwrap();
    assert_eq!(single.orders[0].len(), 5);
    assert_eq!(single.orders[1].len(), 5);
    assert_eq!(single.orders[2].len(), 2);
}

#[test]
fn impossible_options() {
    let refused = |options: Options| complaint("a b\n", &options);
    assert_eq!(refused(Options::new(0)), "order 0 is not between 1 and 6");
    assert_eq!(refused(Options::new(7)), "order 7 is not between 1 and 6");
    let prune = |prune: &[u64]| {
        refused(Options {
            prune: prune.to_vec(),
            ..with_fallback(3)
        })
    };
    assert_eq!(
        prune(&[1]),
        "words cannot be pruned: the first threshold must be 0"
    );
    assert_eq!(
        prune(&[0, 2, 1]),
        "a pruning threshold is less than that of the order before"
    );
    assert_eq!(
        prune(&[0, 0, 0, 0]),
        "4 pruning thresholds for a model of order 3"
    );
}

#[test]
fn the_same_bytes_at_any_budget_and_with_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let mut files: Vec<Vec<u8>> = Vec::new();
    for (index, (threads, memory)) in [(1, 1 << 30), (3, 1 << 30), (2, 1 << 18), (1, 1)]
        .into_iter()
        .enumerate()
    {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let path = folder.path().join(format!("{index}.arpa"));
        let options = Options {
            memory,
            folder: folder.path().to_path_buf(),
            ..Options::new(4)
        };
        pool.install(|| {
            estimate(&[data("text")], &options, &())
                .unwrap()
                .write_arpa(&path, &())
                .unwrap()
        });
        files.push(std::fs::read(path).unwrap());
    }
    assert!(files.iter().all(|file| *file == files[0]));
    // Straight into tables, or through the text: the same model.
    let (direct, through) = (
        folder.path().join("direct.bin"),
        folder.path().join("through.bin"),
    );
    let estimated = estimate(&[data("text")], &Options::new(4), &()).unwrap();
    estimated.into_model(&()).unwrap().save(&direct).unwrap();
    Model::open(folder.path().join("0.arpa"))
        .unwrap()
        .save(&through)
        .unwrap();
    assert!(std::fs::read(direct).unwrap() == std::fs::read(through).unwrap());
}

/// Counts with the definition: every window of every sentence.
struct SlowCounts {
    occurrences: BTreeMap<Vec<u32>, u64>,
    order: usize,
}

impl SlowCounts {
    fn new(sentences: &[Vec<u32>], order: usize) -> Self {
        let mut occurrences = BTreeMap::new();
        for sentence in sentences {
            let mut words = vec![1];
            words.extend(sentence);
            words.push(2);
            for end in 1..words.len() {
                for start in (end + 1).saturating_sub(order)..=end {
                    *occurrences.entry(words[start..=end].to_vec()).or_insert(0) += 1;
                }
            }
        }
        SlowCounts { occurrences, order }
    }

    fn adjusted(&self, ngram: &[u32]) -> u64 {
        if ngram.len() == self.order || ngram[0] == 1 {
            return self.occurrences[ngram];
        }
        let longer = self
            .occurrences
            .keys()
            .filter(|k| k.len() == ngram.len() + 1 && &k[1..] == ngram);
        longer.count() as u64
    }

    /// log10 p(w | c) by the recursion, with the fallback discounts.
    fn probability(&self, context: &[u32], word: u32, vocabulary: usize, prune: &[u64]) -> f64 {
        let length = context.len() + 1;
        let seen: Vec<(u32, u64, bool)> = self
            .occurrences
            .iter()
            .filter(|(k, _)| k.len() == length && &k[..length - 1] == context && k[length - 1] != 1)
            .map(|(k, &count)| (k[length - 1], self.adjusted(k), count <= prune[length - 1]))
            .collect();
        let total: u64 = seen.iter().map(|entry| entry.1).sum();
        let lower = if context.is_empty() {
            1.0 / (vocabulary - 1) as f64
        } else {
            self.probability(&context[1..], word, vocabulary, prune)
        };
        if total == 0 {
            return lower;
        }
        let discount = |count: u64| Discounts::FALLBACK.of(count);
        let left: f64 = seen
            .iter()
            .map(|&(_, c, pruned)| if pruned { c as f64 } else { discount(c) })
            .sum();
        let own = seen.iter().find(|entry| entry.0 == word && !entry.2);
        let own = own.map_or(0.0, |&(_, c, _)| c as f64 - discount(c));
        (own + left * lower) / total as f64
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Few sentences of few words: the discounts cannot be estimated, so they are the fallback's
    /// (a text for which they can is skipped), and every probability can be had by the formulas.
    #[test]
    fn every_probability_by_the_formulas(
        order in 1usize..=4,
        sentences in prop::collection::vec(prop::collection::vec(3u32..6, 0..6), 1..12),
        thresholds in prop::sample::select(vec![vec![0], vec![0, 1], vec![0, 0, 1], vec![0, 1, 1]]),
    ) {
        prop_assume!(sentences.iter().any(|sentence| !sentence.is_empty()));
        // Numbers in the order of arrival, as the estimator gives them.
        let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
        let sentences: Vec<Vec<u32>> = sentences.iter().map(|sentence| {
            sentence.iter().map(|&w| { let next = seen.len() as u32 + 3; *seen.entry(w).or_insert(next) }).collect()
        }).collect();
        let text: String = sentences.iter().map(|s| {
            s.iter().map(|w| format!("w{w}")).collect::<Vec<_>>().join(" ") + "\n"
        }).collect();
        let thresholds: Vec<u64> = thresholds.into_iter().take(order).collect();
        let options = Options { prune: thresholds.clone(), ..with_fallback(order) };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        std::fs::write(&path, &text).unwrap();
        let estimated = estimate(&[path], &options, &()).unwrap();
        prop_assume!(estimated.summary().discounts.iter().all(|d| *d == Discounts::FALLBACK));
        let list = estimated.into_list(&()).unwrap();
        let vocabulary = list.vocabulary.len();
        let mut prune = thresholds;
        prune.resize(order, prune.last().copied().unwrap_or(0));
        let counts = SlowCounts::new(&sentences, order);
        let model = Slow::new(&list);
        let mut contexts: BTreeSet<Vec<u32>> = BTreeSet::from([vec![]]);
        for ngram in counts.occurrences.keys().filter(|k| k.len() == order && order > 1) {
            contexts.insert(ngram[..order - 1].to_vec());
            contexts.insert(ngram[1..].iter().copied().filter(|&w| w != 2).collect());
        }
        for context in contexts {
            let mut sum = 0.0;
            for word in (0..vocabulary as u32).filter(|&word| word != 1) {
                let found = 10f64.powf(model.score(&context, word));
                let expected = counts.probability(&context, word, vocabulary, &prune);
                prop_assert!((found - expected).abs() < 1e-5, "{:?} {}: {} for {}", context, word, found, expected);
                sum += found;
            }
            prop_assert!((sum - 1.0).abs() < 1e-4, "{:?} sums to {}", context, sum);
        }
    }
}
