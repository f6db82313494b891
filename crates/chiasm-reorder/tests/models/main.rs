//! Whole behaviours: counting, examples, models and their files.

mod counting;
mod looks;
mod naive_bayes;

use chiasm_learn::naive_bayes::{NaiveBayesParameters, Variant};
use chiasm_learn::svm::SvmParameters;
use chiasm_learn::{Learner, Model};
use chiasm_phrases::{
    AlignedFiles, ClassSet, CountedPairs, Directions, Extraction, ForwardRule, IndexedCorpus,
    OrientationKind, PhraseLink, Span,
};
use chiasm_reorder::{
    ClassTable, Error, ExampleOptions, ExampleSet, FeatureCounts, LearnedModel, LexicalisedModel,
    OrientationModel, Scratch, Smoothing, StoredModel, Task, WordKey, evaluate,
};
use std::path::{Path, PathBuf};

fn data() -> AlignedFiles {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../chiasm-phrases/tests/data");
    AlignedFiles {
        source: data.join("source"),
        target: data.join("target"),
        links: data.join("links"),
    }
}

fn task(directions: Directions) -> Task {
    Task {
        extraction: Extraction {
            max_length: 7,
            kind: OrientationKind::Hier,
            forward_rule: ForwardRule::Moses,
        },
        classes: ClassSet::Msd,
        directions,
    }
}

fn options(features: &str, min_count: u64, folder: &Path) -> ExampleOptions {
    ExampleOptions {
        task: task(Directions::Backward),
        features: features.parse().unwrap(),
        min_count,
        min_sentences: 1,
        merging: true,
        held_out: 0,
        kept: None,
        budget: 1 << 24,
        folder: folder.to_path_buf(),
    }
}

fn build(files: &AlignedFiles, options: ExampleOptions) -> chiasm_reorder::Result<ExampleSet> {
    let mut corpus = IndexedCorpus::read(files, &options.folder.clone(), &()).unwrap();
    let classes = [ClassTable::default(), ClassTable::default()];
    ExampleSet::build(&mut corpus, options, classes, &())
}

fn svm(set: &ExampleSet, gap: f64) -> Vec<Model> {
    let learner = SvmParameters::new().c(0.1).gap(gap).check().unwrap();
    let train = |examples| learner.train(examples, &()).unwrap().model;
    set.examples.iter().map(train).collect()
}

fn saved(model: LearnedModel, path: &Path) -> Vec<u8> {
    StoredModel::Learned(Box::new(model)).save(path).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let set = build(&data(), options("S9", 3, folder.path())).unwrap();
            let learner = NaiveBayesParameters::new(Variant::Map).check().unwrap();
            let mut trained = learner.train(&set.examples[0], &()).unwrap();
            trained.report.seconds = 0.0;
            let model = trained.model.with_report(chiasm_learn::Report::default());
            saved(
                set.model(&[model], 3, None).unwrap(),
                &folder.path().join("model"),
            )
        })
    });
    assert_eq!(bytes[0], bytes[1]);
}

#[test]
fn merged_and_unmerged_examples_have_the_same_optimum() {
    let folder = tempfile::tempdir().unwrap();
    let objectives = [true, false].map(|merging| {
        let mut options = options("S7", 3, folder.path());
        options.merging = merging;
        let set = build(&data(), options).unwrap();
        let learner = SvmParameters::new().c(0.1).gap(1e-6).check().unwrap();
        let report = learner.train(&set.examples[0], &()).unwrap().report;
        (set.examples[0].rows(), report.primal_objective.unwrap())
    });
    assert!(objectives[0].0 < objectives[1].0);
    let difference = (objectives[0].1 - objectives[1].1).abs();
    assert!(difference <= 2e-6 * objectives[0].1, "{objectives:?}");
}

