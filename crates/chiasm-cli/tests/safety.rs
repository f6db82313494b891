//! Ways in which people lost data or got wrong answers without a word, each as they met it. docs/safety.md lists them;
//! `.ci/findings` shows that an older program fails here.
#![cfg(unix)]

mod common;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

const CONFIG: &str = "[text]\ndev_pairs = 5\n[lm]\norder = 2\nclasses = 0\n[phrases]\nmax_length = 2\n\
    [align]\npreset = \"fast\"\nalignments = 1\n[reordering]\ntable = \"wbe-msd-backward-fe\"\nmodels = []\n\
    [search]\npop_limit = 20\ndistortion_limits = [4]\n\
    [tune]\niterations = 1\nnbest = 5\npop_limit = 20\nsentences = 5\n[ranker]\ntrain = false\n";

const TRAIN: &str = "train --tokenized --config run.toml --source source --target target";

fn crates() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Text of the built-in pair, a system, a language model and a classifier.
fn good_inputs() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("run.toml"), CONFIG).unwrap();
    for (name, original) in [
        (
            "system",
            "chiasm-decode/tests/golden/0.1.0/tokenised.chiasm",
        ),
        ("input", "chiasm-decode/tests/golden/0.1.0/tokenised.input"),
        ("lm", "chiasm-lm/tests/golden/0.1.0/probing.bin"),
    ] {
        std::fs::copy(crates().join(original), folder.path().join(name)).unwrap();
    }
    let typed = "synthesise --language japanese-like --pairs 60 --seed 3 -o .";
    assert!(run(folder.path(), typed).status.success());
    folder
}

/// What is typed, in a folder.
fn typed(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(common::binary());
    command.current_dir(folder).args(line.split(' '));
    command
}

