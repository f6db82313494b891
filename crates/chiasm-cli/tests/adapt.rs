//! `chiasm adapt`, and what `translate` makes of it: memories, prefixes, confidences, graphs.

use assert_cmd::Command;
use std::path::{Path, PathBuf};

fn chiasm(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::cargo_bin("chiasm").unwrap();
    command.current_dir(folder).args(arguments);
    command
}

fn done(arguments: &[&str], folder: &Path, input: &str) -> String {
    let output = chiasm(arguments, folder)
        .write_stdin(input)
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn refused(arguments: &[&str], folder: &Path) -> String {
    let output = chiasm(arguments, folder).output().unwrap();
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// A small system, and 120 pairs that it has not seen.
fn trained(folder: &Path) -> (Vec<String>, Vec<String>) {
    let files = ["--source", "f", "--target", "e"];
    let pairs = [
        "synthesise",
        "--language",
        "japanese-like",
        "--pairs",
        "720",
        "-o",
        "text",
    ];
    done(&pairs, folder, "");
    let lines = |name: &str| -> Vec<String> {
        let text = std::fs::read_to_string(folder.join("text").join(name)).unwrap();
        text.lines().map(String::from).collect()
    };
    let (source, target) = (lines("source"), lines("target"));
    for (name, lines) in [("f", &source[..600]), ("e", &target[..600])] {
        std::fs::write(folder.join(name), lines.join("\n") + "\n").unwrap();
    }
    let quick = [
        "--quiet",
        "--preset",
        "quick",
        "--tokenized",
        "-o",
        "s.chiasm",
    ];
    done(&[&["train"][..], &files, &quick].concat(), folder, "");
    (source[600..].to_vec(), target[600..].to_vec())
}

#[test]
fn a_system_learns_forgets_and_completes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (source, _) = trained(folder);
    let system_before = std::fs::read(folder.join("s.chiasm")).unwrap();
    let input = source.join("\n") + "\n";
    let translate = [
        "translate",
        "-s",
        "s.chiasm",
        "--tokenized",
        "--pop-limit",
        "50",
    ];
    let with = |more: &[&str], input: &str| done(&[&translate[..], more].concat(), folder, input);
    let before = with(&[], &input);

    // Corrections that nobody could guess: the words backwards, and one that is new to the system.
    let backwards = |line: &str| {
        let mut words: Vec<&str> = line.split(' ').rev().collect();
        words.push("zounds");
        words.join(" ")
    };
    let corrected: Vec<String> = before.lines().map(backwards).collect();
    std::fs::write(folder.join("new.f"), &input).unwrap();
    std::fs::write(folder.join("new.e"), corrected.join("\n") + "\n").unwrap();
    let adapt = ["adapt", "-s", "s.chiasm", "--tokenized"];
    let learned = done(
        &[
            &adapt[..],
            &["--source", "new.f", "--target", "new.e", "--json"],
        ]
        .concat(),
        folder,
        "",
    );
    assert!(learned.contains("\"learned\":120"), "{learned}");
    let memory = ["--memory", "s.chiasm.memory"];
    let after = with(&memory, &input);
    // The newest correction of a sentence counts, so a sentence that comes twice has one answer.
    let last = |line: &String| source.iter().rposition(|other| other == line).unwrap();
    for (line, said) in source.iter().zip(after.lines()) {
        assert_eq!(said, corrected[last(line)]);
    }
    assert_eq!(
        with(&["--threads", "3", memory[0], memory[1]], &input),
        after
    );
    assert_eq!(
        std::fs::read(folder.join("s.chiasm")).unwrap(),
        system_before
    );
    assert_eq!(with(&[], &input), before);

    let list = done(&["adapt", "-s", "s.chiasm", "--list"], folder, "");
    assert_eq!(list.lines().count(), 120);
    assert_eq!(
        list.lines().next().unwrap(),
        format!("1\t{}\t{}", source[0], corrected[0])
    );
    done(&["adapt", "-s", "s.chiasm", "--forget", "1"], folder, "");
    let list = done(&["adapt", "-s", "s.chiasm", "--undo", "--list"], folder, "");
    assert_eq!(list.lines().count(), 118);

    // A new system knows all of it by itself, and learns more.
    let both = with(&memory, &input);
    done(
        &["adapt", "-s", "s.chiasm", "--compact", "-o", "new.chiasm"],
        folder,
        "",
    );
    let alone = [
        "translate",
        "-s",
        "new.chiasm",
        "--tokenized",
        "--pop-limit",
        "50",
    ];
    assert_eq!(done(&alone, folder, &input), both);
    std::fs::write(folder.join("one.f"), "zzz\n").unwrap();
    std::fs::write(folder.join("one.e"), "a new word\n").unwrap();
    let one = [
        "adapt",
        "-s",
        "new.chiasm",
        "--tokenized",
        "--source",
        "one.f",
        "--target",
        "one.e",
    ];
    done(&one, folder, "");
    let with_more = [&alone[..], &["--memory", "new.chiasm.memory"]].concat();
    assert_eq!(done(&with_more, folder, "zzz\n"), "a new word\n");
    // Nothing is written over what is read.
    let over = ["adapt", "-s", "s.chiasm", "--compact", "-o", "s.chiasm"];
    assert!(refused(&over, folder).contains("s.chiasm"));

    // Whatever has been typed, the translation goes on from there.
    for prefix in [
        "",
        "the",
        "the ",
        "xyz !?  ",
        "ζζ",
        "a b c d e f g h i j k l m n o p",
    ] {
        let said = with(&["--prefix", prefix], &input);
        assert!(
            said.lines().all(|line| line.starts_with(prefix)),
            "{prefix:?}"
        );
    }
    let best = before.lines().next().unwrap();
    let (first, _) = best.split_once(' ').unwrap();
    let said = with(
        &["--prefix", &format!("{first} ")],
        &format!("{}\n", source[0]),
    );
    assert_eq!(said.trim_end(), best);

    with(&["--confidence", "sure", "--word-graph", "graphs"], &input);
    let sure = std::fs::read_to_string(folder.join("sure")).unwrap();
    for (line, numbers) in before.lines().zip(sure.lines()) {
        let numbers: Vec<f32> = numbers
            .split(' ')
            .map(|number| number.parse().unwrap())
            .collect();
        assert_eq!(numbers.len(), line.split(' ').count());
        assert!(numbers.iter().all(|number| (0.0..=1.0).contains(number)));
    }
    let graphs = std::fs::read_to_string(folder.join("graphs")).unwrap();
    let graph: serde_json::Value = serde_json::from_str(graphs.lines().next().unwrap()).unwrap();
    assert!(graph["arcs"].as_array().unwrap().len() > 3);
}

#[test]
fn mistakes_are_named_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    trained(folder);
    std::fs::write(folder.join("short"), "one\n").unwrap();
    std::fs::write(folder.join("notes"), "my notes\n").unwrap();
    let adapt = |more: &[&str]| refused(&[&["adapt", "-s", "s.chiasm"][..], more].concat(), folder);
    assert!(adapt(&[]).contains("--list"));
    assert!(adapt(&["--list"]).contains("s.chiasm.memory"));
    assert!(adapt(&["--source", "f", "--target", "short"]).contains("short"));
    assert!(adapt(&["--source", "f", "--target", "f", "--memory", "f"]).contains('f'));
    assert!(adapt(&["--source", "f", "--target", "e", "--memory", "notes"]).contains("notes"));
    assert!(
        adapt(&["--source", "f", "--target", "e", "--memory", "s.chiasm"]).contains("s.chiasm")
    );
    assert!(adapt(&["--merge", "none"]).contains("none"));
    assert!(!folder.join("s.chiasm.memory").exists());
    assert_eq!(
        std::fs::read_to_string(folder.join("notes")).unwrap(),
        "my notes\n"
    );
    let missing = ["translate", "-s", "s.chiasm", "--memory", "missing"];
    assert!(refused(&missing, folder).contains("missing"));
    let left: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains("missing"))
        .collect();
    assert!(left.is_empty());
}
