//! Rounds over several shards against one machine, with and without momentum.

use super::*;
use crate::{Builder, Recipe};

/// Examples of three classes with noise, those of shard `at` of `shards`.
fn examples(shards: u32, at: u32) -> Examples {
    let names = ["a", "b", "c"].map(str::to_string).to_vec();
    let mut builder = Builder::new(names).unwrap();
    let mut random = 7u32;
    let mut next = move || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random >> 16
    };
    for example in 0..1200u32 {
        let class = next() % 3;
        let mut entries = vec![(class * 10 + next() % 8, 1.0)];
        entries.extend((0..4).map(|_| (next() % 40, 1.0)));
        if example % shards == at {
            builder.push(&mut entries, class as usize, 1.0).unwrap();
        }
    }
    builder.finish_with_ids((0..40).collect()).unwrap()
}

fn add(sum: &mut [f64], part: &[f64]) {
    sum.iter_mut()
        .zip(part)
        .for_each(|(sum, part)| *sum += part);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Rounds until the gap of all shards is small; weights, objective, and how many rounds.
fn solved(
    recipe: &Recipe,
    shards: u32,
    states: Option<Vec<Vec<u8>>>,
    with_momentum: bool,
) -> (Vec<f64>, f64, u32) {
    let learner = recipe.shard_learner().unwrap();
    let all: Vec<Examples> = (0..shards).map(|at| examples(shards, at)).collect();
    let mut weights = vec![0.0; 40 * stride(3)];
    let begin = |(at, examples): (usize, &Examples)| {
        let state = states.as_ref().map(|states| states[at].as_slice());
        learner.begin(examples, state).unwrap()
    };
    let mut rounds: Vec<ShardRound> = all.iter().enumerate().map(begin).collect();
    rounds
        .iter()
        .for_each(|round| add(&mut weights, &round.change));
    let nothing = vec![0.0; weights.len()];
    let mut changes = vec![nothing.clone(); all.len()];
    let mut momentum = Momentum::default();
    for number in 1..1000 {
        let mut change = nothing.clone();
        changes.iter().for_each(|one| add(&mut change, one));
        let step = |(at, examples): (usize, &Examples)| {
            let start = RoundStart {
                weights: &weights,
                average: &weights,
                change: &change,
                own_change: &changes[at],
                momentum: if with_momentum { momentum.share() } else { 0.0 },
                shards: shards as usize,
                seed: u64::from(number) << 32 | at as u64,
            };
            learner.round(examples, &rounds[at].state, start).unwrap()
        };
        rounds = all.iter().enumerate().map(step).collect();
        let gap: f64 = rounds.iter().map(|round| round.gap).sum();
        let linear: f64 = rounds.iter().map(|round| round.linear).sum();
        let norm: f64 = weights.iter().map(|weight| weight * weight).sum();
        let primal = gap - (learner.penalty() * norm / 2.0 + linear);
        if gap <= recipe.gap * primal {
            return (weights, primal, number);
        }
        let both = changes.iter().zip(&rounds);
        let overlap = both.map(|(old, new)| dot(old, &new.change)).sum();
        let length = rounds.iter().map(|new| dot(&new.change, &new.change)).sum();
        momentum.after(overlap, length);
        changes = rounds.iter().map(|round| round.change.clone()).collect();
        changes.iter().for_each(|one| add(&mut weights, one));
    }
    panic!("no convergence");
}

#[test]
fn shards_reach_the_optimum_of_one_machine() {
    for text in ["--learner svm --c 0.1", "--learner dual --sigma2 0.5"] {
        let recipe: Recipe = format!("{text} --gap 0.0005").parse().unwrap();
        let whole = examples(1, 0);
        let (expected, report) = recipe.train(whole.clone(), None, &()).unwrap();
        let best = report.primal_objective.unwrap();
        for shards in [1, 2, 5] {
            let (weights, primal, _) = solved(&recipe, shards, None, true);
            assert!(
                (primal / best - 1.0).abs() < 1e-3,
                "{text}: {primal} {best}"
            );
            let report = Report::of("svm", &whole);
            let (found, _) = model(&whole, &weights, report, 64).unwrap();
            let same = (0..whole.rows()).filter(|&row| {
                let class = |model: &Model| {
                    let mut scores = [0.0; 3];
                    model.scores(whole.row(row), &mut scores);
                    (0..3).max_by(|&a, &b| scores[a].total_cmp(&scores[b]))
                };
                class(&expected) == class(&found)
            });
            assert!(same.count() * 100 >= whole.rows() * 97, "{text} {shards}");
        }
    }
}

#[test]
fn momentum_saves_most_rounds() {
    for text in ["--learner svm --c 0.1", "--learner dual --sigma2 0.5"] {
        let recipe: Recipe = format!("{text} --gap 0.0001").parse().unwrap();
        let [with, without] = [true, false].map(|momentum| solved(&recipe, 5, None, momentum));
        assert!(2 * with.2 <= without.2, "{text}: {} {}", with.2, without.2);
        assert!((with.1 / without.1 - 1.0).abs() < 2e-4);
    }
}

/// A round of two shards without momentum.
fn at(weights: &[f64], seed: u64) -> RoundStart<'_> {
    RoundStart {
        weights,
        average: weights,
        change: weights,
        own_change: weights,
        momentum: 0.0,
        shards: 2,
        seed,
    }
}

