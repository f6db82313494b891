//! `chiasm tune` as a user meets it: the weights of a small system are spoilt, its own former output
//! is the reference, and tuning has to find the way back.

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chiasm-decode/tests/data");
    folder.join(name)
}

fn chiasm() -> Command {
    Command::new(env!("CARGO_BIN_EXE_chiasm"))
}

/// A system whose language model and word penalty weights are far from those that made the output.
fn spoilt_system(folder: &Path) -> PathBuf {
    let ini = std::fs::read_to_string(data("distance.ini")).unwrap();
    let model = data("model").display().to_string();
    let mut spoilt = String::new();
    for line in ini.lines() {
        let line = match line.split_once('=') {
            Some(("LM0", _)) => "LM0= 0.02".to_string(),
            Some(("WordPenalty0", _)) => "WordPenalty0= 0.8".to_string(),
            _ => line.replace("path=model", &format!("path={model}")),
        };
        spoilt.push_str(&line);
        spoilt.push('\n');
    }
    let path = folder.join("spoilt.ini");
    std::fs::write(&path, spoilt).unwrap();
    let system = folder.join("spoilt.chiasm");
    let mut command = chiasm();
    command
        .args(["import", "moses", "--quiet", "--ini"])
        .arg(&path)
        .arg("-o")
        .arg(&system);
    command.assert().success();
    system
}

fn tune(system: &Path, folder: &Path, output: &str) -> Command {
    let best = std::fs::read_to_string(data("distance.best")).unwrap();
    std::fs::write(folder.join("reference"), best).unwrap();
    let mut command = chiasm();
    command.arg("tune").arg("-s").arg(system);
    command.arg("--dev-source").arg(data("input"));
    command.arg("--dev-target").arg(folder.join("reference"));
    command.args([
        "--nbest",
        "20",
        "--pop-limit",
        "40",
        "--iterations",
        "3",
        "--quiet",
    ]);
    command.arg("-o").arg(folder.join(output));
    command
}

fn json(command: &mut Command) -> Value {
    let output = command.arg("--json").assert().success();
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

#[test]
fn every_method_finds_better_weights_and_writes_them() {
    let folder = tempfile::tempdir().unwrap();
    let system = spoilt_system(folder.path());
    for method in ["mert", "pro", "mira"] {
        let result = json(tune(&system, folder.path(), method).args(["--method", method]));
        let (start, bleu) = (
            result["start_bleu"].as_f64().unwrap(),
            result["bleu"].as_f64().unwrap(),
        );
        assert!(bleu > start + 5.0, "{method}: {start} to {bleu}");
        assert!(result["stopped"].as_str().unwrap().len() > 10);
        assert!(folder.path().join(format!("{method}.tuning.html")).exists());
        assert!(
            !folder.path().join(format!("{method}.tuning")).exists(),
            "the rounds are gone"
        );
        // The system that was written translates as well as was said.
        let mut command = chiasm();
        command.args([
            "translate",
            "--quiet",
            "--tokenized",
            "--pop-limit",
            "40",
            "-s",
        ]);
        command.arg(folder.path().join(method));
        command.write_stdin(std::fs::read(data("input")).unwrap());
        let output = command.assert().success();
        let hypothesis = folder.path().join("hypothesis");
        std::fs::write(&hypothesis, &output.get_output().stdout).unwrap();
        let mut command = chiasm();
        command.args([
            "score",
            "--tokenize",
            "none",
            "--samples",
            "0",
            "--hypothesis",
        ]);
        command
            .arg(&hypothesis)
            .arg("--reference")
            .arg(folder.path().join("reference"));
        let score = json(&mut command)["systems"][0]["bleu"]["score"]
            .as_f64()
            .unwrap();
        assert!(
            (score - bleu).abs() < 0.01,
            "{method}: {score} scored, {bleu} said"
        );
    }
}

#[test]
fn the_same_seed_gives_the_same_file_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let system = spoilt_system(folder.path());
    let run = |name: &str, threads: &str| {
        tune(&system, folder.path(), name)
            .args(["--threads", threads])
            .assert()
            .success();
        std::fs::read(folder.path().join(name)).unwrap()
    };
    assert!(run("one", "1") == run("three", "3"));
}

#[test]
fn wrong_development_sets_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let system = spoilt_system(folder.path());
    let short = folder.path().join("short");
    std::fs::write(&short, "one line\n").unwrap();
    let output = tune(&system, folder.path(), "out")
        .arg("--dev-target")
        .arg(&short)
        .assert()
        .code(1);
    let text = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(
        text.contains("short: line 1: the file ends here, but"),
        "{text}"
    );
    let output = tune(&folder.path().join("absent"), folder.path(), "out")
        .assert()
        .code(1);
    let text = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(text.contains("absent: no such file"), "{text}");
    assert!(!folder.path().join("out").exists());
}
