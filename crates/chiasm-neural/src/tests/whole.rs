//! Training and judging as a whole, on text where words have fixed translations in another order.

use super::reference::Reference;
use crate::shape::Layout;
use crate::{Error, Model, Recipe, Size, Training, train};
use chiasm_store::{Container, Writer};
use chiasm_text::MappedText;
use chiasm_work::{Observer, Progress, Silent};
use rand::RngExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

const WORDS: [&str; 6] = ["ka", "ki", "ku", "ke", "ko", "kya"];

fn pairs(count: usize, seed: u64) -> Vec<(String, String)> {
    let mut random = crate::random::random(seed, "pairs", 0);
    let mut pair = || {
        let length = random.random_range(1..6);
        let words: Vec<usize> = (0..length)
            .map(|_| random.random_range(0..WORDS.len()))
            .collect();
        let source: Vec<&str> = words.iter().map(|&word| WORDS[word]).collect();
        let target: Vec<String> = words
            .iter()
            .rev()
            .map(|word| format!("word{word}"))
            .collect();
        (source.join(" "), target.join(" "))
    };
    (0..count).map(|_| pair()).collect()
}

fn texts(folder: &Path, pairs: &[(String, String)]) -> [MappedText; 2] {
    let (source, target) = (folder.join("source"), folder.join("target"));
    MappedText::write(&source, pairs.iter().map(|pair| pair.0.as_str())).unwrap();
    MappedText::write(&target, pairs.iter().map(|pair| pair.1.as_str())).unwrap();
    [source, target].map(|path| MappedText::open(path).unwrap())
}

fn recipe(steps: usize) -> Recipe {
    Recipe {
        size: Size::Tiny,
        steps,
        batch: 60,
        dropout: Some(0.1),
        label_smoothing: 0.1,
        learning_rate: 0.003,
        warm_up: 20,
        patience: 100,
        seed: 3,
        memory: 1 << 30,
    }
}

fn trained(
    pairs: &[(String, String)],
    recipe: &Recipe,
    threads: usize,
    checkpoint: Option<&Path>,
    observer: &(dyn Observer + Send),
) -> crate::Result<Model> {
    let folder = tempfile::tempdir().unwrap();
    let [source, target] = texts(folder.path(), pairs);
    let training = Training {
        source: &source,
        target: &target,
        held_out: &self::pairs(20, 9),
        recipe,
        checkpoint,
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(|| train(&training, observer))
}

fn bytes(model: &Model) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    model.write(&path).unwrap();
    std::fs::read(path).unwrap()
}

fn words(line: &str) -> Vec<String> {
    chiasm_text::tokens(line).map(String::from).collect()
}

fn scores(model: &Model, source: &str, translations: &[&str]) -> Vec<f32> {
    let translations: Vec<Vec<String>> = translations.iter().map(|line| words(line)).collect();
    let translations: Vec<&[String]> = translations.iter().map(Vec::as_slice).collect();
    model.score(&words(source), &translations)
}

#[test]
fn it_learns_to_tell_right_from_wrong() {
    let model = trained(&pairs(400, 1), &recipe(400), 2, None, &Silent).unwrap();
    let found = scores(
        &model,
        "ka ki ku",
        &[
            "word2 word1 word0",
            "word0 word1 word2",
            "word2 word1",
            "word3 word1 word0",
        ],
    );
    assert!(found[0] > -1.5, "{found:?}");
    assert!(
        found[1..].iter().all(|&other| other < found[0] - 1.0),
        "{found:?}"
    );
}

#[test]
fn alone_it_translates_what_it_has_learned() {
    let model = trained(&pairs(400, 1), &recipe(400), 2, None, &Silent).unwrap();
    let alone = model.translate(&words("ka ki ku"), 4);
    assert_eq!(alone, words("word2 word1 word0"));
    // A beam of everything finds nothing that is less probable by the mean of its subwords.
    let mean = |line: &[String]| {
        let mut pieces = Vec::new();
        let encode = |word: &String| model.target.encode(word, &mut pieces);
        line.iter().for_each(encode);
        model.score(&words("ki kya"), &[line])[0] / (pieces.len() + 1) as f32
    };
    let wide = model.translate(&words("ki kya"), 64);
    let narrow = model.translate(&words("ki kya"), 1);
    assert!(mean(&wide) >= mean(&narrow), "{wide:?} {narrow:?}");
    assert!(model.translate::<String>(&[], 4).is_empty());
}

