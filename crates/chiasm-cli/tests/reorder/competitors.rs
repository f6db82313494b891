//! The systems that the papers compare themselves with: trained, evaluated, explained and decoded with, on a small
//! corpus of the built-in language pair.

use super::{chiasm, corpus, failure, first_lines, json, path, train, with};
use chiasm_reorder::competitors::COMPETITORS;
use std::path::Path;

/// A system of tables made of a corpus, without a model of orientation: its moses.ini.
fn tables(folder: &Path, files: &[String; 3]) -> String {
    let output = path(folder, "phrase-table.gz");
    let made = chiasm(&with(&["phrases"], files, &["-o", &output]));
    assert!(made.status.success());
    let arpa = path(folder, "lm.arpa");
    let lm = [
        "lm", "estimate", "--order", "2", "--text", &files[1], "-o", &arpa,
    ];
    assert!(chiasm(&lm).status.success());
    let ini = path(folder, "moses.ini");
    let text = "[distortion-limit]\n4\n[cube-pruning-pop-limit]\n100\n[feature]\nUnknownWordPenalty\nWordPenalty\n\
                PhrasePenalty\nDistortion\nPhraseDictionaryMemory name=TM0 num-features=4 path=phrase-table.gz\n\
                KENLM name=LM0 path=lm.arpa\n[weight]\nWordPenalty0= -1\nPhrasePenalty0= 0.2\nDistortion0= 0.1\n\
                TM0= 0.2 0.2 0.2 0.2\nLM0= 0.5\n";
    std::fs::write(&ini, text).unwrap();
    ini
}

/// Lets a system with this model translate some lines.
fn decode(ini: &str, model: &str, input: &str, options: &[&str]) -> Vec<serde_json::Value> {
    let system = format!("{model}.chiasm");
    let import = [
        "import",
        "moses",
        "--ini",
        ini,
        "--reordering-model",
        model,
        "-o",
        &system,
    ];
    let output = chiasm(&import);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    let mut all = vec![
        "translate",
        "-s",
        &system,
        "--input",
        input,
        "--tokenized",
        "--json",
    ];
    all.extend(options);
    let output = chiasm(&all);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The first lines of a file.
fn some_lines(folder: &Path, file: &str, count: usize) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    let lines: Vec<&str> = text.lines().take(count).collect();
    let into = path(folder, "some-lines");
    std::fs::write(&into, lines.join("\n") + "\n").unwrap();
    into
}

#[test]
fn competing_systems_learn_answer_and_translate() {
    let folder = tempfile::tempdir().unwrap();
    let training = corpus(folder.path(), "250", "1");
    let test = corpus(folder.path(), "60", "2");
    let ini = tables(folder.path(), &training);
    let input = some_lines(folder.path(), &test[0], 8);
    let [sentence, translation, links] = first_lines(&test);
    for (name, options) in COMPETITORS {
        let model = path(folder.path(), name);
        let mut arguments: Vec<&str> = options.split(' ').collect();
        arguments.extend(["--min-count", "2", "--classes", "8", "-o", &model]);
        train(&training, &arguments);
        // A model a source phrase has nothing to say of phrases that it never saw.
        let unseen = if name == "ni-2011" { &training } else { &test };
        let scored = json(&with(
            &["reorder", "evaluate", "--model", &model],
            unseen,
            &["--json"],
        ));
        let [accuracy, majority] =
            ["accuracy", "majority_accuracy"].map(|key| scored[key].as_f64().unwrap());
        assert!(
            accuracy > majority,
            "{name}: {accuracy}, majority {majority}"
        );
        let explained = json(&[
            "reorder",
            "explain",
            "--model",
            &model,
            "--sentence",
            &sentence,
            "--translation",
            &translation,
            "--links",
            &links,
            "--json",
        ]);
        let classes = scored["class_names"].as_array().unwrap();
        let first = &explained[0]["directions"][0];
        let probabilities = first["probabilities"].as_object().unwrap();
        assert_eq!(probabilities.len(), classes.len(), "{name}");
        let truth = &first["truth"];
        assert!(
            truth.is_null() || classes.contains(truth),
            "{name}: {truth}"
        );
        let search = if name == "xiong-2006" {
            &["--itg"][..]
        } else {
            &[]
        };
        let translated = decode(&ini, &model, &input, search);
        assert_eq!(translated.len(), 8, "{name}");
        let mut told = std::collections::BTreeSet::new();
        for sentence in &translated {
            for phrase in sentence["phrases"].as_array().unwrap() {
                told.extend(phrase["orientation"].as_str().map(str::to_string));
            }
        }
        let text = serde_json::to_string(&translated).unwrap();
        assert!(
            classes
                .iter()
                .any(|class| text.contains(class.as_str().unwrap())),
            "{name}: {told:?}"
        );
    }
}

