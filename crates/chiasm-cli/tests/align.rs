//! `chiasm align` and `chiasm aer` as a user meets them.

use assert_cmd::Command;
use std::path::Path;

fn chiasm() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiasm"));
    command.arg("--quiet");
    command
}

/// A folder with the built-in language pair in it.
fn corpus(pairs: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut command = chiasm();
    command.args([
        "synthesise",
        "--language",
        "arabic-like",
        "--pairs",
        pairs,
        "--seed",
        "3",
        "-o",
    ]);
    command.arg(folder.path()).assert().success();
    folder
}

fn align(folder: &Path, more: &[&str]) -> Command {
    let mut command = chiasm();
    command.current_dir(folder).arg("align");
    command
        .args(["--source", "source", "--target", "target"])
        .args(more);
    command
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn links_scores_sides_tables_and_a_model() {
    let folder = corpus("1200");
    let folder = folder.path();
    let everything = [
        "-o",
        "found",
        "--forward-output",
        "forward",
        "--reverse-output",
        "reverse",
        "--scores",
        "--lexicon",
        "lex",
        "--save",
        "model",
        "--json",
        "--threads",
        "2",
    ];
    let output = align(folder, &everything)
        .assert()
        .success()
        .get_output()
        .clone();
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["pairs"], 1200);
    let found = read(folder, "found");
    assert_eq!(found.lines().count(), 1200);
    for (links, scores) in found.lines().zip(read(folder, "found.scores").lines()) {
        assert_eq!(links.split(' ').count(), scores.split(' ').count());
    }
    assert!(read(folder, "lex.f2e").lines().count() > 100);
    assert!(read(folder, "lex.e2f").lines().count() > 100);

    // The sides, symmetrised by themselves, are the links.
    let mut command = chiasm();
    command.current_dir(folder).args([
        "symmetrise",
        "--forward",
        "forward",
        "--reverse",
        "reverse",
    ]);
    command.assert().success().stdout(found.clone());

    // One thread finds the same, from the same text joined on standard input too.
    align(folder, &["-o", "-", "--threads", "1"])
        .assert()
        .success()
        .stdout(found.clone());
    let (source, target) = (read(folder, "source"), read(folder, "target"));
    let pairs = source.lines().zip(target.lines());
    let joined: String = pairs.map(|(s, t)| format!("{s} ||| {t}\n")).collect();
    let mut command = chiasm();
    command
        .arg("align")
        .write_stdin(joined.clone())
        .assert()
        .success()
        .stdout(found.clone());

    // The saved model finds nearly the same, from files and from standard input.
    align(folder, &["--model", "model", "-o", "again"])
        .assert()
        .success();
    let mut command = chiasm();
    command
        .current_dir(folder)
        .args(["align", "--model", "model"])
        .write_stdin(joined);
    command.assert().success().stdout(read(folder, "again"));
    let agreement = error_rate(folder, "found", "again");
    assert!(agreement["aer"].as_f64().unwrap() < 0.08, "{agreement}");
    let gold = error_rate(folder, "gold", "found");
    assert!(gold["aer"].as_f64().unwrap() < 0.25, "{gold}");
}

fn error_rate(folder: &Path, gold: &str, links: &str) -> serde_json::Value {
    let mut command = chiasm();
    command
        .current_dir(folder)
        .args(["aer", "--gold", gold, "--links", links, "--json"]);
    let output = command.assert().success().get_output().clone();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn error_rates_worst_sentences_and_matrices() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("gold", "0-0 1p1\n0-0\n");
    write("links", "0-0 1-1\n0-1\n5-5\n");
    write("source", "a b\nc\n");
    write("target", "x y\nz w\n");
    let report = error_rate(folder.path(), "gold", "links");
    // |A| = 3, |S| = 2, |A∩S| = 1, |A∩P| = 2.
    assert!((report["aer"].as_f64().unwrap() - 0.4).abs() < 1e-9);
    assert_eq!(report["links"], 3);
    let mut command = chiasm();
    command.current_dir(folder.path());
    command.args(["aer", "--gold", "gold", "--links", "links", "--worst", "1"]);
    command.args([
        "--source",
        "source",
        "--target",
        "target",
        "--html",
        "page.html",
    ]);
    let output = command.assert().success().get_output().clone();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("AER 0.4000") && text.contains("line 2: AER 1.0000, 2 mistakes"),
        "{text}"
    );
    assert!(text.contains("c |o X"), "{text}");
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("Line 2"));
}

