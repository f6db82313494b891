//! Optima and posteriors that independent solvers found on the same examples.

use chiasm_learn::naive_bayes::{NaiveBayesParameters, Variant};
use chiasm_learn::svm::SvmParameters;
use chiasm_learn::{Examples, Learner, Model, Row, Shrinking, evaluate, libsvm};
use serde_json::Value;

const TRAIN: &str = include_str!("data/train.libsvm");
const TEST: &str = include_str!("data/test.libsvm");

fn expected() -> Value {
    serde_json::from_str(include_str!("data/expected.json")).unwrap()
}

fn train(merging: bool) -> Examples {
    libsvm::read(TRAIN.as_bytes(), "train.libsvm", merging).unwrap()
}

fn test() -> Examples {
    libsvm::read(TEST.as_bytes(), "test.libsvm", false).unwrap()
}

fn errors(model: &Model) -> u64 {
    let evaluation = evaluate(model, &test()).unwrap();
    ((1.0 - evaluation.accuracy()) * evaluation.examples()).round() as u64
}

fn close(found: f64, expected: &Value, tolerance: f64) {
    let expected = expected.as_f64().unwrap();
    assert!(
        (found - expected).abs() <= tolerance * expected.abs().max(1.0),
        "{found} found, {expected} expected"
    );
}

#[test]
fn svm_reaches_the_optimum_however_it_gets_there() {
    let expected = expected();
    for c in [0.01, 0.1, 1.0] {
        let expected = &expected[format!("svm crammer-singer C={c:?}")];
        for merging in [true, false] {
            for shrinking in [Shrinking::Exact, Shrinking::Off] {
                let learner = SvmParameters::new().c(c).gap(1e-8).shrinking(shrinking);
                let learner = learner.check().unwrap();
                let trained = learner.train(&train(merging), &()).unwrap();
                assert!(trained.report.converged);
                assert!(trained.report.relative_gap.unwrap() <= 1e-8);
                let primal = trained.report.primal_objective.unwrap();
                close(
                    primal / expected["primal objective"].as_f64().unwrap(),
                    &1.0.into(),
                    1e-6,
                );
                assert_eq!(errors(&trained.model), expected["test errors"]);
            }
        }
    }
}

#[test]
fn naive_bayes_posteriors_are_exact() {
    let expected = expected();
    let test = test();
    for (variant, name) in [(Variant::Map, "map"), (Variant::Bayesian, "bayesian")] {
        for alpha in [1.1, 2.0] {
            let expected = &expected[format!("naive bayes {name} alpha={alpha:?}")];
            let learner = NaiveBayesParameters::new(variant)
                .alpha(alpha)
                .check()
                .unwrap();
            let model = learner.train(&train(true), &()).unwrap().model;
            assert_eq!(errors(&model), expected["test errors"]);
            let mut predictor = model.predictor(&test);
            for row in 0..3 {
                let mut logarithms = [0.0; 3];
                predictor.log_probabilities(test.row(row), &mut logarithms);
                for (class, logarithm) in logarithms.iter().enumerate() {
                    let posterior = &expected["first three test posteriors"][row][class];
                    close(logarithm.exp(), posterior, 1e-9);
                }
            }
        }
    }
}

#[test]
fn a_row_without_features_gets_the_prior_from_naive_bayes() {
    let learner = NaiveBayesParameters::new(Variant::Map).check().unwrap();
    let train = train(true);
    let model = learner.train(&train, &()).unwrap().model;
    let mut logarithms = [0.0; 3];
    model.log_probabilities(Row::of(&[]), &mut logarithms);
    for (logarithm, weight) in logarithms.iter().zip(train.class_weights()) {
        assert!((logarithm.exp() - weight / 600.0).abs() < 1e-12);
    }
}
