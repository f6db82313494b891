//! `chiasm lm` as a user meets it.

use assert_cmd::Command;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../chiasm-lm/tests/data");
    folder.join(name)
}

fn lm(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiasm"));
    command.arg("lm").args(arguments);
    command
}

fn queries() -> String {
    std::fs::read_to_string(data("queries")).unwrap()
}

fn check_scores(printed: &[u8], tolerance: f64) {
    let expected = std::fs::read_to_string(data("order5.scores")).unwrap();
    let expected: Vec<&str> = expected
        .lines()
        .filter(|line| line.starts_with("Total:"))
        .collect();
    let printed = String::from_utf8(printed.to_vec()).unwrap();
    assert_eq!(printed.lines().count(), expected.len());
    for (line, expected) in printed.lines().zip(expected) {
        let fields: Vec<&str> = expected.split_whitespace().collect();
        let (total, unknown) = line.split_once('\t').unwrap();
        let difference = total.parse::<f64>().unwrap() - fields[1].parse::<f64>().unwrap();
        assert!(difference.abs() < tolerance, "{line} for {expected}");
        assert_eq!(unknown, fields[3]);
    }
}

#[test]
fn from_text_to_scores_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let estimate = |output: &Path, more: &[&str]| {
        let mut command = lm(&["estimate", "--order", "5"]);
        command
            .arg("--text")
            .arg(data("text"))
            .arg("-o")
            .arg(output)
            .args(more);
        command.assert().success()
    };
    estimate(&path("lm.arpa"), &[]);
    estimate(&path("lm.arpa.gz"), &["--memory", "1M"]);
    estimate(&path("lm.bin"), &[]);
    estimate(&path("small.bin"), &["--quantised"]);
    let mut build = lm(&["build", "--model"]);
    build
        .arg(path("lm.arpa.gz"))
        .arg("-o")
        .arg(path("built.bin"));
    let said = String::from_utf8(build.assert().success().get_output().stderr.clone()).unwrap();
    assert!(said.starts_with("80223 n-grams will take about "), "{said}");
    assert!(std::fs::read(path("lm.bin")).unwrap() == std::fs::read(path("built.bin")).unwrap());
    for (name, tolerance) in [
        ("lm.arpa", 1e-3),
        ("lm.arpa.gz", 1e-3),
        ("lm.bin", 1e-3),
        ("small.bin", 1.0),
    ] {
        let mut query = lm(&["query", "--model"]);
        let asked = query
            .arg(path(name))
            .write_stdin(queries())
            .assert()
            .success();
        check_scores(&asked.get_output().stdout, tolerance);
        let said = String::from_utf8(asked.get_output().stderr.clone()).unwrap();
        assert!(said.contains("perplexity"), "{said}");
    }
}

#[test]
fn json_has_the_promised_keys() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("lm.arpa");
    let mut command = lm(&[
        "estimate", "--order", "3", "--prune", "0 1 2", "--json", "--quiet",
    ]);
    command
        .arg("--text")
        .arg(data("text"))
        .arg("-o")
        .arg(&output);
    let made = command.assert().success().stderr("");
    let report: serde_json::Value = serde_json::from_slice(&made.get_output().stdout).unwrap();
    assert_eq!(report["ngrams"], serde_json::json!([5324, 2658, 222]));
    assert_eq!(report["discounts"].as_array().unwrap().len(), 3);
    let mut command = lm(&["query", "--json", "--model"]);
    let asked = command
        .arg(&output)
        .write_stdin("w1 nothing\n\n")
        .assert()
        .success();
    let report: serde_json::Value = serde_json::from_slice(&asked.get_output().stdout).unwrap();
    assert_eq!(
        (&report["sentences"], &report["words"], &report["unknown"]),
        (&2.into(), &2.into(), &1.into())
    );
    assert!(
        report["perplexity"].as_f64().unwrap()
            > report["perplexity_without_unknown"].as_f64().unwrap()
    );
}

#[test]
fn failures_name_the_file_and_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("marked"), "a b\nc <s> d\n").unwrap();
    let mut command = lm(&["estimate", "--order", "2", "--discount-fallback"]);
    command
        .arg("--text")
        .arg(path("marked"))
        .arg("-o")
        .arg(path("lm.arpa"));
    let failed = command.assert().code(1);
    let said = String::from_utf8(failed.get_output().stderr.clone()).unwrap();
    assert!(said.contains("marked: line 2: the word <s>"), "{said}");
    assert!(!path("lm.arpa").exists());
    std::fs::write(
        path("broken.arpa"),
        "\\data\\\nngram 1=2\n\n\\1-grams:\n-1\ta\n",
    )
    .unwrap();
    let mut command = lm(&["query", "--model"]);
    let failed = command
        .arg(path("broken.arpa"))
        .write_stdin("a\n")
        .assert()
        .code(1);
    let said = String::from_utf8(failed.get_output().stderr.clone()).unwrap();
    assert!(
        said.contains("broken.arpa: line 6: 2 1-grams expected"),
        "{said}"
    );
    for wrong in [
        &["estimate", "--order", "9"][..],
        &["estimate", "--order", "3", "--prune", "x"],
    ] {
        let mut command = lm(wrong);
        command
            .arg("--text")
            .arg(path("marked"))
            .arg("-o")
            .arg(path("lm.arpa"));
        command.assert().code(2);
    }
}