#[test]
fn bad_input_is_named_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("source", "a b\nc\n");
    write("target", "x y\n");
    write("model", "not a model");
    let fails = |command: &mut Command, message: &str| {
        let output = command.assert().code(1).get_output().clone();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains(message), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert!(!folder.path().join("out").exists());
    };
    fails(
        &mut align(folder.path(), &["-o", "out"]),
        "target: line 1: the file ends here, but source has more lines",
    );
    write("target", "x y\nz\n");
    fails(
        &mut align(folder.path(), &["-o", "out", "--model", "model"]),
        "model: not a file that Chiasm wrote",
    );
    fails(
        &mut align(folder.path(), &["-o", "out", "--model", "absent"]),
        "absent: no such file or directory",
    );
    fails(
        &mut align(folder.path(), &["--scores"]),
        "--scores and --lexicon need a file name",
    );
    fails(
        &mut align(folder.path(), &["-o", "out", "--null-probability", "1.5"]),
        "between 0 and 1",
    );
    let mut joined = chiasm();
    joined
        .args(["align", "--strict"])
        .write_stdin("a ||| b\nc d\n");
    fails(&mut joined, "line 2: expected: source ||| target");
    write("gold", "0-0\n0:0\n");
    write("links", "0-0\n0-0\n");
    let mut command = chiasm();
    command
        .current_dir(folder.path())
        .args(["aer", "--gold", "gold", "--links", "links"]);
    fails(
        &mut command,
        "gold: line 2: '0:0' is neither a sure link such as 3-4 nor a possible one such as 3p4",
    );
    write("gold", "0-0\n0-0\n0-0\n");
    fails(
        &mut command,
        "links: line 2: the file ends here, but gold has more lines",
    );
}

#[test]
fn empty_texts_and_lines_have_empty_links() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("source", "");
    write("target", "");
    align(folder.path(), &[]).assert().success().stdout("");
    write("source", "\na b\nhund\n");
    write("target", "x\n\nhund\n");
    for preset in ["fast", "standard", "best"] {
        let expected = "\n\n0-0\n";
        align(folder.path(), &["--preset", preset])
            .assert()
            .success()
            .stdout(expected);
    }
}

