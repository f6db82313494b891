//! What cannot be learned from, or read, is refused with a reason; and odd data do no harm.

use chiasm_learn::dual::DualParameters;
use chiasm_learn::lbfgs::LbfgsParameters;
use chiasm_learn::naive_bayes::{NaiveBayesParameters, Variant};
use chiasm_learn::sgd::SgdParameters;
use chiasm_learn::svm::SvmParameters;
use chiasm_learn::{Bits, Builder, Examples, Learner, Model, Shrinking, evaluate, libsvm};

fn read(text: &str) -> chiasm_learn::Result<Examples> {
    libsvm::read(text.as_bytes(), "x.libsvm", true)
}

fn learners() -> Vec<Box<dyn Learner>> {
    vec![
        Box::new(SvmParameters::new().check().unwrap()),
        Box::new(DualParameters::new().check().unwrap()),
        Box::new(
            SvmParameters::new()
                .shrinking(Shrinking::Paper)
                .check()
                .unwrap(),
        ),
        Box::new(
            DualParameters::new()
                .shrinking(Shrinking::Paper)
                .check()
                .unwrap(),
        ),
        Box::new(LbfgsParameters::new().check().unwrap()),
        Box::new(LbfgsParameters::new().l1(Some(0.5)).check().unwrap()),
        Box::new(SgdParameters::new().check().unwrap()),
        Box::new(NaiveBayesParameters::new(Variant::Map).check().unwrap()),
        Box::new(
            NaiveBayesParameters::new(Variant::Bayesian)
                .check()
                .unwrap(),
        ),
    ]
}

fn refusal(examples: &Examples) -> String {
    let mut reasons = learners()
        .into_iter()
        .map(|learner| learner.train(examples, &()).unwrap_err().to_string())
        .collect::<Vec<_>>();
    reasons.dedup();
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    reasons.remove(0)
}

#[test]
fn lines_that_make_no_sense_are_named() {
    for (text, reason) in [
        (
            "1 1:1\nx 1:1\n",
            "x.libsvm: line 2: `x`: a class, an integer, expected",
        ),
        ("1 1\n", "x.libsvm: line 1: `1`: feature:value expected"),
        ("1 1:\n", "x.libsvm: line 1: `1:`: feature:value expected"),
        ("1 :1\n", "x.libsvm: line 1: `:1`: feature:value expected"),
        (
            "1 -1:1\n",
            "x.libsvm: line 1: `-1:1`: feature:value expected",
        ),
        (
            "1 4294967296:1\n",
            "x.libsvm: line 1: `4294967296:1`: feature:value expected",
        ),
        (
            "1 1:nan\n",
            "x.libsvm: line 1: `1:nan`: the value must be a finite number of at most 1e30",
        ),
        (
            "1 1:1e999\n",
            "x.libsvm: line 1: `1:1e999`: the value must be a finite number of at most 1e30",
        ),
        (
            "1.5 1:1\n",
            "x.libsvm: line 1: `1.5`: a class, an integer, expected",
        ),
        (
            "1 1:1e308 1:1e308\n",
            "x.libsvm: line 1: `1:1e308`: the value must be a finite number of at most 1e30",
        ),
        (
            "1 1:\u{fffd}\n",
            "x.libsvm: line 1: `1:\u{fffd}`: feature:value expected",
        ),
        (
            "# nothing\n\n",
            "x.libsvm: no examples; at least one line `class feature:value ...` expected",
        ),
    ] {
        assert_eq!(read(text).unwrap_err().to_string(), reason);
    }
    let many: String = (0..300).map(|class| format!("{class} 1:1\n")).collect();
    let reason = read(&many).unwrap_err().to_string();
    assert_eq!(
        reason,
        "x.libsvm: line 257: more than 256 classes, which is the most supported"
    );
}

#[test]
fn comments_signs_and_repeats_are_read() {
    let text = "+1 3:1 1:2 3:1 # first\r\n\n-1 2:0 7:0.5\n2.0\n";
    let examples = libsvm::read(text.as_bytes(), "x.libsvm", false).unwrap();
    assert_eq!(examples.class_names(), ["-1", "1", "2"]);
    assert_eq!(examples.rows(), 2);
    assert_eq!(examples.featureless(), [0.0, 0.0, 1.0]);
    let named = |row: usize| {
        let ids = examples.feature_ids();
        let entries = examples.row(row).entries();
        let mut named: Vec<_> = entries.map(|(f, v)| (ids[f as usize], v)).collect();
        named.sort_by_key(|entry| entry.0);
        named
    };
    assert_eq!(named(0), [(1, 2.0), (3, 2.0)]);
    assert_eq!(named(1), [(7, 0.5)]);
}