#[test]
fn a_warm_start_is_nearer_and_foreign_variables_are_refused() {
    let cold: Recipe = "--learner svm --c 0.1 --gap 0.001".parse().unwrap();
    let learner = cold.shard_learner().unwrap();
    let all: Vec<Examples> = (0..2).map(|at| examples(2, at)).collect();
    let mut weights = vec![0.0; 40 * stride(3)];
    let mut states: Vec<Vec<u8>> = all
        .iter()
        .map(|one| learner.begin(one, None).unwrap().state)
        .collect();
    for number in 0..20 {
        let step = |(one, state): (&Examples, &Vec<u8>)| {
            learner.round(one, state, at(&weights, number)).unwrap()
        };
        let rounds: Vec<ShardRound> = all.iter().zip(&states).map(step).collect();
        rounds
            .iter()
            .for_each(|round| add(&mut weights, &round.change));
        states = rounds.into_iter().map(|round| round.state).collect();
    }
    let other: Recipe = "--learner svm --c 0.12 --gap 0.001".parse().unwrap();
    let (_, _, from_nothing) = solved(&other, 2, None, true);
    let (_, _, from_there) = solved(&other, 2, Some(states.clone()), true);
    assert!(from_there < from_nothing, "{from_there} {from_nothing}");
    assert!(learner.begin(&all[0], Some(&states[0][4..])).is_err());
    assert!(
        learner
            .round(&all[0], &states[0], at(&weights[4..], 1))
            .is_err()
    );
}

#[test]
fn gradients_add_up() {
    let recipe: Recipe = "--learner lbfgs --sigma2 0.5 --gap 0.00001"
        .parse()
        .unwrap();
    let whole = examples(1, 0);
    let (_, expected) = recipe.train(whole.clone(), None, &()).unwrap();
    let ShardLearner::Lbfgs(learner) = recipe.shard_learner().unwrap() else {
        panic!("another learner");
    };
    let all: Vec<Examples> = (0..3).map(|at| examples(3, at)).collect();
    let mut sums = vec![0.0; 40];
    all.iter().for_each(|one| add(&mut sums, &curvature(one)));
    let mut report = Report::of("lbfgs", &whole);
    let evaluate = |weights: &[f64], out: &mut [f64]| -> Result<f64> {
        out.fill(0.0);
        let mut loss = 0.0;
        for one in &all {
            let (part, slope) = gradient(one, weights)?;
            loss += part;
            add(out, &slope);
        }
        Ok(loss)
    };
    learner
        .minimise_shards(3, sums, evaluate, &mut report, &())
        .unwrap();
    assert!(report.converged);
    let (found, best) = (
        report.primal_objective.unwrap(),
        expected.primal_objective.unwrap(),
    );
    assert!((found / best - 1.0).abs() < 1e-5, "{found} {best}");
}
