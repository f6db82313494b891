//! `chiasm reorder train|evaluate|explain|merge`, `chiasm classes`, `chiasm report classification`.

mod competitors;
mod explain;
mod strength;

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn chiasm(arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiasm"));
    command.args(["--quiet", "--threads", "2"]).args(arguments);
    command.output().unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let output = chiasm(arguments);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {complaint}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn failure(arguments: &[&str]) -> String {
    let output = chiasm(arguments);
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A small corpus of the built-in language pair.
fn corpus(folder: &Path, pairs: &str, seed: &str) -> [String; 3] {
    let into = folder.join(format!("corpus-{seed}"));
    let into = into.to_str().unwrap();
    let output = chiasm(&[
        "synthesise",
        "--language",
        "japanese-like",
        "--pairs",
        pairs,
        "--seed",
        seed,
        "-o",
        into,
    ]);
    assert!(output.status.success());
    ["source", "target", "links"].map(|name| format!("{into}/{name}"))
}

/// The first line of each file.
fn first_lines(files: &[String; 3]) -> [String; 3] {
    files.clone().map(|file| {
        let text = std::fs::read_to_string(file).unwrap();
        text.lines().next().unwrap().to_string()
    })
}

/// Trains a model that must come about.
fn train(files: &[String; 3], options: &[&str]) {
    let output = chiasm(&with(&["reorder", "train"], files, options));
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{options:?}: {complaint}");
}

fn with<'a>(start: &[&'a str], files: &'a [String; 3], end: &[&'a str]) -> Vec<&'a str> {
    let mut all = start.to_vec();
    all.extend([
        "--source", &files[0], "--target", &files[1], "--links", &files[2],
    ]);
    all.extend(end);
    all
}

fn path(folder: &Path, name: &str) -> String {
    PathBuf::from(folder)
        .join(name)
        .to_str()
        .unwrap()
        .to_string()
}

#[test]
fn learned_models_beat_the_table_on_the_built_in_pair() {
    let folder = tempfile::tempdir().unwrap();
    let training = corpus(folder.path(), "400", "1");
    let test = corpus(folder.path(), "100", "2");
    let mut accuracies = Vec::new();
    for learner in ["lexicalised", "svm", "dual", "lbfgs", "nb-map"] {
        let model = path(folder.path(), learner);
        let options = [
            "--learner",
            learner,
            "--min-count",
            "3",
            "-o",
            &model,
            "--json",
        ];
        let trained = json(&with(&["reorder", "train"], &training, &options));
        for key in [
            "examples",
            "features",
            "parameters",
            "iterations",
            "seconds",
            "model_bytes",
        ] {
            assert!(trained[key].as_f64().is_some(), "{learner} {key}");
        }
        let scored = json(&with(
            &["reorder", "evaluate", "--model", &model],
            &test,
            &["--json"],
        ));
        let confusion: u64 = scored["confusion"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|row| row.as_array().unwrap())
            .map(|count| count.as_u64().unwrap())
            .sum();
        assert_eq!(scored["examples"].as_u64().unwrap(), confusion);
        let sum = scored["accuracy"].as_f64().unwrap() + scored["error"].as_f64().unwrap();
        assert!((sum - 1.0).abs() < 1e-12);
        accuracies.push(scored["accuracy"].as_f64().unwrap());
    }
    for accuracy in &accuracies[1..4] {
        assert!(accuracy > &accuracies[0], "{accuracies:?}");
    }
}

