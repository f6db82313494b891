//! Examples in files: the same, byte for byte, as those in memory, and so are the models; and a file that is
//! damaged does no harm.

use chiasm_learn::dual::DualParameters;
use chiasm_learn::lbfgs::LbfgsParameters;
use chiasm_learn::naive_bayes::{NaiveBayesParameters, Variant};
use chiasm_learn::selection::select;
use chiasm_learn::sgd::SgdParameters;
use chiasm_learn::svm::SvmParameters;
use chiasm_learn::{Builder, Examples, Learner, Shrinking, calibration, evaluate, libsvm};
use proptest::prelude::*;
use std::path::Path;

const CLASSES: usize = 3;
const FEATURES: u32 = 7;
const TRAIN: &str = include_str!("data/train.libsvm");

/// A row with its pairs, as it is pushed.
type Pushed = (Vec<(u32, f64)>, Vec<(usize, f64)>);

fn value(kind: u8) -> BoxedStrategy<f64> {
    match kind {
        0 => (1..4u32).prop_map(f64::from).boxed(),
        // Now and then one that repeats cannot express.
        1 => prop_oneof![9 => (1..3u32).prop_map(f64::from), 1 => Just(0.5)].boxed(),
        _ => prop_oneof![Just(1.0), Just(-1.5), Just(0.0), Just(100.0)].boxed(),
    }
}

fn weight(kind: u8) -> BoxedStrategy<f64> {
    match kind {
        0 => Just(1.0).boxed(),
        1 => (0..5u32).prop_map(f64::from).boxed(),
        // Sums of these depend on the order in which they are added.
        _ => prop_oneof![Just(1.0), Just(0.1), Just(0.7), Just(3e17), 0.0..1.0f64].boxed(),
    }
}

fn pushed() -> impl Strategy<Value = Vec<Pushed>> {
    (0..3u8, 0..3u8).prop_flat_map(|(values, weights)| {
        let entries = prop::collection::vec((0..FEATURES, value(values)), 0..4);
        let pairs = prop::collection::vec((0..CLASSES, weight(weights)), 0..3);
        prop::collection::vec((entries, pairs), 0..60)
    })
}

fn build(list: &[Pushed], merging: bool, budget: Option<usize>, given_ids: bool) -> Examples {
    let folder = tempfile::tempdir().unwrap();
    let names = ["a", "b", "c"].map(String::from).to_vec();
    let mut builder = Builder::new(names).unwrap().merging(merging);
    if let Some(budget) = budget {
        builder = builder.within(budget, folder.path());
    }
    for (entries, pairs) in list {
        let pairs = pairs.iter().copied();
        builder.push_row(&mut entries.clone(), pairs).unwrap();
    }
    if given_ids {
        builder.finish_with_ids((100..100 + FEATURES).collect())
    } else {
        builder.finish()
    }
    .unwrap()
}

fn bytes(examples: &Examples) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("examples");
    examples.save(&path).unwrap();
    std::fs::read(path).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_budget_changes_nothing(
        list in pushed(),
        merging in any::<bool>(),
        given_ids in any::<bool>(),
        budget in prop_oneof![Just(1), Just(200), 200..20_000usize, Just(1 << 30)],
    ) {
        let expected = build(&list, merging, None, given_ids);
        let found = build(&list, merging, Some(budget), given_ids);
        prop_assert_eq!(bytes(&found), bytes(&expected));
    }
}

/// More rows than fit, many of them equal.
fn many() -> Vec<Pushed> {
    let row = |number: u32| {
        let number = number.wrapping_mul(2_654_435_761) >> 7;
        let one = |shift: u32| ((number >> shift) % FEATURES, 1.0);
        let entries = vec![one(0), one(3), one(6), one(9)];
        (entries, vec![(number as usize % CLASSES, 1.0)])
    };
    (0..20_000).map(row).collect()
}

