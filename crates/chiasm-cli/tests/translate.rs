//! `chiasm import`, `translate`, `inspect`, `export` on the command line.

use assert_cmd::Command;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chiasm-decode/tests/data");
    folder.join(name)
}

fn chiasm() -> Command {
    Command::cargo_bin("chiasm").unwrap()
}

fn imported(folder: &Path) -> PathBuf {
    let system = folder.join("s.chiasm");
    chiasm()
        .args(["import", "moses", "--quiet", "--ini"])
        .arg(data("hier-mslr.ini"))
        .arg("-o")
        .arg(&system)
        .assert()
        .success();
    system
}

fn translate(
    system: &Path,
    arguments: &[&str],
    input: impl Into<Vec<u8>>,
) -> (bool, String, String) {
    let output = chiasm()
        .arg("translate")
        .arg("-s")
        .arg(system)
        .args(["--pop-limit", "50"])
        .args(arguments)
        .write_stdin(input)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.success(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn lines_in_lines_out_whatever_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    let system = imported(folder.path());
    let mut input = std::fs::read(data("input")).unwrap();
    input.extend_from_slice("\n \n|||\n<\n\u{1}\nzzz yyy\n".as_bytes());
    let (ok, one, _) = translate(&system, &["--threads", "1", "--tokenized"], input.clone());
    assert!(ok);
    assert_eq!(one.lines().count(), 66);
    assert!(one.ends_with("zzz yyy\n"));
    for threads in ["2", "7"] {
        let (_, other, _) = translate(&system, &["--threads", threads], input.clone());
        assert_eq!(one, other);
    }
}

#[test]
fn bad_lines_are_named_or_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let system = imported(folder.path());
    let input = b"f1\nf2\n\xff\xfe\nf3\n".to_vec();
    let (ok, _, error) = translate(&system, &["--threads", "1"], input.clone());
    assert!(!ok);
    assert!(error.contains("line 3"), "{error}");
    let (ok, out, error) = translate(&system, &["--skip-bad-lines"], input);
    assert!(ok, "{error}");
    assert_eq!(out.lines().count(), 4);
    assert_eq!(out.lines().nth(2), Some(""));
    assert!(error.contains("line 3"), "{error}");
}

#[test]
fn json_has_the_agreed_keys() {
    let folder = tempfile::tempdir().unwrap();
    let system = imported(folder.path());
    let (ok, out, _) = translate(&system, &["--json", "--nbest", "3"], "f1 zzz f3\n");
    assert!(ok);
    let object: serde_json::Value = serde_json::from_str(&out).unwrap();
    for key in ["translation", "score", "phrases", "alignment", "unknown"] {
        assert!(object.get(key).is_some(), "{key}");
    }
    assert_eq!(object["unknown"][0]["word"], "zzz");
    assert_eq!(object["nbest"].as_array().unwrap().len(), 3);
    let phrase = &object["phrases"][0];
    for key in [
        "source",
        "target",
        "orientation",
        "orientation_probabilities",
        "orientation_model",
    ] {
        assert!(phrase.get(key).is_some(), "{key}");
    }
}

#[test]
fn nbest_lists_alignments_markup_glossaries() {
    let folder = tempfile::tempdir().unwrap();
    let system = imported(folder.path());
    let (_, out, _) = translate(&system, &["--nbest", "5", "--distinct"], "f1 f3\nf2\n");
    assert_eq!(
        out.lines()
            .filter(|line| line.starts_with("0 ||| "))
            .count(),
        5
    );
    assert!(
        out.lines().all(|line| line.split(" ||| ").count() == 5),
        "{out}"
    );
    let links = folder.path().join("links");
    let line = r#"f1 <x translation="hello world">f3</x>"#;
    let arguments = [
        "--xml-input",
        "exclusive",
        "--alignment",
        links.to_str().unwrap(),
    ];
    let (_, out, _) = translate(&system, &arguments, line);
    assert!(out.contains("hello world"), "{out}");
    assert!(std::fs::read_to_string(&links).unwrap().contains("0-"));
    let glossary = folder.path().join("g.tsv");
    std::fs::write(&glossary, "f3\tgood bye\n").unwrap();
    let (_, out, _) = translate(
        &system,
        &["--glossary", glossary.to_str().unwrap()],
        "f1 f3",
    );
    assert!(out.contains("good bye"), "{out}");
    std::fs::write(&glossary, "f3 good bye\n").unwrap();
    let (ok, _, error) = translate(
        &system,
        &["--glossary", glossary.to_str().unwrap()],
        "f1 f3",
    );
    assert!(!ok && error.contains("g.tsv: line 1"), "{error}");
}

#[test]
fn inspect_verifies_and_looks_up() {
    let folder = tempfile::tempdir().unwrap();
    let system = imported(folder.path());
    let run = |arguments: &[&str]| {
        let output = chiasm()
            .arg("inspect")
            .arg(&system)
            .args(arguments)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (
            output.status.success(),
            text,
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (ok, text, _) = run(&["--verify"]);
    assert!(
        ok && text.contains("phrase pairs") && text.contains("table/codes"),
        "{text}"
    );
    let (ok, text, _) = run(&["--phrase", "f0 f13"]);
    assert!(ok && text.contains("f0 f13 ||| "), "{text}");
    let (ok, _, error) = run(&["--phrase", "no such phrase"]);
    assert!(!ok && error.contains("not in the phrase table"), "{error}");
    // One flipped bit in the middle is found, with the section's name.
    let mut bytes = std::fs::read(&system).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&system, bytes).unwrap();
    let (ok, _, error) = run(&["--verify"]);
    assert!(!ok && error.contains("section"), "{error}");
}

#[test]
fn an_export_can_be_imported_again() {
    let folder = tempfile::tempdir().unwrap();
    let system = imported(folder.path());
    let exported = folder.path().join("moses");
    chiasm()
        .args(["export", "moses", "--quiet", "-s"])
        .arg(&system)
        .arg("-o")
        .arg(&exported)
        .assert()
        .success();
    let again = folder.path().join("again.chiasm");
    chiasm()
        .args(["import", "moses", "--quiet", "--ini"])
        .arg(exported.join("moses.ini"))
        .arg("-o")
        .arg(&again)
        .assert()
        .success();
    let input = std::fs::read(data("input")).unwrap();
    assert_eq!(
        translate(&system, &[], input.clone()).1,
        translate(&again, &[], input).1
    );
}

#[test]
fn a_system_that_knows_its_languages_takes_text_as_people_write_it() {
    let folder = tempfile::tempdir().unwrap();
    let system = folder.path().join("s.chiasm");
    chiasm()
        .args(["import", "moses", "--quiet", "--source-language", "en"])
        .args(["--target-language", "en", "--ini"])
        .arg(data("hier-mslr.ini"))
        .arg("-o")
        .arg(&system)
        .assert()
        .success();
    let (_, out, _) = translate(&system, &[], "Really? zzz, yyy.\n");
    assert!(out.contains("Really?") && out.contains("zzz,"), "{out}");
    let (_, out, _) = translate(&system, &["--tokenized"], "Really ? zzz , yyy .\n");
    assert!(out.contains("Really ?") || out.contains("zzz ,"), "{out}");
}
