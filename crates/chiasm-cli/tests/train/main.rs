//! `chiasm train` as a user meets it.

mod neural;
mod reordering;

use assert_cmd::Command;
use chiasm_synthesis::Language;
use std::path::Path;
use std::time::Duration;

/// A small corpus of the built-in language pair.
fn write_corpus(folder: &Path, pairs: u64) {
    let generator = Language::JapaneseLike.generator(1, 0);
    let (mut source, mut target) = (String::new(), String::new());
    for index in 0..pairs {
        let pair = generator.pair(index);
        source += &format!("{}\n", pair.source_text());
        target += &format!("{}\n", pair.target_text());
    }
    std::fs::write(folder.join("s"), source).unwrap();
    std::fs::write(folder.join("t"), target).unwrap();
    let config = "[tune]\niterations = 2\nnbest = 20\npop_limit = 30\nsentences = 20\n\
                  [align]\nalignments = 2\n[lm]\nclasses = 20\n[search]\npop_limit = 50\ndistortion_limits = [6, 0]\n\
                  [reordering]\nmodels = [\"--learner svm --features S7 --min-count 3\"]\n\
                  [joint]\nexamples = 10000\nhidden = 16\nembedding = 8\n[ranker]\ntrain = false\nsteps = 60\nbatch = 100\nnbest = 20\n";
    std::fs::write(folder.join("run.toml"), config).unwrap();
}

fn train(folder: &Path, output: &str) -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_chiasm"));
    command
        .current_dir(folder)
        .args(["train", "--tokenized", "--source", "s", "--target", "t"]);
    command.args(["--config", "run.toml", "-o", output]);
    command
}

#[test]
fn a_system_from_two_files_that_translates_and_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    write_corpus(folder.path(), 300);
    let dry = Command::from_std(train(folder.path(), "a.chiasm"))
        .arg("--dry-run")
        .assert();
    let dry = String::from_utf8_lossy(&dry.success().get_output().stdout).into_owned();
    assert!(dry.contains("links    about"), "{dry}");
    assert!(dry.contains("in all   about"), "{dry}");
    assert!(!folder.path().join("a.chiasm").exists());

    let first = Command::from_std(train(folder.path(), "a.chiasm"))
        .assert()
        .success();
    let said = String::from_utf8_lossy(&first.get_output().stderr).into_owned();
    assert!(
        said.contains("no development set given: 30 pairs were cut"),
        "{said}"
    );
    assert!(folder.path().join("a.chiasm.log").exists());

    // Again: nothing is made anew, and the file is the same.
    let bytes = std::fs::read(folder.path().join("a.chiasm")).unwrap();
    let second = Command::from_std(train(folder.path(), "a.chiasm"))
        .assert()
        .success();
    let said = String::from_utf8_lossy(&second.get_output().stderr).into_owned();
    for stage in [
        "text", "links", "lm", "classes", "classlm", "moves", "system", "jumps", "tune",
    ] {
        assert!(said.contains(&format!("{stage}: reused")), "{said}");
    }
    assert!(bytes == std::fs::read(folder.path().join("a.chiasm")).unwrap());

    // On one thread, in another place: the same bytes.
    let mut elsewhere = train(folder.path(), "b.chiasm");
    elsewhere.args(["--threads", "1"]);
    Command::from_std(elsewhere).assert().success();
    assert!(bytes == std::fs::read(folder.path().join("b.chiasm")).unwrap());

    let source = std::fs::read_to_string(folder.path().join("s")).unwrap();
    let line = source.lines().next().unwrap().to_string();
    let translated = Command::new(env!("CARGO_BIN_EXE_chiasm"))
        .current_dir(folder.path())
        .args(["translate", "-s", "a.chiasm", "--tokenized"])
        .write_stdin(format!("{line}\n"))
        .assert()
        .success();
    let text = String::from_utf8_lossy(&translated.get_output().stdout).into_owned();
    assert!(text.trim().split(' ').count() >= 3, "{text}");
}

/// Kills a run at ten moments, whichever stages they hit; what then goes on must end with the bytes of a run that was never
/// killed.
fn kill_ten_times(folder: &Path, options: &[&str], milliseconds: [u64; 10]) {
    let command = |output: &str| {
        let mut command = train(folder, output);
        command.args(options);
        command
    };
    let run = |output: &str| {
        Command::from_std(command(output)).assert().success();
        std::fs::read(folder.join(output)).unwrap()
    };
    let whole = run("whole.chiasm");
    for milliseconds in milliseconds {
        let mut child = command("cut.chiasm").arg("--quiet").spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(whole == run("cut.chiasm"));
}

#[test]
fn a_killed_run_goes_on_and_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    write_corpus(folder.path(), 200);
    let moments = [40, 90, 160, 230, 310, 420, 550, 700, 900, 1200];
    kill_ten_times(folder.path(), &[], moments);
}

