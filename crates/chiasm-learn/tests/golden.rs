//! Classifiers that released versions wrote: readable for ever, with the same answers.

use chiasm_learn::{Model, libsvm};
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
    let model = Model::open(golden(&format!("{name}.classifier"))).unwrap();
    let input = text("input.libsvm");
    // Merging would sort the rows; the answers are in the order of the lines.
    let examples = libsvm::read(input.as_bytes(), "input.libsvm", false).unwrap();
    let answers = text(&format!("{name}.answers"));
    assert_eq!(examples.rows(), answers.lines().count());
    let mut predictor = model.predictor(&examples);
    let mut logarithms = vec![0.0; model.class_names().len()];
    for (row, answer) in answers.lines().enumerate() {
        predictor.log_probabilities(examples.row(row), &mut logarithms);
        let mut fields = answer.split(' ');
        let best = chiasm_learn::evaluation::most_probable(&logarithms);
        assert_eq!(fields.next(), Some(model.class_names()[best].as_str()));
        for logarithm in &logarithms {
            let expected: f64 = fields.next().unwrap().parse().unwrap();
            assert!((logarithm.exp() - expected).abs() < 1e-9, "{answer}");
        }
        assert_eq!(fields.next(), None);
    }
}

#[test]
fn an_svm_in_eight_bits_of_0_1_0_still_predicts() {
    check("svm8");
}

#[test]
fn naive_bayes_counts_of_0_1_0_still_predict() {
    check("nb-map");
}

#[test]
fn a_calibrated_maxent_model_in_64_bits_of_0_1_0_still_predicts() {
    check("lbfgs64");
}
