//! ARPA dialects, and every way an ARPA file can be wrong.

mod common;

use chiasm_lm::arpa::{MISSING_UNKNOWN, NgramList};
use chiasm_lm::{Model, State};
use std::path::PathBuf;

const GOOD: &str = "\\data\\
ngram 1=5
ngram 2=3
ngram 3=1

\\1-grams:
-2\t<unk>\t0
-99\t<s>\t-0.3
-0.7\t</s>
-0.6\ta\t-0.2
-0.5\tb\t-0.1

\\2-grams:
-0.4\t<s> a\t-0.05
-0.2\ta b\t-0.1
-0.3\tb </s>

\\3-grams:
-0.1\t<s> a b

\\end\\
";

struct File {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn file(contents: impl AsRef<[u8]>) -> File {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lm.arpa");
    std::fs::write(&path, contents).unwrap();
    File {
        _folder: folder,
        path,
    }
}

/// The message for a file, without the folder; both readers must say the same.
fn complaint(contents: impl AsRef<[u8]>) -> String {
    let file = file(contents);
    let message = Model::open(&file.path).map(|_| ()).unwrap_err().to_string();
    if let Err(other) = NgramList::read(&file.path) {
        assert_eq!(message, other.to_string());
    }
    message
        .rsplit_once("/lm.arpa: ")
        .expect("the file is named")
        .1
        .to_string()
}

fn score(model: &Model, words: &[&str]) -> f32 {
    let ids: Vec<u32> = words.iter().map(|word| model.vocabulary_id(word)).collect();
    model.score_sentence(&ids)
}

#[test]
fn a_good_file_is_read() {
    let model = Model::open(file(GOOD).path).unwrap();
    assert_eq!(model.order(), 3);
    assert_eq!(model.counts(), &[5, 3, 1]);
    let expected = -0.4 - 0.1 - 0.1 - 0.3;
    assert!((score(&model, &["a", "b"]) - expected).abs() < 1e-6);
}

#[test]
fn the_dialect_of_srilm_scores_the_same() {
    let good = Model::open(file(GOOD).path).unwrap();
    let srilm = GOOD
        .replace("\\data\\", "made by a program that says so\n\n\\data\\")
        .replace('\t', " ")
        .replace("ngram 1=5", "ngram  1= 5")
        .replace("\\end\\\n", "\\end\\\r\n\r\n");
    let other = Model::open(file(srilm).path).unwrap();
    for words in [&["a", "b"][..], &["b", "a"], &["?"], &[]] {
        assert_eq!(score(&good, words), score(&other, words));
    }
}

#[test]
fn a_missing_unknown_word_costs_100() {
    let text = GOOD
        .replace("-2\t<unk>\t0\n", "")
        .replace("ngram 1=5", "ngram 1=4");
    let model = Model::open(file(&text).path).unwrap();
    let mut next = State::default();
    assert_eq!(
        model.score(&model.null_state(), 0, &mut next),
        MISSING_UNKNOWN
    );
    assert_eq!(next, State::default());
    let capitals = GOOD.replace("<unk>", "<UNK>");
    let model = Model::open(file(capitals).path).unwrap();
    assert_eq!(model.score(&model.null_state(), 0, &mut next), -2.0);
}

#[test]
fn every_fault_is_named_with_its_line() {
    let replaced = |from: &str, to: &str| {
        assert!(GOOD.contains(from), "{from}");
        complaint(GOOD.replacen(from, to, 1))
    };
    assert_eq!(
        replaced("-0.6\ta", "0.6\ta"),
        "line 10: log10 probability 0.6 is positive"
    );
    assert_eq!(
        replaced("-0.6\ta", "nan\ta"),
        "line 10: log10 probability expected, 'nan' found"
    );
    assert_eq!(
        replaced("-0.6\ta", "-inf\ta"),
        "line 10: log10 probability expected, '-inf' found"
    );
    assert_eq!(
        replaced("a\t-0.2", "a\tx"),
        "line 10: log10 back-off expected, 'x' found"
    );
    assert_eq!(
        replaced("a\t-0.2", "a\t-0.2\t-0.3"),
        "line 10: more than a probability, 1 words and a back-off"
    );
    assert_eq!(
        replaced("-0.6\ta\t-0.2", "-0.6"),
        "line 10: a probability and 1 words expected, 0 words found"
    );
    assert_eq!(
        replaced("-0.5\tb", "-0.5\ta"),
        "line 11: 'a' is here a second time"
    );
    assert_eq!(
        replaced("-0.5\tb\t-0.1", "-0.5\t<UNK>\t0"),
        "line 11: <unk> is here a second time"
    );
    assert_eq!(
        replaced("a b\t-0.1", "a c\t-0.1"),
        "line 15: the word 'c' is not among the 1-grams"
    );
    assert_eq!(
        replaced("-0.3\tb </s>", "-0.3\ta b"),
        "line 16: this 2-gram is here a second time"
    );
    assert_eq!(
        replaced("ngram 2=3", "ngram 2=4"),
        "line 17: 4 2-grams expected, as the header says; only 3 found"
    );
    assert_eq!(
        replaced("ngram 2=3", "ngram 2=2"),
        "line 16: \\3-grams: expected after 2 2-grams, as the header says; '-0.3\tb </s>' found"
    );
    assert_eq!(
        replaced("ngram 2=3", "ngram 3=3"),
        "line 3: 'ngram 2=COUNT' or '\\1-grams:' expected, 'ngram 3=3' found"
    );
    assert_eq!(
        replaced("ngram 2=3", "ngram 2=-3"),
        "line 3: 'ngram 2=COUNT' or '\\1-grams:' expected, 'ngram 2=-3' found"
    );
    assert_eq!(
        replaced("ngram 2=3", "ngram 2=99999999999"),
        "line 3: 99999999999 2-grams are more than this program can hold"
    );
    assert_eq!(
        replaced("\\3-grams:", "\\4-grams:"),
        "line 18: \\3-grams: expected, '\\4-grams:' found"
    );
    assert_eq!(
        replaced("\\end\\\n", ""),
        "line 21: the file ends where \\end\\ was expected"
    );
    assert_eq!(
        replaced("\\end\\\n", "\\end\\\nmore\n"),
        "line 22: nothing expected after \\end\\"
    );
    assert_eq!(
        replaced("\t<s>\t", "\tx\t").split(": ").next(),
        Some("line 14")
    );
    assert_eq!(
        complaint("\\data\\\n\n\\1-grams:\n\\end\\\n"),
        "line 3: the header counts no n-grams"
    );
    assert_eq!(
        complaint("\\data\\\nngram 1=1\n"),
        "line 2: the file ends in the header"
    );
    assert_eq!(
        complaint("hello\n"),
        "not an ARPA file: no \\data\\ in its 1 lines"
    );
    assert_eq!(
        complaint(""),
        "not an ARPA file: no \\data\\ in its 0 lines"
    );
    let many: String = (1..=7).map(|order| format!("ngram {order}=1\n")).collect();
    assert_eq!(
        complaint(format!("\\data\\\n{many}\n\\1-grams:\n")),
        "line 10: order 7; this program reads up to order 6"
    );
}

#[test]
fn a_model_needs_the_marks_of_sentences() {
    let one = "\\data\\\nngram 1=1\n\n\\1-grams:\n-1\t<s>\n\n\\end\\\n";
    assert_eq!(complaint(one), "the model has no 1-gram </s>");
    let other = "\\data\\\nngram 1=1\n\n\\1-grams:\n-1\t</s>\n\n\\end\\\n";
    assert_eq!(complaint(other), "the model has no 1-gram <s>");
}

#[test]
fn invalid_utf8_is_named_with_its_line() {
    let mut bytes = GOOD.replace("\ta\t", "\t#\t").into_bytes();
    let at = bytes.iter().position(|&byte| byte == b'#').unwrap();
    bytes[at] = 0xff;
    assert_eq!(
        complaint(bytes),
        "line 10: invalid UTF-8 at byte 6; it looks like Latin-1"
    );
}

#[test]
fn a_file_cut_anywhere_is_an_error() {
    for length in 0..GOOD.trim_end().len() {
        let file = file(&GOOD.as_bytes()[..length]);
        assert!(Model::open(&file.path).is_err(), "cut to {length}");
        assert!(NgramList::read(&file.path).is_err(), "cut to {length}");
    }
}