#[test]
fn dirt_is_left_out_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    write_corpus(folder.path(), 200);
    let mut source = std::fs::read(folder.path().join("s")).unwrap();
    let mut target = std::fs::read(folder.path().join("t")).unwrap();
    for (dirty_source, dirty_target) in [
        (&b"\n"[..], &b"nothing on the other side\n"[..]),
        (b"bro\xffken\n", b"fine\n"),
        (b"a ||| b\n", b"a b\n"),
        (b"x\n", b"a b c d e f g h i j k l m n o p\n"),
    ] {
        source.extend_from_slice(dirty_source);
        target.extend_from_slice(dirty_target);
    }
    let long = "w ".repeat(500) + "\n";
    source.extend_from_slice(long.as_bytes());
    target.extend_from_slice(long.as_bytes());
    std::fs::write(folder.path().join("s"), source).unwrap();
    std::fs::write(folder.path().join("t"), target).unwrap();
    let assert = Command::from_std(train(folder.path(), "a.chiasm"))
        .assert()
        .success();
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    for part in [
        "200 sentence pairs",
        "1 with an empty side",
        "1 with invalid UTF-8",
        "1 with the token |||",
        "1 of too different lengths",
        "1 too long",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn text_without_anything_to_learn_about_moves_trains_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let lines = |one: &str, other: &str| format!("{one}\n{other}\n").repeat(20);
    std::fs::write(folder.path().join("s"), lines("a b c", "b a")).unwrap();
    std::fs::write(folder.path().join("t"), lines("x y z", "y x")).unwrap();
    std::fs::write(folder.path().join("run.toml"), "[text]\ndev_pairs = 4\n").unwrap();
    let assert = Command::from_std(train(folder.path(), "a.chiasm"))
        .assert()
        .success();
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.contains("left out: '--learner svm"), "{said}");
    let translated = Command::new(env!("CARGO_BIN_EXE_chiasm"))
        .current_dir(folder.path())
        .args(["translate", "-s", "a.chiasm", "--tokenized"])
        .write_stdin("b a c\n")
        .assert()
        .success();
    let text = String::from_utf8_lossy(&translated.get_output().stdout).into_owned();
    assert_eq!(text, "y x z\n");
}

#[test]
fn what_is_wrong_is_said() {
    let folder = tempfile::tempdir().unwrap();
    write_corpus(folder.path(), 20);
    let fails = |config: &str, arguments: &[&str], expected: &str| {
        std::fs::write(folder.path().join("run.toml"), config).unwrap();
        let mut command = train(folder.path(), "a.chiasm");
        command.args(arguments);
        let assert = Command::from_std(command).assert().failure();
        let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(said.contains(expected), "{said}");
        assert!(!folder.path().join("a.chiasm").exists());
        said
    };
    // A configuration is refused before the first stage.
    let refused = |config: &str, expected: &str| {
        let said = fails(config, &[], expected);
        assert!(!said.contains("sentence pairs"), "{said}");
    };
    refused(
        "[lm]\nordre = 3\n",
        "run.toml: line 2: unknown field `ordre`",
    );
    refused(
        "[align]\nalignments = 0\n",
        "align.alignments: 0 is not between 1 and 64",
    );
    refused(
        "[align]\nnull_probability = 1.5\n",
        "1.5 is not between 0 and 1",
    );
    refused(
        "[tune]\nmethod = \"guess\"\n",
        "none of mert, pro, pro-classic, mira, none",
    );
    refused("[phrases]\nsmoothing = \"much\"\n", "phrases.smoothing: ");
    refused(
        "[reordering]\noperations = 9\n",
        "reordering.operations: 9 is more than 6",
    );
    refused(
        "[reordering]\noperation_classes = 9\n",
        "reordering.operation_classes: there is no model of operations",
    );
    refused(
        "[reordering]\nmodels = [\"--lerner svm\"]\n",
        "reordering.models: '--lerner svm'",
    );
    refused(
        "[reordering]\nmodels = [\"--features S99\"]\n",
        "'S99' is not understood",
    );
    refused(
        "[reordering]\nmodels = [\"--c nan\"]\n",
        "c: a positive number expected, NaN found",
    );
    fails("", &["--source-language", "ja"], "cannot be used with");
    std::fs::write(folder.path().join("t"), "only one line\n").unwrap();
    fails(
        "",
        &[],
        "t: the file ends after line 1, but s has more lines",
    );
}

