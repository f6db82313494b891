//! What people are told: by mistakes in what they typed or gave, by files of another kind, by damage, and by `--help`.

mod common;

use assert_cmd::Command;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn system(name: &str) -> PathBuf {
    golden("chiasm-decode/tests/golden/0.1.0").join(name)
}

/// Runs in a folder; exit code, standard output and standard error.
fn run(folder: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let output = Command::new(common::binary())
        .current_dir(folder)
        .args(arguments)
        .write_stdin(input)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().unwrap_or(-1);
    (code, text(&output.stdout), text(&output.stderr))
}

fn translate(system_name: &str, options: &[&str], input: &str) -> (i32, String, String) {
    let path = system(system_name).display().to_string();
    let arguments = [&["translate", "-s", &path], options].concat();
    run(Path::new("."), &arguments, input)
}

#[test]
fn control_characters_are_shown_and_not_obeyed() {
    for arguments in [
        &["inspect", "\x1b[2Jx"][..],
        &["align", "--preset", "\x1b[2Jx"],
    ] {
        let (code, _, message) = run(Path::new("."), arguments, "");
        assert_ne!(code, 0);
        // What was typed wrongly is cited without them.
        let shown = code == 2 || message.contains("\\u{1b}[2Jx");
        assert!(!message.contains('\x1b') && shown, "{message}");
    }
}

const TRAIN: [&str; 7] = ["train", "--source", "s", "--target", "t", "-o", "o"];

#[test]
fn ten_bytes_of_memory_are_asked_about() {
    let (code, _, message) = run(
        Path::new("."),
        &[&TRAIN[..], &["--memory", "10"]].concat(),
        "",
    );
    assert_eq!(code, 2);
    assert!(message.contains("is 10G or 10M meant?"), "{message}");
}

#[test]
fn the_name_of_a_language_is_answered_with_its_code() {
    let language = ["--source-language", "german", "--target-language", "en"];
    let (code, _, message) = run(Path::new("."), &[&TRAIN[..], &language].concat(), "");
    assert_eq!(code, 2);
    assert!(
        message.contains("the code of a language expected: de"),
        "{message}"
    );
}

#[test]
fn a_text_in_another_encoding_stops_training_with_a_guess() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = Vec::new();
    for number in 0..300 {
        let word: &[u8] = if number % 3 == 0 {
            b"plain"
        } else {
            b"caf\xe9"
        };
        source.extend_from_slice(format!("le numero {number} ").as_bytes());
        source.extend_from_slice(word);
        source.push(b'\n');
    }
    std::fs::write(folder.path().join("s"), source).unwrap();
    let target: String = (0..300).map(|n| format!("the number {n} here\n")).collect();
    std::fs::write(folder.path().join("t"), target).unwrap();
    let arguments = [
        "train",
        "--tokenized",
        "--source",
        "s",
        "--target",
        "t",
        "-o",
        "x.chiasm",
    ];
    let (code, _, message) = run(folder.path(), &arguments, "");
    assert_eq!(code, 1);
    assert!(
        message.contains("s: line 2: invalid UTF-8 at byte 16; it looks like Latin-1"),
        "{message}"
    );
    assert!(message.contains("200 lines"), "{message}");
    assert!(!folder.path().join("x.chiasm").exists());
}

#[test]
fn what_is_no_list_of_sentences_is_not_translated_as_one() {
    for (text, kind) in [
        ("<!DOCTYPE html>\n<p>kare</p>\n", "HTML"),
        ("<?xml version=\"1.0\"?>\n<xliff/>\n", "XLIFF"),
        ("\\id GEN\n\\c 1\n", "USFM"),
        ("PK\u{3}\u{4}\n", "zip"),
    ] {
        let (code, output, message) = translate("tokenised.chiasm", &[], text);
        assert_eq!((code, output.as_str()), (1, ""), "{message}");
        assert!(
            message.contains("standard input: line 1: ") && message.contains(kind),
            "{message}"
        );
        let (code, output, _) = translate("tokenised.chiasm", &["--plain"], text);
        assert_eq!((code, output.lines().count()), (0, text.lines().count()));
    }
}

