//! Shrinking as printed against the printed algorithms once more: dense, from scratch at every visit, and
//! slow. MLR Algorithm 1, SVM Algorithms 1 and 2; PAPERS.md, "The algorithms as printed".

use chiasm_learn::dual::DualParameters;
use chiasm_learn::model::Form;
use chiasm_learn::svm::SvmParameters;
use chiasm_learn::{Builder, Examples, Learner, Model, Report, Shrinking, libsvm};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const CLASSES: usize = 3;
const FEATURES: usize = 6;

/// One example: x, its class, and how many examples it stands for.
struct Dense {
    x: Vec<f64>,
    class: usize,
    weight: f64,
}

/// α, a row for each example.
type Alpha = Vec<Vec<f64>>;
/// w, a row for each class.
type Weights = Vec<Vec<f64>>;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn delta(k: usize, class: usize) -> f64 {
    if k == class { 1.0 } else { 0.0 }
}

/// Σ_i c_ik x_i for each class.
fn sum_of_examples(examples: &[Dense], factor: impl Fn(usize, usize) -> f64) -> Weights {
    let mut weights = vec![vec![0.0; examples[0].x.len()]; CLASSES];
    for (i, example) in examples.iter().enumerate() {
        for (k, weights) in weights.iter_mut().enumerate() {
            for (weight, x) in weights.iter_mut().zip(&example.x) {
                *weight += factor(i, k) * x;
            }
        }
    }
    weights
}

/// A dual method of the papers.
trait Method {
    fn start(&self, examples: &[Dense]) -> Alpha;
    fn weights(&self, examples: &[Dense], alpha: &Alpha) -> Weights;
    fn violation(&self, examples: &[Dense], alpha: &Alpha, i: usize) -> f64;
    fn update(&self, examples: &[Dense], alpha: &mut Alpha, i: usize);
}

/// The shrinking method; returns w(α) and whether the active set became empty.
fn shrink(
    method: &impl Method,
    examples: &[Dense],
    epsilon: f64,
    passes: u64,
    seed: u64,
) -> (Weights, bool) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut alpha = method.start(examples);
    let mut active: Vec<usize> = (0..examples.len()).collect();
    for _ in 0..passes {
        for end in (1..active.len()).rev() {
            active.swap(end, random.random_range(0..=end));
        }
        for i in active.clone() {
            if method.violation(examples, &alpha, i) <= epsilon {
                active.retain(|&other| other != i);
            } else {
                method.update(examples, &mut alpha, i);
            }
        }
    }
    (method.weights(examples, &alpha), active.is_empty())
}

struct Svm {
    c: f64,
}

impl Svm {
    /// G_ik = w_kᵀx_i + 1 - δ_ik.
    fn gradient(&self, examples: &[Dense], alpha: &Alpha, i: usize) -> Vec<f64> {
        let Dense { x, class, .. } = &examples[i];
        let weights = self.weights(examples, alpha);
        let one = |k: usize| dot(&weights[k], x) + 1.0 - delta(k, *class);
        (0..CLASSES).map(one).collect()
    }

    /// C δ_ik.
    fn bound(&self, example: &Dense, k: usize) -> f64 {
        self.c * example.weight * delta(k, example.class)
    }
}

impl Method for Svm {
    fn start(&self, examples: &[Dense]) -> Alpha {
        vec![vec![0.0; CLASSES]; examples.len()]
    }

    fn weights(&self, examples: &[Dense], alpha: &Alpha) -> Weights {
        sum_of_examples(examples, |i, k| alpha[i][k])
    }

    fn violation(&self, examples: &[Dense], alpha: &Alpha, i: usize) -> f64 {
        let gradient = self.gradient(examples, alpha, i);
        let below = (0..CLASSES).filter(|&k| alpha[i][k] < self.bound(&examples[i], k));
        let smallest = below.map(|k| gradient[k]).fold(f64::INFINITY, f64::min);
        gradient.iter().copied().fold(f64::NEG_INFINITY, f64::max) - smallest
    }

