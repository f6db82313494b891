//! What users get wrong, and what machines do to them: one line that names file and line, exit
//! code 1, and no half-written output.

use assert_cmd::Command;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::TempDir;

struct Corpus {
    folder: TempDir,
}

impl Corpus {
    fn new(source: &[u8], target: &[u8], links: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("s"), source).unwrap();
        std::fs::write(folder.path().join("t"), target).unwrap();
        std::fs::write(folder.path().join("l"), links).unwrap();
        std::fs::create_dir(folder.path().join("out")).unwrap();
        Corpus { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, verb: &[&str], output: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chiasm"));
        command.current_dir(self.folder.path()).args(verb);
        command
            .args(["--source", "s", "--target", "t", "--links", "l", "-o"])
            .arg(output);
        command
    }

    fn remains(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path("out")).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect()
    }

    /// Every command on this corpus fails with exactly this error and leaves nothing.
    fn fails_with(&self, message: &str) {
        for verb in [&["extract"][..], &["phrases"], &["reorder", "table"]] {
            let assert = self.command(verb, Path::new("out/x")).assert().code(1);
            let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
            assert_eq!(stderr.trim_end(), format!("error: {message}"), "{verb:?}");
            assert!(
                self.remains().is_empty(),
                "{verb:?} left {:?}",
                self.remains()
            );
        }
    }

    fn succeeds(&self, verb: &[&str]) -> String {
        let assert = self.command(verb, Path::new("out/x")).assert().success();
        String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
    }
}

#[test]
fn unequal_line_counts() {
    Corpus::new(b"a\nb\n", b"x\ny\nz\n", b"0-0\n0-0\n")
        .fails_with("t: line 3: 2 lines expected, as in s");
    Corpus::new(b"a\nb\n", b"x\n", b"0-0\n0-0\n")
        .fails_with("t: line 1: the file ends here, but s has more lines");
    Corpus::new(b"a\nb\n", b"x\ny\n", b"0-0\n")
        .fails_with("l: line 1: the file ends here, but s has more lines");
    Corpus::new(b"a\n", b"x\n", b"0-0\n0-0\n").fails_with("l: line 2: 1 lines expected, as in s");
}

#[test]
fn invalid_utf8() {
    Corpus::new(b"a\nb\xc3\n", b"x\ny\n", b"0-0\n0-0\n")
        .fails_with("s: line 2: invalid UTF-8 at byte 2; it looks like Latin-1");
}

#[test]
fn bad_links() {
    Corpus::new(b"a\nb\n", b"x\ny\n", b"0-0\n0-1\n")
        .fails_with("l: line 2: link 0-1 points outside the target sentence of 1 words");
    Corpus::new(b"a\nb\n", b"x\ny\n", b"1-0\n0-0\n")
        .fails_with("l: line 1: link 1-0 points outside the source sentence of 1 words");
    Corpus::new(b"a\nb\n", b"x\ny\n", b"0-0\n0:0\n")
        .fails_with("l: line 2: '0:0' is not a link such as 3-4");
}

#[test]
fn the_separator_in_text() {
    let message =
        "line 2: the token ||| separates the columns of phrase tables and cannot stand in text";
    Corpus::new(b"a\nb |||\n", b"x\ny\n", b"0-0\n0-0\n").fails_with(&format!("s: {message}"));
    Corpus::new(b"a\nb\n", b"x\n|||\n", b"0-0\n0-0\n").fails_with(&format!("t: {message}"));
}

#[test]
fn truncated_and_damaged_compression() {
    let corpus = Corpus::new(b"", b"x\ny\n", b"0-0\n0-0\n");
    let mut output = chiasm_text::TextOutput::create(corpus.path("s.gz")).unwrap();
    output.write_all(b"a\nb\n").unwrap();
    output.finish().unwrap();
    let mut whole = std::fs::read(corpus.path("s.gz")).unwrap();
    std::fs::write(corpus.path("s"), &whole[..whole.len() - 4]).unwrap();
    corpus.fails_with("s: line 3: the compressed data ends too soon");
    let checksum = whole.len() - 6;
    whole[checksum] ^= 1;
    std::fs::write(corpus.path("s"), &whole).unwrap();
    let assert = corpus
        .command(&["extract"], Path::new("out/x"))
        .assert()
        .code(1);
    let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(
        stderr.starts_with("error: s: line 3: the compressed data is damaged"),
        "{stderr}"
    );
}

