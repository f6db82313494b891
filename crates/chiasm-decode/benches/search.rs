//! Translating three sentences with the small golden system, with cube pruning and with stacks.

use chiasm_decode::{Decoder, Input, SearchAlgorithm, SearchSettings, System};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn search(criterion: &mut Criterion) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/0.1.0");
    let system = Arc::new(System::open(golden.join("tokenised.chiasm")).unwrap());
    let text = std::fs::read_to_string(golden.join("tokenised.input")).unwrap();
    let inputs: Vec<Input> = text.lines().map(Input::from_line).collect();
    for (name, algorithm) in [
        ("translate, cube pruning", SearchAlgorithm::Cube),
        ("translate, stacks", SearchAlgorithm::Stack),
    ] {
        let settings = SearchSettings {
            algorithm,
            stack: 100,
            pop_limit: 100,
            ..system.configuration().search.clone()
        };
        let decoder = Decoder::with_weights(system.clone(), &system.weights(), settings).unwrap();
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| {
                for input in black_box(&inputs) {
                    black_box(decoder.translate(input).unwrap());
                }
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

criterion_group!(name = benches; config = settings(); targets = search);
criterion_main!(benches);