fn answers(model: &dyn OrientationModel, backwards: bool) -> Vec<f32> {
    let words = |text: &str| -> Vec<WordKey> {
        text.split(' ')
            .map(|word| model.source_word(word))
            .collect()
    };
    let line = |path: PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines()
            .map(str::to_string)
            .find(|line| line.split(' ').count() > 6)
            .unwrap()
    };
    let source = words(&line(data().source));
    let target: Vec<WordKey> = words(&line(data().target));
    let mut scratch = Scratch::default();
    scratch.begin_sentence(&source);
    let mut all: Vec<(usize, usize, Vec<f32>)> = Vec::new();
    let mut spans: Vec<(usize, usize)> = (0..source.len())
        .flat_map(|s| (s..source.len()).map(move |e| (s, e)))
        .collect();
    if backwards {
        spans.reverse();
    }
    for (start, end) in spans {
        for length in 1..3.min(target.len()) {
            let mut out = vec![0.0; model.columns()];
            model.log_probabilities(
                &mut scratch,
                Span::new(start as u32, end as u32 + 1),
                &target[..length],
                &[PhraseLink::new(0, 0)],
                &mut out,
            );
            for part in out.chunks(model.classes().len()) {
                let sum: f32 = part.iter().map(|l| l.exp()).sum();
                assert!((sum - 1.0).abs() < 1e-4);
            }
            all.push((start * 1000 + end, length, out));
        }
    }
    all.sort_by_key(|a| (a.0, a.1));
    all.into_iter().flat_map(|a| a.2).collect()
}

#[test]
fn a_model_survives_its_file_and_answers_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    for features in ["S7", "S15"] {
        let mut options = options(features, 2, folder.path());
        options.task = task(Directions::Bidirectional);
        let set = build(&data(), options).unwrap();
        let model = set.model(&svm(&set, 1e-2), 2, None).unwrap();
        let before = answers(&model, false);
        assert!(before.iter().any(|&answer| answer != before[0]));
        saved(model, &path);
        let model = StoredModel::open(&path).unwrap();
        assert_eq!(model.columns(), 6);
        assert_eq!(answers(&*model, false), before);
        assert_eq!(answers(&*model, true), before);
    }
}

#[test]
fn one_scratch_serves_two_models() {
    let folder = tempfile::tempdir().unwrap();
    let models = ["S7", "S9"].map(|features| {
        let set = build(&data(), options(features, 2, folder.path())).unwrap();
        set.model(&svm(&set, 1e-1), 2, None).unwrap()
    });
    let text = std::fs::read_to_string(data().source).unwrap();
    let words = text.lines().nth(3).unwrap().split(' ');
    let source: Vec<WordKey> = words.map(|word| models[0].source_word(word)).collect();
    let target = [models[0].target_word("the")];
    let answer = |model: &LearnedModel, scratch: &mut Scratch| {
        let mut out = [0.0; 3];
        model.log_probabilities(
            scratch,
            Span::new(0, 1),
            &target,
            &[PhraseLink::new(0, 0)],
            &mut out,
        );
        out
    };
    let alone = [0, 1].map(|at| {
        let mut scratch = Scratch::default();
        scratch.begin_sentence(&source);
        answer(&models[at], &mut scratch)
    });
    let mut shared = Scratch::default();
    shared.begin_sentence(&source);
    for _ in 0..2 {
        for at in [0, 1] {
            assert_eq!(answer(&models[at], &mut shared), alone[at]);
        }
    }
    // Another model in the place of the first is another model.
    let [first, second] = models;
    let mut place = Box::new(first);
    assert_eq!(answer(&place, &mut shared), alone[0]);
    *place = second;
    assert_eq!(answer(&place, &mut shared), alone[1]);
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let set = build(&data(), options("S7", 5, folder.path())).unwrap();
    let models = svm(&set, 1e-1);
    let bytes = saved(set.model(&models, 5, None).unwrap(), &path);
    for length in (0..bytes.len()).step_by(bytes.len() / 40 + 1) {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let error = StoredModel::open(&path).unwrap_err().to_string();
        assert!(error.contains("model: "), "{error}");
    }
    for at in (0..bytes.len()).step_by(bytes.len() / 60 + 1) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        std::fs::write(&path, &damaged).unwrap();
        // Padding between sections is not covered by checksums; nothing else may pass.
        if let Ok(model) = StoredModel::open(&path) {
            assert!(bytes[at] == 0, "byte {at} changed and nobody noticed");
            answers(&*model, false);
        }
    }
    models[0].save(&path).unwrap();
    let error = StoredModel::open(&path).unwrap_err().to_string();
    assert!(
        error.contains("holds a classifier, not a orientation-model"),
        "{error}"
    );
    let writer = chiasm_store::Writer::create(&path, chiasm_reorder::KIND, 99).unwrap();
    writer.finish().unwrap();
    let error = StoredModel::open(&path).unwrap_err().to_string();
    assert!(error.contains("version 99"), "{error}");
}

