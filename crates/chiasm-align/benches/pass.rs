//! One pass of the aligners over 200 sentence pairs of the built-in language pair.

use chiasm_align::{Bitext, Preset, Settings, train};
use chiasm_synthesis::Language;
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;

fn pass(criterion: &mut Criterion) {
    let generator = Language::JapaneseLike.generator(7, 0);
    let mut bitext = Bitext::new();
    for number in 0..200 {
        let pair = generator.pair(number);
        bitext.push(&pair.source_text(), &pair.target_text());
    }
    for (name, preset) in [
        ("align, log-linear", Preset::Fast),
        ("align, sampled", Preset::Standard),
    ] {
        let mut settings = Settings::preset(preset, bitext.len());
        settings.set_passes(1);
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| train(black_box(&bitext), &settings, &()));
        });
    }
}

fn settings() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
}

criterion_group!(name = benches; config = settings(); targets = pass);
criterion_main!(benches);
