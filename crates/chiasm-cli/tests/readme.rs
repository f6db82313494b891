//! The commands that the README shows do what it says.

use assert_cmd::Command;
use std::path::Path;

fn readme() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    std::fs::read_to_string(path).unwrap()
}

/// Words of a shell line: double quotes keep words together, # begins a comment.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() && !rest.starts_with('#') {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').expect("a closing quote"),
            None => rest.split_once(' ').unwrap_or((rest, "")),
        };
        words.push(word.to_string());
        rest = after.trim_start();
    }
    words
}

fn run(folder: &Path, words: &[String]) {
    assert_eq!(words[0], "chiasm");
    let mut command = Command::cargo_bin("chiasm").unwrap();
    command.current_dir(folder).arg("--quiet").args(&words[1..]);
    command.assert().success();
}

#[test]
fn the_commands_run_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let readme = readme();
    let (_, block) = readme
        .split_once("```console\n")
        .expect("a block of commands");
    let (block, _) = block.split_once("```").expect("its end");
    let commands: Vec<Vec<String>> = block
        .lines()
        .map(|line| words(line.strip_prefix("$ ").expect("a command")))
        .collect();
    assert!(commands.len() > 10);
    for command in &commands {
        run(folder.path(), command);
    }
    // What they were to make is there.
    for name in ["ja-en.chiasm", "out", "links", "lm.bin", "moves.model"] {
        let made = std::fs::metadata(folder.path().join(name)).unwrap();
        assert!(made.len() > 0, "{name} is empty");
    }
}

#[test]
fn the_first_command_is_the_demo() {
    let readme = readme();
    assert!(readme.contains("    cargo run --release -- demo\n"));
    // The same with fewer pairs: the tests' binary is not optimised.
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("chiasm").unwrap();
    command.current_dir(folder.path());
    command.args(["--quiet", "demo", "--pairs", "500"]);
    let output = command.assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    for row in [
        "none (distance only)",
        "lexicalised table",
        "support vector machine",
    ] {
        assert!(text.contains(row), "{text}");
    }
    assert!(text.contains("source     ["), "{text}");
    let page = std::fs::read_to_string(folder.path().join("chiasm-demo/demo.html")).unwrap();
    assert!(page.contains("<svg") && page.ends_with("</body></html>\n"));
}

#[test]
fn the_program_is_called_chiasm() {
    let assert = Command::new(env!("CARGO_BIN_EXE_chiasm"))
        .arg("--version")
        .assert()
        .success();
    let said = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert_eq!(said, format!("chiasm {}\n", env!("CARGO_PKG_VERSION")));
}
