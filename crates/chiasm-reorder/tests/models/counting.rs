//! Features are counted and cut as the slow way does it.

use super::{build, data, options, task};
use chiasm_phrases::{AlignedFiles, Directions, IndexedCorpus};
use chiasm_reorder::spelling::{Words, spell_all};
use chiasm_reorder::{FeatureSet, PhraseFinder};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How often a feature was seen, and in which sentence pairs.
#[derive(Default)]
struct Seen {
    times: u64,
    sentences: BTreeSet<u64>,
}

/// Every feature of a corpus in words, and the number of examples.
fn slow_counts(
    files: &AlignedFiles,
    set: &FeatureSet,
    folder: &Path,
) -> (BTreeMap<String, Seen>, u64) {
    let mut corpus = IndexedCorpus::read(files, folder, &()).unwrap();
    let spellings = |side: &chiasm_phrases::Side, mark: &str| -> Vec<String> {
        side.vocabulary
            .words()
            .map(|word| format!("{mark}{word}"))
            .collect()
    };
    let source_words = spellings(&corpus.source, "f:");
    let target_words = spellings(&corpus.target, "e:");
    let task = task(Directions::Backward);
    let (mut counts, mut examples) = (BTreeMap::<String, Seen>::new(), 0);
    corpus
        .for_each_in_order(
            |pair, work: &mut (PhraseFinder, Vec<(u64, Vec<String>)>)| {
                let look = |words: &[String], ids: &[u32]| -> Vec<String> {
                    ids.iter().map(|&id| words[id as usize].clone()).collect()
                };
                let source = look(&source_words, pair.source);
                let target = look(&target_words, pair.target);
                let (finder, found) = work;
                finder.find(&task, pair, |phrase| {
                    let source: Vec<&str> = source.iter().map(String::as_str).collect();
                    let target: Vec<&str> = target[phrase.instance.spans.target.range()]
                        .iter()
                        .map(String::as_str)
                        .collect();
                    let words = Words {
                        source: &source,
                        target: &target,
                    };
                    let (length, width) = (source.len(), target.len());
                    let span = phrase.instance.spans.source;
                    let features = spell_all(set, span, length, width, phrase.links, &words);
                    found.push((pair.index, features));
                });
            },
            |(_, found), _| {
                for (sentence, features) in found.drain(..) {
                    examples += 1;
                    for feature in features {
                        // A product is the same in either order.
                        let mut parts: Vec<&str> = feature.split(" · ").collect();
                        parts.sort_unstable();
                        let seen = counts.entry(parts.join(" · ")).or_default();
                        seen.times += 1;
                        seen.sentences.insert(sentence);
                    }
                }
                Ok(())
            },
        )
        .unwrap();
    (counts, examples)
}

#[test]
fn features_are_counted_and_cut_as_slow_counting_does() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["S1", "S7", "S6", "S8", "S15", "S4+anova=<=3", "S2+anova=3"] {
        let set: FeatureSet = name.parse().unwrap();
        let (counts, examples) = slow_counts(&data(), &set, folder.path());
        for (min_count, min_sentences, budget) in [
            (1, 1, 1 << 24),
            (4, 1, 1 << 24),
            (4, 1, 1 << 12),
            (4, 3, 1 << 24),
            (1, 2, 1 << 12),
        ] {
            let mut options = options(name, min_count, folder.path());
            options.min_sentences = min_sentences;
            options.budget = budget;
            options.merging = false;
            let built = build(&data(), options).unwrap();
            let kept = counts.values().filter(|seen| {
                seen.times >= min_count && seen.sentences.len() as u64 >= min_sentences
            });
            assert_eq!(
                built.index.len(),
                kept.clone().count(),
                "{name} {min_count} {min_sentences} {budget}"
            );
            assert_eq!(
                built.examples[0].entries() as u64,
                kept.map(|seen| seen.times).sum::<u64>(),
                "{name} {min_count} {min_sentences}"
            );
            assert_eq!(built.examples[0].weight(), examples as f64);
            // The most frequent first.
            assert!(built.seen().is_sorted_by(|a, b| a >= b));
        }
    }
}