#[test]
fn unclosed_markup_is_an_error() {
    let marked = "kare\nwa <x translation=\"reads\">yomu\n";
    let (code, _, message) = translate("tokenised.chiasm", &["--xml-input", "exclusive"], marked);
    assert_eq!(code, 1);
    assert!(
        message.contains("standard input: line 2: <x> is opened and not closed"),
        "{message}"
    );
}

#[test]
fn glossary_entries_that_never_match_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let glossary = folder.path().join("glossary.tsv");
    std::fs::write(&glossary, "hon.\tbook\nHon\tbook\nhon\tbook\n").unwrap();
    let typed = glossary.display().to_string();
    let (code, _, message) = translate("raw.chiasm", &["--glossary", &typed], "hon\n");
    assert_eq!(code, 0, "{message}");
    for entry in ["\"hon.\"", "\"Hon\""] {
        let told = format!("glossary: {entry} never matches");
        assert!(message.contains(&told), "{message}");
    }
    assert_eq!(message.lines().count(), 2, "{message}");
}

#[test]
fn a_memory_without_the_language_says_which_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let memory = "<?xml version=\"1.0\"?><tmx version=\"1.4\"><header/><body><tu><tuv xml:lang=\"fr\"><seg>un</seg></tuv>\
        <tuv xml:lang=\"en\"><seg>one</seg></tuv></tu></body></tmx>";
    std::fs::write(folder.path().join("m.tmx"), memory).unwrap();
    let typed = "train --tmx m.tmx --source-language de --target-language en -o x.chiasm";
    let words: Vec<&str> = typed.split(' ').collect();
    let (code, _, message) = run(folder.path(), &words, "");
    assert_eq!(code, 1);
    assert!(
        message.contains("m.tmx: no unit has both de and en; there are en, fr"),
        "{message}"
    );
}

#[test]
fn tune_takes_the_text_that_translate_takes() {
    let folder = tempfile::tempdir().unwrap();
    let answers = std::fs::read_to_string(system("raw.answers")).unwrap();
    let targets = answers.lines().map(|line| line.split_once('\t').unwrap().1);
    let targets: String = targets.map(|line| format!("{line}\n")).collect();
    std::fs::write(folder.path().join("t"), targets).unwrap();
    let (path, input) = (system("raw.chiasm"), system("raw.input"));
    let bleu = |more: &[&str]| {
        let arguments = [
            &[
                "tune",
                "--json",
                "--iterations",
                "1",
                "--dev-target",
                "t",
                "-o",
                "tuned",
                "-s",
            ],
            &[
                path.to_str().unwrap(),
                "--dev-source",
                input.to_str().unwrap(),
            ][..],
            more,
        ];
        let (code, json, message) = run(folder.path(), &arguments.concat(), "");
        assert_eq!(code, 0, "{message}");
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        value["start_bleu"].as_f64().unwrap()
    };
    // The answers are the system's own, so that the text as it stands is matched to the word.
    let (raw, ready) = (bleu(&[]), bleu(&["--tokenized"]));
    assert!(raw > 95.0 && ready < 90.0, "{raw} {ready}");
}

