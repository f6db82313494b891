//! Examples under other classes are what they would have been had they been built with those.

use chiasm_learn::{Builder, Examples};

fn names(count: usize) -> Vec<String> {
    (0..count).map(|class| format!("c{class}")).collect()
}

/// Many examples with few features, so that rows meet again with other classes; some have no feature.
fn build(classes: usize, class_of: impl Fn(usize) -> usize) -> Examples {
    let mut builder = Builder::new(names(classes)).unwrap();
    let mut state = 7u32;
    let mut draw = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % below
    };
    for _ in 0..500 {
        let count = draw(4);
        let mut entries: Vec<(u32, f64)> = (0..count).map(|_| (draw(6), 1.0)).collect();
        let class = class_of(draw(9) as usize);
        builder.push(&mut entries, class, 1.0).unwrap();
    }
    builder.finish_with_ids((0..6).collect()).unwrap()
}

fn bytes(examples: &Examples) -> Vec<u8> {
    let file = tempfile::NamedTempFile::new().unwrap();
    examples.save(file.path()).unwrap();
    std::fs::read(file.path()).unwrap()
}

#[test]
fn other_classes_are_as_if_built_with_them() {
    let joint = build(9, |class| class);
    for direction in [|class: usize| class % 3, |class: usize| class / 3] {
        let apart = joint.with_classes(names(3), direction, 1.0).unwrap();
        assert_eq!(bytes(&apart), bytes(&build(3, direction)));
        assert!(apart.pairs() < joint.pairs());
    }
    let half = joint.with_classes(names(9), |class| class, 0.5).unwrap();
    assert_eq!(half.weight(), joint.weight() / 2.0);
    assert!(joint.with_classes(names(2), |class| class, 1.0).is_err());
}