#[test]
fn the_lexicalised_model_answers_with_smoothed_frequencies_or_the_prior() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let files = AlignedFiles {
        source: write("s", "a b\na b\na b\n"),
        target: write("t", "x y\nx y\ny x\n"),
        links: write("l", "0-0 1-1\n0-0 1-1\n0-1 1-0\n"),
    };
    let mut corpus = IndexedCorpus::read(&files, folder.path(), &()).unwrap();
    let task = task(Directions::Backward);
    let pairs =
        CountedPairs::count(&mut corpus, &task.extraction, 1 << 20, folder.path(), &()).unwrap();
    let model = LexicalisedModel::new(task, Smoothing::Constant(0.5), pairs, &corpus).unwrap();
    let mut scratch = Scratch::default();
    scratch.begin_sentence(&["a", "b"].map(|word| model.source_word(word)));
    let mut out = [0.0; 3];
    // a | x: monotone at the start twice; after y with y = b, a swap once.
    let x = [model.target_word("x")];
    assert!(model.log_probabilities(
        &mut scratch,
        Span::new(0, 1),
        &x,
        &[PhraseLink::new(0, 0)],
        &mut out
    ));
    let expected = [2.5f32 / 4.5, 1.5 / 4.5, 0.5 / 4.5].map(f32::ln);
    for (found, expected) in out.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{out:?}");
    }
    assert!(!model.log_probabilities(&mut scratch, Span::new(0, 2), &x, &[], &mut out));
    let settings = model.settings().clone();
    let outcomes = evaluate(&model, &settings, &mut corpus, &()).unwrap();
    let prior: f64 = out.iter().map(|&l| f64::from(l).exp()).sum();
    assert!((prior - 1.0).abs() < 1e-5);
    assert_eq!(outcomes[0].unknown, 0);
    assert_eq!(outcomes[0].evaluation.examples(), 9.0);
}

#[test]
fn counts_of_two_corpora_add_up_to_the_model_of_both() {
    let folder = tempfile::tempdir().unwrap();
    let halves: Vec<AlignedFiles> = (0..2)
        .map(|half| {
            let part = |path: &Path, name: &str| {
                let text = std::fs::read_to_string(path).unwrap();
                let lines: Vec<&str> = text.lines().collect();
                let middle = lines.len() / 3;
                let mine = if half == 0 {
                    &lines[..middle]
                } else {
                    &lines[middle..]
                };
                let path = folder.path().join(format!("{name}{half}"));
                std::fs::write(&path, mine.join("\n") + "\n").unwrap();
                path
            };
            AlignedFiles {
                source: part(&data().source, "s"),
                target: part(&data().target, "t"),
                links: part(&data().links, "l"),
            }
        })
        .collect();
    for variant in [Variant::Map, Variant::Bayesian] {
        let model_of = |files: &AlignedFiles| {
            let mut options = options("S7", 1, folder.path());
            options.task = task(Directions::Bidirectional);
            let set = build(files, options).unwrap();
            let counts = FeatureCounts::new(&set).unwrap();
            let learner = NaiveBayesParameters::new(variant).check().unwrap();
            let seen = set.seen();
            let train = |examples: &chiasm_learn::Examples| {
                let cut = examples
                    .with_features(|feature| seen[feature as usize] >= 3)
                    .unwrap();
                learner.train(&cut, &()).unwrap().model
            };
            let models: Vec<Model> = set.examples.iter().map(train).collect();
            set.model(&models, 3, None).unwrap().with_counts(counts)
        };
        let merged = model_of(&halves[0]).merged(&model_of(&halves[1])).unwrap();
        let whole = model_of(&data());
        assert_eq!(merged.feature_count(), whole.feature_count());
        assert_eq!(answers(&merged, false), answers(&whole, false));
    }
}

