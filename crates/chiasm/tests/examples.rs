//! Every example runs and ends well.

use std::path::PathBuf;
use std::process::Command;

const EXAMPLES: [&str; 8] = [
    "align",
    "glossary_and_progress",
    "language_model",
    "learn_csr",
    "learn_orientation",
    "save_and_open",
    "score",
    "train_and_translate",
];

/// Cargo builds the examples beside the tests.
fn folder() -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.join("examples")
}

#[test]
fn every_example_runs() {
    for name in EXAMPLES {
        let output = Command::new(folder().join(name)).output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {complaint}");
        assert!(!output.stdout.is_empty(), "{name} prints nothing");
    }
}

#[test]
fn every_example_is_in_the_list() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    found.sort();
    assert_eq!(found, EXAMPLES);
}
