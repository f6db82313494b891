//! No command replaces what it reads, by whatever name; outputs go where links, pipes and devices lead.
#![cfg(unix)]

mod common;

use std::fs::{File, hard_link};
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Commands with `{name}` for the files they read and OUT for the one they write.
const COMMANDS: &[&str] = &[
    "align --source {source} --target {target} -o OUT",
    "align --source {source} --target {target} -o {folder}/l --forward-output OUT",
    "align --source {source} --target {target} -o {folder}/l --reverse-output OUT",
    "align --source {source} --target {target} -o {folder}/l --save OUT",
    "align --source {source} --target {target} --model {aligner} -o OUT",
    "symmetrise --forward {links} --reverse {reverse} -o OUT",
    "extract --source {source} --target {target} --links {links} -o OUT",
    "phrases --source {source} --target {target} --links {links} -o OUT",
    "classes --text {source} --classes 2 -o OUT",
    "truecase --text {source} -o OUT",
    "lm estimate --order 2 --text {source} {target} -o OUT",
    "lm build --model {arpa} -o OUT",
    "learn --libsvm {libsvm} --learner svm -o OUT",
    "learn --libsvm {libsvm} --held-out {held_out} --learner svm -o OUT",
    "reorder table --source {source} --target {target} --links {links} --model hier-msd-backward-fe -o OUT",
    "reorder train --source {source} --target {target} --links {links} -o OUT",
    "reorder train --source {source} --target {target} --links {links} --source-classes {classes} -o OUT",
    "reorder train --source {source} --target {target} --links {links} -o {folder}/m --export-libsvm OUT",
    "reorder merge {counts} {more_counts} -o OUT",
    "translate -s {system} --tokenized --input {source} -o OUT",
    "translate -s {system} --glossary {glossary} --input {source} -o OUT",
    "translate -s {system} --input {source} -o {folder}/t --alignment OUT",
    "tune -s {system} --dev-source {source} --dev-target {target} --dev-target {more_target} -o OUT",
    "train --tokenized --source {source} --target {target} --links {links} --config {config} -o OUT",
    "train --tokenized --source {source} --target {target} --lm {arpa} -o OUT",
    "train --tokenized --source {source} --target {target} --lm-text {more_target} -o OUT",
    "train --tokenized --tsv {tsv} --dev-source {source} --dev-target {target} -o OUT",
    "import moses --ini {ini} --reordering-model {orientation} -o OUT",
    "score --hypothesis {source} --reference {target} --html OUT",
    "score --hypothesis {source} --reference {target} --baseline {more_target} --sentence-scores OUT",
];

/// A folder with one of every kind of input. They need not be good: outputs are checked first.
fn inputs() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for command in COMMANDS {
        for name in names(command) {
            std::fs::write(folder.path().join(name), format!("the {name}\n")).unwrap();
        }
    }
    folder
}

fn names(command: &str) -> Vec<&str> {
    let parts = command.split('{').skip(1);
    let names = parts.map(|part| part.split('}').next().unwrap());
    names.filter(|name| *name != "folder").collect()
}

fn run(folder: &Path, command: &str, output: &Path) -> Output {
    let mut words: Vec<String> = Vec::new();
    for word in command.split(' ') {
        let place = folder.display().to_string();
        let word = word.replace("OUT", &output.display().to_string());
        let word = word.replace("{folder}", &place);
        words.push(word.replace('{', &format!("{place}/")).replace('}', ""));
    }
    chiasm().args(words).output().unwrap()
}

