//! One pass of the SVM over its examples (dot products and updates), and counting for naive Bayes.

use chiasm_learn::naive_bayes::{NaiveBayesParameters, Variant};
use chiasm_learn::svm::SvmParameters;
use chiasm_learn::{Builder, Examples, Learner};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;

const ROWS: u64 = 2000;
const FEATURES: u64 = 5000;
const ENTRIES: u64 = 20;

/// Sparse rows of three classes; a feature's class is its number modulo three, with noise.
fn examples() -> Examples {
    let mut builder = Builder::new(["1", "2", "3"].map(String::from).to_vec()).unwrap();
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    for _ in 0..ROWS {
        let class = random(3);
        let mut entries: Vec<(u32, f64)> = (0..ENTRIES)
            .map(|place| {
                let own = if place % 4 == 0 { class } else { random(3) };
                ((random(FEATURES / 3) * 3 + own) as u32, 1.0)
            })
            .collect();
        builder.push(&mut entries, class as usize, 1.0).unwrap();
    }
    builder.finish().unwrap()
}

fn learners(criterion: &mut Criterion) {
    let examples = examples();
    let svm = SvmParameters::new().c(0.1).iterations(1).check().unwrap();
    criterion.bench_function("svm pass", |bencher| {
        bencher.iter(|| svm.train(black_box(&examples), &()).unwrap());
    });
    let bayes = NaiveBayesParameters::new(Variant::Map).check().unwrap();
    criterion.bench_function("naive Bayes count", |bencher| {
        bencher.iter(|| bayes.train(black_box(&examples), &()).unwrap());
    });
}

fn settings() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
}

criterion_group!(name = benches; config = settings(); targets = learners);
criterion_main!(benches);