#[test]
fn missing_files_and_folders() {
    let corpus = Corpus::new(b"a\n", b"x\n", b"0-0\n");
    std::fs::remove_file(corpus.path("t")).unwrap();
    corpus.fails_with("t: no such file or directory");
    let corpus = Corpus::new(b"a\n", b"x\n", b"0-0\n");
    let assert = corpus
        .command(&["extract"], Path::new("none/x"))
        .assert()
        .code(1);
    let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert_eq!(stderr, "error: none/x: no such file or directory\n");
}

#[test]
fn no_permission() {
    // Root may write almost anywhere, but nobody may create a file in /sys.
    if !Path::new("/sys").is_dir() {
        eprintln!("skipped: no /sys on this machine");
        return;
    }
    let corpus = Corpus::new(b"a\n", b"x\n", b"0-0\n");
    let assert = corpus
        .command(&["extract"], Path::new("/sys/x"))
        .assert()
        .code(1);
    let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(stderr.starts_with("error: /sys/x: "), "{stderr}");
}

#[test]
fn a_full_disk() {
    if !Path::new("/dev/full").exists() {
        eprintln!("skipped: no /dev/full on this machine");
        return;
    }
    let corpus = Corpus::new(b"a\n", b"x\n", b"0-0\n");
    std::os::unix::fs::symlink("/dev/full", corpus.path("out/x")).unwrap();
    for verb in [&["extract"][..], &["phrases"], &["reorder", "table"]] {
        let assert = corpus.command(verb, Path::new("out/x")).assert().code(1);
        let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert_eq!(stderr, "error: out/x: no space left on device\n");
        assert_eq!(corpus.remains(), ["x"], "only the link itself");
    }
}

#[test]
fn empty_lines_and_empty_files_are_no_errors() {
    let corpus = Corpus::new(b"a\n\nb\n", b"x\ny\n\n", b"0-0\n\n\n");
    let said = corpus.succeeds(&["extract"]);
    assert!(
        said.contains("note: 2 sentence pairs have no links"),
        "{said}"
    );
    assert!(
        said.contains("1 phrase pairs from 3 sentence pairs"),
        "{said}"
    );
    let text = std::fs::read_to_string(corpus.path("out/x")).unwrap();
    assert_eq!(text, "a ||| x ||| 0-0\n");
    let corpus = Corpus::new(b"", b"", b"");
    for verb in [&["extract"][..], &["phrases"], &["reorder", "table"]] {
        corpus.succeeds(verb);
        assert_eq!(std::fs::read(corpus.path("out/x")).unwrap(), b"");
    }
}

#[test]
fn a_line_of_a_hundred_thousand_tokens_is_passed_over_and_said() {
    let long = format!("a\n{}\n", "w ".repeat(100_000));
    let links: Vec<String> = (0..100_000).map(|i| format!("{i}-{i}")).collect();
    let links = format!("0-0\n{}\n", links.join(" "));
    let corpus = Corpus::new(long.as_bytes(), long.as_bytes(), links.as_bytes());
    for verb in [&["extract"][..], &["phrases"], &["reorder", "table"]] {
        let said = corpus.succeeds(verb);
        let warning =
            "warning: 1 sentence pairs with more than 4096 words on a side were passed over";
        assert!(said.contains(warning), "{said}");
        let text = std::fs::read_to_string(corpus.path("out/x")).unwrap();
        assert!(
            text.starts_with("a ||| a |||") && text.lines().count() == 1,
            "{text}"
        );
    }
}

#[test]
fn an_interrupt_leaves_nothing() {
    let corpus = Corpus::new(b"", b"x\n", b"0-0\n");
    // The source never ends, so the command is in the middle of its work until it is told to stop.
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_chiasm"))
        .current_dir(corpus.folder.path())
        .args([
            "extract", "--source", "-", "--target", "t", "--links", "l", "-o", "out/x",
        ])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"a\n").unwrap();
    while corpus.remains().len() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(stderr, "error: interrupted; no output was written\n");
    assert!(corpus.remains().is_empty(), "{:?}", corpus.remains());
    drop(input);
}

#[test]
fn wrong_usage_is_exit_code_two() {
    let corpus = Corpus::new(b"a\n", b"x\n", b"0-0\n");
    for bad in [
        ["--orientation", "sideways"],
        ["--max-length", "0"],
        ["--threads", "0"],
    ] {
        corpus
            .command(&["extract"], Path::new("out/x"))
            .args(bad)
            .assert()
            .code(2);
    }
    let table = ["reorder", "table", "--model", "hier-msd"];
    corpus.command(&table, Path::new("out/x")).assert().code(2);
    let smoothing = ["reorder", "table", "--smoothing", "nan"];
    corpus
        .command(&smoothing, Path::new("out/x"))
        .assert()
        .code(1);
}
