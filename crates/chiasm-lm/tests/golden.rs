//! Binaries that released versions wrote: readable for ever, with the same answers.

use chiasm_lm::Model;
use std::path::PathBuf;

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden/0.1.0")
        .join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(golden(name)).unwrap()
}

fn check(name: &str) {
    let model = Model::open(golden(&format!("{name}.bin"))).unwrap();
    let (input, answers) = (text("input"), text(&format!("{name}.answers")));
    assert_eq!(input.lines().count(), answers.lines().count());
    for (line, answer) in input.lines().zip(answers.lines()) {
        let (log10, unknown) = answer.split_once('\t').unwrap();
        let score = model.score_line(line);
        let expected: f64 = log10.parse().unwrap();
        assert!((score.log10 - expected).abs() < 1e-5, "{line}: {score:?}");
        assert_eq!(score.unknown.to_string(), unknown, "{line}");
    }
}

#[test]
fn a_binary_of_0_1_0_still_scores() {
    check("probing");
}

#[test]
fn a_quantised_binary_of_0_1_0_still_scores() {
    check("quantised");
}
