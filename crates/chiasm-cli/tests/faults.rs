//! A disk that fails in the middle of `train`: each write, sync and rename of each stage, in turn. Every time it is said, nothing half
//! done is left, and the next run goes on to the same bytes. (`CHIASM_FAIL_AT` is heard by builds with debug assertions only.)

use std::path::Path;
use std::process::{Command, Output};

const CONFIG: &str = "[text]\ndev_pairs = 5\n[lm]\norder = 2\nclasses = 0\n[phrases]\nmax_length = 2\n\
    [align]\npreset = \"fast\"\nalignments = 1\n[reordering]\ntable = \"wbe-msd-backward-fe\"\nmodels = []\n\
    [search]\npop_limit = 20\ndistortion_limits = [4]\n\
    [tune]\niterations = 1\nnbest = 5\npop_limit = 20\nsentences = 5\n[joint]\ntrain = false\n[ranker]\ntrain = false\n";

fn train(folder: &Path, fail_at: Option<u64>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiasm"));
    command.current_dir(folder).args([
        "train",
        "--threads",
        "1",
        "--tokenized",
        "--config",
        "run.toml",
    ]);
    command.args([
        "--source",
        "text/source",
        "--target",
        "text/target",
        "-o",
        "out.chiasm",
    ]);
    if let Some(number) = fail_at {
        command.env("CHIASM_FAIL_AT", number.to_string());
    }
    command.output().unwrap()
}

fn prepare(folder: &Path) {
    let done = Command::new(env!("CARGO_BIN_EXE_chiasm"))
        .current_dir(folder)
        .args([
            "synthesise",
            "--language",
            "japanese-like",
            "--pairs",
            "60",
            "--seed",
            "3",
            "-o",
            "text",
        ])
        .status();
    assert!(done.unwrap().success());
    std::fs::write(folder.join("run.toml"), CONFIG).unwrap();
}

/// Temporary files that were left anywhere.
fn leftovers(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match path.is_dir() {
            true => found.extend(leftovers(&path)),
            false if name.ends_with(".tmp") => found.push(name),
            false => {}
        }
    }
    found
}

#[test]
fn every_operation_of_training_may_fail_once() {
    if !cfg!(debug_assertions) {
        eprintln!("skipped: no debug assertions");
        return;
    }
    let (intact, failing) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    prepare(intact.path());
    prepare(failing.path());
    let done = train(intact.path(), None);
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let expected = std::fs::read(intact.path().join("out.chiasm")).unwrap();
    // A stage that is done is reused, so the count begins anew with each.
    let (mut number, mut reused, mut failures) = (1, 0, 0);
    loop {
        let outcome = train(failing.path(), Some(number));
        let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
        if outcome.status.success() {
            break;
        }
        failures += 1;
        assert!(failures < 500, "{said}");
        assert_eq!(outcome.status.code(), Some(1), "{said}");
        assert!(
            said.contains("error: ") && said.contains("no storage space"),
            "{said}"
        );
        assert_eq!(leftovers(failing.path()), Vec::<String>::new(), "{said}");
        let done = said.matches(": reused").count();
        match done > reused {
            true => (reused, number) = (done, 1),
            false => number += 1,
        }
    }
    assert!(failures > 20, "{failures}");
    let found = std::fs::read(failing.path().join("out.chiasm")).unwrap();
    assert!(
        found == expected,
        "another system after {failures} failures"
    );
}
