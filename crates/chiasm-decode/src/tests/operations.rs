//! Operation sequences in the search against a slow derivation of the whole sequence of a translation.

use super::exhaustive::{compare, system};
use crate::configuration::{Feature, FeatureKind};
use crate::decoder::{Decoder, Wanted};
use crate::input::Input;
use crate::system::System;
use crate::translation::Translation;
use chiasm_lm::Model;
use chiasm_lm::estimate::{Discounts, Input as Text, Options};
use chiasm_operations::{OperationModel, WordClasses};
use chiasm_text::Vocabulary;
use std::collections::BTreeSet;
use std::sync::Arc;

const SENTENCES: [&str; 4] = [
    "f1 f3 zzz f2",
    "f11 f16 f38",
    "f32 f34 f33 f5",
    "f37 f16 f5 f20 f22",
];

fn model_of(sequences: &[Vec<String>]) -> Model {
    let mut vocabulary = Vocabulary::new();
    let numbers: Vec<Vec<u32>> = sequences
        .iter()
        .map(|names| names.iter().map(|name| vocabulary.intern(name)).collect())
        .collect();
    let mut options = Options::new(4);
    options.fallback = Some(Discounts([0.5, 1.0, 1.5]));
    let mut text = Text::new(&options);
    let lines = numbers.iter().map(Vec::as_slice);
    text.add_sentences(vocabulary.words(), lines).unwrap();
    text.estimate(&()).unwrap().into_model(&()).unwrap()
}

/// The system with models of operations on words and on two classes of words, and their counts.
fn with_models(system: System, words: Model, classes: Model) -> System {
    let mut parts = system.into_parts();
    let side = |count: usize| (0..count as u32).map(|word| word % 2).collect::<Vec<_>>();
    let by_class = WordClasses {
        source: side(parts.source_words.len()).into(),
        target: side(parts.target_words.len()).into(),
    };
    parts.operation_models = vec![
        OperationModel::new(words, None),
        OperationModel::new(classes, Some(by_class)),
    ];
    // Jumps are to be many.
    for feature in &mut parts.configuration.features {
        if feature.kind == FeatureKind::Distortion {
            feature.weights[0] = -1.0;
        }
    }
    let mut add = |name: &str, weights: Vec<f32>, kind| {
        let name = name.to_string();
        parts.configuration.features.push(Feature {
            name,
            weights,
            kind,
        });
    };
    add("Operations0", vec![0.7], FeatureKind::OperationModel);
    add("Operations1", vec![0.4], FeatureKind::OperationModel);
    add(
        "OperationCounts0",
        vec![0.3, -0.2, 0.11, 0.5],
        FeatureKind::OperationSupport,
    );
    System::new(parts).unwrap()
}

fn lists(system: System) -> (Arc<System>, Vec<Translation>) {
    let system = Arc::new(system);
    let decoder = Decoder::new(system.clone()).unwrap();
    let wanted = Wanted {
        count: 60,
        distinct: false,
    };
    let found = SENTENCES.iter();
    let found = found.flat_map(|line| decoder.nbest(&Input::from_line(line), wanted).unwrap());
    (system, found.collect())
}

fn names(translation: &Translation) -> Vec<String> {
    let operations = translation
        .phrases
        .iter()
        .flat_map(|phrase| &phrase.operations);
    operations.map(|operation| operation.name.clone()).collect()
}

/// A system whose models know the operations of its own translations.
fn whole(name: &str) -> System {
    let nothing = || model_of(&[vec!["[gap]".into()]]);
    let (_, found) = lists(with_models(system(name), nothing(), nothing()));
    let sequences: Vec<Vec<String>> = found.iter().map(names).collect();
    // The second model calls words by the rest of their numbers by two.
    let classes: Vec<Vec<String>> = sequences
        .iter()
        .map(|sequence| {
            sequence
                .iter()
                .map(|name| name.replace(['f', 'e'], ""))
                .collect()
        })
        .collect();
    with_models(system(name), model_of(&sequences), model_of(&classes))
}

