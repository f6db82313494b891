//! Resampling against a slow version that scores the drawn sentences as texts, with a random
//! generator of its own.

use chiasm_metrics::{
    Bleu, Chrf, Error, Metric, Nist, References, Statistics, Ter, Tokenizer, bootstrap,
};

fn lines(name: &str) -> Vec<String> {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(str::to_string).collect()
}

fn bleu() -> Bleu {
    Bleu {
        tokenizer: Tokenizer::None,
        ..Bleu::default()
    }
}

fn score<M: Metric>(metric: &M, hypotheses: &[String], references: &References) -> f64 {
    metric.score(
        &Statistics::collect(metric, hypotheses, references)
            .unwrap()
            .sum(),
    )
}

/// Numerical Recipes' quick generator: unlike the one under test.
struct Slow(u64);

impl Slow {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n as u64) as usize
    }
}

/// The share of samples in which system a is not better than b, and its scores.
fn slow<M: Metric>(
    metric: &M,
    a: &[String],
    b: &[String],
    reference: &[String],
    samples: usize,
) -> (f64, Vec<f64>) {
    let mut random = Slow(20041107);
    let mut not_better = 0;
    let mut scores = Vec::new();
    for _ in 0..samples {
        let drawn: Vec<usize> = (0..a.len()).map(|_| random.below(a.len())).collect();
        let pick = |lines: &[String]| drawn.iter().map(|&i| lines[i].clone()).collect::<Vec<_>>();
        let references = References::new(vec![pick(reference)]).unwrap();
        let (x, y) = (
            score(metric, &pick(a), &references),
            score(metric, &pick(b), &references),
        );
        let better = if metric.higher_is_better() {
            x > y
        } else {
            x < y
        };
        not_better += usize::from(!better);
        scores.push(x);
    }
    scores.sort_by(f64::total_cmp);
    (not_better as f64 / samples as f64, scores)
}

fn agree<M: Metric>(metric: &M) {
    let (a, b, reference) = (lines("system-a"), lines("system-b"), lines("reference0"));
    let references = References::new(vec![reference.clone()]).unwrap();
    let statistics = |lines| Statistics::collect(metric, lines, &references).unwrap();
    let (a_rows, b_rows) = (statistics(&a), statistics(&b));
    let difference = metric.score(&a_rows.sum()) - metric.score(&b_rows.sum());
    let samples = bootstrap::resample(metric, &[&a_rows, &b_rows], 4000, 1).unwrap();
    let comparison = samples.compare(0, 1, difference);
    let count = 1500;
    let (p, scores) = slow(metric, &a, &b, &reference, count);
    // Four standard errors of the difference of two independent estimates.
    let deviation = (p * (1.0 - p) * (1.0 / count as f64 + 1.0 / 4000.0)).sqrt();
    let found = comparison.p_value;
    assert!(p > 0.001, "the test would be blind: {p}");
    assert!(
        (found - p).abs() < 4.0 * deviation + 2e-3,
        "{}: {found}, {p} expected",
        metric.name()
    );
    assert!((comparison.wins + found - 1.0).abs() < 2e-3);
    let interval = samples.interval(0);
    let spread = scores[count * 39 / 40] - scores[count / 40];
    assert!((interval.low - scores[count / 40]).abs() < 0.15 * spread);
    assert!((interval.high - scores[count * 39 / 40]).abs() < 0.15 * spread);
}

#[test]
fn p_values_and_intervals_agree_with_the_slow_version() {
    agree(&bleu());
    agree(&Ter::default());
}

#[test]
fn a_system_against_itself_is_no_difference() {
    let references = References::new(vec![lines("reference0")]).unwrap();
    let metrics: [&dyn Metric; 4] = [
        &bleu(),
        &Chrf::default(),
        &Ter::default(),
        &Nist::new(&references).unwrap(),
    ];
    for metric in metrics {
        let rows = Statistics::collect(metric, &lines("system-a"), &references).unwrap();
        let samples = bootstrap::resample(metric, &[&rows, &rows], 50, 7).unwrap();
        let comparison = samples.compare(0, 1, 0.0);
        assert_eq!((comparison.p_value, comparison.wins), (1.0, 0.0));
    }
}

#[test]
fn threads_do_not_matter_and_the_seed_does() {
    let references = References::new(vec![lines("reference0")]).unwrap();
    let rows = Statistics::collect(&bleu(), &lines("system-a"), &references).unwrap();
    let run = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| bootstrap::resample(&bleu(), &[&rows], 100, seed).unwrap())
    };
    assert_eq!(run(1, 3), run(4, 3));
    assert_ne!(run(1, 3), run(1, 4));
}

#[test]
fn what_cannot_be_paired_is_refused() {
    let references = References::new(vec![lines("reference0")]).unwrap();
    let rows = Statistics::collect(&bleu(), &lines("system-a"), &references).unwrap();
    let other = Statistics::collect(&Ter::default(), &lines("system-a"), &references).unwrap();
    let error = bootstrap::resample(&bleu(), &[&rows, &other], 10, 1).unwrap_err();
    assert!(matches!(error, Error::NotPaired { .. }));
    assert_eq!(
        bootstrap::resample(&bleu(), &[&rows], 0, 1).unwrap_err(),
        Error::NoSamples
    );
}