#[test]
fn what_cannot_be_learned_is_refused() {
    let one = read("1 1:1\n1 2:1\n").unwrap();
    assert_eq!(
        refusal(&one),
        "only class 1 in the examples; at least two classes are needed"
    );
    let empty = read("1\n2\n").unwrap();
    assert_eq!(refusal(&empty), "no features left in the training examples");
    let names = ["monotone", "swap", "other"].map(String::from).to_vec();
    let mut builder = Builder::new(names).unwrap();
    builder.push(&mut vec![(0, 1.0)], 0, 1.0).unwrap();
    builder.push(&mut vec![(1, 1.0)], 2, 1.0).unwrap();
    assert_eq!(
        refusal(&builder.finish().unwrap()),
        "class swap was never seen in the training examples"
    );
    let negative = read("1 1:-1\n2 2:1\n").unwrap();
    for variant in [Variant::Map, Variant::Bayesian] {
        let learner = NaiveBayesParameters::new(variant).check().unwrap();
        let reason = learner.train(&negative, &()).unwrap_err().to_string();
        assert_eq!(
            reason,
            "naive Bayes counts features: values must not be below zero"
        );
    }
}

#[test]
fn the_builder_refuses_what_learners_could_not_index() {
    let mut builder = Builder::new(vec!["a".into(), "b".into()]).unwrap();
    assert!(builder.push(&mut vec![(0, 1.0)], 2, 1.0).is_err());
    assert!(builder.push(&mut vec![(0, 1.0)], 0, f64::NAN).is_err());
    assert!(builder.push(&mut vec![(0, 1.0)], 0, -1.0).is_err());
    assert!(builder.push(&mut vec![(0, f64::INFINITY)], 0, 1.0).is_err());
    builder.push(&mut vec![(5, 1.0)], 0, 1.0).unwrap();
    assert!(builder.finish_with_ids(vec![1, 2, 3]).is_err());
}

#[test]
fn parameters_must_be_numbers_in_their_range() {
    for bad in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
        assert!(SvmParameters::new().c(bad).check().is_err());
        assert!(SvmParameters::new().gap(bad).check().is_err());
        assert!(DualParameters::new().sigma2(bad).check().is_err());
        assert!(DualParameters::new().gap(bad).check().is_err());
        assert!(LbfgsParameters::new().sigma2(bad).check().is_err());
        assert!(LbfgsParameters::new().l1(Some(bad)).check().is_err());
        assert!(SgdParameters::new().sigma2(bad).check().is_err());
        assert!(SgdParameters::new().rate(bad).check().is_err());
        assert!(
            NaiveBayesParameters::new(Variant::Map)
                .alpha(bad)
                .check()
                .is_err()
        );
        assert!(
            NaiveBayesParameters::new(Variant::Bayesian)
                .alpha(bad)
                .check()
                .is_err()
        );
    }
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(SvmParameters::new().epsilon(bad).check().is_err());
        assert!(DualParameters::new().epsilon(bad).check().is_err());
    }
    assert!(SvmParameters::new().iterations(0).check().is_err());
    assert!(DualParameters::new().max_trials(0).check().is_err());
    assert!(
        NaiveBayesParameters::new(Variant::Map)
            .alpha(1.0)
            .check()
            .is_err()
    );
    let reason = SvmParameters::new()
        .c(f64::NAN)
        .check()
        .unwrap_err()
        .to_string();
    assert_eq!(reason, "c: a positive number expected, NaN found");
    assert!(Bits::from_number(12).is_err());
}

