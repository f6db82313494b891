//! What models look at beside words: tags, products of three, whole pairs, a model a source phrase. Training and
//! answering must see the same features, by whatever way they get there.

use super::{data, task};
use chiasm_phrases::{ClassSet, Directions, IndexedCorpus, OrientationKind, SourceTags};
use chiasm_reorder::export::{export_test, export_training, names_file, weights_text};
use chiasm_reorder::trainer::Preparation;
use chiasm_reorder::{ClassTable, Filter, Recipe, StoredModel, Task, Workplace, evaluate};
use chiasm_work::Silent;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn workplace(folder: &Path) -> Workplace {
    Workplace {
        memory: 1 << 24,
        folder: folder.to_path_buf(),
    }
}

/// Tags that depend on the word and its place, as parts of speech do.
fn tag_file(folder: &Path) -> PathBuf {
    let text = std::fs::read_to_string(data().source).unwrap();
    let mut tags = String::new();
    for line in text.lines() {
        let of = |(place, word): (usize, &str)| format!("t{}", (word.len() + place % 2) % 5);
        let line: Vec<String> = line.split_whitespace().enumerate().map(of).collect();
        tags += &(line.join(" ") + "\n");
    }
    let path = folder.join("tags");
    std::fs::write(&path, tags).unwrap();
    path
}

fn corpus(folder: &Path, tags: &SourceTags) -> IndexedCorpus {
    IndexedCorpus::read_tagged(&data(), tags, folder, &()).unwrap()
}

fn trained(recipe: &str, corpus: &mut IndexedCorpus, folder: &Path) -> (Preparation, StoredModel) {
    let recipe: Recipe = recipe.parse().unwrap();
    let none = [ClassTable::default(), ClassTable::default()];
    let prepared = Preparation::new(&recipe, corpus, none, &workplace(folder), &Silent).unwrap();
    let model = prepared.learn(&Silent).unwrap().model;
    (prepared, model)
}

/// On the training text a model answers as its classifier does on the training examples: the features that were counted
/// are those that the decoder sees.
#[test]
fn models_see_the_features_that_they_were_trained_on() {
    let folder = tempfile::tempdir().unwrap();
    let tags = SourceTags::File(tag_file(folder.path()));
    for recipe in [
        "--learner svm --c 0.1 --features S4+anova=<=3 --min-count 3",
        "--learner svm --c 0.1 --features S3+anova=3 --min-count 2",
        "--learner dual --sigma2 1 --features S7+tags --min-count 3",
        "--learner nb-map --features S12+unaligned/tags --min-count 3 --keep-counts off --calibrate temperature",
        "--learner svm --c 0.1 --features S10+pair --min-count 2",
        "--learner perceptron --orientation word-distance --features S10+by-phrase --min-count 1",
        "--learner lbfgs --sigma2 1 --prior-lambda 0.25 --orientation word-leftright --features S7 --min-count 2",
        "--learner lbfgs --sigma2 1 --orientation hier-straightinverted --features S4 --min-count 3",
    ] {
        let mut corpus = corpus(folder.path(), &tags);
        let (prepared, model) = trained(recipe, &mut corpus, folder.path());
        let StoredModel::Learned(learned) = &model else {
            panic!("not learned");
        };
        let seen = &prepared.set.examples[0];
        // The classifier of the model numbers features by place; the examples are renamed to that.
        let path = folder.path().join("examples");
        export_training(&prepared.set, &model, &corpus, &path).unwrap();
        let file = std::fs::File::open(&path).unwrap();
        let read = chiasm_learn::libsvm::read(std::io::BufReader::new(file), &path, true).unwrap();
        let read = read.renamed(|id| id - 1);
        let numbers: Vec<usize> = read
            .class_names()
            .iter()
            .map(|n| n.parse().unwrap())
            .collect();
        let names = learned.classifiers()[0].class_names().to_vec();
        let read = read
            .with_classes(names, |class| numbers[class] - 1, 1.0)
            .unwrap();
        let by_examples = chiasm_learn::evaluate(&learned.classifiers()[0], &read).unwrap();
        let outcomes = evaluate(&*model, model.settings(), &mut corpus, &()).unwrap();
        let by_model = &outcomes[0].evaluation;
        assert_eq!(by_model.examples(), seen.weight(), "{recipe}");
        assert_eq!(by_model.confusion, by_examples.confusion, "{recipe}");
        let difference = (by_model.log_loss() - by_examples.log_loss()).abs();
        assert!(difference < 1e-5, "{recipe}: {difference}");
        let better = by_model.accuracy() > by_model.majority_share();
        assert!(better || recipe.contains("nb-map"), "{recipe}");
        // What is exported as test examples are the same lines as the training examples without what no weight knows.
        let test = folder.path().join("test");
        export_test(&model, &mut corpus, &test).unwrap();
        let known = learned.feature_count() as u64;
        assert_eq!(lines(&test, u64::MAX), lines(&path, known), "{recipe}");
        assert_names(&path, &test, recipe);
    }
}