#[test]
fn models_that_do_not_belong_together_are_not_merged() {
    let folder = tempfile::tempdir().unwrap();
    let set = build(&data(), options("S7", 3, folder.path())).unwrap();
    let model = set.model(&svm(&set, 1e-1), 3, None).unwrap();
    let error = model.merged(&model).unwrap_err().to_string();
    assert!(error.contains("cannot be merged"), "{error}");
    let error = FeatureCounts::new(&set).unwrap_err().to_string();
    assert!(error.contains("not cut"), "{error}");
}

#[test]
fn contributions_add_up_to_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let set = build(&data(), options("S9", 2, folder.path())).unwrap();
    let model = set.model(&svm(&set, 1e-2), 2, None).unwrap();
    let text = std::fs::read_to_string(data().source).unwrap();
    let source: Vec<&str> = text.lines().nth(3).unwrap().split(' ').collect();
    let text = std::fs::read_to_string(data().target).unwrap();
    let target: Vec<&str> = text.lines().nth(3).unwrap().split(' ').take(2).collect();
    let found = model.explain(
        &source,
        Span::new(0, 2.min(source.len() as u32)),
        &target,
        &[PhraseLink::new(0, 0)],
    );
    assert_eq!(found.len(), 1);
    let found = &found[0];
    assert!(
        found
            .reasons
            .iter()
            .any(|reason| reason.contributions.is_some())
    );
    let mut scores = found.without_features.clone();
    for reason in &found.reasons {
        for (score, part) in scores.iter_mut().zip(reason.contributions.iter().flatten()) {
            *score += part;
        }
    }
    let normaliser = scores.iter().map(|s| s.exp()).sum::<f64>();
    for (score, probability) in scores.iter().zip(&found.probabilities) {
        assert!((score.exp() / normaliser - probability).abs() < 1e-9);
    }
    assert!(
        found
            .reasons
            .windows(2)
            .all(|pair| pair[0].spread() >= pair[1].spread())
    );
}

#[test]
fn nothing_to_learn_from_is_said_plainly() {
    let folder = tempfile::tempdir().unwrap();
    let error = build(&data(), options("S7", 1_000_000, folder.path())).unwrap_err();
    assert!(error.to_string().contains("no features left"), "{error}");
    assert!(matches!(
        error,
        Error::NoFeatures {
            min_count: 1_000_000,
            ..
        }
    ));
    // The same if all were counted first.
    let mut set = build(&data(), options("S7", 1, folder.path())).unwrap();
    let error = set.cut(1_000_000).unwrap_err();
    assert!(matches!(
        error,
        Error::NoFeatures {
            min_count: 1_000_000,
            ..
        }
    ));
    let kept = set.seen().iter().filter(|&&times| times >= 5).count();
    set.cut(5).unwrap();
    assert_eq!(set.examples[0].features(), kept);
    let mut held_out = options("S7", 1, folder.path());
    held_out.held_out = 1_000_000;
    let error = build(&data(), held_out).unwrap_err();
    assert!(error.to_string().contains("nothing is left"), "{error}");
    // A corpus that only goes on: swaps are never seen.
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let files = AlignedFiles {
        source: write("s", "a b c\n"),
        target: write("t", "x y z\n"),
        links: write("l", "0-0 1-1 2-2\n"),
    };
    let set = build(&files, options("S7", 1, folder.path())).unwrap();
    let learner = SvmParameters::new().check().unwrap();
    let error = learner
        .train(&set.examples[0], &())
        .unwrap_err()
        .to_string();
    assert!(error.contains("class swap was never seen"), "{error}");
}

#[test]
fn held_out_sentences_are_not_learned_from() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options("S7", 2, folder.path());
    let all = build(&data(), options.clone()).unwrap();
    options.held_out = 50;
    let some = build(&data(), options).unwrap();
    let sum = some.examples[0].weight() + some.held_out[0].weight();
    assert_eq!(sum, all.examples[0].weight());
    assert!(some.held_out[0].weight() > 0.0);
}