#[test]
fn rows_beyond_the_budget_come_from_a_file_and_nothing_stays_behind() {
    let list = many();
    let folder = tempfile::tempdir().unwrap();
    for merging in [true, false] {
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let builder = Builder::new(names).unwrap().merging(merging);
        let mut builder = builder.within(30_000, folder.path());
        for (entries, pairs) in &list {
            let pairs = pairs.iter().copied();
            builder.push_row(&mut entries.clone(), pairs).unwrap();
        }
        let examples = builder.finish().unwrap();
        assert!(examples.is_mapped());
        let expected = build(&list, merging, None, false);
        assert!(!expected.is_mapped());
        assert_eq!(bytes(&examples), bytes(&expected));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn weights_are_added_in_the_order_in_which_they_came() {
    // A row that comes all the time among others that fill the memory; weights are whole at first.
    let weight = |number: u32| match number {
        0..60 => f64::from(1 + number % 3),
        _ => f64::from(number.wrapping_mul(2_654_435_761) >> 8) / 1e7,
    };
    let row = |number: u32| {
        let entries = vec![(number * (number % 2), 1.0)];
        (entries, vec![(number as usize % 3, weight(number))])
    };
    let list: Vec<Pushed> = (0..400).map(row).collect();
    let expected = bytes(&build(&list, true, None, false));
    for budget in [1, 700, 1500, 4000, 1 << 20] {
        let found = build(&list, true, Some(budget), false);
        assert!(bytes(&found) == expected, "{budget}");
    }
}

#[test]
fn copies_stay_within_the_budget_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let text = TRAIN.as_bytes();
    for merging in [true, false] {
        let expected = libsvm::read(text, "x", merging).unwrap();
        let builder = Builder::new(Vec::new()).unwrap().merging(merging);
        let builder = builder.within(20_000, folder.path());
        let spilled = libsvm::read_into(builder, text, "x").unwrap();
        let limited = expected.clone().within(20_000, folder.path());
        let selected = select(&expected, 0.005).unwrap();
        assert!(selected.features() < expected.features());
        let (held_out, rest) = calibration::split(&expected, 3).unwrap();
        for examples in [spilled, limited] {
            let copy = select(&examples, 0.005).unwrap();
            assert!(copy.is_mapped() && !selected.is_mapped());
            assert_eq!(bytes(&copy), bytes(&selected));
            let (other_held_out, other_rest) = calibration::split(&examples, 3).unwrap();
            assert!(other_rest.is_mapped());
            assert_eq!(bytes(&other_rest), bytes(&rest));
            assert_eq!(bytes(&other_held_out), bytes(&held_out));
        }
    }
}

#[test]
fn what_fits_stays_in_memory() {
    let list = &many()[..50];
    assert!(!build(list, true, Some(1 << 20), false).is_mapped());
}

#[test]
fn a_folder_that_does_not_exist_is_named() {
    let names = vec!["a".to_string(), "b".to_string()];
    let mut builder = Builder::new(names).unwrap().within(1, "/no/such/folder");
    let refused = builder.push(&mut vec![(1, 1.0)], 0, 1.0).unwrap_err();
    let reason = refused.to_string();
    assert_eq!(reason, "/no/such/folder: no such file or directory");
}

#[test]
fn a_feature_without_an_identity_is_refused() {
    for merging in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let builder = Builder::new(vec!["a".into(), "b".into()]).unwrap();
        let mut builder = builder.merging(merging).within(1, folder.path());
        builder.push(&mut vec![(5, 1.0)], 0, 1.0).unwrap();
        let reason = builder.finish_with_ids(vec![1, 2, 3]).unwrap_err();
        let expected = "feature 5 in the examples; 3 expected";
        assert_eq!(reason.to_string(), expected);
    }
}

fn learners() -> Vec<Box<dyn Learner>> {
    let svm = || SvmParameters::new().iterations(50);
    let dual = || DualParameters::new().iterations(50);
    let bayes = |variant| NaiveBayesParameters::new(variant).check().unwrap();
    let lbfgs = || LbfgsParameters::new().iterations(30);
    vec![
        Box::new(svm().check().unwrap()),
        Box::new(svm().shrinking(Shrinking::Paper).check().unwrap()),
        Box::new(svm().shrinking(Shrinking::Off).check().unwrap()),
        Box::new(dual().check().unwrap()),
        Box::new(dual().shrinking(Shrinking::Paper).check().unwrap()),
        Box::new(lbfgs().check().unwrap()),
        Box::new(lbfgs().l1(Some(0.5)).check().unwrap()),
        Box::new(SgdParameters::new().iterations(5).check().unwrap()),
        Box::new(bayes(Variant::Map)),
        Box::new(bayes(Variant::Bayesian)),
    ]
}

fn model(learner: &dyn Learner, examples: &Examples, folder: &Path) -> Vec<u8> {
    let path = folder.join("model");
    let trained = learner.train(examples, &()).unwrap();
    trained.model.save(&path).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn models_of_mapped_examples_are_those_of_examples_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    for merging in [true, false] {
        let expected = libsvm::read(TRAIN.as_bytes(), "x", merging).unwrap();
        let path = folder.path().join("examples");
        expected.save(&path).unwrap();
        let opened = Examples::open(&path).unwrap();
        let builder = Builder::new(Vec::new()).unwrap().merging(merging);
        let builder = builder.within(20_000, folder.path());
        let spilled = libsvm::read_into(builder, TRAIN.as_bytes(), "x").unwrap();
        assert!(opened.is_mapped() && spilled.is_mapped());
        for learner in learners() {
            let expected = model(&*learner, &expected, folder.path());
            for examples in [&opened, &spilled] {
                let found = model(&*learner, examples, folder.path());
                assert!(found == expected, "{}", learner.name());
            }
        }
    }
}

