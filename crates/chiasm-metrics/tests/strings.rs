//! Strings that are hard on tokenisers and shifts, with the answers of sacreBLEU 2.6.0 as single
//! sentences: entities, numbers, Unicode punctuation and spaces, empty sides, very unequal lengths.

use chiasm_metrics::tokenize::tokens;
use chiasm_metrics::{Bleu, Chrf, Metric, Smoothing, Ter, Tokenizer};
use serde_json::Value;

fn cases() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/strings.json");
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str::<Vec<Value>>(&text).unwrap()
}

#[test]
fn tokens_are_sacrebleus() {
    for case in cases() {
        let line = case["h"].as_str().unwrap();
        for name in ["none", "13a", "intl", "char"] {
            let tokenizer: Tokenizer = name.parse().unwrap();
            let text = tokenizer.tokenize(line);
            let found = tokens(&text).collect::<Vec<_>>().join(" ");
            assert_eq!(
                found,
                case["tokens"][name].as_str().unwrap(),
                "{name} of {line:?}"
            );
        }
    }
}

fn sentence_bleu(tokenizer: &str) -> Bleu {
    Bleu {
        tokenizer: tokenizer.parse().unwrap(),
        effective_order: true,
        ..Bleu::default()
    }
}

fn smoothed(method: &str) -> Bleu {
    Bleu {
        smoothing: method.parse::<Smoothing>().unwrap(),
        ..Bleu::default()
    }
}

#[test]
fn scores_are_sacrebleus() {
    let lowercase = Bleu {
        lowercase: true,
        ..sentence_bleu("13a")
    };
    let metrics: [(&str, Box<dyn Metric>); 12] = [
        ("bleu tok:none", Box::new(sentence_bleu("none"))),
        ("bleu tok:13a", Box::new(sentence_bleu("13a"))),
        ("bleu tok:intl", Box::new(sentence_bleu("intl"))),
        ("bleu tok:char", Box::new(sentence_bleu("char"))),
        ("bleu smooth:none", Box::new(smoothed("none"))),
        ("bleu smooth:floor", Box::new(smoothed("floor"))),
        ("bleu smooth:add-k", Box::new(smoothed("add-k"))),
        ("bleu lc", Box::new(lowercase)),
        ("chrf2", Box::new(Chrf::default())),
        ("chrf2++", Box::new(Chrf::plus_plus())),
        ("ter", Box::new(Ter::default())),
        (
            "ter cs",
            Box::new(Ter {
                case_sensitive: true,
            }),
        ),
    ];
    for case in cases() {
        let hypothesis = case["h"].as_str().unwrap();
        let references = case["r"].as_array().unwrap().iter();
        let references: Vec<&str> = references.map(|r| r.as_str().unwrap()).collect();
        for (name, metric) in &metrics {
            let mut row = vec![0.0; metric.width()];
            metric.sentence(hypothesis, &references, &mut row);
            let (score, wanted) = (metric.score(&row), case["scores"][name].as_f64().unwrap());
            assert!(
                (score - wanted).abs() < 1e-9,
                "{name}: {score}, {wanted} expected: {case}"
            );
        }
    }
}

#[test]
fn signatures_of_the_smoothing_methods() {
    let signature = |method: &str| smoothed(method).signature(2);
    let expected =
        |smooth| format!("nrefs:2|case:mixed|eff:no|tok:13a|smooth:{smooth}|version:2.6.0");
    assert_eq!(signature("floor"), expected("floor[0.10]"));
    assert_eq!(signature("add-k"), expected("add-k[1.00]"));
    assert_eq!(signature("none"), expected("none"));
    assert!("laplace".parse::<Smoothing>().is_err());
    assert!("14b".parse::<Tokenizer>().is_err());
}
