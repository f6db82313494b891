//! Stochastic gradient descent against MLR eq. 7-8 written out: dense, one example at a time.

use chiasm_learn::model::Form;
use chiasm_learn::sgd::SgdParameters;
use chiasm_learn::{Builder, Examples, Learner, Model};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const CLASSES: usize = 3;

type Example = (usize, Vec<(u32, f64)>);

fn examples() -> impl Strategy<Value = Vec<Example>> {
    let features = prop::collection::vec((0..6u32, 0.1..2.0f64), 1..4);
    prop::collection::vec((0..CLASSES, features), 1..20)
}

fn build(list: &[Example]) -> Examples {
    let names = ["a", "b", "c"].map(String::from).to_vec();
    let mut builder = Builder::new(names).unwrap().merging(false);
    for class in 0..CLASSES {
        let mut entries = vec![(class as u32, 1.0)];
        builder.push(&mut entries, class, 1.0).unwrap();
    }
    for (class, entries) in list {
        builder.push(&mut entries.clone(), *class, 1.0).unwrap();
    }
    builder.finish().unwrap()
}

struct Settings {
    sigma2: f64,
    rate: f64,
    passes: u64,
    seed: u64,
}

/// w_k ← w_k - η (w_k / (σ²N) + (p(k|x_i) - δ_ik) x_i), η = η₀ / (1 + η₀ t / (σ²N)).
fn descend(examples: &Examples, settings: &Settings) -> Vec<Vec<f64>> {
    let (rows, features) = (examples.rows(), examples.features());
    let scale = settings.sigma2 * rows as f64;
    let mut weights = vec![vec![0.0; features]; CLASSES];
    let mut random = Xoshiro256PlusPlus::seed_from_u64(settings.seed);
    let mut order: Vec<usize> = (0..rows).collect();
    let mut seen = 0.0;
    for _ in 0..settings.passes {
        for end in (1..order.len()).rev() {
            order.swap(end, random.random_range(0..=end));
        }
        for &i in &order {
            let eta = settings.rate / (1.0 + settings.rate * seen / scale);
            seen += 1.0;
            let mut x = vec![0.0; features];
            for (feature, value) in examples.row(i).entries() {
                x[feature as usize] = value;
            }
            let exponential = |w: &Vec<f64>| {
                let score: f64 = w.iter().zip(&x).map(|(w, x)| w * x).sum();
                score.exp()
            };
            let raised: Vec<f64> = weights.iter().map(exponential).collect();
            let sum: f64 = raised.iter().sum();
            for (k, weights) in weights.iter_mut().enumerate() {
                let truth = if k == examples.pair_class(i) {
                    1.0
                } else {
                    0.0
                };
                for (weight, x) in weights.iter_mut().zip(&x) {
                    *weight -= eta * (*weight / scale + (raised[k] / sum - truth) * x);
                }
            }
        }
    }
    weights
}

fn weight(model: &Model, id: u32, class: usize) -> f64 {
    let Form::Linear(linear) = model.form() else {
        panic!("a linear model expected");
    };
    let number = model.feature_number(id);
    number.map_or(0.0, |number| linear.weight(number, class))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_step_is_that_of_the_equations(
        list in examples(),
        sigma2 in 0.5..5.0f64,
        rate in 0.001..0.8f64,
        passes in 1..30u64,
        seed in any::<u64>(),
    ) {
        let examples = build(&list);
        let learner = SgdParameters::new().sigma2(sigma2).rate(rate).iterations(passes);
        let learner = learner.seed(seed).check().unwrap();
        let model = learner.train(&examples, &()).unwrap().model;
        let weights = descend(&examples, &Settings { sigma2, rate, passes, seed });
        for (feature, &id) in examples.feature_ids().iter().enumerate() {
            for (class, weights) in weights.iter().enumerate() {
                let off = (weight(&model, id, class) - weights[feature]).abs();
                prop_assert!(off <= 1e-9, "{off}");
            }
        }
    }
}

#[test]
fn the_rate_is_a_tenth_unless_said() {
    let examples = build(&[(1, vec![(0, 1.0), (3, 1.5)]), (2, vec![(4, 0.5)])]);
    let train = |parameters: SgdParameters| {
        let model = parameters.check().unwrap().train(&examples, &());
        weight(&model.unwrap().model, 3, 1)
    };
    let usual = train(SgdParameters::new());
    assert_eq!(usual, train(SgdParameters::new().rate(0.1)));
    assert!(usual > train(SgdParameters::new().rate(0.01)));
}
