//! `chiasm learn` and `chiasm predict` as a user meets them.

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../chiasm-learn/tests/data");
    folder.join(name)
}

fn chiasm() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiasm"));
    command.arg("--quiet");
    command
}

fn learn(model: &Path, arguments: &[&str]) -> Value {
    let mut command = chiasm();
    command.arg("learn").arg("--json").args(arguments);
    command.arg("--libsvm").arg(data("train.libsvm"));
    let output = command.arg("-o").arg(model).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).to_string();
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn predict(model: &Path) -> Value {
    let mut command = chiasm();
    command.args(["predict", "--json", "--model"]).arg(model);
    let output = command
        .arg("--libsvm")
        .arg(data("test.libsvm"))
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_learner_reports_what_scripts_rely_on() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model");
    for learner in ["svm", "dual", "lbfgs", "sgd", "nb-map", "nb-bayes"] {
        let report = learn(&model, &["--learner", learner]);
        for key in [
            "examples",
            "features",
            "parameters",
            "primal_objective",
            "dual_objective",
            "relative_gap",
            "iterations",
            "active_share",
            "seconds",
            "peak_memory_bytes",
            "model_bytes",
        ] {
            assert!(report.get(key).is_some(), "{learner}: {key}");
        }
        assert_eq!(report["examples"], 600);
        assert_eq!(report["features"], 80);
        assert_eq!(
            report["model_bytes"],
            std::fs::metadata(&model).unwrap().len()
        );
        let answer = predict(&model);
        assert_eq!(answer["examples"], 200);
        assert!(answer["accuracy"].as_f64().unwrap() > 0.68, "{learner}");
        assert!(answer["log_loss"].as_f64().unwrap() < 1.0, "{learner}");
    }
}

#[test]
fn primal_and_dual_differ_by_the_gap() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model");
    for learner in ["svm", "dual", "lbfgs"] {
        let report = learn(&model, &["--learner", learner, "--gap", "1e-4"]);
        let number = |key: &str| report[key].as_f64().unwrap();
        let gap =
            (number("primal_objective") + number("dual_objective")) / number("primal_objective");
        assert!((gap - number("relative_gap")).abs() < 1e-9);
        assert!(gap <= 1e-4);
    }
}

#[test]
fn fewer_bits_and_fewer_features_cost_little() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model");
    let full = learn(&model, &["--learner", "svm"]);
    let full_accuracy = predict(&model)["accuracy"].as_f64().unwrap();
    for bits in ["16", "8"] {
        let report = learn(&model, &["--learner", "svm", "--bits", bits]);
        // The code book of 8 bits alone takes 1 kB, more than this small model saves.
        if bits == "16" {
            assert!(report["model_bytes"].as_u64() < full["model_bytes"].as_u64());
        }
        let loss = &report["quantisation"];
        assert_eq!(loss["bits"].to_string(), bits);
        assert!(loss["accuracy_loss"].as_f64().unwrap().abs() < 0.02);
        let accuracy = predict(&model)["accuracy"].as_f64().unwrap();
        assert!((accuracy - full_accuracy).abs() < 0.02);
    }
    let report = learn(&model, &["--learner", "nb-map", "--select", "0.02"]);
    assert!(report["features"].as_u64().unwrap() < 80);
}

#[test]
fn a_temperature_lowers_the_log_loss_of_the_svm() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model");
    learn(&model, &["--learner", "svm", "--c", "10"]);
    let without = predict(&model);
    learn(
        &model,
        &[
            "--learner",
            "svm",
            "--c",
            "10",
            "--calibrate",
            "temperature",
        ],
    );
    let with = predict(&model);
    assert_eq!(with["accuracy"], without["accuracy"]);
    assert!(with["log_loss"].as_f64() < without["log_loss"].as_f64());
}

#[test]
fn predictions_are_a_class_and_its_probabilities_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model");
    learn(&model, &["--learner", "nb-map"]);
    let mut command = chiasm();
    command.args(["predict", "--model"]).arg(&model);
    let output = command
        .arg("--libsvm")
        .arg(data("test.libsvm"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 200);
    let first: Vec<f64> = text
        .lines()
        .next()
        .unwrap()
        .split(' ')
        .map(|w| w.parse().unwrap())
        .collect();
    let expected = [
        2.0,
        0.07936392552067056,
        0.7488352573309575,
        0.17180081714837198,
    ];
    for (found, expected) in first.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9);
    }
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    for learner in ["svm", "dual", "lbfgs", "sgd"] {
        let read = |threads: &str| {
            let path = folder.path().join(threads);
            learn(&path, &["--learner", learner, "--threads", threads]);
            std::fs::read(&path).unwrap()
        };
        assert_eq!(read("1"), read("4"), "{learner}");
    }
}

#[test]
fn bad_input_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("broken"), "1 1:1\n2 1:one\n").unwrap();
    std::fs::write(path("huge"), "1 1:1\n2 2:1e80\n").unwrap();
    std::fs::write(path("one-class"), "1 1:1\n1 2:1\n").unwrap();
    let train = data("train.libsvm");
    let model = path("model");
    let cases: [(&Path, &[&str], &str); 9] = [
        (
            &path("broken"),
            &[],
            "broken: line 2: `1:one`: feature:value expected",
        ),
        (
            &path("one-class"),
            &[],
            "only class 1 in the examples; at least two classes are needed",
        ),
        (&path("absent"), &[], "no such file or directory"),
        (
            &path("huge"),
            &[],
            "huge: line 2: `2:1e80`: the value must be a finite number of at most 1e30",
        ),
        (
            &train,
            &["--c", "1e-320"],
            "c: a number from 1e-30 to 1e30 expected",
        ),
        (
            &train,
            &["--c", "nan"],
            "c: a positive number expected, NaN found",
        ),
        (
            &train,
            &["--gap", "inf"],
            "gap: a positive number expected, inf found",
        ),
        (
            &train,
            &["--bits", "7"],
            "bits: 64, 32, 16 or 8 expected, 7 found",
        ),
        (
            &train,
            &["--select", "2"],
            "no features left in the training examples",
        ),
    ];
    for (file, arguments, reason) in cases {
        let mut command = chiasm();
        command.args(["learn", "--learner", "svm"]).args(arguments);
        let output = command
            .arg("--libsvm")
            .arg(file)
            .arg("-o")
            .arg(&model)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).to_string();
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains(reason), "{errors}");
        assert!(!model.exists());
    }
    let mut command = chiasm();
    command
        .args(["predict", "--model"])
        .arg(&train)
        .arg("--libsvm")
        .arg(&train);
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).to_string();
    assert!(errors.contains("not a file that Chiasm wrote"), "{errors}");
}
