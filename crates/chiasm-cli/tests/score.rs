//! `chiasm score` as a user meets it.

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chiasm-metrics/tests/data");
    folder.join(name)
}

fn score(hypotheses: &[PathBuf], references: &[PathBuf]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiasm"));
    command.arg("score");
    for hypothesis in hypotheses {
        command.arg("--hypothesis").arg(hypothesis);
    }
    for reference in references {
        command.arg("--reference").arg(reference);
    }
    command
}

fn json(command: &mut Command) -> Value {
    let output = command.arg("--json").assert().success();
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

#[test]
fn json_has_the_conformance_scores_and_p_values() {
    let expected = std::fs::read_to_string(data("expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    let references: Vec<PathBuf> = (0..4).map(|i| data(&format!("reference{i}"))).collect();
    let mut command = score(&[data("system-b"), data("system-a")], &references);
    command
        .args(["--tokenize", "none", "--baseline"])
        .arg(data("system-a"));
    let found = json(&mut command);
    for (index, name) in ["system-b", "system-a"].iter().enumerate() {
        let answers = &expected[format!("{name}, 4 reference(s)")];
        let system = &found["systems"][index];
        for (key, answer) in [
            ("bleu", "bleu tok:none"),
            ("chrf", "chrf2"),
            ("chrf_plus_plus", "chrf2++"),
            ("ter", "ter"),
        ] {
            let (score, wanted) = (&system[key]["score"], &answers[answer]["score"]);
            let difference = score.as_f64().unwrap() - wanted.as_f64().unwrap();
            assert!(difference.abs() < 1e-6, "{name} {key}: {score}");
            assert_eq!(system[key]["signature"], answers[answer]["signature"]);
        }
        let nist = format!(
            "NIST score = {:.4} ",
            system["nist"]["score"].as_f64().unwrap()
        );
        assert!(
            answers["nist mteval-v13a"]
                .as_str()
                .unwrap()
                .starts_with(&nist),
            "{nist}"
        );
    }
    assert_eq!(found["systems"].as_array().unwrap().len(), 2);
    assert_eq!(
        found["systems"][1]["p_value"], 1.0,
        "the baseline against itself"
    );
    let p_value = found["systems"][0]["p_value"].as_f64().unwrap();
    assert!(p_value > 0.0 && p_value < 1.0);
    assert_eq!(found["systems"][0]["bleu"]["p_value"], p_value);
    let interval = &found["systems"][0]["bleu"]["confidence"];
    let bleu = found["systems"][0]["bleu"]["score"].as_f64().unwrap();
    assert!(interval[0].as_f64().unwrap() < bleu && bleu < interval[1].as_f64().unwrap());
    assert!(found["baseline"]["bleu"]["score"].is_number());
}

#[test]
fn the_table_has_sacrebleus_lines() {
    let output = score(&[data("system-b")], &[data("reference0")])
        .assert()
        .success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let verbose =
        "BLEU = 41.73 83.1/51.9/34.3/22.8 (BP = 0.974 ratio = 0.974 hyp_len = 1206 ref_len = 1238)";
    assert!(text.contains(verbose), "{text}");
    assert!(text.contains("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0\n"));
    assert!(!text.contains("p ="));
}

#[test]
fn threads_and_repetition_change_nothing() {
    let run = |threads: &str| {
        let mut command = score(&[data("system-b")], &[data("reference0")]);
        command.arg("--baseline").arg(data("system-a"));
        let output = command
            .args(["--threads", threads, "--json"])
            .assert()
            .success();
        output.get_output().stdout.clone()
    };
    assert_eq!(run("1"), run("3"));
}

#[test]
fn the_page_is_escaped_and_needs_no_network() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a"), "<script>alert(1)</script> is here\nsame\n").unwrap();
    std::fs::write(path("b"), "it is here\nsame\n").unwrap();
    std::fs::write(path("r"), "it is here now\nsame\n").unwrap();
    let mut command = score(&[path("a")], &[path("r")]);
    command
        .arg("--baseline")
        .arg(path("b"))
        .arg("--html")
        .arg(path("page.html"));
    command
        .arg("--sentence-scores")
        .arg(path("scores.tsv"))
        .assert()
        .success();
    let page = std::fs::read_to_string(path("page.html")).unwrap();
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(!page.contains("<script") && !page.contains("http"));
    assert!(page.contains("1 of 2 sentences differ"));
    assert!(page.contains("prefers-color-scheme: dark"));
    let scores = std::fs::read_to_string(path("scores.tsv")).unwrap();
    assert_eq!(scores.lines().count(), 3);
    assert_eq!(
        scores.lines().nth(2).unwrap(),
        "2\t100.00\t100.00\t0.00\t100.00\t100.00\t0.00"
    );
}

#[test]
fn unequal_line_counts_and_missing_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("two"), "a\nb\n").unwrap();
    std::fs::write(path("three"), "a\nb\nc\n").unwrap();
    std::fs::write(path("none"), "").unwrap();
    std::fs::write(path("latin1"), b"caf\xe9\nb\n").unwrap();
    let fails = |hypothesis: &str, references: &[&str], message: &str| {
        let references: Vec<PathBuf> = references.iter().map(|name| path(name)).collect();
        let output = score(&[path(hypothesis)], &references).assert().code(1);
        let text = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert!(text.contains(message), "{text}");
        assert!(output.get_output().stdout.is_empty());
    };
    fails("three", &["two"], "three: line 3: 2 lines expected, as in");
    fails("two", &["three"], "two: line 2: the file ends here, but");
    fails(
        "two",
        &["two", "three"],
        "three: line 3: 2 lines expected, as in",
    );
    fails("none", &["none"], "none: no sentences");
    fails("none", &["two"], "none: line 0: the file ends here, but");
    fails("absent", &["two"], "absent: no such file");
    fails(
        "latin1",
        &["two"],
        "latin1: line 1: invalid UTF-8 at byte 4",
    );
    let mut command = score(&[path("two")], &[path("two")]);
    command.args(["--smooth", "laplace"]).assert().code(2);
    let mut command = score(&[path("two")], &[path("two")]);
    command.args(["--tokenize", "14b"]).assert().code(2);
}

