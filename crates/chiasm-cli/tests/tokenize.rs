//! `chiasm tokenize`, `detokenize` and `truecase` as a user runs them.

use assert_cmd::Command;

fn chiasm(arguments: &[&str], input: impl Into<Vec<u8>>) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiasm"));
    let output = command
        .arg("--quiet")
        .args(arguments)
        .write_stdin(input)
        .assert()
        .success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

#[test]
fn there_and_back() {
    let text = "Dr. Smith's dog, isn't \"it\"?\n\nIt costs $5,300.50 (or less).\n";
    let tokens = chiasm(&["tokenize", "--language", "en"], text);
    assert_eq!(
        tokens,
        "Dr. Smith 's dog , isn 't \" it \" ?\n\nIt costs $ 5,300.50 ( or less ) .\n"
    );
    assert_eq!(chiasm(&["detokenize", "--language", "en-US"], tokens), text);
}

#[test]
fn many_lines_are_the_same_for_any_threads() {
    let text: String = (0..9000)
        .map(|i| format!("Line {i}, \"quoted\" & done.\n"))
        .collect();
    let one = chiasm(
        &["--threads", "1", "tokenize", "--language", "de", "--escape"],
        text.as_str(),
    );
    let four = chiasm(
        &["--threads", "4", "tokenize", "--language", "de", "--escape"],
        text.as_str(),
    );
    assert_eq!(one, four);
    assert_eq!(one.lines().count(), 9000);
    assert_eq!(
        one.lines().next(),
        Some("Line 0 , &quot; quoted &quot; &amp; done .")
    );
}

#[test]
fn truecasing_is_learnt_and_applied() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model");
    let model = model.to_str().unwrap();
    chiasm(
        &["truecase", "-o", model],
        "The dog saw the cat of Mary .\nMary saw the dog .\nWe know Mary .\n",
    );
    let tokens = chiasm(
        &["tokenize", "--language", "en", "--truecase", model],
        "The DOG saw mary.\n",
    );
    assert_eq!(tokens, "the dog saw Mary .\n");
    let text = chiasm(
        &[
            "detokenize",
            "--language",
            "en",
            "--truecase",
            model,
            "--capitalize",
        ],
        "the dog saw mary .\n",
    );
    assert_eq!(text, "The dog saw Mary.\n");
}

#[test]
fn bad_input_is_named() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiasm"));
    let command = command
        .args(["tokenize", "--language", "en"])
        .write_stdin(b"good\n\xff\n".to_vec());
    let error = String::from_utf8(command.assert().code(1).get_output().stderr.clone()).unwrap();
    assert!(
        error.contains("standard input: line 2: invalid UTF-8"),
        "{error}"
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiasm"));
    let command = command.args(["tokenize", "--language", "en", "--truecase", "/no/such"]);
    let error = String::from_utf8(command.assert().code(1).get_output().stderr.clone()).unwrap();
    assert!(error.contains("/no/such"), "{error}");
}
