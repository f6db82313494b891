//! Every command with every file that it reads missing, a folder, no text or cut off: an error, and it names the file.
#![cfg(unix)]

mod common;

use std::path::Path;
use std::process::{Command, Output};

/// Files that are read stand as `f-NAME`; `o` is what is written.
const COMMANDS: &[&str] = &[
    "align --source f-source --target f-target -o o",
    "align --source f-source --target f-target --model f-aligner -o o",
    "aer --gold f-gold --links f-links --source f-source --target f-target --worst 2",
    "symmetrise --forward f-links --reverse f-gold-links -o o",
    "extract --source f-source --target f-target --links f-links -o o",
    "phrases --source f-source --target f-target --links f-links -o o",
    "classes --text f-source --classes 2 -o o",
    "truecase --text f-source -o o",
    "tokenize --language en --truecase f-casing",
    "lm estimate --order 2 --discount-fallback --text f-source f-target -o o",
    "lm build --model f-arpa -o o",
    "lm query --model f-lm --text f-source",
    "lm query --model f-arpa --text f-source",
    "learn --libsvm f-examples --held-out f-held --learner svm -o o",
    "predict --model f-classifier --libsvm f-examples",
    "reorder table --source f-source --target f-target --links f-links --model hier-msd-backward-fe -o o",
    "reorder train --source f-source --target f-target --links f-links --source-classes f-classes --target-classes f-target-classes \
        --features S7/classes -o o",
    "reorder train --source f-source --target f-target --links f-links --source-tags f-tags --features S7+tags -o o",
    "reorder evaluate --model f-orientation --source f-source --target f-target --links f-links",
    "reorder explain --model f-orientation --sentence a --translation b --links 0-0 --span 0-0",
    "reorder merge f-counts f-more-counts -o o",
    "translate -s f-system --tokenized --input f-source --glossary f-glossary -o o",
    "tune -s f-system --dev-source f-source --dev-target f-target --iterations 1 -o o",
    "train --tokenized --config f-config --source f-source --target f-target --links f-links --lm f-arpa -o o",
    "train --tokenized --config f-config --source f-source --target f-target --lm-text f-gold-links -o o",
    "train --tokenized --config f-config --tsv f-tsv --dev-source f-source --dev-target f-target -o o",
    "train --tmx f-memory --source-language de --target-language en -o o",
    "import moses --ini f-ini --reordering-model f-orientation -o o",
    "export moses -s f-system --drop --lm f-arpa -o o",
    "export moses -s f-system --drop --lm-text f-target -o o",
    "score --hypothesis f-source --reference f-target --baseline f-gold-links",
    "serve -s f-system --listen 127.0.0.1:0",
    "serve -s f-good-system --listen 127.0.0.1:0 --certificate f-certificate --key f-key",
    "serve -s f-good-system --listen 127.0.0.1:0 --token @f-token --examples f-shown",
    "inspect f-system --phrase a",
    "report classification --source f-source --target f-target --links f-links --test-source f-target --test-target f-source \
        --test-links f-gold-links -o o.html",
    "report translation --tokenized --config f-config --source f-source --target f-target --test-source f-gold-links \
        --test-target f-links -o o.html",
];

/// What the ini names.
const TABLES: [&str; 3] = ["f-table", "f-moves", "f-unigrams"];

const INI: &str = "[input-factors]\n0\n[mapping]\n0 T 0\n[feature]\nWordPenalty\nDistortion\n\
    PhraseDictionaryMemory name=T0 num-features=4 path=f-table input-factor=0 output-factor=0\n\
    LexicalReordering name=R0 num-features=6 type=wbe-msd-bidirectional-fe input-factor=0 output-factor=0 path=f-moves\n\
    KENLM name=L0 factor=0 path=f-unigrams order=1\n[weight]\nWordPenalty0= -1\nDistortion0= 0.3\nT0= 0.2 0.2 0.2 0.2\n\
    R0= 0.3 0.3 0.3 0.3 0.3 0.3\nL0= 0.5\n";

const CONFIG: &str = "[text]\ndev_pairs = 5\n[lm]\norder = 2\nclasses = 0\n[phrases]\nmax_length = 2\n\
    [align]\npreset = \"fast\"\nalignments = 1\n[reordering]\ntable = \"wbe-msd-backward-fe\"\nmodels = []\n\
    [search]\npop_limit = 20\ndistortion_limits = [4]\n[tune]\niterations = 1\nnbest = 5\npop_limit = 20\nsentences = 5\n[ranker]\ntrain = false\n";

const MEMORY: &str = "<?xml version=\"1.0\"?>\n<tmx version=\"1.4\"><header/><body>\n<tu><tuv xml:lang=\"de\"><seg>eins</seg></tuv>\
    <tuv xml:lang=\"en\"><seg>one</seg></tuv></tu>\n</body></tmx>\n";

fn run(folder: &Path, line: &str) -> Output {
    // A server that starts all the same is ended.
    let mut command = Command::new("timeout");
    command.current_dir(folder).arg("20").arg(common::binary());
    command.args(line.split_whitespace()).output().unwrap()
}

