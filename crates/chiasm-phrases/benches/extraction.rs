//! Phrase pairs with their orientations from 200 sentence pairs of the built-in language pair.

use chiasm_phrases::{Alignment, Extractor, ForwardRule, OrientationKind};
use chiasm_synthesis::Language;
use chiasm_text::links;
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;

fn alignments() -> Vec<Alignment> {
    let generator = Language::JapaneseLike.generator(7, 0);
    let load = |number| {
        let pair = generator.pair(number);
        let (sources, targets) = (pair.source().count(), pair.target().count());
        let (mut parsed, mut alignment) = (Vec::new(), Alignment::default());
        links::parse(&pair.links_text(), sources, targets, &mut parsed).unwrap();
        alignment.load(&parsed, sources, targets);
        alignment
    };
    (0..200).map(load).collect()
}

fn extraction(criterion: &mut Criterion) {
    let alignments = alignments();
    for (name, kind) in [
        ("extract, word orientation", OrientationKind::Word),
        ("extract, hierarchical orientation", OrientationKind::Hier),
    ] {
        let mut extractor = Extractor::new(7, kind, ForwardRule::Moses);
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut found = 0u64;
                for alignment in black_box(&alignments) {
                    extractor.instances(alignment, |_| found += 1);
                }
                found
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

criterion_group!(name = benches; config = settings(); targets = extraction);
criterion_main!(benches);