fn small() -> Examples {
    let text = "1 1:1 5:0.5\n2 2:1 5:2\n3 1:1 2:1\n1 1:1 5:0.5\n2 1:1 5:0.5\n3\n";
    libsvm::read(text.as_bytes(), "x", true).unwrap()
}

#[test]
fn a_damaged_file_is_refused_or_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("examples");
    let whole = bytes(&small());
    let learners = learners();
    let mut refused = 0;
    for position in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[position] ^= 0x51;
        std::fs::write(&path, &damaged).unwrap();
        let Ok(examples) = Examples::open(&path) else {
            refused += 1;
            continue;
        };
        for learner in &learners {
            if let Ok(trained) = learner.train(&examples, &()) {
                evaluate(&trained.model, &examples).unwrap();
            }
        }
    }
    assert!(refused > whole.len() / 4, "{refused} of {}", whole.len());
}

/// The file of `small` with one section replaced.
fn with_section(path: &Path, name: &str, contents: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let original = folder.path().join("original");
    small().save(&original).unwrap();
    let container = chiasm_store::Container::open(&original).unwrap();
    let sections = container.sections();
    let mut writer = chiasm_store::Writer::create(path, "examples", 1).unwrap();
    for (section, _) in sections.list() {
        let bytes = match section == name {
            true => contents,
            false => sections.bytes(section).unwrap(),
        };
        writer
            .stream(section, |sink| sink.write_all(bytes))
            .unwrap();
    }
    writer.finish().unwrap();
    Examples::open(path).unwrap_err().to_string()
}

fn numbers<const N: usize>(numbers: impl IntoIterator<Item = [u8; N]>) -> Vec<u8> {
    numbers.into_iter().flatten().collect()
}

#[test]
fn sections_that_do_not_fit_together_are_named() {
    let examples = small();
    assert_eq!((examples.rows(), examples.entries()), (3, 6));
    assert_eq!((examples.pairs(), examples.features()), (4, 3));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("examples");
    let longs = |list: &[u64]| numbers(list.iter().map(|n| n.to_le_bytes()));
    let shorts = |list: &[u32]| numbers(list.iter().map(|n| n.to_le_bytes()));
    let reals = |list: &[f64]| numbers(list.iter().map(|n| n.to_le_bytes()));
    let misfit = "does not fit the features";
    for (name, contents, reason) in [
        (
            "class-names",
            Vec::new(),
            "between 1 and 256 classes expected",
        ),
        ("offsets", Vec::new(), misfit),
        ("offsets", longs(&[0, 2, 4, 7]), misfit),
        ("offsets", longs(&[1, 2, 4, 6]), misfit),
        ("offsets", longs(&[0, 4, 2, 6]), misfit),
        (
            "offsets",
            longs(&[0, 2, 2, 6]),
            "holds a row without features",
        ),
        ("offsets", vec![0; 9], "is not a whole number of elements"),
        (
            "features",
            shorts(&[0, 1, 0, 1, 0, 3]),
            "holds a feature that has no identity",
        ),
        (
            "features",
            shorts(&[0, 1, 0, 1, 1, 0]),
            "holds a row that is not in increasing order",
        ),
        (
            "features",
            shorts(&[0, 1, 0, 1, 1, 1]),
            "holds a row that is not in increasing order",
        ),
        ("values", reals(&[1.0; 5]), "is not as long as the features"),
        (
            "values",
            reals(&[1.0, 1.0, 1.0, 1.0, 1.0, f64::NAN]),
            "holds a value that is not a number",
        ),
        ("pair-offsets", shorts(&[0, 2, 3]), "does not fit the pairs"),
        (
            "pair-offsets",
            shorts(&[0, 3, 2, 4]),
            "does not fit the pairs",
        ),
        ("pair-offsets", Vec::new(), "is not as long as the rows"),
        (
            "pair-classes",
            vec![0, 1, 2, 3],
            "holds a class that has no name",
        ),
        (
            "pair-weights",
            reals(&[1.0; 3]),
            "is not as long as the classes",
        ),
        (
            "pair-weights",
            reals(&[1.0, 1.0, -1.0, 1.0]),
            "holds a weight that is not a positive number",
        ),
        (
            "featureless",
            reals(&[0.0; 2]),
            "is not as long as the classes",
        ),
    ] {
        let found = with_section(&path, name, &contents);
        let blamed = match reason {
            "is not as long as the rows" => "pair-classes",
            _ => name,
        };
        let ending = format!("section {blamed}: {reason}");
        assert!(found.ends_with(&ending), "{name}: {found}");
    }
}
