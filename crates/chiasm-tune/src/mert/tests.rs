use super::line_search::search;
use super::*;
use crate::Entry;
use chiasm_metrics::bleu::SentenceReferences;
use proptest::prelude::*;

fn pool(lists: &[Vec<(Vec<u32>, Vec<f32>)>], references: &[Vec<u32>]) -> Pool {
    let prepared: Vec<SentenceReferences> = references
        .iter()
        .map(|r| SentenceReferences::new(&[r]))
        .collect();
    let features = lists
        .iter()
        .flatten()
        .next()
        .map_or(0, |entry| entry.1.len());
    let mut pool = Pool::new(lists.len(), features);
    let entry = |(target, dense): &(Vec<u32>, Vec<f32>)| Entry {
        target: target.clone(),
        dense: dense.clone(),
        sparse: Vec::new(),
    };
    let lists: Vec<Vec<Entry>> = lists
        .iter()
        .map(|l| l.iter().map(entry).collect())
        .collect();
    pool.merge(&lists, &prepared).unwrap();
    pool
}

fn entries() -> impl Strategy<Value = Vec<(Vec<u32>, Vec<f32>)>> {
    let target = prop::collection::vec(0u32..4, 0..6);
    let features = prop::collection::vec((-8i32..9).prop_map(|v| v as f32 / 4.0), 3);
    prop::collection::vec((target, features), 1..8)
}

proptest! {
    /// Along a line, no weights at all choose better translations than the ones found, and the
    /// ones found are as good as promised.
    #[test]
    fn line_search_is_exact(
        lists in prop::collection::vec(entries(), 1..5),
        reference in prop::collection::vec(0u32..4, 3..8),
        start in prop::collection::vec(-2.0f32..2.0, 3),
        vector in prop::collection::vec(-1.0f64..1.0, 3),
        coordinate in 0usize..4,
    ) {
        let references = vec![reference; lists.len()];
        let pool = pool(&lists, &references);
        let columns = Columns::new(&pool, &Weights::of_dense(start.clone()));
        let point = to_wide(&Weights::of_dense(start));
        let mut scores = Vec::new();
        columns.scores(&point, &mut scores);
        let mut unit = vec![0.0; 3];
        let (direction, vector) = if coordinate < 3 {
            unit[coordinate] = 1.0;
            (Direction::Coordinate(coordinate), &unit)
        } else {
            (Direction::Vector(&vector), &vector)
        };
        let everywhere = (f64::NEG_INFINITY, f64::INFINITY);
        let step = search(&columns, &scores, direction, everywhere, &mut Workspace::default());
        let at = |gamma: f64| -> f64 {
            let moved = point.iter().zip(vector).map(|(w, v)| (w + gamma * v) as f32);
            pool.bleu(&Weights::of_dense(moved.collect()))
        };
        prop_assert!((at(step.gamma) - step.bleu).abs() < 1e-9 || step.gamma.abs() < 1e-4);
        for i in -600..=600 {
            // Off the grid on which ties are likely.
            let gamma = f64::from(i) / 37.0 + 1e-4;
            prop_assert!(at(gamma) <= step.bleu + 1e-9, "at {}: {} > {}", gamma, at(gamma), step.bleu);
        }
    }
}

/// Two features, one of them an oracle, of this sign: MERT must find it.
fn oracle_pool(sign: f32, extra: f32) -> Pool {
    let reference: Vec<u32> = (0..8).collect();
    let lists: Vec<Vec<(Vec<u32>, Vec<f32>)>> = (0..20u32)
        .map(|sentence| {
            let entry = |errors: u32| {
                let target = (0..8)
                    .map(|i| if i < errors { 100 + i } else { i })
                    .collect();
                let noise = ((sentence * 7 + errors * 13) % 11) as f32;
                (target, vec![noise, -sign * errors as f32, extra])
            };
            (0..8).map(entry).collect()
        })
        .collect();
    pool(&lists, &vec![reference; 20])
}

#[test]
fn finds_the_feature_that_matters_and_leaves_the_constant_one_alone() {
    let pool = oracle_pool(1.0, 0.0);
    let start = Weights::of_dense(vec![1.0, -0.5, 0.25]);
    let (weights, bleu) = optimise(&pool, &[start], &Settings::default(), 1, 0).unwrap();
    assert!((bleu - 100.0).abs() < 1e-6, "{bleu}");
    assert!((pool.bleu(&weights) - bleu).abs() < 1e-9);
    assert!(weights.dense[1] > weights.dense[0]);
    assert!(weights.is_finite());
    // The norm stays what it was, and the weight of the feature that is always zero is scaled with
    // the others at most.
    let norm: f32 = weights.dense.iter().map(|weight| weight.abs()).sum();
    assert!((norm - 1.75).abs() < 1e-5);
    assert!(weights.dense[2] > 0.0);
}

#[test]
fn a_penalty_is_never_rewarded() {
    let start = Weights::of_dense(vec![0.1, -0.5, 0.25]);
    let find = |pool: &Pool| {
        optimise(
            pool,
            std::slice::from_ref(&start),
            &Settings::default(),
            1,
            0,
        )
    };
    let free = oracle_pool(-1.0, 0.0);
    let (weights, best) = find(&free).unwrap();
    assert!(weights.dense[1] < 0.0 && (best - 100.0).abs() < 1e-6);
    let bound = free.with_penalties(vec![1]);
    let (weights, bleu) = find(&bound).unwrap();
    assert!(weights.dense[1] >= 0.0 && bleu < best, "{weights:?}");
    assert!((bound.bleu(&weights) - bleu).abs() < 1e-9);
    // A penalty that is one may weigh as much as it likes.
    let (weights, bleu) = find(&oracle_pool(1.0, 0.0).with_penalties(vec![1])).unwrap();
    assert!(weights.dense[1] > 0.0 && (bleu - 100.0).abs() < 1e-6);
}

#[test]
fn one_entry_leaves_nothing_to_choose() {
    let pool = pool(&[vec![(vec![1, 2], vec![1.0, 2.0])]], &[vec![1, 2, 3]]);
    let start = Weights::of_dense(vec![0.3, 0.7]);
    let (weights, _) = optimise(
        &pool,
        std::slice::from_ref(&start),
        &Settings::default(),
        1,
        0,
    )
    .unwrap();
    assert_eq!(weights, start);
}

#[test]
fn empty_pools_and_empty_hypotheses_are_no_accident() {
    let settings = Settings::default();
    let start = Weights::of_dense(vec![0.3, 0.7]);
    let nothing = Pool::new(3, 2);
    let (weights, bleu) =
        optimise(&nothing, std::slice::from_ref(&start), &settings, 1, 0).unwrap();
    assert_eq!((weights, bleu), (start.clone(), 0.0));
    let empty = pool(
        &[vec![(vec![], vec![1.0, 2.0]), (vec![], vec![2.0, 1.0])]],
        &[vec![1]],
    );
    let (weights, bleu) = optimise(&empty, &[start], &settings, 1, 0).unwrap();
    assert!(weights.is_finite());
    assert_eq!(bleu, 0.0);
    assert!(optimise(&nothing, &[], &settings, 1, 0).is_none());
}

#[test]
fn threads_do_not_matter() {
    let pool = oracle_pool(1.0, 1.0);
    let run = |threads| {
        let workers = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let start = Weights::of_dense(vec![1.0, -0.5, 0.25]);
        workers.install(|| optimise(&pool, &[start], &Settings::default(), 5, 2))
    };
    assert_eq!(run(1), run(3));
}