#[test]
fn someone_who_types_is_told_and_answered_at_once() {
    let script = std::process::Command::new("script")
        .arg("--version")
        .output();
    if !cfg!(target_os = "linux") || script.is_err() {
        eprintln!("skipped: no script(1) to make a terminal");
        return;
    }
    let command = format!(
        "{} translate -s {}",
        common::binary().display(),
        system("tokenised.chiasm").display()
    );
    // Where nothing is answered, reading would wait for ever.
    let mut child = std::process::Command::new("timeout")
        .args(["120", "script", "-qefc", &command, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut keys = child.stdin.take().unwrap();
    let mut screen = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    screen.read_line(&mut line).unwrap();
    assert!(line.contains("type a sentence"), "{line}");
    let input = std::fs::read_to_string(system("tokenised.input")).unwrap();
    let answers = std::fs::read_to_string(system("tokenised.answers")).unwrap();
    for (sentence, answer) in input.lines().zip(answers.lines()) {
        let (_, answer) = answer.split_once('\t').unwrap();
        keys.write_all(format!("{sentence}\n").as_bytes()).unwrap();
        // What was typed is echoed; then comes the answer, before anything else is typed.
        while line.trim_end() != answer {
            line.clear();
            assert_ne!(screen.read_line(&mut line).unwrap(), 0, "{answer}");
        }
    }
    keys.write_all(b"\x04").unwrap();
    assert!(child.wait().unwrap().success());
}

/// A copy with a sector of zeros in the middle of its largest part.
fn rotten(original: &Path, folder: &Path) -> String {
    let mut bytes = std::fs::read(original).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 512]
        .iter_mut()
        .for_each(|byte| *byte ^= 0xa5);
    let path = folder.join("rotten");
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

#[test]
fn damaged_models_answer_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut models = Vec::new();
    for name in [
        "chiasm-lm/tests/golden/0.1.0",
        "chiasm-align/tests/golden/0.1.0",
    ] {
        for entry in std::fs::read_dir(golden(name)).unwrap() {
            let path = entry.unwrap().path();
            if chiasm_store::Container::is_container(&path) {
                models.push((name.contains("lm/"), path));
            }
        }
    }
    assert!(models.len() >= 2);
    for name in ["s", "t"] {
        std::fs::write(folder.path().join(name), "a b c\n").unwrap();
    }
    let mut complaints = Vec::new();
    for (is_lm, model) in models {
        let path = rotten(&model, folder.path());
        let arguments: &[&str] = match is_lm {
            true => &["lm", "query", "--model", &path],
            false => &[
                "align", "--model", &path, "--source", "s", "--target", "t", "-o", "-",
            ],
        };
        let (code, output, message) = run(folder.path(), arguments, "a b c\n");
        if (code, output.as_str()) != (1, "") || !message.contains("rotten: section ") {
            complaints.push(format!("{}: exit {code}: {message}", model.display()));
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// Two files `s` and `t` with a line of 70,000 words.
fn long_lines() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let long = "word ".repeat(70_000);
    for name in ["s", "t"] {
        std::fs::write(folder.path().join(name), format!("a b\n{long}\nb a\n")).unwrap();
    }
    folder
}

#[test]
fn a_line_of_70000_words_is_not_scored() {
    let folder = long_lines();
    let (code, _, message) = run(
        folder.path(),
        &["score", "--hypothesis", "s", "--reference", "t"],
        "",
    );
    assert_eq!(code, 1);
    assert!(
        message.contains("t: line 2: at most 5000 words expected, 70000 found"),
        "{message}"
    );
}

#[test]
fn a_pair_of_70000_words_is_aligned_within_the_budget() {
    let folder = long_lines();
    let align = "ulimit -v 4000000; exec \"$0\" align --threads 1 --memory 64M --source s --target t -o links";
    let done = std::process::Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", align])
        .arg(common::binary())
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let links = std::fs::read_to_string(folder.path().join("links")).unwrap();
    assert_eq!(links.lines().nth(1), Some(""), "{links}");
}

/// The commands of a help text.
fn verbs(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    let names =
        lines.filter_map(|line| Some(line.strip_prefix("  ")?.split(' ').next()?.to_string()));
    names
        .filter(|name| !name.is_empty() && name != "help")
        .collect()
}

/// Every command with its help.
fn every_command(folder: &Path) -> Vec<(Vec<String>, String)> {
    let (mut waiting, mut found) = (vec![Vec::new()], Vec::new());
    while let Some(path) = waiting.pop() {
        let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
        arguments.push("--help");
        let (_, help, _) = run(folder, &arguments, "");
        for verb in verbs(&help) {
            waiting.push([path.as_slice(), &[verb]].concat());
        }
        if !path.is_empty() {
            found.push((path, help));
        }
    }
    found
}

#[test]
fn every_help_has_an_example_that_can_be_typed() {
    let folder = tempfile::tempdir().unwrap();
    for (path, help) in every_command(folder.path()) {
        let examples = help
            .split("Examples:\n")
            .nth(1)
            .unwrap_or("")
            .replace("\\\n", " ");
        let examples: Vec<&str> = examples.lines().collect();
        assert!(!examples.is_empty(), "{path:?} has no example");
        for example in examples.iter().filter(|line| !line.contains("demo")) {
            let words = example.split(['<', '>']).next().unwrap();
            let words: Vec<String> = words
                .split('"')
                .enumerate()
                .flat_map(|(number, part)| match number % 2 {
                    1 => vec![part.to_string()],
                    _ => part.split_whitespace().map(str::to_string).collect(),
                })
                .collect();
            assert_eq!(words[0], "chiasm", "{example}");
            let typed: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            // The files are not there; what was typed is understood.
            let (code, _, message) = run(folder.path(), &typed, "");
            assert_ne!(code, 2, "{example}: {message}");
        }
    }
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let folder = tempfile::tempdir().unwrap();
    let commands = every_command(folder.path());
    let mut pages = vec!["chiasm.1".to_string()];
    pages.extend(
        commands
            .iter()
            .map(|(path, _)| format!("chiasm-{}.1", path.join("-"))),
    );
    assert!(pages.len() > 35, "{pages:?}");
    let (code, _, message) = run(folder.path(), &["completions", "man", "-o", "man1"], "");
    assert_eq!(code, 0, "{message}");
    for page in pages {
        assert!(folder.path().join("man1").join(&page).is_file(), "{page}");
    }
}

#[test]
fn a_trained_system_becomes_moses_models_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let config = "[text]\ndev_pairs = 10\n[lm]\norder = 3\nclasses = 10\n[phrases]\nmax_length = 3\n[align]\npreset = \"fast\"\n\
        [reordering]\ntable = \"wbe-msd-backward-fe\"\nmodels = [\"--learner nb-map --features S1 --min-count 1\"]\n\
        [search]\npop_limit = 20\ndistortion_limits = [4]\n[tune]\niterations = 1\nnbest = 5\npop_limit = 20\nsentences = 10\n\
        [joint]\nexamples = 1000\nhidden = 4\nembedding = 4\n[ranker]\ntrain = false\n";
    std::fs::write(at.join("run.toml"), config).unwrap();
    let typed = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        run(at, &words, "")
    };
    let good = |line: &str| {
        let (code, _, message) = typed(line);
        assert_eq!(code, 0, "{line}: {message}");
        message
    };
    good("synthesise --language japanese-like --pairs 200 --seed 3 -o text");
    good(
        "train --tokenized --source text/source --target text/target --config run.toml -o s.chiasm",
    );
    let (code, _, message) = typed("export moses -s s.chiasm -o moses");
    assert_eq!(code, 1);
    assert!(message.contains("--drop leaves it out"), "{message}");
    assert!(!at.join("moses").exists());
    let (code, _, message) =
        typed("export moses -s s.chiasm --drop --lm-text text/source -o moses");
    assert_eq!(code, 1);
    assert!(
        message.contains("text/source: ") && !at.join("moses").exists(),
        "{message}"
    );
    let said = good("export moses -s s.chiasm --drop -o moses");
    assert_eq!(said.matches(": left out").count(), 3, "{said}");
    good("import moses --ini moses/moses.ini -o again.chiasm");
    let (code, output, _) = typed("translate -s again.chiasm --input text/source --threads 1");
    assert_eq!((code, output.lines().count()), (0, 200));
    // Outputs replace no table that the ini names.
    let table = std::fs::read(at.join("moses/phrase-table.gz")).unwrap();
    let (code, _, message) = typed("import moses --ini moses/moses.ini -o moses/phrase-table.gz");
    assert_eq!(code, 1);
    assert!(message.contains("is an input"), "{message}");
    assert_eq!(
        std::fs::read(at.join("moses/phrase-table.gz")).unwrap(),
        table
    );
    let (code, _, message) = typed(
        "report translation --tokenized --source text/source --target text/target --test-source text/source --test-target text/target -o text/target",
    );
    assert_eq!(code, 1);
    assert!(message.contains("is an input"), "{message}");
}
