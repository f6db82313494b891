//! The perceptron, the smoothed prior and NMIFS against slow versions that are as their definitions say.

use chiasm_learn::lbfgs::LbfgsParameters;
use chiasm_learn::model::Form;
use chiasm_learn::perceptron::{Loss, PerceptronParameters};
use chiasm_learn::{Builder, Examples, Learner, LinearModel, Model, Prior, nmifs, selection};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const CLASSES: usize = 5;

/// Random rows of the first `features` features, with a class that has to do with them.
fn random_examples(seed: u64, rows: usize, features: u32) -> Examples {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let names = (0..CLASSES).map(|class| class.to_string()).collect();
    let mut builder = Builder::new(names).unwrap();
    for row in 0..rows {
        let mut entries: Vec<(u32, f64)> = (0..4)
            .map(|_| (random.random_range(0..features), 1.0))
            .collect();
        let told = entries[0].0 as usize % CLASSES;
        let class = if row % 4 == 0 {
            row / 4 % CLASSES
        } else {
            told
        };
        builder.push(&mut entries, class, 1.0).unwrap();
    }
    builder.finish_with_ids((0..features).collect()).unwrap()
}

fn linear(model: &Model) -> &LinearModel {
    match model.form() {
        Form::Linear(model) => model,
        Form::NaiveBayes(_) => panic!("a linear model expected"),
    }
}

/// The weights of all features, those that are not stored included.
fn weights(model: &Model, features: usize) -> Vec<Vec<f64>> {
    let number = |feature: usize| model.feature_number(feature as u32);
    let of = |feature: usize| -> Vec<f64> {
        let weight = |class| number(feature).map_or(0.0, |n| linear(model).weight(n, class));
        (0..CLASSES).map(weight).collect()
    };
    (0..features).map(of).collect()
}

/// Every visit on its own, every average summed up.
fn slow_perceptron(examples: &Examples, passes: u64, seed: u64, loss: Loss) -> Vec<Vec<f64>> {
    let mut now = vec![vec![0.0; CLASSES]; examples.features()];
    let mut sum = now.clone();
    let mut visits = 0.0;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..examples.rows()).collect();
    for _ in 0..passes {
        for end in (1..order.len()).rev() {
            order.swap(end, random.random_range(0..=end));
        }
        for &row in &order {
            for pair in examples.pairs_of(row) {
                let truth = examples.pair_class(pair);
                for _ in 0..examples.pair_weight(pair) as usize {
                    let score = |class: usize| -> f64 {
                        let entries = examples.row(row).entries();
                        entries
                            .map(|(f, value)| value * now[f as usize][class])
                            .sum()
                    };
                    let (mut rival, mut worst) = (truth, 0.0);
                    for class in (0..CLASSES).filter(|&class| class != truth) {
                        let cost = match loss {
                            Loss::ZeroOne => 1.0,
                            Loss::Distance => (class as f64 - truth as f64).abs(),
                        };
                        let violation = cost + score(class) - score(truth);
                        if violation > worst {
                            (rival, worst) = (class, violation);
                        }
                    }
                    if rival != truth {
                        for (feature, value) in examples.row(row).entries() {
                            now[feature as usize][truth] += value;
                            now[feature as usize][rival] -= value;
                        }
                    }
                    visits += 1.0;
                    for (sum, now) in sum.iter_mut().flatten().zip(now.iter().flatten()) {
                        *sum += now;
                    }
                }
            }
        }
    }
    sum.iter_mut()
        .flatten()
        .for_each(|weight| *weight /= visits);
    sum
}

#[test]
fn the_perceptron_equals_its_definition() {
    for loss in [Loss::ZeroOne, Loss::Distance] {
        for seed in 1..4 {
            let examples = random_examples(seed, 120, 9);
            let learner = PerceptronParameters::new()
                .loss(loss)
                .iterations(3)
                .seed(seed);
            let trained = learner.check().unwrap().train(&examples, &()).unwrap();
            let slow = slow_perceptron(&examples, 3, seed, loss);
            let fast = weights(&trained.model, examples.features());
            for (fast, slow) in fast.iter().flatten().zip(slow.iter().flatten()) {
                assert!((fast - slow).abs() < 1e-9, "{fast} {slow}");
            }
            assert!(!trained.report.converged);
        }
    }
}

#[test]
fn the_perceptron_stops_when_nothing_is_left_to_mend() {
    let mut builder = Builder::new(vec!["a".into(), "b".into()]).unwrap();
    for class in [0, 1, 1, 0] {
        builder
            .push(&mut vec![(class, 1.0)], class as usize, 1.0)
            .unwrap();
    }
    let learner = PerceptronParameters::new().iterations(50).check().unwrap();
    let trained = learner.train(&builder.finish().unwrap(), &()).unwrap();
    assert!(trained.report.converged);
    assert!(trained.report.iterations < 50);
    assert!(PerceptronParameters::new().iterations(0).check().is_err());
}