fn run(folder: &Path, line: &str) -> Output {
    typed(folder, line).stdin(Stdio::null()).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A command in a shell that has only so many kilobytes of addresses.
fn limited(folder: &Path, kilobytes: u32, line: &str) -> Output {
    let script = format!("ulimit -v {kilobytes}; exec \"$0\" {line}");
    let mut command = Command::new("sh");
    command.current_dir(folder).args(["-c", &script]);
    command.arg(common::binary()).output().unwrap()
}

fn all_well(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn good_inputs_outlive_their_commands() {
    let mut complaints = Vec::new();
    for (line, input) in [
        (TRAIN, "source"),
        ("translate -s system --tokenized --input input", "system"),
        ("align --source source --target target", "source"),
        (
            "extract --source source --target target --links links",
            "links",
        ),
        (
            "phrases --source source --target target --links links",
            "links",
        ),
        (
            "lm estimate --order 2 --discount-fallback --text source",
            "source",
        ),
        ("symmetrise --forward links --reverse links", "links"),
    ] {
        let folder = good_inputs();
        let before = std::fs::read(folder.path().join(input)).unwrap();
        let outcome = run(folder.path(), &format!("{line} -o {input}"));
        let after = std::fs::read(folder.path().join(input)).unwrap();
        if outcome.status.code() != Some(1) || after != before {
            let changed = after != before;
            complaints.push(format!(
                "{line} -o {input}: {}, replaced: {changed}",
                outcome.status
            ));
        }
    }
    all_well(&complaints);
}

#[test]
fn a_place_that_cannot_be_written_is_known_before_the_first_stage() {
    let mut complaints = Vec::new();
    for output in ["folder", "nowhere/x.chiasm"] {
        let folder = good_inputs();
        std::fs::create_dir(folder.path().join("folder")).unwrap();
        let outcome = run(folder.path(), &format!("{TRAIN} -o {output}"));
        let stages = folder.path().join(format!("{output}.stages"));
        if outcome.status.code() != Some(1) || said(&outcome).contains(" s\n") || stages.exists() {
            complaints.push(format!(
                "-o {output}: {}: {}",
                outcome.status,
                said(&outcome)
            ));
        }
    }
    all_well(&complaints);
}

#[test]
fn a_name_of_250_bytes_is_a_name() {
    let folder = good_inputs();
    let name = "n".repeat(250);
    let outcome = run(
        folder.path(),
        &format!("symmetrise --forward links --reverse links -o {name}"),
    );
    assert!(outcome.status.success(), "{}", said(&outcome));
    assert!(folder.path().join(name).is_file());
}

#[test]
fn what_is_printed_where_nobody_listens_is_lost_and_said() {
    let folder = good_inputs();
    let mut complaints = Vec::new();
    for line in [
        "lm query --model lm --text source",
        "translate -s system --tokenized --input input",
        "symmetrise --forward links --reverse links",
        "inspect system",
    ] {
        let outcome = limited(folder.path(), 8_000_000, &format!("{line} >&-"));
        if outcome.status.code() != Some(1) || !said(&outcome).contains("standard output") {
            complaints.push(format!("{line}: {}: {}", outcome.status, said(&outcome)));
        }
        let meant = limited(folder.path(), 8_000_000, &format!("{line} >/dev/null"));
        assert!(meant.status.success(), "{line}: {}", said(&meant));
    }
    all_well(&complaints);
}

#[test]
fn a_zeroed_sector_of_a_system_is_never_another_translation() {
    let folder = good_inputs();
    let line = "translate -s system --tokenized --input input";
    let good = run(folder.path(), line);
    assert!(good.status.success(), "{}", said(&good));
    let system = folder.path().join("system");
    let bytes = std::fs::read(&system).unwrap();
    let mut complaints = Vec::new();
    // Every seventh: the library's own test takes them all.
    for start in (0..bytes.len() - 512).step_by(7 * 512) {
        let mut rotten = bytes.clone();
        rotten[start..start + 512].fill(0);
        if rotten == bytes {
            continue;
        }
        std::fs::write(&system, rotten).unwrap();
        let outcome = run(folder.path(), line);
        if outcome.status.code() != Some(1)
            || !outcome.stdout.is_empty()
            || !said(&outcome).contains("system")
        {
            let same = outcome.stdout == good.stdout;
            complaints.push(format!(
                "sector at {start}: {}, same: {same}",
                outcome.status
            ));
        }
    }
    all_well(&complaints);
}

#[test]
fn a_stage_that_was_emptied_is_made_again() {
    let folder = good_inputs();
    let line = format!("{TRAIN} -o x.chiasm");
    let outcome = run(folder.path(), &line);
    assert!(outcome.status.success(), "{}", said(&outcome));
    let output = folder.path().join("x.chiasm");
    let expected = std::fs::read(&output).unwrap();
    let mut emptied = 0;
    for stage in std::fs::read_dir(folder.path().join("x.chiasm.stages")).unwrap() {
        let tuned = stage.unwrap().path().join("tuned.chiasm");
        if tuned.exists() {
            File::create(&tuned).unwrap();
            emptied += 1;
        }
    }
    assert_eq!(emptied, 1);
    std::fs::remove_file(&output).unwrap();
    let outcome = run(folder.path(), &line);
    assert!(outcome.status.success(), "{}", said(&outcome));
    assert!(std::fs::read(&output).unwrap() == expected, "another file");
}

#[test]
fn what_a_process_of_the_same_number_left_blocks_nobody() {
    let folder = good_inputs();
    // The shell becomes the program, which so has the number in the names.
    let script = "for n in 0 1 2 3; do : > .out.$$.$n.tmp; : > .out.$$-$n.tmp; : > .out.tmp-$$-$n; done; : > .out.$$.tmp; \
        exec \"$0\" symmetrise --forward links --reverse links -o out";
    let mut command = Command::new("sh");
    command.current_dir(folder.path()).args(["-c", script]);
    let outcome = command.arg(common::binary()).output().unwrap();
    assert!(outcome.status.success(), "{}", said(&outcome));
}

fn hidden(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.file_name().unwrap().as_encoded_bytes()[0] == b'.')
        .collect()
}

#[test]
fn what_a_killed_run_left_is_swept_by_a_later_one() {
    let folder = good_inputs();
    let mut command = typed(folder.path(), "translate -s system --tokenized -o out");
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut keys = child.stdin.take().unwrap();
    keys.write_all(b"kare\n").unwrap();
    // It has begun its output and waits for more.
    for _ in 0..200 {
        if !hidden(folder.path()).is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    drop(keys);
    let left = hidden(folder.path());
    assert_eq!(left.len(), 1, "{left:?}");
    let hours = SystemTime::now() - Duration::from_secs(7200);
    let file = File::options().write(true).open(&left[0]).unwrap();
    file.set_modified(hours).unwrap();
    drop(file);
    let outcome = run(
        folder.path(),
        "symmetrise --forward links --reverse links -o out",
    );
    assert!(outcome.status.success(), "{}", said(&outcome));
    assert_eq!(hidden(folder.path()), Vec::<PathBuf>::new());
}

#[test]
fn a_small_budget_makes_the_same_system() {
    let folder = good_inputs();
    let made = ["20K", "1G"].map(|memory| {
        let outcome = run(
            folder.path(),
            &format!("{TRAIN} -o {memory}.chiasm --memory {memory}"),
        );
        assert!(outcome.status.success(), "{}", said(&outcome));
        std::fs::read(folder.path().join(format!("{memory}.chiasm"))).unwrap()
    });
    assert!(made[0] == made[1], "another system in 20K");
    let refused = run(
        folder.path(),
        &format!("{TRAIN} -o ranked.chiasm --ranker --memory 20K"),
    );
    let complaint = said(&refused);
    assert!(!refused.status.success(), "{complaint}");
    assert!(complaint.contains("--ranker off"), "{complaint}");
    // Before anything is done, not after an hour.
    assert!(!complaint.contains("links"), "{complaint}");
}

#[test]
fn a_pipe_may_cut_marks_and_compression_anywhere() {
    let folder = good_inputs();
    std::fs::write(folder.path().join("packed"), "a b\n").unwrap();
    let packed = Command::new("gzip")
        .arg(folder.path().join("packed"))
        .status();
    assert!(packed.unwrap().success());
    let packed = std::fs::read(folder.path().join("packed.gz")).unwrap();
    let mut complaints = Vec::new();
    for (kind, bytes) in [("mark", b"\xef\xbb\xbfa b\n".to_vec()), ("gzip", packed)] {
        for cut in 1..3 {
            let mut child = typed(folder.path(), "detokenize --language en")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut pipe = child.stdin.take().unwrap();
            pipe.write_all(&bytes[..cut]).unwrap();
            pipe.flush().unwrap();
            std::thread::sleep(Duration::from_millis(300));
            // A program that gave up reads no more.
            let _ = pipe.write_all(&bytes[cut..]);
            drop(pipe);
            let outcome = child.wait_with_output().unwrap();
            if outcome.stdout != b"a b\n" {
                complaints.push(format!("{kind} cut at {cut}: {}", said(&outcome)));
            }
        }
    }
    all_well(&complaints);
}

#[test]
fn a_count_in_a_file_takes_no_memory_before_it_is_believed() {
    let folder = good_inputs();
    let golden = crates().join("chiasm-learn/tests/golden/0.1.0");
    let original = chiasm_store::Container::open(golden.join("svm8.classifier")).unwrap();
    let model = folder.path().join("model");
    let mut writer =
        chiasm_store::Writer::create(&model, original.kind(), original.version()).unwrap();
    let sections = original.sections();
    for (name, _) in sections.list().filter(|(name, _)| *name != "feature-ids") {
        writer.bytes(name, sections.bytes(name).unwrap()).unwrap();
    }
    writer.array("features", &[u64::from(u32::MAX)]).unwrap();
    writer.finish().unwrap();
    std::fs::copy(golden.join("input.libsvm"), folder.path().join("examples")).unwrap();
    let outcome = limited(
        folder.path(),
        4_000_000,
        "predict --model model --libsvm examples",
    );
    assert_eq!(outcome.status.code(), Some(1), "{}", said(&outcome));
    assert!(said(&outcome).contains("model: "), "{}", said(&outcome));
}

#[test]
fn what_expands_without_end_is_refused() {
    let folder = good_inputs();
    let mut complaints = Vec::new();
    for bomb in ["one-line", "short-lines"] {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        std::fs::copy(data.join(format!("{bomb}.bz2")), folder.path().join("bomb")).unwrap();
        for line in [
            "score --hypothesis bomb --reference bomb",
            "align --source bomb --target bomb -o out",
            "lm estimate --order 2 --discount-fallback --text bomb -o out",
            "train --tokenized --source bomb --target bomb -o x.chiasm",
        ] {
            let outcome = limited(folder.path(), 2_000_000, line);
            let message = said(&outcome);
            if outcome.status.code() != Some(1) || !message.contains("bomb: line ") {
                let first = message.lines().next().unwrap_or_default();
                complaints.push(format!("{bomb}: {line}: {}: {first}", outcome.status));
            }
        }
    }
    all_well(&complaints);
}

#[test]
fn a_list_of_translations_has_an_end() {
    let folder = good_inputs();
    let line = "translate -s system --tokenized --input input --nbest 100000000";
    let outcome = limited(folder.path(), 4_000_000, line);
    assert_eq!(outcome.status.code(), Some(2), "{}", said(&outcome));
    assert!(said(&outcome).contains("--nbest"), "{}", said(&outcome));
}

#[test]
fn a_line_without_end_is_refused_with_its_number() {
    let folder = good_inputs();
    let mut file = File::create(folder.path().join("long")).unwrap();
    file.write_all(b"a b\n").unwrap();
    file.write_all(&vec![b'a'; 70 << 20]).unwrap();
    let outcome = run(
        folder.path(),
        "lm estimate --order 2 --discount-fallback --text long -o out",
    );
    let message = said(&outcome);
    assert_eq!(outcome.status.code(), Some(1), "{message}");
    assert!(
        message.contains("long: line 2: the line is longer than"),
        "{message}"
    );
}

#[test]
fn the_folder_is_synced_after_the_rename() {
    if Command::new("strace").arg("-V").output().is_err() {
        eprintln!("skipped: no strace");
        return;
    }
    let folder = good_inputs();
    let mut command = Command::new("strace");
    command
        .current_dir(folder.path())
        .args(["-f", "-y", "-o", "calls"]);
    command.args(["-e", "trace=rename,renameat,renameat2,fsync"]);
    let line = "symmetrise --forward links --reverse links -o out";
    let outcome = command.arg(common::binary()).args(line.split(' ')).output();
    assert!(outcome.unwrap().status.success());
    let calls = std::fs::read_to_string(folder.path().join("calls")).unwrap();
    let after = calls.split("rename").last().unwrap();
    let place = format!("<{}>", folder.path().canonicalize().unwrap().display());
    assert!(
        after.contains("fsync(") && after.contains(&place),
        "{calls}"
    );
}
