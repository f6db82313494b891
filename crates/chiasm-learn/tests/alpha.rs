//! α chosen on held-out examples, on data whose best answer is known or can be looked up.

use chiasm_learn::naive_bayes::{
    AlphaTrial, NaiveBayesParameters, Variant, alphas_tried, choose_alpha,
};
use chiasm_learn::{Builder, Evaluation, Examples, Learner, evaluate, libsvm};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const CLASSES: usize = 3;
const WORDS: u32 = 400;
const VARIANTS: [Variant; 2] = [Variant::Map, Variant::Bayesian];

/// Examples of a few words each, words that lean towards one class, most examples of the first class.
/// Each word is `copies` features, as a word is in sets of features that overlap.
fn synthetic(count: usize, copies: u32, seed: u64) -> Examples {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let names = ["a", "b", "c"].map(String::from).to_vec();
    let mut builder = Builder::new(names).unwrap();
    for _ in 0..count {
        let draw: f64 = random.random();
        let class = if draw < 0.7 {
            0
        } else if draw < 0.85 {
            1
        } else {
            2
        };
        let mut entries = Vec::new();
        for _ in 0..random.random_range(2..6) {
            // Rare words are many and frequent words few.
            let draw: f64 = random.random();
            let mut word = (f64::from(WORDS) * draw * draw * draw) as u32;
            if random.random_bool(0.35) {
                word -= word % CLASSES as u32;
                word = (word + class as u32).min(WORDS - 1);
            }
            entries.extend((0..copies).map(|copy| (word + WORDS * copy, 1.0)));
        }
        builder.push(&mut entries, class, 1.0).unwrap();
    }
    builder.finish().unwrap()
}

fn trained(variant: Variant, alpha: f64, examples: &Examples, test: &Examples) -> Evaluation {
    let learner = NaiveBayesParameters::new(variant).alpha(alpha);
    let learner = learner.check().unwrap();
    let model = learner.train(examples, &()).unwrap().model;
    evaluate(&model, test).unwrap()
}

fn least_log_loss(tried: &[AlphaTrial]) -> &AlphaTrial {
    let by_loss = |a: &&AlphaTrial, b: &&AlphaTrial| a.log_loss.total_cmp(&b.log_loss);
    tried.iter().min_by(by_loss).unwrap()
}

#[test]
fn every_trial_is_a_model_trained_with_that_alpha() {
    let (examples, held_out) = (synthetic(500, 2, 1), synthetic(200, 2, 2));
    for variant in VARIANTS {
        let choice = choose_alpha(variant, &examples, &held_out, 1.1, &()).unwrap();
        assert_eq!(choice.tried.len(), alphas_tried());
        for trial in choice.tried {
            let expected = trained(variant, trial.alpha, &examples, &held_out);
            assert_eq!(trial.accuracy, expected.accuracy());
            assert_eq!(trial.log_loss, expected.log_loss());
        }
    }
}

#[test]
fn independent_words_get_an_alpha_that_is_good_on_new_examples() {
    let (examples, held_out) = (synthetic(3000, 1, 1), synthetic(600, 1, 2));
    let test = synthetic(20_000, 1, 3);
    for variant in VARIANTS {
        let choice = choose_alpha(variant, &examples, &held_out, 1.1, &()).unwrap();
        let on_test = |alpha: f64| trained(variant, alpha, &examples, &test);
        let found = on_test(choice.alpha);
        for trial in &choice.tried {
            let other = on_test(trial.alpha);
            assert!(found.accuracy() > other.accuracy() - 0.005, "{trial:?}");
            assert!(found.log_loss() < other.log_loss() + 0.01, "{trial:?}");
        }
        // To add 0.1, as MAP does by default, is worse: that is what the choice is for.
        let tenth = choice.tried[2].alpha;
        assert!(found.log_loss() < on_test(tenth).log_loss() - 0.01);
    }
}

#[test]
fn where_features_overlap_log_loss_alone_would_drown_them() {
    let (examples, held_out) = (synthetic(3000, 4, 1), synthetic(600, 4, 2));
    let test = synthetic(20_000, 4, 3);
    for variant in VARIANTS {
        let choice = choose_alpha(variant, &examples, &held_out, 1.1, &()).unwrap();
        let drowned = least_log_loss(&choice.tried);
        assert_eq!(drowned, choice.tried.last().unwrap());
        let majority = trained(variant, drowned.alpha, &examples, &test);
        assert!(majority.accuracy() < majority.majority_share() + 0.001);
        let found = trained(variant, choice.alpha, &examples, &test);
        assert!(found.accuracy() > majority.accuracy() + 0.01);
    }
}

#[test]
fn too_few_examples_leave_alpha_as_it_was() {
    let examples = synthetic(500, 1, 1);
    let few = synthetic(99, 1, 2);
    for variant in VARIANTS {
        let choice = choose_alpha(variant, &examples, &few, 1.7, &()).unwrap();
        assert_eq!((choice.alpha, choice.tried.len()), (1.7, 0));
        let nothing = libsvm::read(&b"1\n2\n"[..], "x", true).unwrap();
        let choice = choose_alpha(variant, &nothing, &examples, 1.7, &()).unwrap();
        assert_eq!((choice.alpha, choice.tried.len()), (1.7, 0));
        assert!(choose_alpha(variant, &examples, &few, 0.0, &()).is_err());
    }
}