#[test]
fn finds_every_derivation_in_order_with_operations() {
    for sentence in &SENTENCES[..3] {
        compare(whole("hier-mslr"), sentence, 3, None);
        compare(whole("word-msd"), sentence, 3, Some(2));
    }
    compare(whole("hier-msd"), SENTENCES[3], 2, None);
}

/// Algorithm 1 of the paper with an explicit list of gaps, word by word, on one phrase after the other.
struct Slow {
    /// Source words that were skipped and may be covered yet, as runs from first to last.
    gaps: Vec<(usize, usize)>,
    cursor: usize,
    frontier: usize,
    told: Vec<String>,
    counts: [f64; 4],
}

impl Slow {
    fn go_to(&mut self, word: usize) {
        if word != self.cursor {
            let here = self
                .gaps
                .iter()
                .position(|&(_, last)| last + 1 != self.cursor && last >= self.cursor);
            let here = here.filter(|&gap| self.gaps[gap].0 <= self.cursor);
            let same_gap = here.is_some_and(|gap| self.cursor < word && word <= self.gaps[gap].1);
            if same_gap || (self.cursor == self.frontier && word > self.frontier) {
                self.told.push("[gap]".into());
                self.counts[0] -= 1.0;
            } else {
                if here.is_some() {
                    self.told.push("[gap]".into());
                    self.counts[0] -= 1.0;
                }
                if word > self.cursor {
                    self.told.push("[forward]".into());
                }
                if word >= self.frontier {
                    if word > self.frontier {
                        self.told.push("[gap]".into());
                        self.counts[0] -= 1.0;
                    }
                } else {
                    let from_right = self.gaps.iter().rev();
                    let number = 1 + from_right.take_while(|gap| gap.0 > word).count();
                    self.told.push(format!("[back{number}]"));
                    let gap = self.gaps[self.gaps.len() - number];
                    if word > gap.0 {
                        self.told.push("[gap]".into());
                        self.counts[0] -= 1.0;
                    }
                }
            }
        }
        self.cover(word);
    }

    fn cover(&mut self, word: usize) {
        if word >= self.frontier {
            if word > self.frontier {
                self.gaps.push((self.frontier, word - 1));
            }
            self.count(word, 0);
            self.frontier = word + 1;
        } else {
            let place = self
                .gaps
                .iter()
                .position(|gap| gap.0 <= word && word <= gap.1);
            let place = place.expect("a word is covered once");
            let gap = self.gaps.remove(place);
            // On both sides of the word something may be left.
            let left = (gap.0 < word).then(|| (gap.0, word - 1));
            let right = (word < gap.1).then_some((word + 1, gap.1));
            let parts = left.into_iter().chain(right);
            self.gaps.splice(place..place, parts);
            // The word's own gap was open until now.
            self.count(word, usize::from(right.is_none()));
        }
        self.cursor = word + 1;
    }

    fn count(&mut self, word: usize, closed: usize) {
        self.counts[1] -= (self.gaps.len() + closed) as f64;
        let first = self.gaps.first().map_or(word, |gap| gap.0.min(word));
        self.counts[2] -= (word - first) as f64;
    }