/// Raw text: capitals at the beginning, a full stop at the last word.
fn raw(line: &str) -> String {
    let line = line.strip_suffix(" .").unwrap_or(line);
    let mut letters = line.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    format!("{first}{}.", letters.as_str())
}

/// Trains on `input` and translates a raw line.
fn train_raw(folder: &Path, input: &[&str], output: &str) -> String {
    let chiasm = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chiasm"));
        command.current_dir(folder);
        command
    };
    chiasm()
        .args([
            "train",
            "--source-language",
            "en",
            "--target-language",
            "en",
        ])
        .args(input)
        .args(["--config", "run.toml", "-o", output])
        .assert()
        .success();
    let source = std::fs::read_to_string(folder.join("s")).unwrap();
    let line = raw(source.lines().next().unwrap());
    let translated = chiasm()
        .args(["translate", "-s", output])
        .write_stdin(format!("{line}\n"))
        .assert()
        .success();
    String::from_utf8_lossy(&translated.get_output().stdout).into_owned()
}

#[test]
fn raw_text_tab_separated_text_and_translation_memories() {
    let folder = tempfile::tempdir().unwrap();
    write_corpus(folder.path(), 300);
    let config = std::fs::read_to_string(folder.path().join("run.toml")).unwrap();
    let more = config.replace(
        "[reordering]",
        "[reordering]\nsparse = true\nsparse_classes = 5",
    );
    std::fs::write(folder.path().join("run.toml"), more).unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let (source, target) = (read("s"), read("t"));
    let (mut lines, mut columns) = ([String::new(), String::new()], String::new());
    let mut memory = String::from("<tmx version=\"1.4\"><header/><body>\n");
    for (source, target) in source.lines().zip(target.lines()) {
        let (source, target) = (raw(source), raw(target));
        lines[0] += &format!("{source}\n");
        lines[1] += &format!("{target}\n");
        columns += &format!("x\t{target}\t{source}\n");
        memory += &format!(
            "<tu><tuv xml:lang=\"fr\"><seg>{source}</seg></tuv><tuv xml:lang=\"en\"><seg>{target}</seg></tuv></tu>\n"
        );
    }
    memory += "</body></tmx>\n";
    std::fs::write(folder.path().join("raw.s"), &lines[0]).unwrap();
    std::fs::write(folder.path().join("raw.t"), &lines[1]).unwrap();
    std::fs::write(folder.path().join("raw.tsv"), columns).unwrap();
    std::fs::write(folder.path().join("raw.tmx"), memory).unwrap();

    let text = train_raw(
        folder.path(),
        &["--source", "raw.s", "--target", "raw.t"],
        "a.chiasm",
    );
    assert!(text.chars().next().unwrap().is_uppercase(), "{text}");
    assert!(text.ends_with(".\n") && !text.contains(" ."), "{text}");
    let tabs = ["--tsv", "raw.tsv", "--columns", "3,2"];
    assert_eq!(train_raw(folder.path(), &tabs, "b.chiasm"), text);
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert!(bytes("a.chiasm") == bytes("b.chiasm"));

    let memory = Command::new(env!("CARGO_BIN_EXE_chiasm"))
        .current_dir(folder.path())
        .args([
            "train",
            "--tmx",
            "raw.tmx",
            "--source-language",
            "fr",
            "--target-language",
            "en",
        ])
        .args([
            "--preset", "quick", "--config", "run.toml", "-o", "c.chiasm",
        ])
        .assert()
        .success();
    let said = String::from_utf8_lossy(&memory.get_output().stderr).into_owned();
    assert!(said.contains("300 sentence pairs"), "{said}");
}

#[test]
fn a_configured_model_prints_nothing_and_its_seed_is_that_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    write_corpus(folder.path(), 200);
    let config = std::fs::read_to_string(folder.path().join("run.toml")).unwrap();
    let config = config.replace("--min-count 3", "--min-count 3 --json");
    std::fs::write(folder.path().join("run.toml"), config).unwrap();
    let links = "0-0\n".repeat(200);
    std::fs::write(folder.path().join("links"), links).unwrap();
    let run = |seed: &str| {
        let mut command = train(folder.path(), "a.chiasm");
        command.args(["--links", "links", "--seed", seed]);
        let assert = Command::from_std(command).assert().success();
        assert_eq!(assert.get_output().stdout, b"");
        String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
    };
    let first = run("1");
    assert!(!first.contains("moves: reused"), "{first}");
    assert!(run("1").contains("moves: reused"));
    let other = run("7");
    assert!(other.contains("text: reused"), "{other}");
    assert!(!other.contains("moves: reused"), "{other}");
}
