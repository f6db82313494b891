//! `chiasm symmetrise` as a user meets it.

use assert_cmd::Command;
use std::path::PathBuf;

fn data(name: &str) -> PathBuf {
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../chiasm-align/tests/data/symmetrise");
    folder.join(name)
}

fn chiasm() -> Command {
    Command::new(env!("CARGO_BIN_EXE_chiasm"))
}

#[test]
fn every_method_writes_the_reference_links() {
    for method in [
        "union",
        "intersection",
        "grow",
        "grow-diag",
        "grow-diag-final",
        "grow-diag-final-and",
    ] {
        let mut command = chiasm();
        command.arg("symmetrise").args(["--method", method]);
        command.arg("--forward").arg(data("source-to-target"));
        command.arg("--reverse").arg(data("target-to-source"));
        let expected = std::fs::read_to_string(data(method)).unwrap();
        command.assert().success().stdout(expected);
    }
}

#[test]
fn bad_input_names_file_and_line_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("good"), "0-0\n1-1\n").unwrap();
    std::fs::write(path("short"), "0-0\n").unwrap();
    std::fs::write(path("bad"), "0-0\n1:1\n").unwrap();
    for (reverse, message) in [
        ("short", "short: line 1: the file ends here, but "),
        ("bad", "bad: line 2: '1:1' is not a link such as 3-4"),
        ("absent", "absent: no such file or directory"),
    ] {
        let mut command = chiasm();
        command.arg("symmetrise").arg("--forward").arg(path("good"));
        command
            .arg("--reverse")
            .arg(path(reverse))
            .arg("-o")
            .arg(path("out"));
        let output = command.assert().code(1).get_output().clone();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains(message), "{errors}");
        assert!(!path("out").exists());
    }
}
