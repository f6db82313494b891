//! Scoring sentences of the built-in language pair with both kinds of binary.

use chiasm_lm::Model;
use chiasm_synthesis::Language;
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

fn query(criterion: &mut Criterion) {
    let generator = Language::JapaneseLike.generator(7, 0);
    let lines: Vec<String> = (0..500)
        .map(|number| generator.pair(number).target_text())
        .collect();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/0.1.0");
    for name in ["probing", "quantised"] {
        let model = Model::open(golden.join(format!("{name}.bin"))).unwrap();
        criterion.bench_function(&format!("score 500 lines, {name}"), |bencher| {
            bencher.iter(|| {
                let scores = black_box(&lines)
                    .iter()
                    .map(|line| model.score_line(line).log10);
                scores.sum::<f64>()
            });
        });
    }
}

fn settings() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
}

criterion_group!(name = benches; config = settings(); targets = query);
criterion_main!(benches);