/// The lines of a LIBSVM file with their features up to a number, each with how often it stands there.
fn lines(path: &Path, most: u64) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let known = |word: &&str| {
            let feature = word
                .split_once(':')
                .map(|(feature, _)| feature.parse::<u64>().unwrap());
            feature.is_none_or(|feature| feature <= most)
        };
        let line: Vec<&str> = line.split(' ').filter(known).collect();
        *all.entry(line.join(" ")).or_default() += 1;
    }
    all
}

/// Every feature has a name, and no two have the same number.
fn assert_names(path: &Path, test: &Path, recipe: &str) {
    let names = std::fs::read_to_string(names_file(path)).unwrap();
    let numbered: BTreeMap<u64, &str> = names
        .lines()
        .map(|line| {
            let columns: Vec<&str> = line.splitn(3, '\t').collect();
            (columns[0].parse().unwrap(), columns[2])
        })
        .collect();
    assert_eq!(numbered.len(), names.lines().count(), "{recipe}");
    for file in [path, test] {
        for line in std::fs::read_to_string(file).unwrap().lines() {
            for word in line.split(' ').skip(1) {
                let feature: u64 = word.split_once(':').unwrap().0.parse().unwrap();
                assert!(numbered.contains_key(&feature), "{recipe}: {feature}");
            }
        }
    }
    if recipe.contains("S7+tags") {
        assert!(
            numbered
                .values()
                .any(|name| name.starts_with("|t") && name.contains('&'))
        );
        assert!(
            numbered
                .values()
                .any(|name| name.ends_with('⁻') && !name.starts_with('|'))
        );
    }
}

#[test]
fn weights_are_text_with_the_names_of_their_features() {
    let folder = tempfile::tempdir().unwrap();
    let mut corpus = corpus(folder.path(), &SourceTags::None);
    let recipe = "--learner svm --c 0.1 --features S7 --min-count 5 --direction both";
    let (prepared, model) = trained(recipe, &mut corpus, folder.path());
    let (examples, path) = (folder.path().join("examples"), folder.path().join("model"));
    export_training(&prepared.set, &model, &corpus, &examples).unwrap();
    model.save(&path).unwrap();
    let names = names_file(&examples);
    let text = weights_text(&path, Some(&names)).unwrap();
    assert!(
        text.starts_with("# backward\n# feature\tmonotone\tswap\tdiscontinuous\n(none)\t0\t0\t0\n")
    );
    assert!(text.contains("# forward\n"));
    let StoredModel::Learned(learned) = &model else {
        panic!("not learned");
    };
    let features: usize = (learned.classifiers().iter())
        .map(|classifier| classifier.feature_ids().len())
        .sum();
    assert_eq!(text.lines().count(), features + 6);
    assert!(
        text.lines()
            .any(|line| line.contains('&') && line.split('\t').count() == 4)
    );
    let numbered = weights_text(&path, None).unwrap();
    assert_eq!(numbered.lines().count(), text.lines().count());
    std::fs::write(&names, "nothing of the kind\n").unwrap();
    let error = weights_text(&path, Some(&names)).unwrap_err().to_string();
    assert!(error.contains("examples.names: line 1"), "{error}");
}