#[test]
fn tags_are_given_to_training_evaluation_explanation_and_translation_alike() {
    let folder = tempfile::tempdir().unwrap();
    let training = corpus(folder.path(), "150", "1");
    let text = std::fs::read_to_string(&training[0]).unwrap();
    let tag = |word: &str| format!("t{}", word.len() % 4);
    let line = |line: &str| line.split(' ').map(tag).collect::<Vec<_>>().join(" ") + "\n";
    let tags = path(folder.path(), "tags");
    std::fs::write(&tags, text.lines().map(line).collect::<String>()).unwrap();
    let model = path(folder.path(), "model");
    let options = [
        "--features",
        "S7+tags",
        "--min-count",
        "2",
        "--source-tags",
        &tags,
        "-o",
        &model,
    ];
    train(&training, &options);
    let evaluate = with(
        &["reorder", "evaluate", "--model", &model],
        &training,
        &["--json"],
    );
    let mut given = evaluate.clone();
    given.extend(["--source-tags", &tags]);
    assert!(json(&given)["accuracy"].as_f64().unwrap() > 0.5);
    let complaint = failure(&evaluate);
    assert!(
        complaint.contains("source: line 1: word|tag expected"),
        "{complaint}"
    );
    let short = path(folder.path(), "short");
    std::fs::write(&short, "t1\n").unwrap();
    given.pop();
    given.push(&short);
    let complaint = failure(&given);
    assert!(complaint.contains("line"), "{complaint}");

    let ini = tables(folder.path(), &training);
    let words: Vec<&str> = text.lines().next().unwrap().split(' ').collect();
    let tagged: Vec<String> = words
        .iter()
        .map(|word| format!("{word}|{}", tag(word)))
        .collect();
    let input = path(folder.path(), "tagged");
    std::fs::write(&input, tagged.join(" ") + "\n").unwrap();
    let translated = decode(&ini, &model, &input, &[]);
    let said = translated[0]["translation"].as_str().unwrap();
    assert!(!said.is_empty() && !said.contains('|'), "{said}");
    std::fs::write(&input, words.join(" ") + "\n").unwrap();
    let system = format!("{model}.chiasm");
    let complaint = failure(&["translate", "-s", &system, "--input", &input, "--tokenized"]);
    assert!(complaint.contains("word|tag expected"), "{complaint}");
    let span = ["--span", "0-0", "--phrase", "the", "--json"];
    let mut explain = vec![
        "reorder",
        "explain",
        "--model",
        &model,
        "--sentence",
        &tagged[0],
    ];
    explain.extend(span);
    let explained = json(&explain);
    let features = serde_json::to_string(&explained[0]["directions"][0]["features"]).unwrap();
    assert!(features.contains("<s>⁻"), "{features}");
    explain[5] = words[0];
    assert!(failure(&explain).contains("word|tag expected"));
}

