//! `chiasm synthesise` as a user runs it.

use assert_cmd::Command;
use std::path::Path;

fn chiasm() -> Command {
    Command::new(env!("CARGO_BIN_EXE_chiasm"))
}

fn synthesise(language: &str, threads: &str, folder: &Path) -> Vec<String> {
    let mut command = chiasm();
    command.args([
        "synthesise",
        "--language",
        language,
        "--pairs",
        "5000",
        "--seed",
        "3",
    ]);
    command
        .args(["--vocabulary", "1000", "--threads", threads, "-o"])
        .arg(folder);
    command.assert().success();
    let read = |name| std::fs::read_to_string(folder.join(name)).unwrap();
    ["source", "target", "links", "orientations", "gold"]
        .map(read)
        .to_vec()
}

#[test]
fn five_files_of_equal_length_the_same_for_any_threads() {
    for language in ["arabic-like", "japanese-like"] {
        let folder = tempfile::tempdir().unwrap();
        let one = synthesise(language, "1", &folder.path().join("deep/one"));
        let four = synthesise(language, "4", &folder.path().join("four"));
        assert_eq!(one, four);
        for file in &one {
            assert_eq!(file.lines().count(), 5000);
            assert!(file.lines().all(|line| !line.is_empty()));
        }
        let first = one[3].split([' ', '\n']).next().unwrap();
        let fields: Vec<&str> = first.split(':').collect();
        assert_eq!(fields.len(), 3, "{first}");
        assert!(
            ["monotone", "swap", "discontinuous"].contains(&fields[2]),
            "{first}"
        );
    }
}

#[test]
fn json_counts_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = chiasm();
    command.args([
        "--quiet",
        "synthesise",
        "--language",
        "arabic-like",
        "--pairs",
        "100",
        "--json",
        "-o",
    ]);
    let output = command
        .arg(folder.path())
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let report: serde_json::Value = serde_json::from_slice(&output).unwrap();
    let source = std::fs::read_to_string(folder.path().join("source")).unwrap();
    assert_eq!(report["pairs"], 100);
    assert_eq!(report["source_tokens"], source.split_whitespace().count());
    let gold = std::fs::read_to_string(folder.path().join("gold")).unwrap();
    let possible = gold.split_whitespace().filter(|link| link.contains('p'));
    assert_eq!(report["possible_links"], possible.count());
    let sure = gold.split_whitespace().filter(|link| link.contains('-'));
    assert_eq!(report["links"], sure.count());
}

#[test]
fn wrong_usage_and_impossible_folders_are_told_apart() {
    let mut command = chiasm();
    command.args([
        "synthesise",
        "--language",
        "klingon",
        "--pairs",
        "1",
        "-o",
        "x",
    ]);
    command.assert().code(2);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let mut command = chiasm();
    command
        .args([
            "synthesise",
            "--language",
            "arabic-like",
            "--pairs",
            "1",
            "-o",
        ])
        .arg(&file);
    let error = command.assert().code(1).get_output().stderr.clone();
    let error = String::from_utf8(error).unwrap();
    assert!(
        error.starts_with("error: ") && error.contains("file"),
        "{error}"
    );
    assert_eq!(error.lines().count(), 1, "{error}");
}