#[test]
fn tags_come_inline_or_in_a_file_of_the_same_shape() {
    let folder = tempfile::tempdir().unwrap();
    let path = tag_file(folder.path());
    let tags = std::fs::read_to_string(&path).unwrap();
    let recipe = "--learner svm --c 0.1 --features S7/tags --min-count 3";
    let source = std::fs::read_to_string(data().source).unwrap();
    let join = |(words, tags): (&str, &str)| {
        let pairs = words.split_whitespace().zip(tags.split_whitespace());
        let line: Vec<String> = pairs.map(|(word, tag)| format!("{word}|{tag}")).collect();
        line.join(" ") + "\n"
    };
    let inline: String = source.lines().zip(tags.lines()).map(join).collect();
    let mut files = data();
    files.source = folder.path().join("inline");
    std::fs::write(&files.source, &inline).unwrap();
    let read = |tags: &SourceTags, files: &chiasm_phrases::AlignedFiles| {
        IndexedCorpus::read_tagged(files, tags, folder.path(), &())
    };
    let bytes = [
        read(&SourceTags::File(path.clone()), &data()),
        read(&SourceTags::Inline, &files),
    ]
    .map(|corpus| {
        let (_, model) = trained(recipe, &mut corpus.unwrap(), folder.path());
        let saved = folder.path().join("model");
        model.save(&saved).unwrap();
        std::fs::read(saved).unwrap()
    });
    assert!(
        bytes[0] == bytes[1],
        "tags of either kind are the same tags"
    );

    // Without tags, with too few in a line, or with too few lines.
    let untagged = read(&SourceTags::Inline, &data())
        .err()
        .unwrap()
        .to_string();
    assert!(untagged.contains("line 1: word|tag expected"), "{untagged}");
    let (first, rest) = tags.split_once('\n').unwrap();
    std::fs::write(&path, format!("{first} more\n{rest}")).unwrap();
    let wrong = read(&SourceTags::File(path.clone()), &data())
        .err()
        .unwrap()
        .to_string();
    assert!(
        wrong.contains("tags: line 1: ") && wrong.contains("tags expected"),
        "{wrong}"
    );
    std::fs::write(&path, rest).unwrap();
    let shorter = read(&SourceTags::File(path), &data())
        .err()
        .unwrap()
        .to_string();
    assert!(
        shorter.contains("tags: line ") && shorter.contains("ends here"),
        "{shorter}"
    );
    let recipe: Recipe = recipe.parse().unwrap();
    let none = [ClassTable::default(), ClassTable::default()];
    let mut plain = corpus(folder.path(), &SourceTags::None);
    let refused = Preparation::new(
        &recipe,
        &mut plain,
        none,
        &workplace(folder.path()),
        &Silent,
    );
    let refused = refused.err().unwrap().to_string();
    assert!(refused.contains("tags of source words"), "{refused}");
}

/// Source words, target words, the words around, the class.
type Occurrence = (Vec<u32>, Vec<u32>, Vec<u32>, usize);

/// Every phrase pair with what filters look at, the slow way.
fn slow_occurrences(corpus: &mut IndexedCorpus, task: &Task) -> Vec<Occurrence> {
    let mut all = Vec::new();
    corpus
        .for_each_in_order(
            |pair, work: &mut (chiasm_reorder::PhraseFinder, Vec<_>)| {
                let (finder, found) = work;
                finder.find(task, pair, |phrase| {
                    let spans = phrase.instance.spans;
                    let word = |at: i64| {
                        let at = usize::try_from(at).ok();
                        at.and_then(|at| pair.source.get(at))
                            .map_or(u32::MAX, |&word| word)
                    };
                    let around = vec![
                        word(i64::from(spans.source.start) - 1),
                        word(i64::from(spans.source.end)),
                    ];
                    let class = task
                        .classes
                        .class(phrase.instance.jump(task.directions.as_slice()[0]));
                    found.push((
                        pair.source[spans.source.range()].to_vec(),
                        pair.target[spans.target.range()].to_vec(),
                        around,
                        class.unwrap(),
                    ));
                });
            },
            |(_, found), _| {
                all.append(found);
                Ok(())
            },
        )
        .unwrap();
    all
}