#[test]
fn what_cannot_be_told_apart_or_smoothed_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let training = corpus(folder.path(), "30", "1");
    let model = path(folder.path(), "model");
    for (options, reason) in [
        (
            &["--orientation", "word-distances"][..],
            "straightinverted|distance",
        ),
        (
            &[
                "--orientation",
                "hier-straightinverted",
                "--direction",
                "both",
            ],
            "one direction",
        ),
        (
            &["--learner", "lexicalised", "--orientation", "word-distance"],
            "tables and extraction files do not have them",
        ),
        (
            &["--learner", "lbfgs", "--prior-lambda", "1.01"],
            "a number from 0 to 1",
        ),
        (
            &["--learner", "lbfgs", "--prior-lambda", "-0.1"],
            "a number from 0 to 1",
        ),
        (
            &["--learner", "svm", "--prior-lambda", "0.5"],
            "for lbfgs only",
        ),
        (&["--learner", "perceptron", "--loss", "none"], "zero-one"),
        (&["--select-method", "magic"], "nmifs"),
        (&["--filter", "short"], "pair-count=N"),
        (&["--sample", "0"], "at least 1"),
        (&["--features", "S7+tags"], "word|tag expected"),
    ] {
        let mut end = options.to_vec();
        end.extend(["-o", &model]);
        let complaint = failure(&with(&["reorder", "train"], &training, &end));
        assert!(complaint.contains(reason), "{options:?}: {complaint}");
        assert!(!Path::new(&model).exists());
    }
    let table = with(
        &["reorder", "table"],
        &training,
        &["--model", "word-distance-backward-fe", "-o", &model],
    );
    assert!(failure(&table).contains("is not a model such as"));
    let extract = with(
        &["extract"],
        &training,
        &["--orientation", "word-distance", "-o", &model],
    );
    assert!(failure(&extract).contains("do not have them"));
    let complaint = failure(&[
        "learn",
        "--libsvm",
        &training[2],
        "--learner",
        "lbfgs",
        "--prior-lambda",
        "2",
        "-o",
        &model,
    ]);
    assert!(complaint.contains("0 to 1"), "{complaint}");
}

#[test]
fn test_examples_are_numbered_as_training_examples_and_weights_are_text() {
    let folder = tempfile::tempdir().unwrap();
    let training = corpus(folder.path(), "120", "1");
    let test = corpus(folder.path(), "40", "2");
    let [model, examples, held, classifier] =
        ["model", "train.txt", "test.txt", "classifier"].map(|name| path(folder.path(), name));
    let options = [
        "--features",
        "S7",
        "--learner",
        "svm",
        "--c",
        "0.1",
        "--min-count",
        "2",
    ];
    let mut options = options.to_vec();
    options.extend(["--export-libsvm", &examples, "-o", &model]);
    train(&training, &options);
    let scored = json(&with(
        &["reorder", "evaluate", "--model", &model],
        &test,
        &["--export-libsvm", &held, "--json"],
    ));
    let learn = [
        "learn",
        "--libsvm",
        &examples,
        "--learner",
        "svm",
        "--c",
        "0.1",
        "-o",
        &classifier,
    ];
    assert!(chiasm(&learn).status.success());
    let predicted = json(&[
        "predict",
        "--model",
        &classifier,
        "--libsvm",
        &held,
        "--json",
    ]);
    // The same learner on the same examples by way of files.
    let [by_model, by_files] = [&scored, &predicted].map(|s| s["accuracy"].as_f64().unwrap());
    assert!((by_model - by_files).abs() < 0.01, "{by_model} {by_files}");
    assert_eq!(scored["examples"], predicted["examples"]);
    let keys = |value: &serde_json::Value| -> Vec<String> {
        let keys = value.as_object().unwrap().keys();
        keys.filter(|key| *key != "direction").cloned().collect()
    };
    assert_eq!(keys(&scored), keys(&predicted));
    let names = format!("{examples}.names");
    let output = chiasm(&["inspect", &model, "--weights", &names]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("# feature\tmonotone\tswap\tdiscontinuous"),
        "{text}"
    );
    assert!(text.lines().any(|line| line.contains('&')));
    let output = chiasm(&["inspect", &classifier, "--weights"]);
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .starts_with("# feature\t1\t2\t3\n")
    );
    let complaint = failure(&with(
        &["reorder", "evaluate", "--model", &model],
        &test,
        &["--export-libsvm", &test[0]],
    ));
    assert!(complaint.contains("is an input"), "{complaint}");
}