#[test]
fn two_naive_bayes_models_merge_and_others_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b, c] = ["a", "b", "c"].map(|name| path(folder.path(), name));
    let first = corpus(folder.path(), "60", "1");
    let second = corpus(folder.path(), "60", "2");
    let options = |model| ["--learner", "nb-map", "--min-count", "2", "-o", model];
    assert!(
        chiasm(&with(&["reorder", "train"], &first, &options(&a)))
            .status
            .success()
    );
    assert!(
        chiasm(&with(&["reorder", "train"], &second, &options(&b)))
            .status
            .success()
    );
    assert!(
        chiasm(&["reorder", "merge", &a, &b, "-o", &c])
            .status
            .success()
    );
    json(&with(
        &["reorder", "evaluate", "--model", &c],
        &first,
        &["--json"],
    ));
    let lexicalised = path(folder.path(), "lexicalised");
    let options = ["--learner", "lexicalised", "-o", &lexicalised];
    train(&first, &options);
    let complaint = failure(&["reorder", "merge", &a, &lexicalised, "-o", &c]);
    assert!(complaint.contains("only naive Bayes"), "{complaint}");
}

#[test]
fn classes_are_written_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let training = corpus(folder.path(), "80", "1");
    let [source, target, model] = ["sc", "tc", "m"].map(|name| path(folder.path(), name));
    for (text, classes) in [(&training[0], &source), (&training[1], &target)] {
        let said = json(&[
            "classes",
            "--text",
            text,
            "--classes",
            "8",
            "-o",
            classes,
            "--json",
        ]);
        assert_eq!(said["classes"], 8);
        let lines = std::fs::read_to_string(classes).unwrap();
        assert_eq!(
            lines.lines().count() as u64,
            said["words"].as_u64().unwrap()
        );
        assert!(
            lines
                .lines()
                .all(|line| line.split_once('\t').unwrap().1.parse::<u8>().unwrap() < 8)
        );
    }
    let options = [
        "--features",
        "S7+classes",
        "--source-classes",
        &source,
        "--target-classes",
        &target,
        "--min-count",
        "2",
        "-o",
        &model,
        "--json",
    ];
    let trained = json(&with(&["reorder", "train"], &training, &options));
    assert_eq!(trained["feature_set"], "S7+classes");
}

#[test]
fn bad_requests_are_refused_with_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let training = corpus(folder.path(), "30", "1");
    let model = path(folder.path(), "model");
    for (options, reason) in [
        (["--c", "nan"], "c: a positive number expected"),
        (["--c", "inf"], "c: a positive number expected"),
        (["--min-count", "100000"], "no features left"),
        (["--features", "S16"], "S16"),
        (["--learner", "magic"], "magic"),
        (["--held-out", "30"], "nothing is left"),
        (["--bits", "7"], "bits"),
        (["--orientation", "hier"], "hier-msd"),
        (["--c", "1e-320"], "c: a number from 1e-30 to 1e30 expected"),
        (["--select", "-1"], "a number not below zero expected"),
        (["--keep-counts", "on"], "for naive Bayes models"),
        (["--export-libsvm", &model], "two outputs would go there"),
        (["--export-libsvm", &training[2]], "links: is an input"),
    ] {
        let mut end = options.to_vec();
        end.extend(["-o", &model]);
        let complaint = failure(&with(&["reorder", "train"], &training, &end));
        assert!(complaint.contains(reason), "{complaint}");
        assert!(!Path::new(&model).exists());
    }
    let links = std::fs::read(&training[2]).unwrap();
    for output in [
        &training[2],
        folder.path().to_str().unwrap(),
        "no/such/folder",
    ] {
        failure(&with(&["reorder", "train"], &training, &["-o", output]));
        failure(&with(&["reorder", "table"], &training, &["-o", output]));
    }
    assert_eq!(std::fs::read(&training[2]).unwrap(), links);
    let held_out = ["--learner", "lexicalised", "--held-out", "5", "-o", &model];
    let complaint = failure(&with(&["reorder", "train"], &training, &held_out));
    assert!(complaint.contains("counts all pairs"), "{complaint}");
    let complaint = failure(&with(
        &["reorder", "evaluate", "--model", &training[0]],
        &training,
        &[],
    ));
    assert!(
        complaint.contains("not a file that Chiasm wrote"),
        "{complaint}"
    );
}