/// One good file of every kind.
fn prepare(folder: &Path) {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (name, part, file) in [
        ("f-system", "decode", "tokenised.chiasm"),
        ("f-good-system", "decode", "tokenised.chiasm"),
        ("f-lm", "lm", "probing.bin"),
        ("f-aligner", "align", "fast.model"),
        ("f-classifier", "learn", "svm8.classifier"),
        ("f-examples", "learn", "input.libsvm"),
        ("f-held", "learn", "input.libsvm"),
        ("f-counts", "reorder", "nb-map.model"),
        ("f-more-counts", "reorder", "nb-map.model"),
        ("f-orientation", "reorder", "svm.model"),
    ] {
        let golden = crates.join(format!("chiasm-{part}/tests/golden/0.1.0/{file}"));
        std::fs::copy(golden, folder.join(name)).unwrap();
    }
    for (name, file) in [("f-certificate", "certificate.pem"), ("f-key", "key.pem")] {
        let original = crates.join("chiasm-serve/tests/data").join(file);
        std::fs::copy(original, folder.join(name)).unwrap();
    }
    let made = |line: &str| {
        let outcome = run(folder, line);
        let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
        assert!(outcome.status.success(), "{line}: {said}");
    };
    made("synthesise --language japanese-like --pairs 60 --seed 3 -o .");
    for (name, from) in [
        ("f-source", "source"),
        ("f-target", "target"),
        ("f-links", "links"),
        ("f-gold", "links"),
        ("f-gold-links", "links"),
        ("f-tags", "source"),
    ] {
        std::fs::copy(folder.join(from), folder.join(name)).unwrap();
    }
    made("classes --text f-source --classes 2 -o f-classes");
    made("classes --text f-target --classes 2 -o f-target-classes");
    made("truecase --text f-source -o f-casing");
    made("lm estimate --order 2 --discount-fallback --text f-target -o f-arpa.arpa");
    std::fs::rename(folder.join("f-arpa.arpa"), folder.join("f-arpa")).unwrap();
    let [source, target] =
        ["f-source", "f-target"].map(|name| std::fs::read_to_string(folder.join(name)).unwrap());
    let pairs = source.lines().zip(target.lines());
    let tsv: String = pairs.map(|(s, t)| format!("{s}\t{t}\n")).collect();
    for (name, contents) in [
        ("f-glossary", "a\tb\n"),
        ("f-config", CONFIG),
        ("f-memory", MEMORY),
        ("f-ini", INI),
        ("f-table", "a ||| x ||| 1 1 1 1 ||| 0-0 ||| 1 1 1\n"),
        ("f-moves", "a ||| x ||| 0.2 0.3 0.5 0.1 0.8 0.1\n"),
        (
            "f-unigrams",
            "\\data\\\nngram 1=3\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\n-1\t</s>\n\n\\end\\\n",
        ),
        ("f-tsv", &tsv),
        ("f-token", "word\n"),
        ("f-shown", "a\n"),
    ] {
        std::fs::write(folder.join(name), contents).unwrap();
    }
}

/// Puts something else into a file's place.
fn spoil(path: &Path, how: &str) {
    let bytes = std::fs::read(path).unwrap();
    std::fs::remove_file(path).unwrap();
    match how {
        "missing" => {}
        "a folder" => std::fs::create_dir(path).unwrap(),
        // As many lines as before, so that nothing else is wrong.
        "no text" => {
            let lines = bytes.iter().filter(|&&byte| byte == b'\n').count().max(1);
            std::fs::write(path, b"\x81\xff\xfe\n".repeat(lines)).unwrap();
        }
        _ => {
            // A container that ends too soon, or compressed text that does.
            match bytes.starts_with(b"CHIASM") {
                true => std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap(),
                false => std::fs::write(path, b"\x1f\x8b\x08\0\0\0\0\0\0\x03K").unwrap(),
            }
        }
    }
}

#[test]
fn every_error_names_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    prepare(at);
    let mut complaints = Vec::new();
    for command in COMMANDS {
        let mut files: Vec<&str> = command
            .split_whitespace()
            .map(|word| word.trim_start_matches('@'))
            .filter(|word| word.starts_with("f-") && *word != "f-good-system")
            .collect();
        if command.contains("f-ini") {
            files.extend(TABLES);
        }
        for name in files {
            let path = at.join(name);
            let good = std::fs::read(&path).unwrap();
            for how in ["missing", "a folder", "no text", "cut off"] {
                spoil(&path, how);
                let outcome = run(at, command);
                let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
                let named = said
                    .lines()
                    .any(|line| line.contains("error") && line.contains(name));
                if outcome.status.code() != Some(1) || !named {
                    let code = outcome.status;
                    complaints.push(format!("{command}\n  {name} is {how}: {code}: {said}"));
                }
                match path.is_dir() {
                    true => std::fs::remove_dir(&path).unwrap(),
                    false => std::fs::remove_file(&path).unwrap_or_default(),
                }
                std::fs::write(&path, &good).unwrap();
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}
