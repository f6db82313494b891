//! sacreBLEU 2.6.0 and mteval-v13a answered these; the answers are in tests/data/expected.json.

use chiasm_metrics::{Bleu, Chrf, Metric, Nist, References, Smoothing, Statistics, Ter, Tokenizer};
use serde_json::Value;

fn read(name: &str) -> String {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn lines(name: &str) -> Vec<String> {
    read(name).lines().map(str::to_string).collect()
}

fn references(count: usize) -> References {
    let sets = (0..count).map(|i| lines(&format!("reference{i}")));
    References::new(sets.collect()).unwrap()
}

fn expected() -> Value {
    serde_json::from_str(&read("expected.json")).unwrap()
}

/// Every system with one and with four references.
fn each_case(check: impl Fn(&Value, &[String], &References)) {
    let expected = expected();
    for system in ["system-a", "system-b"] {
        for count in [1, 4] {
            let answers = &expected[format!("{system}, {count} reference(s)")];
            assert!(answers.is_object());
            check(answers, &lines(system), &references(count));
        }
    }
}

fn check_metric(
    metric: &dyn Metric,
    answer: &Value,
    hypotheses: &[String],
    references: &References,
) {
    let statistics = Statistics::collect(metric, hypotheses, references).unwrap();
    let score = metric.score(&statistics.sum());
    let wanted = answer["score"].as_f64().unwrap();
    assert!(
        (score - wanted).abs() < 1e-9,
        "{}: {score}, {wanted} expected",
        metric.name()
    );
    assert_eq!(
        metric.signature(references.count()),
        answer["signature"].as_str().unwrap()
    );
}

#[test]
fn bleu() {
    let none = Bleu {
        tokenizer: Tokenizer::None,
        ..Bleu::default()
    };
    let settings = [
        ("bleu tok:none", none),
        ("bleu tok:13a", Bleu::default()),
        (
            "bleu tok:13a lc",
            Bleu {
                lowercase: true,
                ..Bleu::default()
            },
        ),
        (
            "bleu tok:none smooth:none",
            Bleu {
                smoothing: Smoothing::None,
                ..none
            },
        ),
    ];
    each_case(|answers, hypotheses, references| {
        for (name, bleu) in &settings {
            check_metric(bleu, &answers[name], hypotheses, references);
            let statistics = Statistics::collect(bleu, hypotheses, references).unwrap();
            let sum = statistics.sum();
            let verbose = bleu
                .detailed(sum.as_slice().try_into().unwrap())
                .to_string();
            assert_eq!(verbose, answers[name]["verbose"].as_str().unwrap());
        }
    });
}

#[test]
fn sentence_bleu() {
    let bleu = Bleu {
        tokenizer: Tokenizer::None,
        effective_order: true,
        ..Bleu::default()
    };
    let answers = expected();
    let answers = answers["sentence bleu tok:none eff:yes, system-a, 4 references"]
        .as_array()
        .unwrap()
        .clone();
    let references = references(4);
    let hypotheses = lines("system-a");
    assert_eq!(answers.len(), hypotheses.len());
    for (i, answer) in answers.iter().enumerate() {
        let score = bleu.sentence_score(&hypotheses[i], &references.of(i));
        assert!(
            (score - answer.as_f64().unwrap()).abs() < 1e-9,
            "sentence {i}"
        );
    }
}

#[test]
fn chrf_and_ter() {
    each_case(|answers, hypotheses, references| {
        check_metric(&Chrf::default(), &answers["chrf2"], hypotheses, references);
        check_metric(
            &Chrf::plus_plus(),
            &answers["chrf2++"],
            hypotheses,
            references,
        );
        check_metric(&Ter::default(), &answers["ter"], hypotheses, references);
    });
}

#[test]
fn nist_to_the_printed_digits() {
    each_case(|answers, hypotheses, references| {
        let nist = Nist::new(references).unwrap();
        let statistics = Statistics::collect(&nist, hypotheses, references).unwrap();
        let printed = format!("NIST score = {:.4} ", nist.score(&statistics.sum()));
        let answer = answers["nist mteval-v13a"].as_str().unwrap();
        assert!(answer.starts_with(&printed), "{printed}: {answer} expected");
    });
}