    fn update(&self, examples: &[Dense], alpha: &mut Alpha, i: usize) {
        let example = &examples[i];
        let gradient = self.gradient(examples, alpha, i);
        let a = dot(&example.x, &example.x);
        let b: Vec<f64> = (0..CLASSES)
            .map(|k| gradient[k] - a * alpha[i][k])
            .collect();
        let mut d: Vec<f64> = (0..CLASSES)
            .map(|k| b[k] + a * self.bound(example, k))
            .collect();
        d.sort_by(|one, other| other.total_cmp(one));
        let mut beta = d[0] - a * self.c * example.weight;
        let mut r = 2;
        while r <= CLASSES && beta / ((r - 1) as f64) < d[r - 1] {
            beta += d[r - 1];
            r += 1;
        }
        beta /= (r - 1) as f64;
        for k in 0..CLASSES {
            let (bound, wanted) = (self.bound(example, k), (beta - b[k]) / a);
            // In exact arithmetic the smaller of the two; a bound missed by rounding is one.
            let scale = self.c * example.weight + b[k].abs() / a;
            let missed = 8.0 * f64::EPSILON * scale;
            alpha[i][k] = if wanted >= bound - missed {
                bound
            } else {
                wanted
            };
        }
    }
}

struct Dual {
    sigma2: f64,
    max_trials: u32,
}

impl Dual {
    fn gradient(&self, examples: &[Dense], alpha: &Alpha, i: usize) -> Vec<f64> {
        let weights = self.weights(examples, alpha);
        let one = |k: usize| 1.0 + alpha[i][k].ln() - dot(&weights[k], &examples[i].x);
        (0..CLASSES).map(one).collect()
    }

    /// D(α) = 1/(2σ²) Σ_k ‖w_k(α)‖² + Σ_i Σ_k α_ik log α_ik.
    fn objective(&self, examples: &[Dense], alpha: &Alpha) -> f64 {
        let weights = self.weights(examples, alpha);
        let norm: f64 = weights.iter().map(|w| dot(w, w)).sum();
        let entropy = |(example, alpha): (&Dense, &Vec<f64>)| {
            example.weight * alpha.iter().map(|a| a * a.ln()).sum::<f64>()
        };
        let entropy: f64 = examples.iter().zip(alpha).map(entropy).sum();
        norm / (2.0 * self.sigma2) + entropy
    }
}

impl Method for Dual {
    fn start(&self, examples: &[Dense]) -> Alpha {
        let of_class = |k: usize, class: usize| match k == class {
            true => 0.99,
            false => 0.01 / (CLASSES - 1) as f64,
        };
        let start = |e: &Dense| (0..CLASSES).map(|k| of_class(k, e.class)).collect();
        examples.iter().map(start).collect()
    }

    fn weights(&self, examples: &[Dense], alpha: &Alpha) -> Weights {
        sum_of_examples(examples, |i, k| {
            self.sigma2 * examples[i].weight * (delta(k, examples[i].class) - alpha[i][k])
        })
    }