#[test]
fn filters_and_samples_leave_what_they_say() {
    let folder = tempfile::tempdir().unwrap();
    // The text and a half of it again, so that some phrase pairs occur twice in the same company.
    let mut files = data();
    for file in [&mut files.source, &mut files.target, &mut files.links] {
        let text = std::fs::read_to_string(&*file).unwrap();
        let half: Vec<&str> = text.lines().take(60).collect();
        *file = folder.path().join(file.file_name().unwrap());
        std::fs::write(&*file, format!("{text}{}\n", half.join("\n"))).unwrap();
    }
    let mut corpus = IndexedCorpus::read(&files, folder.path(), &()).unwrap();
    let all = slow_occurrences(&mut corpus, &task(Directions::Backward));
    let mut counts = BTreeMap::new();
    for (source, target, ..) in &all {
        *counts.entry((source, target)).or_insert(0u64) += 1;
    }
    let expected = |filter: &Filter| {
        let mut seen = std::collections::BTreeSet::new();
        let kept = all.iter().filter(|example| {
            let (source, target, ..) = example;
            let longest = source.len().max(target.len());
            filter.length.is_none_or(|length| longest <= length)
                && filter
                    .pair_count
                    .is_none_or(|least| counts[&(source, target)] >= least)
                && (!filter.distinct || seen.insert(*example))
        });
        kept.count()
    };
    for text in [
        "pair-count=3",
        "length=2",
        "distinct",
        "pair-count=2,length=3,distinct",
    ] {
        let filter: Filter = text.parse().unwrap();
        let wanted = expected(&filter);
        assert!(wanted > 0 && wanted < all.len(), "{text}");
        for learner in ["--learner svm --c 0.1", "--learner perceptron"] {
            let recipe = format!("{learner} --features S7 --min-count 1 --filter {text}");
            let (prepared, _) = trained(&recipe, &mut corpus, folder.path());
            assert_eq!(prepared.set.examples[0].weight(), wanted as f64, "{text}");
        }
        let recipe = format!(
            "--learner svm --c 0.1 --features S7 --min-count 1 --filter {text} --sample 50"
        );
        let (prepared, _) = trained(&recipe, &mut corpus, folder.path());
        assert_eq!(
            prepared.set.examples[0].weight(),
            wanted.min(50) as f64,
            "{text}"
        );
    }
    // Naive Bayes counts the same examples, and what is kept aside is not filtered.
    let recipe: Recipe = "--learner nb-map --features S7 --min-count 1 --sample 70"
        .parse()
        .unwrap();
    let none = || [ClassTable::default(), ClassTable::default()];
    let place = workplace(folder.path());
    let learned =
        chiasm_reorder::trainer::learn(&recipe, &mut corpus, none(), &place, &Silent).unwrap();
    assert_eq!(learned.reports[0].examples, 70.0);
    let aside = "--learner svm --c 0.1 --features S7 --min-count 1 --held-out 5";
    let whole = trained(aside, &mut corpus, folder.path()).0;
    let sampled = trained(&format!("{aside} --sample 40"), &mut corpus, folder.path()).0;
    assert_eq!(
        sampled.set.held_out[0].weight(),
        whole.set.held_out[0].weight()
    );
    assert!(sampled.set.examples[0].weight() <= 40.0);
}

#[test]
fn neighbours_that_do_not_touch_are_no_examples_of_joins() {
    let folder = tempfile::tempdir().unwrap();
    let mut corpus = corpus(folder.path(), &SourceTags::None);
    let mut joins = task(Directions::Backward);
    joins.classes = ClassSet::StraightInverted;
    let touching = slow_occurrences(&mut corpus, &joins).len();
    let of_msd = slow_occurrences(&mut corpus, &task(Directions::Backward));
    let expected = of_msd.iter().filter(|example| example.3 < 2).count();
    assert_eq!(touching, expected);
    assert!(touching < of_msd.len());
    assert_eq!(joins.extraction.kind, OrientationKind::Hier);
}
