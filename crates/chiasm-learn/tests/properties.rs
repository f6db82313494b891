//! Properties of random examples: however they are stored, merged or split, the answers agree.

use chiasm_learn::dual::DualParameters;
use chiasm_learn::lbfgs::LbfgsParameters;
use chiasm_learn::model::Form;
use chiasm_learn::naive_bayes::{NaiveBayes, NaiveBayesParameters, Variant};
use chiasm_learn::svm::SvmParameters;
use chiasm_learn::{Builder, Examples, Learner, Shrinking, calibration, evaluate, libsvm};
use proptest::prelude::*;
use std::collections::BTreeMap;

type Example = (usize, Vec<(u32, f64)>);

/// Exponentiated gradient is slow near the edge of the simplex; tiny examples have such edges.
const PATIENT: u64 = 10_000_000;

fn examples(values: bool) -> impl Strategy<Value = Vec<Example>> {
    let value = if values {
        prop_oneof![(1..4u32).prop_map(f64::from), -2.0..2.0f64].boxed()
    } else {
        (1..4u32).prop_map(f64::from).boxed()
    };
    let features = prop::collection::vec((0..12u32, value), 0..5);
    prop::collection::vec((0..3usize, features), 3..40)
}

fn build(list: &[Example], merging: bool) -> Examples {
    let names = ["a", "b", "c"].map(String::from).to_vec();
    let mut builder = Builder::new(names).unwrap().merging(merging);
    // Every class and some feature are seen.
    for class in 0..3 {
        builder
            .push(&mut vec![(class as u32, 1.0)], class, 1.0)
            .unwrap();
    }
    for (class, entries) in list {
        builder.push(&mut entries.clone(), *class, 1.0).unwrap();
    }
    builder.finish().unwrap()
}

fn objective(learner: &dyn Learner, examples: &Examples) -> f64 {
    let report = learner.train(examples, &()).unwrap().report;
    assert!(report.converged, "{report:?}");
    report.primal_objective.unwrap()
}

fn as_map(examples: &Examples) -> BTreeMap<(String, String), f64> {
    let mut map = BTreeMap::new();
    for index in 0..examples.rows() {
        let ids = examples.feature_ids();
        let mut row: Vec<_> = examples.row(index).entries().collect();
        row.iter_mut()
            .for_each(|entry| entry.0 = ids[entry.0 as usize]);
        row.sort_by_key(|entry| entry.0);
        for pair in examples.pairs_of(index) {
            let class = examples.class_names()[examples.pair_class(pair)].clone();
            *map.entry((class, format!("{row:?}"))).or_insert(0.0) += examples.pair_weight(pair);
        }
    }
    for (class, &weight) in examples.featureless().iter().enumerate() {
        if weight > 0.0 {
            map.insert((examples.class_names()[class].clone(), "[]".into()), weight);
        }
    }
    map
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn merged_and_unmerged_have_the_same_optimum(list in examples(true)) {
        let (merged, apart) = (build(&list, true), build(&list, false));
        prop_assert_eq!(as_map(&merged), as_map(&apart));
        let learners: [Box<dyn Learner>; 4] = [
            Box::new(SvmParameters::new().c(0.5).gap(1e-6).iterations(PATIENT).check().unwrap()),
            Box::new(SvmParameters::new().c(0.5).gap(1e-6).iterations(PATIENT).shrinking(Shrinking::Off).check().unwrap()),
            Box::new(DualParameters::new().gap(1e-6).iterations(PATIENT).check().unwrap()),
            Box::new(LbfgsParameters::new().gap(1e-6).check().unwrap()),
        ];
        for learner in learners {
            let (one, other) = (objective(&*learner, &merged), objective(&*learner, &apart));
            prop_assert!((one / other - 1.0).abs() < 3e-6, "{}: {one} {other}", learner.name());
        }
        let dual = objective(&DualParameters::new().gap(1e-7).iterations(PATIENT).check().unwrap(), &merged);
        let primal = objective(&LbfgsParameters::new().gap(1e-7).check().unwrap(), &merged);
        prop_assert!((dual / primal - 1.0).abs() < 3e-7);
    }

    #[test]
    fn stores_and_text_files_come_back(list in examples(true)) {
        let examples = build(&list, true);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("examples");
        examples.save(&path).unwrap();
        let opened = Examples::open(&path).unwrap();
        prop_assert_eq!(as_map(&opened), as_map(&examples));
        let mut text = Vec::new();
        libsvm::write(&examples, 0, &mut text).unwrap();
        let read = libsvm::read(&text[..], "text", true).unwrap();
        let rename = |(key, weight): (&(String, String), &f64)| {
            let name = ["1", "2", "3"][(key.0.as_bytes()[0] - b'a') as usize];
            ((name.to_string(), key.1.clone()), *weight)
        };
        let expected: BTreeMap<_, _> = as_map(&examples).iter().map(rename).collect();
        prop_assert_eq!(as_map(&read), expected);
    }

    #[test]
    fn naive_bayes_models_of_two_halves_add_up(list in examples(false), cut in 0..40usize) {
        let (first, second) = list.split_at(cut.min(list.len()));
        for variant in [Variant::Map, Variant::Bayesian] {
            let learner = NaiveBayesParameters::new(variant).check().unwrap();
            let counts = |list: &[Example]| -> NaiveBayes {
                match learner.train(&build(list, true), &()).unwrap().model.form() {
                    Form::NaiveBayes(counts) => counts.clone(),
                    Form::Linear(_) => unreachable!(),
                }
            };
            let merged = counts(first).merged(&counts(second)).unwrap();
            let updated = counts(first).updated(&build(second, true)).unwrap();
            // Both halves bring the three examples that `build` adds.
            let mut all = list.clone();
            all.extend((0..3).map(|class| (class, vec![(class as u32, 1.0)])));
            let whole = counts(&all);
            for model in [merged, updated] {
                prop_assert_eq!(model.feature_ids(), whole.feature_ids());
                prop_assert_eq!(model.class_weights(), whole.class_weights());
                for feature in 0..whole.feature_ids().len() as u32 {
                    for class in 0..3 {
                        let count = whole.feature_count(feature, class);
                        prop_assert_eq!(model.feature_count(feature, class), count);
                    }
                }
            }
        }
    }

    #[test]
    fn threads_do_not_matter(list in examples(true)) {
        let examples = build(&list, true);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let learner = LbfgsParameters::new().gap(1e-9).check().unwrap();
            pool.install(|| learner.train(&examples, &()).unwrap().report.primal_objective)
        };
        prop_assert_eq!(run(1), run(3));
    }

    #[test]
    fn no_other_temperature_is_better(list in examples(true)) {
        let examples = build(&list, true);
        let learner = SvmParameters::new().c(10.0).check().unwrap();
        let model = learner.train(&examples, &()).unwrap().model;
        let best = calibration::fit_temperature(&model, &examples).unwrap();
        let loss = |temperature: f64| {
            let model = model.clone().with_temperature(temperature).unwrap();
            evaluate(&model, &examples).unwrap().total_log_loss
        };
        for factor in [0.5, 0.9, 1.1, 2.0] {
            // Separable examples have no best temperature: the range that is looked at ends there.
            let other = (best * factor).clamp(1e-4, 1e4);
            prop_assert!(loss(best) <= loss(other) + 1e-9);
        }
    }
}