#[test]
fn odd_data_do_no_harm() {
    for text in [
        "1 1:1\n2 1:1\n",                             // nothing to tell the classes apart
        "1 1:1\n2 2:1\n",                             // one example a class
        "1 1:1e6\n2 1:-1e6\n1 2:1e-6\n",              // values far apart
        "1 1:1 1:1 1:1\n2 1:1\n2\n",                  // repeats and a row without features
        "1 0:1 4294967295:1\n2 4294967295:2\n",       // identities at both ends
        "1 1:1\n2 2:1\n3 3:1\n4 4:1\n5 5:1\n6 1:1\n", // more classes than four
    ] {
        let examples = read(text).unwrap();
        for learner in learners() {
            let Ok(trained) = learner.train(&examples, &()) else {
                assert!(text.contains('-') && learner.name().starts_with("nb"));
                continue;
            };
            let evaluation = evaluate(&trained.model, &examples).unwrap();
            assert!(
                evaluation.log_loss().is_finite(),
                "{} {text}",
                learner.name()
            );
            if let Some(gap) = trained.report.relative_gap {
                assert!(gap > -1e-9, "{} {gap} {text}", learner.name());
            }
        }
    }
}

fn saved() -> (tempfile::TempDir, std::path::PathBuf, Examples) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let examples = read("1 1:1 5:1\n2 2:1 5:2\n3 1:1 2:1\n").unwrap();
    (folder, path, examples)
}

#[test]
fn models_come_back_as_they_were_and_damage_is_noticed() {
    let (_folder, path, examples) = saved();
    for learner in learners() {
        let trained = learner.train(&examples, &()).unwrap();
        for bits in [Bits::SixtyFour, Bits::ThirtyTwo, Bits::Sixteen, Bits::Eight] {
            let model = trained.model.clone().with_bits(bits);
            model.save(&path).unwrap();
            let opened = Model::open(&path).unwrap();
            assert_eq!(opened.class_names(), model.class_names());
            assert_eq!(opened.report().learner, learner.name());
            assert_eq!(
                evaluate(&opened, &examples).unwrap(),
                evaluate(&model, &examples).unwrap()
            );
        }
        if !["svm", "nb-map"].contains(&learner.name()) {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        for cut in [0, 7, 63, 64, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(Model::open(&path).is_err(), "cut at {cut}");
        }
        // Padding between sections is not checked; everything else is.
        let mut noticed = 0;
        for position in (0..bytes.len()).step_by(3) {
            let mut damaged = bytes.clone();
            damaged[position] ^= 0x20;
            std::fs::write(&path, &damaged).unwrap();
            match Model::open(&path) {
                Err(_) => noticed += 1,
                Ok(model) => {
                    assert_eq!(bytes[position], 0, "byte {position} changed unnoticed");
                    assert_eq!(evaluate(&model, &examples).unwrap().examples(), 3.0);
                }
            }
        }
        assert!(noticed > bytes.len() / 6);
    }
}

#[test]
fn foreign_files_and_other_versions_are_refused() {
    let (_folder, path, examples) = saved();
    std::fs::write(&path, "solver_type MCSVM_CS\nnr_class 3\n").unwrap();
    let reason = Model::open(&path).unwrap_err().to_string();
    assert!(reason.ends_with("not a file that Chiasm wrote"), "{reason}");
    examples.save(&path).unwrap();
    let reason = Model::open(&path).unwrap_err().to_string();
    assert!(
        reason.ends_with("holds a examples, not a classifier"),
        "{reason}"
    );
    let mut writer = chiasm_store::Writer::create(&path, "examples", 7).unwrap();
    examples.write(&mut writer).unwrap();
    writer.finish().unwrap();
    let reason = Examples::open(&path).unwrap_err().to_string();
    let wanted = "examples of version 7; this program reads version 1";
    assert!(reason.ends_with(wanted), "{reason}");
    let writer = chiasm_store::Writer::create(&path, "classifier", 1).unwrap();
    writer.finish().unwrap();
    let reason = Model::open(&path).unwrap_err().to_string();
    assert!(
        reason.ends_with("section class-names: is missing"),
        "{reason}"
    );
}

#[test]
fn a_model_answers_for_classes_it_knows_only() {
    let (_folder, _, examples) = saved();
    let learner = SvmParameters::new().check().unwrap();
    let model = learner.train(&examples, &()).unwrap().model;
    let other = read("1 1:1\n9 2:1\n").unwrap();
    let reason = evaluate(&model, &other).unwrap_err().to_string();
    assert_eq!(reason, "class 9 is not one of the model's: 1, 2, 3");
}