#[test]
fn the_exported_examples_are_those_that_were_learned_from() {
    let folder = tempfile::tempdir().unwrap();
    let training = corpus(folder.path(), "60", "1");
    let [model, file, plain] = ["model", "libsvm", "plain"].map(|name| path(folder.path(), name));
    let options = [
        "--min-count",
        "2",
        "--export-libsvm",
        &file,
        "-o",
        &model,
        "--json",
    ];
    let ours = json(&with(&["reorder", "train"], &training, &options));
    let again = json(&[
        "learn",
        "--libsvm",
        &file,
        "--learner",
        "svm",
        "-o",
        &plain,
        "--json",
    ]);
    let objective = |value: &Value| value["primal_objective"].as_f64().unwrap();
    let difference = (objective(&ours) - objective(&again)).abs();
    assert!(difference <= 2e-3 * objective(&ours), "{ours} {again}");
}

#[test]
fn the_report_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let training = corpus(folder.path(), "150", "1");
    let test = corpus(folder.path(), "40", "2");
    let page = path(folder.path(), "report.html");
    let test_files = [
        "--test-source",
        &test[0],
        "--test-target",
        &test[1],
        "--test-links",
        &test[2],
        "--quick",
        "--pairs",
        "120",
        "-o",
        &page,
    ];
    let output = chiasm(&with(&["report", "classification"], &training, &test_files));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let html = std::fs::read_to_string(&page).unwrap();
    for part in [
        "NB Table 3",
        "NB Table 5",
        "NB Figure 1",
        "NB Figure 2",
        "MLR Table 1",
        "MLR Table 2",
        "MLR Figure 1",
        "SVM Table 2",
        "SVM Table 3",
        "SVM Table 4",
        "SVM Table 5",
        "SVM Table 6",
        "SVM Table 7",
        "SVM Figure 1",
        "SVM Figure 2",
        "<svg",
        "training examples",
        "120, spread over 150 that there are",
        "at an equal log loss",
        "Additions to S12+unaligned",
        concat!("chiasm ", env!("CARGO_PKG_VERSION")),
    ] {
        assert!(html.contains(part), "{part}");
    }
    let csv = std::fs::read_to_string(path(folder.path(), "report.csv")).unwrap();
    assert!(csv.lines().count() > 10);
    let json: Value =
        serde_json::from_str(&std::fs::read_to_string(path(folder.path(), "report.json")).unwrap())
            .unwrap();
    assert!(json["runs"].as_array().unwrap().len() > 10);
}

#[test]
fn classes_clustered_on_the_way_are_those_of_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let training = corpus(folder.path(), "200", "1");
    let [source, target] = [0, 1].map(|side: usize| {
        let classes = path(folder.path(), &format!("classes-{side}"));
        let options = [
            "classes",
            "--text",
            &training[side],
            "--classes",
            "10",
            "-o",
            &classes,
        ];
        assert!(chiasm(&options).status.success());
        classes
    });
    let train = |name: &str, options: &[&str]| {
        let model = path(folder.path(), name);
        let common = ["--features", "S7+classes", "--classes", "10", "-o", &model];
        let all = [&common, options].concat();
        let output = chiasm(&with(&["reorder", "train"], &training, &all));
        assert!(output.status.success());
        std::fs::read(model).unwrap()
    };
    let files = ["--source-classes", &source, "--target-classes", &target];
    assert_eq!(train("a", &[]), train("b", &files));
    // What is read twice cannot come through a pipe.
    let piped = ["-".to_string(), training[1].clone(), training[2].clone()];
    let model = path(folder.path(), "c");
    let options = ["--features", "S7+classes", "-o", &model];
    let complaint = failure(&with(&["reorder", "train"], &piped, &options));
    assert!(complaint.contains("read twice"), "{complaint}");
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let training = corpus(folder.path(), "100", "1");
    let model = path(folder.path(), "model");
    assert!(
        chiasm(&with(&["reorder", "train"], &training, &["-o", &model]))
            .status
            .success()
    );
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_chiasm"))
        .args(with(
            &["reorder", "evaluate", "--model", &model],
            &training,
            &[],
        ))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
