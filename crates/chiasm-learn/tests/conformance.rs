//! Optima and posteriors that independent solvers found on the same examples.

use chiasm_learn::dual::DualParameters;
use chiasm_learn::lbfgs::LbfgsParameters;
use chiasm_learn::naive_bayes::{NaiveBayesParameters, Variant};
use chiasm_learn::selection::{mutual_information, select, sweep};
use chiasm_learn::sgd::SgdParameters;
use chiasm_learn::svm::SvmParameters;
use chiasm_learn::{Examples, Learner, Model, Row, Shrinking, evaluate, libsvm};
use serde_json::Value;

const TRAIN: &str = include_str!("data/train.libsvm");
const TEST: &str = include_str!("data/test.libsvm");

/// Merged or not, shrinking or not.
const WAYS: [(bool, Shrinking); 3] = [
    (true, Shrinking::Exact),
    (false, Shrinking::Exact),
    (true, Shrinking::Off),
];

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
        for (merging, shrinking) in WAYS {
            {
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

/// How far a found objective is from the expected one, relatively.
fn relative(found: Option<f64>, expected: &Value) -> f64 {
    (found.unwrap() / expected.as_f64().unwrap() - 1.0).abs()
}

fn check_logistic(learner: &dyn Learner, sigma2: f64, merging: bool) {
    let expected = &expected()[format!("mlr sigma2={sigma2:?}")];
    let trained = learner.train(&train(merging), &()).unwrap();
    let report = &trained.report;
    assert!(report.converged, "{:?}", report.relative_gap);
    assert!(report.relative_gap.unwrap() <= 1e-8);
    let off = relative(report.primal_objective, &expected["primal objective"]);
    assert!(off < 1e-6, "{} sigma2 {sigma2}: {off}", learner.name());
    assert_eq!(errors(&trained.model), expected["test errors"]);
    let evaluation = evaluate(&trained.model, &test()).unwrap();
    close(evaluation.log_loss(), &expected["test log loss"], 1e-4);
    let test = test();
    let mut logarithms = [0.0; 3];
    let mut predictor = trained.model.predictor(&test);
    predictor.log_probabilities(test.row(0), &mut logarithms);
    for (class, logarithm) in logarithms.iter().enumerate() {
        let probability = &expected["first test probabilities"][class];
        close(logarithm.exp(), probability, 1e-4);
    }
}

#[test]
fn the_dual_method_reaches_the_optimum_however_it_gets_there() {
    for sigma2 in [0.1, 1.0, 10.0] {
        for (merging, shrinking) in WAYS {
            {
                let parameters = DualParameters::new().sigma2(sigma2).gap(1e-8);
                let learner = parameters.shrinking(shrinking).check().unwrap();
                check_logistic(&learner, sigma2, merging);
            }
        }
    }
}

#[test]
fn lbfgs_reaches_the_optimum() {
    for sigma2 in [0.1, 1.0, 10.0] {
        for merging in [true, false] {
            let parameters = LbfgsParameters::new().sigma2(sigma2).gap(1e-8);
            check_logistic(&parameters.check().unwrap(), sigma2, merging);
        }
    }
}

#[test]
fn owlqn_reaches_the_sparse_optimum() {
    let expected = expected();
    for l1 in [1.0, 5.0] {
        let expected = &expected[format!("maxent L1 lambda={l1:?}")];
        for merging in [true, false] {
            let parameters = LbfgsParameters::new().l1(Some(l1)).gap(1e-8);
            let trained = parameters
                .check()
                .unwrap()
                .train(&train(merging), &())
                .unwrap();
            let report = &trained.report;
            let off = relative(report.primal_objective, &expected["objective"]);
            assert!(off < 1e-6, "lambda {l1}: {off}");
            assert!(report.relative_gap.unwrap() < 1e-7, "{report:?}");
            let wanted = expected["nonzero weights (|w|>1e-6)"].as_u64().unwrap();
            assert_eq!(report.parameters, wanted);
        }
    }
}

#[test]
fn sgd_comes_near_the_optimum() {
    let expected = expected();
    let learner = SgdParameters::new().sigma2(1.0).check().unwrap();
    let trained = learner.train(&train(true), &()).unwrap();
    let expected = &expected["mlr sigma2=1.0"]["primal objective"];
    assert!(relative(trained.report.primal_objective, expected) < 0.01);
    assert_eq!(trained.report.iterations, 100);
}

#[test]
fn shrinking_as_printed_ends_near_the_optimum() {
    let expected = expected();
    let svm = SvmParameters::new()
        .c(0.1)
        .epsilon(0.01)
        .shrinking(Shrinking::Paper);
    let svm = svm
        .check()
        .unwrap()
        .train(&train(true), &())
        .unwrap()
        .report;
    let optimum = &expected["svm crammer-singer C=0.1"]["primal objective"];
    let off = relative(svm.primal_objective, optimum);
    assert!(off > 1e-9 && off < 0.05, "{off}");
    let dual = DualParameters::new()
        .epsilon(0.01)
        .shrinking(Shrinking::Paper);
    let dual = dual
        .check()
        .unwrap()
        .train(&train(true), &())
        .unwrap()
        .report;
    let off = relative(
        dual.primal_objective,
        &expected["mlr sigma2=1.0"]["primal objective"],
    );
    assert!(off > 1e-9 && off < 0.05, "{off}");
    assert!(dual.active_share.first() > dual.active_share.last());
}

#[test]
fn mutual_information_is_exact() {
    let expected = expected();
    let examples = train(true);
    let information = mutual_information(&examples);
    for (feature, found) in information.iter().enumerate() {
        let id = examples.feature_ids()[feature] as usize;
        let mutual = &expected["mutual information (nats), feature 1..80"][id - 1];
        close(found.mutual, mutual, 1e-9);
        close(
            found.normalised,
            &expected["normalised mutual information"][id - 1],
            1e-9,
        );
    }
    let points = sweep(&information, &[0.0, 0.01, 1.1]);
    assert_eq!(points[0].features, 80);
    assert_eq!(points[2].features, 0);
    let selected = select(&examples, 0.01).unwrap();
    assert_eq!(selected.features(), points[1].features);
    assert_eq!(selected.weight(), 600.0);
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