#[test]
fn threads_do_not_change_a_byte() {
    let pairs = pairs(100, 1);
    let alone = bytes(&trained(&pairs, &recipe(12), 1, None, &Silent).unwrap());
    for threads in [2, 5] {
        let other = bytes(&trained(&pairs, &recipe(12), threads, None, &Silent).unwrap());
        assert!(alone == other, "{threads} threads");
    }
}

/// Panics at a certain step, as if the process were killed.
struct Killer {
    left: AtomicUsize,
}

impl Observer for Killer {
    fn say(&self, _: &str) {}

    fn begin(&self, _: &str, _: &str, _: Option<u64>) -> Box<dyn Progress + '_> {
        Box::new(Counter(&self.left))
    }
}

struct Counter<'a>(&'a AtomicUsize);

impl Progress for Counter<'_> {
    fn advance(&self, amount: u64) {
        if amount == 1 && self.0.fetch_sub(1, Ordering::Relaxed) == 1 {
            panic!("killed");
        }
    }
}

#[test]
fn a_killed_run_ends_with_the_same_bytes() {
    let pairs = pairs(60, 1);
    let whole = bytes(&trained(&pairs, &recipe(30), 1, None, &Silent).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("checkpoint");
    let mut kills = 0;
    for after in [1, 2, 3, 4, 5, 6, 7, 9, 11, 13] {
        let killer = Killer {
            left: AtomicUsize::new(after),
        };
        let run = || trained(&pairs, &recipe(30), 1, Some(&checkpoint), &killer);
        kills += usize::from(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
    }
    assert!(kills >= 5, "{kills}");
    let resumed = trained(&pairs, &recipe(30), 2, Some(&checkpoint), &Silent).unwrap();
    assert!(whole == bytes(&resumed));
    // What cannot be used is not.
    std::fs::write(&checkpoint, b"CHIASM\r\nbroken").unwrap();
    let anew = trained(&pairs, &recipe(30), 2, Some(&checkpoint), &Silent).unwrap();
    assert!(whole == bytes(&anew));
}

#[test]
fn the_score_is_that_of_the_definition() {
    let model = trained(&pairs(100, 1), &recipe(30), 1, None, &Silent).unwrap();
    let layout = Layout::new(*model.shape());
    let parameters: Vec<f64> = model
        .ready()
        .parameters
        .iter()
        .map(|&weight| f64::from(weight))
        .collect();
    let reference = Reference {
        layout: &layout,
        parameters: &parameters,
    };
    let source = "ka kya 猫 kakiku";
    let translations = [
        "word2 word1",
        "word2",
        "",
        "word2 word1 word1 猫 x",
        "word2 word1",
    ];
    let encode = |subwords: &crate::Subwords, line: &str| {
        let mut pieces = Vec::new();
        words(line)
            .iter()
            .for_each(|word| subwords.encode(word, &mut pieces));
        pieces
    };
    let found = scores(&model, source, &translations);
    assert_eq!(found.len(), translations.len());
    for (line, found) in translations.iter().zip(found) {
        let pieces = encode(&model.target, line);
        let expected = -reference.loss(&encode(&model.source, source), &pieces, 0.0);
        assert!(
            (f64::from(found) - expected).abs() < 1e-4,
            "{line}: {found} {expected}"
        );
    }
}

#[test]
fn odd_sentences_have_an_answer_in_bounded_time() {
    let model = trained(&pairs(2, 1), &recipe(3), 1, None, &Silent).unwrap();
    assert_eq!(scores(&model, "", &["", "x"]).len(), 2);
    assert!(scores(&model, "ka", &[]).is_empty());
    let long = vec!["ka"; 5_000].join(" ");
    assert!(scores(&model, &long, &["x"]).is_empty());
    // Only as many as fit are judged.
    let unlike = (0..40usize).map(|number| {
        let bits = (0..6).map(|bit| {
            if number >> bit & 1 == 1 {
                "word1"
            } else {
                "word0"
            }
        });
        let rest = std::iter::repeat_n("word1", 300);
        bits.chain(rest).collect::<Vec<&str>>().join(" ")
    });
    let unlike: Vec<String> = unlike.collect();
    let unlike: Vec<&str> = unlike.iter().map(String::as_str).collect();
    let judged = scores(&model, "ka", &unlike);
    assert!((1..40).contains(&judged.len()), "{}", judged.len());
}

#[test]
fn what_cannot_be_learned_from_is_named() {
    let outcome = trained(&[(String::new(), "x".into())], &recipe(3), 1, None, &Silent);
    assert!(matches!(outcome, Err(Error::Nothing(_))));
    let small = Recipe {
        memory: 1000,
        ..recipe(3)
    };
    let outcome = trained(&pairs(3, 1), &small, 1, None, &Silent);
    assert!(matches!(outcome, Err(Error::Memory { .. })));
    let silly = Recipe {
        dropout: Some(f32::NAN),
        ..recipe(3)
    };
    let outcome = trained(&pairs(3, 1), &silly, 1, None, &Silent);
    assert!(matches!(
        outcome,
        Err(Error::Setting {
            name: "dropout",
            ..
        })
    ));
}

#[test]
fn a_file_that_makes_no_sense_is_refused() {
    let model = trained(&pairs(20, 1), &recipe(2), 1, None, &Silent).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    model.write(&path).unwrap();
    let back = Model::open(&path).unwrap();
    assert_eq!(
        scores(&model, "ka", &["word0"]),
        scores(&back, "ka", &["word0"])
    );
    let sections = Container::open(&path)
        .unwrap()
        .expect_kind("ranker", 1)
        .unwrap();
    let names: Vec<String> = sections.list().map(|(name, _)| name.to_string()).collect();
    let shape = sections.text("shape").unwrap();
    let shapes = [
        shape.replace("\"width\":64", "\"width\":0"),
        shape.replace("\"width\":64", "\"width\":65536"),
        shape.replace("\"heads\":4", "\"heads\":7"),
        shape.replace("\"encoder_layers\":2", "\"encoder_layers\":99999999"),
        "nothing".into(),
    ];
    for shape in &shapes {
        let mut writer = Writer::create(&path, "ranker", 1).unwrap();
        for name in &names {
            match name.as_str() {
                "shape" => writer.bytes(name, shape.as_bytes()).unwrap(),
                name => writer.bytes(name, sections.bytes(name).unwrap()).unwrap(),
            }
        }
        writer.finish().unwrap();
        assert!(Model::open(&path).is_err(), "{shape}");
    }
    for (name, contents) in [
        ("source/merges", &[9u16, 9, 200, 3][..]),
        ("target/characters", &[0x6161, 0x6161]),
        ("weights", &[0; 5]),
    ] {
        let mut writer = Writer::create(&path, "ranker", 1).unwrap();
        for other in &names {
            match other == name {
                true => writer.array(other, contents).unwrap(),
                false => writer.bytes(other, sections.bytes(other).unwrap()).unwrap(),
            }
        }
        writer.finish().unwrap();
        assert!(Model::open(&path).is_err(), "{name}");
    }
}

#[test]
fn more_text_is_looked_at_longer_and_less_of_it_is_dropped() {
    let by_text = Recipe {
        dropout: None,
        ..recipe(0)
    };
    assert_eq!(by_text.steps(10_000), 1_600);
    assert_eq!(by_text.steps(4_000_000), 32_000);
    assert!(by_text.dropout(4_000_000) < by_text.dropout(10_000));
    assert_eq!(
        (recipe(7).steps(10_000), recipe(7).dropout(10_000)),
        (7, 0.1)
    );
}