#[test]
fn empty_hypotheses_and_references_are_scored_not_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("empty"), "\n\n").unwrap();
    std::fs::write(path("full"), "a b c d\ne f g h\n").unwrap();
    let found = json(&mut score(&[path("empty"), path("full")], &[path("full")]));
    let scores = |system: usize| {
        ["bleu", "nist", "chrf", "ter"]
            .map(|key| found["systems"][system][key]["score"].as_f64().unwrap())
    };
    assert_eq!(scores(0), [0.0, 0.0, 0.0, 100.0]);
    assert_eq!(scores(1)[2..], [100.0, 0.0]);
    assert!((scores(1)[0] - 100.0).abs() < 1e-9);
    let found = json(&mut score(&[path("full")], &[path("empty")]));
    for (key, wanted) in [("bleu", 0.0), ("nist", 0.0), ("chrf", 0.0), ("ter", 100.0)] {
        assert_eq!(found["systems"][0][key]["score"], wanted, "{key}");
    }
}

#[test]
fn several_runs_of_a_system_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let sentence = |i: usize| format!("a{i} b{i} c{i} d{i} e{i} f{i}");
    let write = |name: &str, errors: usize, seed: usize| {
        let line = |i: usize| match (i * 7 + seed * 13) % 10 < errors {
            true => sentence(i).replace('d', "x"),
            false => sentence(i),
        };
        let lines: Vec<String> = (0..40).map(line).collect();
        std::fs::write(folder.path().join(name), lines.join("\n") + "\n").unwrap();
    };
    write("r", 0, 0);
    for (run, name) in ["a1", "a2", "a3"].into_iter().enumerate() {
        write(name, 2, run);
    }
    for (run, name) in ["b1", "b2"].into_iter().enumerate() {
        write(name, 6, run);
    }
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chiasm"));
        command
            .current_dir(folder.path())
            .arg("score")
            .args(arguments);
        let output = command.output().unwrap();
        (
            output.status.success(),
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap(),
        )
    };
    let common = ["--reference", "r", "--tokenize", "none"];
    let all = |more: &[&str]| run(&[&common[..], more].concat());
    let (_, json) = all(&["--hypothesis", "a1,a2,a3", "--baseline", "b1,b2", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let system = &json["systems"][0];
    assert_eq!(
        (system["runs"].as_u64(), json["baseline"]["runs"].as_u64()),
        (Some(3), Some(2))
    );
    let alone = |name: &str| {
        let json: serde_json::Value =
            serde_json::from_str(&all(&["--hypothesis", name, "--json"]).1).unwrap();
        json["systems"][0]["bleu"]["score"].as_f64().unwrap()
    };
    let mean = (alone("a1") + alone("a2") + alone("a3")) / 3.0;
    assert!((system["bleu"]["score"].as_f64().unwrap() - mean).abs() < 1e-9);
    assert!(system["bleu"]["p_value"].as_f64().unwrap() < 0.01);
    assert_eq!(system["bleu"]["over_runs"], true);
    let (_, table) = all(&[
        "--hypothesis",
        "a1,a2,a3",
        "--hypothesis",
        "b1",
        "--baseline",
        "b1,b2",
    ]);
    assert!(
        table.contains("(sd ") && table.contains("Holm") && table.contains("Clark"),
        "{table}"
    );
    let (fine, message) = all(&["--hypothesis", "a1,missing"]);
    assert!(!fine && message.contains("missing"), "{message}");
    let (fine, message) = all(&["--hypothesis", "a1,,a2"]);
    assert!(!fine && message.contains("'a1,,a2'"), "{message}");
    // Nothing is written over a run that is read.
    let (fine, message) = all(&["--hypothesis", "a1,a2", "--html", "a2"]);
    assert!(!fine && message.contains("a2"), "{message}");
}