fn chiasm() -> Command {
    Command::new(common::binary())
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn listing(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .map(|path| (path.clone(), std::fs::read(path).unwrap_or_default()))
        .collect();
    files.sort();
    files
}

#[test]
fn no_command_replaces_an_input_by_any_of_its_names() {
    let folder = inputs();
    let before = listing(folder.path());
    let elsewhere = tempfile::tempdir_in(folder.path().parent().unwrap()).unwrap();
    let (soft, hard) = (elsewhere.path().join("soft"), elsewhere.path().join("hard"));
    for command in COMMANDS {
        for name in names(command) {
            let input = folder.path().join(name);
            symlink(&input, &soft).unwrap();
            hard_link(&input, &hard).unwrap();
            for output in [&input, &soft, &hard] {
                let outcome = run(folder.path(), command, output);
                let said = complaint(&outcome);
                assert_eq!(outcome.status.code(), Some(1), "{command}: {said}");
                assert!(
                    said.contains("is an input"),
                    "{command} over {name}: {said}"
                );
            }
            assert!(listing(folder.path()) == before, "{command} over {name}");
            std::fs::remove_file(&soft).unwrap();
            std::fs::remove_file(&hard).unwrap();
        }
    }
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_anything_is_read() {
    let folder = inputs();
    let before = listing(folder.path());
    // None of the inputs can be read: only a check before the work can speak of the output.
    for command in COMMANDS {
        let said = complaint(&run(folder.path(), command, folder.path()));
        assert!(said.contains("is a folder"), "{command}: {said}");
        let nowhere = folder.path().join("missing/out");
        let said = complaint(&run(folder.path(), command, &nowhere));
        assert!(said.contains("missing/out"), "{command}: {said}");
    }
    assert!(listing(folder.path()) == before);
}

#[test]
fn outputs_that_a_prefix_stands_for_replace_no_input_either() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["source", "target", "links", "p.o", "p.e2f"] {
        std::fs::write(folder.path().join(name), "a\n").unwrap();
    }
    let prefix = folder.path().join("p");
    for command in [
        "extract --source {source} --target {target} --links {p.o} -o OUT",
        "phrases --source {source} --target {p.e2f} --links {links} -o {folder}/x --write-lexicon OUT",
        "align --source {source} --target {p.e2f} -o {folder}/x --lexicon OUT",
    ] {
        let said = complaint(&run(folder.path(), command, &prefix));
        assert!(said.contains("is an input"), "{command}: {said}");
    }
    let models = folder.path().join("lm0.arpa.gz");
    std::fs::write(&models, "a\n").unwrap();
    let command = "export moses -s {source} --lm {lm0.arpa.gz} -o {folder}";
    let said = complaint(&run(folder.path(), command, &prefix));
    assert!(said.contains("is an input"), "{said}");
}

/// Links, a line each, made one by `symmetrise`.
fn symmetrise(folder: &Path, lines: usize) -> Command {
    let links = folder.join("links");
    std::fs::write(&links, "0-0 1-1\n".repeat(lines)).unwrap();
    let mut command = chiasm();
    command.arg("symmetrise").arg("--forward").arg(&links);
    command.arg("--reverse").arg(&links);
    command
}

#[test]
fn links_and_modes_of_outputs_stay() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    std::fs::write(&file, "old").unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o604)).unwrap();
    symlink("file", &link).unwrap();
    let status = symmetrise(folder.path(), 1).arg("-o").arg(&link).status();
    assert!(status.unwrap().success());
    assert!(link.is_symlink());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "0-0 1-1\n");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o604);
}

#[test]
fn standard_output_by_its_name_is_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let mut names = vec!["/dev/fd/1", "/proc/self/fd/1"];
    // An older program replaces the name itself, for the whole machine where root runs the tests.
    if std::env::var_os("CHIASM_BINARY").is_none() {
        names.push("/dev/stdout");
    }
    for name in names {
        std::fs::write(&file, "before\n").unwrap();
        let appending = File::options().append(true).open(&file).unwrap();
        let mut command = symmetrise(folder.path(), 1);
        command.args(["-o", name]).stdout(appending);
        assert!(command.status().unwrap().success(), "{name}");
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text, "before\n0-0 1-1\n", "{name}");
    }
    assert!(Path::new("/dev/stdout").is_symlink());
}

#[test]
fn a_named_pipe_is_written_directly() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let mut command = symmetrise(folder.path(), 1);
    let mut child = command.arg("-o").arg(&pipe).spawn().unwrap();
    let mut text = String::new();
    File::open(&pipe)
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(text, "0-0 1-1\n");
}

#[test]
fn a_full_standard_output_is_a_failure_of_every_command_that_prints() {
    if !Path::new("/dev/full").exists() {
        eprintln!("skipped: there is no /dev/full here");
        return;
    }
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let golden = |part: &str| crates.join(part).display().to_string();
    let text = golden("chiasm-align/tests/golden/0.1.0/source");
    let system = golden("chiasm-decode/tests/golden/0.1.0/tokenised.chiasm");
    let model = golden("chiasm-lm/tests/golden/0.1.0/probing.bin");
    let classifier = golden("chiasm-learn/tests/golden/0.1.0/svm8.classifier");
    let examples = golden("chiasm-learn/tests/golden/0.1.0/input.libsvm");
    for words in [
        vec!["translate", "-s", &system, "--input", &text],
        vec!["lm", "query", "--model", &model, "--text", &text],
        vec!["predict", "--model", &classifier, "--libsvm", &examples],
        vec![
            "predict",
            "--json",
            "--model",
            &classifier,
            "--libsvm",
            &examples,
        ],
        vec!["score", "--hypothesis", &text, "--reference", &text],
        vec![
            "score",
            "--json",
            "--hypothesis",
            &text,
            "--reference",
            &text,
        ],
        vec!["inspect", &system],
        vec!["inspect", "--json", &system],
        vec!["init"],
        vec!["completions", "bash"],
        vec!["align", "--source", &text, "--target", &text],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let outcome = chiasm().args(&words).stdout(full).output().unwrap();
        let said = complaint(&outcome);
        assert_eq!(outcome.status.code(), Some(1), "{words:?}: {said}");
        assert!(
            said.to_lowercase().contains("no space left"),
            "{words:?}: {said}"
        );
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    // More than a pipe holds.
    let mut command = symmetrise(folder.path(), 100_000);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let outcome = child.wait_with_output().unwrap();
    assert_eq!(outcome.status.code(), Some(0));
    assert_eq!(complaint(&outcome), "");
}