    fn phrase(
        &mut self,
        source: &[(usize, String)],
        target: &[String],
        links: &BTreeSet<(usize, usize)>,
    ) {
        let of_source = |word: usize| links.iter().filter(move |link| link.0 == word);
        let linked: Vec<usize> = (source.iter())
            .map(|(word, _)| *word)
            .filter(|&word| of_source(word).next().is_some())
            .collect();
        let spelling = |word: usize| source.iter().find(|one| one.0 == word).unwrap().1.clone();
        let mut done: BTreeSet<usize> = BTreeSet::new();
        for word in 0..target.len() {
            if done.contains(&word) {
                continue;
            }
            // What links hold together with this word.
            let mut unit = (BTreeSet::new(), BTreeSet::from([word]));
            loop {
                let before = (unit.0.len(), unit.1.len());
                for &(s, t) in links {
                    if unit.0.contains(&s) || unit.1.contains(&t) {
                        unit.0.insert(s);
                        unit.1.insert(t);
                    }
                }
                if before == (unit.0.len(), unit.1.len()) {
                    break;
                }
            }
            let mut runs: Vec<Vec<usize>> = Vec::new();
            for &t in &unit.1 {
                match runs.last_mut() {
                    Some(run) if run[run.len() - 1] + 1 == t => run.push(t),
                    _ => runs.push(vec![t]),
                }
            }
            let weight =
                |run: &Vec<usize>| links.iter().filter(|link| run.contains(&link.1)).count();
            let most = runs.iter().map(weight).max().unwrap();
            let kept = runs.into_iter().find(|run| weight(run) == most).unwrap();
            if unit.0.is_empty() || !kept.contains(&word) {
                self.told.push(format!("→{}", target[word]));
                continue;
            }
            done.extend(&kept);
            for (number, &s) in unit.0.iter().enumerate() {
                if linked.first() == Some(&s) {
                    for &(early, ref text) in source.iter().take_while(|one| one.0 < s) {
                        self.go_to(early);
                        self.told.push(format!("{text}→"));
                        self.counts[3] -= 1.0;
                    }
                }
                self.go_to(s);
                self.told.push(match number {
                    0 => {
                        let sources: Vec<String> = unit.0.iter().map(|&s| spelling(s)).collect();
                        let targets: Vec<String> =
                            kept.iter().map(|&t| target[t].clone()).collect();
                        format!("{}→{}", sources.join("␣"), targets.join("␣"))
                    }
                    _ => "[continue]".into(),
                });
                for &(late, ref text) in source.iter().skip_while(|one| one.0 <= s) {
                    if linked.contains(&late) {
                        break;
                    }
                    self.go_to(late);
                    self.told.push(format!("{text}→"));
                    self.counts[3] -= 1.0;
                }
            }
        }
    }
}

fn slow(tokens: &[&str], translation: &Translation) -> (Vec<String>, [f64; 4]) {
    let mut slow = Slow {
        gaps: Vec::new(),
        cursor: 0,
        frontier: 0,
        told: Vec::new(),
        counts: [0.0; 4],
    };
    for phrase in &translation.phrases {
        let source: Vec<(usize, String)> = phrase
            .source
            .range()
            .map(|word| (word, tokens[word].to_string()))
            .collect();
        let first = phrase.target.start as usize;
        let target = &translation.words[phrase.target.range()];
        let links = phrase.links.iter().map(|&(s, t)| (s, t - first)).collect();
        slow.phrase(&source, target, &links);
    }
    (slow.told, slow.counts)
}

/// Names, counts and the score of every translation are what the slow way makes of its phrases and links.
#[test]
fn sequences_are_those_of_the_slow_derivation() {
    for name in ["hier-mslr", "word-msd"] {
        let system = Arc::new(whole(name));
        let decoder = Decoder::new(system.clone()).unwrap();
        let model = &system.operation_models()[0];
        let at = system.layout().operation_models[0];
        let counted = system.layout().operation_support.unwrap();
        let (mut jumped, mut seen) = (0, 0);
        for line in SENTENCES {
            let tokens: Vec<&str> = line.split(' ').collect();
            let wanted = Wanted {
                count: 200,
                distinct: false,
            };
            for found in decoder.nbest(&Input::from_line(line), wanted).unwrap() {
                let (expected, counts) = slow(&tokens, &found);
                assert_eq!(names(&found), expected, "{line}");
                let mut state = model.begin();
                let mut score = 0.0;
                for name in &expected {
                    let before = state;
                    score += model.score(&before, model.model().vocabulary_id(name), &mut state);
                }
                score += model.score(&state.clone(), model.end(), &mut state);
                assert!((score - found.features[at]).abs() < 1e-3);
                for (number, count) in counts.iter().enumerate() {
                    assert_eq!(
                        f64::from(found.features[counted + number]),
                        *count,
                        "{number} of {expected:?}"
                    );
                }
                let weights = system.weights().dense;
                let weighted = found.features.iter().zip(&weights);
                let total: f32 = weighted.map(|(value, weight)| value * weight).sum();
                assert!((total - found.score).abs() < 1e-3);
                jumped += usize::from(expected.iter().any(|name| name.starts_with("[back")));
                seen += 1;
            }
        }
        assert!(jumped > 50 && seen > 300, "{jumped} of {seen}");
    }
}