    fn violation(&self, examples: &[Dense], alpha: &Alpha, i: usize) -> f64 {
        let gradient = self.gradient(examples, alpha, i);
        let largest = gradient.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        largest - gradient.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn update(&self, examples: &[Dense], alpha: &mut Alpha, i: usize) {
        let gradient = self.gradient(examples, alpha, i);
        let old = alpha[i].clone();
        let objective = self.objective(examples, alpha);
        let mut eta = 0.5;
        for _ in 0..self.max_trials {
            let raised = |k: usize| old[k] * (-eta * gradient[k]).exp();
            let sum: f64 = (0..CLASSES).map(raised).sum();
            alpha[i] = (0..CLASSES).map(|k| raised(k) / sum).collect();
            if self.objective(examples, alpha) <= objective {
                return;
            }
            eta /= 2.0;
        }
        alpha[i] = old;
    }
}

type Example = (usize, Vec<(u32, f64)>);

fn examples() -> impl Strategy<Value = Vec<Example>> {
    let value = prop_oneof![Just(1.0), (1..3u32).prop_map(f64::from), -2.0..2.0f64];
    let features = prop::collection::vec((0..FEATURES as u32, value), 1..4);
    prop::collection::vec((0..CLASSES, features), 1..12)
}

/// The list, some of it three times, and an example of each class.
fn build(list: &[Example], merging: bool) -> Examples {
    let names = ["a", "b", "c"].map(String::from).to_vec();
    let mut builder = Builder::new(names).unwrap().merging(merging);
    for class in 0..CLASSES {
        let mut entries = vec![(class as u32, 1.0)];
        builder.push(&mut entries, class, 1.0).unwrap();
    }
    let copies = |number: usize| if number.is_multiple_of(3) { 3 } else { 1 };
    for (number, (class, entries)) in list.iter().enumerate() {
        for _ in 0..copies(number) {
            builder.push(&mut entries.clone(), *class, 1.0).unwrap();
        }
    }
    builder.finish().unwrap()
}

/// In the order of rows, classes and copies; or a pair of row and class as one example.
fn dense(examples: &Examples, single: bool) -> Vec<Dense> {
    let mut list = Vec::new();
    for row in 0..examples.rows() {
        let mut x = vec![0.0; examples.features()];
        for (feature, value) in examples.row(row).entries() {
            x[feature as usize] = value;
        }
        for pair in examples.pairs_of(row) {
            let weight = examples.pair_weight(pair);
            let copies = if single { weight as usize } else { 1 };
            for _ in 0..copies {
                let (x, class) = (x.clone(), examples.pair_class(pair));
                let weight = weight / copies as f64;
                list.push(Dense { x, class, weight });
            }
        }
    }
    list
}

/// How far the model's weights are from w at most.
fn distance(model: &Model, examples: &Examples, weights: &Weights) -> f64 {
    let Form::Linear(linear) = model.form() else {
        panic!("a linear model expected");
    };
    let mut largest: f64 = 0.0;
    for (feature, &id) in examples.feature_ids().iter().enumerate() {
        for (k, weights) in weights.iter().enumerate() {
            // A feature all of whose weights are zero is left out of the model.
            let found = model.feature_number(id).map(|f| linear.weight(f, k));
            largest = largest.max((found.unwrap_or(0.0) - weights[feature]).abs());
        }
    }
    largest
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_svm_is_the_printed_one(
        list in examples(),
        c in 0.013..3.0f64,
        epsilon in 0.003..0.7f64,
        passes in 1..40u64,
        seed in any::<u64>(),
        merging in any::<bool>(),
        single in any::<bool>(),
    ) {
        let examples = build(&list, merging);
        let parameters = SvmParameters::new().c(c).epsilon(epsilon).iterations(passes);
        let parameters = parameters.gap(1e-12).seed(seed).shrinking(Shrinking::Paper);
        let learner = parameters.single_examples(single).check().unwrap();
        let trained = learner.train(&examples, &()).unwrap();
        let list = dense(&examples, single);
        let (weights, emptied) = shrink(&Svm { c }, &list, epsilon, passes, seed);
        let off = distance(&trained.model, &examples, &weights);
        prop_assert!(off <= 1e-9, "{off}");
        let optimal = trained.report.relative_gap <= Some(1e-12);
        prop_assert_eq!(trained.report.converged, emptied || optimal);
    }

    #[test]
    fn the_dual_method_is_the_printed_one(
        list in examples(),
        sigma2 in 0.05..8.0f64,
        max_trials in 1..12u32,
        epsilon in 0.003..1.2f64,
        passes in 1..40u64,
        seed in any::<u64>(),
        merging in any::<bool>(),
        single in any::<bool>(),
    ) {
        let examples = build(&list, merging);
        let parameters = DualParameters::new().sigma2(sigma2).epsilon(epsilon).iterations(passes);
        let parameters = parameters.gap(1e-12).max_trials(max_trials).seed(seed);
        let parameters = parameters.shrinking(Shrinking::Paper).single_examples(single);
        let trained = parameters.check().unwrap().train(&examples, &()).unwrap();
        let list = dense(&examples, single);
        let method = Dual { sigma2, max_trials };
        let (weights, emptied) = shrink(&method, &list, epsilon, passes, seed);
        let off = distance(&trained.model, &examples, &weights);
        prop_assert!(off <= 1e-9, "{off}");
        let optimal = trained.report.relative_gap <= Some(1e-12);
        prop_assert_eq!(trained.report.converged, emptied || optimal);
    }
}

fn conformance(merging: bool) -> Examples {
    libsvm::read(include_str!("data/train.libsvm").as_bytes(), "x", merging).unwrap()
}

fn svm(parameters: SvmParameters) -> Report {
    let learner = parameters.shrinking(Shrinking::Paper).check().unwrap();
    learner.train(&conformance(true), &()).unwrap().report
}

#[test]
fn an_example_that_hardly_violates_leaves_without_an_update() {
    // At α = 0, w = 0 every example violates by exactly 1.
    let report = svm(SvmParameters::new().epsilon(1.0));
    assert_eq!((report.iterations, report.parameters), (1, 0));
    assert_eq!(report.active_share, [1.0]);
    assert!(report.converged);
    let report = svm(SvmParameters::new().epsilon(0.999));
    assert!(report.parameters > 0);
}

#[test]
fn running_out_of_passes_is_not_convergence() {
    let report = svm(SvmParameters::new().epsilon(1e-6).iterations(2));
    assert_eq!(report.iterations, 2);
    assert!(!report.converged, "{report:?}");
    assert!(report.relative_gap.unwrap() > 1e-3);
    let report = svm(SvmParameters::new().epsilon(1e-6).iterations(2).gap(10.0));
    assert!(report.converged, "the gap that was asked for is reached");
}

#[test]
fn where_no_trial_succeeds_nothing_is_updated() {
    // The same x in each class: all pull towards the uniform distribution, and with this prior half a
    // step of one alone is far too long.
    let examples = libsvm::read(&b"1 9:1\n2 9:1\n3 9:1\n"[..], "x", false).unwrap();
    let train = |max_trials: u32| {
        let parameters = DualParameters::new().sigma2(1e6).max_trials(max_trials);
        let parameters = parameters.epsilon(1e-3).shrinking(Shrinking::Paper);
        parameters.check().unwrap().train(&examples, &()).unwrap()
    };
    let trained = train(1);
    assert!(!trained.report.converged);
    assert_eq!(trained.report.iterations, 1, "all further passes are equal");
    let sigma2 = 1e6;
    let method = Dual {
        sigma2,
        max_trials: 1,
    };
    let list = dense(&examples, true);
    let start = method.start(&list);
    let off = distance(&trained.model, &examples, &method.weights(&list, &start));
    assert!(off < 1e-9 * sigma2, "{off}");
    let patient = train(40).report;
    assert!(patient.dual_objective.unwrap() < trained.report.dual_objective.unwrap() - 0.1);
}

#[test]
fn the_certificate_is_that_of_the_weights_that_are_returned() {
    for merging in [true, false] {
        let examples = conformance(merging);
        let c = 0.1;
        let parameters = SvmParameters::new().c(c).shrinking(Shrinking::Paper);
        let trained = parameters.check().unwrap().train(&examples, &()).unwrap();
        let mut predictor = trained.model.predictor(&examples);
        let mut primal = 0.0;
        let Form::Linear(linear) = trained.model.form() else {
            panic!("a linear model expected");
        };
        for feature in 0..linear.feature_ids().len() as u32 {
            primal += (0..CLASSES)
                .map(|k| linear.weight(feature, k).powi(2) / 2.0)
                .sum::<f64>();
        }
        for row in 0..examples.rows() {
            let mut scores = [0.0; CLASSES];
            // Softmax subtracts the same from every score, which the hinge does not see.
            predictor.log_probabilities(examples.row(row), &mut scores);
            for pair in examples.pairs_of(row) {
                let class = examples.pair_class(pair);
                let margin = |k: usize| scores[k] + 1.0 - delta(k, class) - scores[class];
                let slack = (0..CLASSES).map(margin).fold(f64::MIN, f64::max);
                primal += c * examples.pair_weight(pair) * slack;
            }
        }
        let reported = trained.report.primal_objective.unwrap();
        assert!((reported / primal - 1.0).abs() < 1e-9);
        assert!(trained.report.relative_gap.unwrap() > 0.0);
    }
}