#[test]
fn a_model_answers_line_by_line() {
    use std::io::{BufRead, BufReader, Write};
    let folder = corpus("300");
    align(folder.path(), &["-o", "links", "--save", "model"])
        .assert()
        .success();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_chiasm"))
        .current_dir(folder.path())
        .args(["--quiet", "align", "--model", "model", "--tsv", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let (source, target) = (read(folder.path(), "source"), read(folder.path(), "target"));
    let mut answers = String::new();
    for (one, other) in source.lines().zip(target.lines()).take(20) {
        // The answer comes before the next question is asked.
        writeln!(input, "{one}\t{other}").unwrap();
        answers += &(output.next().unwrap().unwrap() + "\n");
    }
    input.write_all(b"no tab\n").unwrap();
    assert_eq!(output.next().unwrap().unwrap(), "");
    drop(input);
    assert!(output.next().is_none() && child.wait().unwrap().success());
    align(folder.path(), &["--model", "model", "-o", "again"])
        .assert()
        .success();
    let again = read(folder.path(), "again");
    let first: String = again.split_inclusive('\n').take(20).collect();
    assert_eq!(answers, first);
}

#[test]
fn broken_lines_are_counted_and_the_others_aligned() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &[u8]| std::fs::write(folder.path().join(name), text).unwrap();
    write("source", b"hund\n\xff\xfe\n\nhund\n");
    write("target", b"hund\nx\ny\nhund\n");
    let options = [
        "-o",
        "links",
        "--lexicon",
        "lex",
        "--sentence-scores",
        "scores",
        "--json",
    ];
    let output = align(folder.path(), &options)
        .assert()
        .success()
        .get_output()
        .clone();
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["skipped"], 2);
    assert_eq!(read(folder.path(), "links"), "0-0\n\n\n0-0\n");
    let scores = read(folder.path(), "scores");
    let scores: Vec<&str> = scores.lines().collect();
    assert_eq!(scores[1..3], ["-inf\t-inf"; 2]);
    for side in scores[0].split('\t') {
        assert!(
            (-3.0..=0.0).contains(&side.parse::<f64>().unwrap()),
            "{scores:?}"
        );
    }
    assert!(read(folder.path(), "lex.f2e").contains("hund hund 1.0000000"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiasm"));
    command
        .current_dir(folder.path())
        .args(["align", "--source", "source", "--target", "target"]);
    let errors = command.assert().success().get_output().stderr.clone();
    let errors = String::from_utf8(errors).unwrap();
    let warning = "warning: 2 pairs have no links (1 with an empty side, 1 unreadable); the first: source: line 2";
    assert!(errors.contains(warning), "{errors}");
    let output = align(folder.path(), &["--strict"])
        .assert()
        .code(1)
        .get_output()
        .clone();
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("source: line 2: invalid UTF-8")
    );
}

#[test]
fn pairs_in_one_file_a_table_of_a_model_and_models_of_parts() {
    let folder = corpus("600");
    let folder = folder.path();
    let (source, target) = (read(folder, "source"), read(folder, "target"));
    let pairs: Vec<(&str, &str)> = source.lines().zip(target.lines()).collect();
    let join = |pairs: &[(&str, &str)], between: &str| -> String {
        pairs
            .iter()
            .map(|(s, t)| format!("{s}{between}{t}\n"))
            .collect()
    };
    align(
        folder,
        &["-o", "found", "--lexicon", "lex", "--save", "all"],
    )
    .assert()
    .success();
    let run = |arguments: &[&str], input: String| {
        let mut command = chiasm();
        command.current_dir(folder).arg("align").args(arguments);
        command.write_stdin(input).assert().success();
    };
    run(
        &["--tsv", "-", "-o", "tabs", "--lexicon", "piped"],
        join(&pairs, "\t"),
    );
    assert_eq!(read(folder, "tabs"), read(folder, "found"));
    assert_eq!(read(folder, "piped.f2e"), read(folder, "lex.f2e"));
    std::fs::write(folder.join("joined"), join(&pairs, " ||| ")).unwrap();
    run(&["--joined", "joined", "-o", "bars"], String::new());
    assert_eq!(read(folder, "bars"), read(folder, "found"));

    run(
        &["--tsv", "-", "-o", "half", "--save", "a"],
        join(&pairs[..300], "\t"),
    );
    run(
        &["--tsv", "-", "-o", "half", "--save", "b"],
        join(&pairs[300..], "\t"),
    );
    run(&["--merge", "a", "b", "-o", "ab"], String::new());
    align(folder, &["--model", "a", "-o", "by.a"])
        .assert()
        .success();
    align(folder, &["--model", "ab", "-o", "by.ab"])
        .assert()
        .success();
    let rate = |links| error_rate(folder, "gold", links)["aer"].as_f64().unwrap();
    assert!(
        rate("by.ab") < rate("by.a"),
        "{} {}",
        rate("by.ab"),
        rate("by.a")
    );
    run(&["--model", "all", "--write-table", "table"], String::new());
    // The probabilities of a word's translations add up to one, but for what was too improbable to be kept.
    let mut sums = std::collections::BTreeMap::new();
    for line in read(folder, "table.f2e").lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        *sums.entry(fields[1].to_string()).or_insert(0.0) += fields[2].parse::<f64>().unwrap();
    }
    // A word that was hardly ever linked has little but priors, and most of these are not kept.
    let whole = sums.values().filter(|sum| (0.9..1.001).contains(*sum));
    assert!(
        sums.len() > 20 && whole.count() * 100 > sums.len() * 99,
        "{sums:?}"
    );
    assert!(sums.values().all(|sum| *sum < 1.001), "{sums:?}");
}

#[test]
fn killed_at_ten_moments_the_same_command_goes_on_to_the_same_bytes() {
    let folder = corpus("1500");
    let begun = std::time::Instant::now();
    align(
        folder.path(),
        &["-o", "whole", "--scores", "--threads", "2"],
    )
    .assert()
    .success();
    let tenth = begun.elapsed() / 10;
    let unfinished = folder.path().join("links.unfinished");
    let command = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_chiasm"));
        command
            .current_dir(folder.path())
            .args(["--quiet", "align", "--source", "source"]);
        command.args([
            "--target",
            "target",
            "-o",
            "links",
            "--scores",
            "--checkpoint",
            "0",
        ]);
        command
    };
    let mut seen = 0;
    for moment in 1..=10 {
        let mut child = command()
            .args(["--threads", ["1", "2", "3", "7"][moment % 4]])
            .spawn()
            .unwrap();
        std::thread::sleep(tenth + tenth * (moment as u32 % 3));
        child.kill().unwrap();
        child.wait().unwrap();
        seen += u32::from(unfinished.exists());
    }
    assert!(seen > 0);
    let mut last = command();
    last.args(["--memory", "64M"]);
    assert!(last.status().unwrap().success());
    assert!(!unfinished.exists());
    for ending in ["", ".scores"] {
        let [whole, links] =
            ["whole", "links"].map(|name| read(folder.path(), &format!("{name}{ending}")));
        assert_eq!(whole, links);
    }
}