/// Gradient descent on P(w) with the prior as it is written, in probabilities.
#[test]
fn the_prior_equals_plain_gradient_descent_on_its_definition() {
    let (lambda, sigma2) = (0.3, 0.5);
    let examples = random_examples(7, 200, 8);
    // Features 5 to 7 are the conditions; a row may have several, whose priors multiply.
    let conditions = vec![5, 6, 7];
    let learner = LbfgsParameters::new()
        .sigma2(sigma2)
        .gap(1e-12)
        .prior(Some(Prior::new(lambda, conditions.clone()).unwrap()));
    let trained = learner.check().unwrap().train(&examples, &()).unwrap();

    let total = examples.weight();
    let shares: Vec<f64> = examples.class_weights().iter().map(|w| w / total).collect();
    let mut seen = vec![vec![0.0; CLASSES]; 8];
    for row in 0..examples.rows() {
        for (feature, _) in examples.row(row).entries() {
            for pair in examples.pairs_of(row) {
                seen[feature as usize][examples.pair_class(pair)] += examples.pair_weight(pair);
            }
        }
    }
    let ratio = |feature: usize, class: usize| {
        let own = seen[feature][class] / seen[feature].iter().sum::<f64>();
        (lambda * shares[class] + (1.0 - lambda) * own) / shares[class]
    };
    let mut slow = vec![vec![0.0; CLASSES]; 8];
    let probabilities = |slow: &[Vec<f64>], row: usize| -> Vec<f64> {
        let mut all = shares.clone();
        for (feature, value) in examples.row(row).entries() {
            for (class, p) in all.iter_mut().enumerate() {
                *p *= match feature {
                    5.. => ratio(feature as usize, class).powf(value),
                    _ => (value * slow[feature as usize][class]).exp(),
                };
            }
        }
        let sum: f64 = all.iter().sum();
        all.iter().map(|p| p / sum).collect()
    };
    for _ in 0..4000 {
        let mut gradient: Vec<Vec<f64>> = slow
            .iter()
            .map(|row| row.iter().map(|w| w / sigma2).collect())
            .collect();
        for row in 0..examples.rows() {
            let p = probabilities(&slow, row);
            for pair in examples.pairs_of(row) {
                let weight = examples.pair_weight(pair);
                for (feature, value) in examples.row(row).entries() {
                    for (class, p) in p.iter().enumerate() {
                        let hit = f64::from(u8::from(class == examples.pair_class(pair)));
                        gradient[feature as usize][class] += weight * value * (p - hit);
                    }
                }
            }
        }
        for (slow, gradient) in slow.iter_mut().zip(&gradient).take(5) {
            for (weight, slope) in slow.iter_mut().zip(gradient) {
                *weight -= 0.01 * slope;
            }
        }
    }
    let fast = weights(&trained.model, 8);
    for (feature, row) in slow.iter().enumerate() {
        for (class, &learned) in row.iter().enumerate() {
            let wanted = match feature {
                5.. => ratio(feature, class).ln(),
                _ => learned,
            };
            let found = fast[feature][class];
            assert!(
                (found - wanted).abs() < 1e-4,
                "{feature} {class}: {found} {wanted}"
            );
        }
    }
    for (bias, share) in linear(&trained.model).bias().iter().zip(&shares) {
        assert!((bias - share.ln()).abs() < 1e-12);
    }
}

/// Information of two yes-or-no questions, from the four shares.
fn slow_information(table: [[f64; 2]; 2]) -> (f64, f64, f64) {
    let total: f64 = table.iter().flatten().sum();
    let row = |x: usize| (table[x][0] + table[x][1]) / total;
    let column = |y: usize| (table[0][y] + table[1][y]) / total;
    let plogp = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    let first: f64 = (0..2).map(|x| plogp(row(x))).sum();
    let second: f64 = (0..2).map(|y| plogp(column(y))).sum();
    let joint: f64 = table
        .iter()
        .flatten()
        .map(|&cell| plogp(cell / total))
        .sum();
    (first + second - joint, first, second)
}

#[test]
fn nmifs_equals_its_definition() {
    for seed in 1..6 {
        let examples = random_examples(seed, 90, 14);
        let features = examples.features();
        let has = |row: usize, feature: u32| examples.row(row).features.contains(&feature);
        let weight = |row: usize| -> f64 {
            examples
                .pairs_of(row)
                .map(|pair| examples.pair_weight(pair))
                .sum()
        };
        let normalised = |a: u32, b: u32| {
            let mut table = [[0.0; 2]; 2];
            for row in 0..examples.rows() {
                table[usize::from(has(row, a))][usize::from(has(row, b))] += weight(row);
            }
            let (mutual, first, second) = slow_information(table);
            mutual / first.min(second)
        };
        let relevance: Vec<f64> = selection::mutual_information(&examples)
            .iter()
            .map(|information| information.mutual)
            .collect();
        let mut slow: Vec<u32> = Vec::new();
        while slow.len() < 8 {
            let gain = |feature: u32| {
                let redundancy: f64 = slow.iter().map(|&other| normalised(feature, other)).sum();
                relevance[feature as usize] - redundancy / slow.len().max(1) as f64
            };
            let open = (0..features as u32).filter(|feature| !slow.contains(feature));
            let best = open.max_by(|&a, &b| gain(a).total_cmp(&gain(b)));
            slow.push(best.unwrap());
        }
        assert_eq!(nmifs::order(&examples, 0.0, Some(8)), slow);
        let kept = nmifs::select(&examples, 0.0, Some(8)).unwrap();
        assert_eq!(kept.features(), 8);
        assert_eq!(
            nmifs::order(&examples, 0.0, None).len(),
            features.div_ceil(2)
        );
        let all = nmifs::order(&examples, 0.0, Some(1000));
        assert_eq!(all.len(), features);
    }
}
