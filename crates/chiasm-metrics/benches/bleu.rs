//! BLEU's statistics of one system against four references.

use chiasm_metrics::{Bleu, Metric, References, Statistics};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

fn lines(name: &str) -> Vec<String> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let text = std::fs::read_to_string(data.join(name)).unwrap();
    text.lines().map(str::to_string).collect()
}

fn bleu(criterion: &mut Criterion) {
    let names = ["reference0", "reference1", "reference2", "reference3"];
    let references = References::new(names.map(lines).to_vec()).unwrap();
    let hypotheses = lines("system-a");
    let bleu = Bleu::default();
    criterion.bench_function("BLEU", |bencher| {
        bencher.iter(|| {
            let statistics = Statistics::collect(&bleu, black_box(&hypotheses), &references);
            bleu.score(&statistics.unwrap().sum())
        });
    });
}

fn settings() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
}

criterion_group!(name = benches; config = settings(); targets = bleu);
criterion_main!(benches);
