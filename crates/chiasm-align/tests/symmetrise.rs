//! The links of the reference implementation, and what must hold for any two sides.

use chiasm_align::{Method, Symmetriser};
use chiasm_text::Link;
use proptest::prelude::*;

fn read(name: &str) -> Vec<Vec<Link>> {
    let path = format!(
        "{}/tests/data/symmetrise/{name}",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).unwrap();
    let sentence = |line| {
        let mut links = Vec::new();
        chiasm_text::links::parse(line, usize::MAX, usize::MAX, &mut links).unwrap();
        links
    };
    text.lines().map(sentence).collect()
}

#[test]
fn links_equal_the_reference() {
    let (forward, reverse) = (read("source-to-target"), read("target-to-source"));
    assert_eq!(forward.len(), 120);
    let mut symmetriser = Symmetriser::new();
    for (name, method) in &Method::NAMES[..6] {
        for (number, mut expected) in read(name).into_iter().enumerate() {
            let mut links = Vec::new();
            symmetriser.symmetrise(*method, &forward[number], &reverse[number], &mut links);
            expected.sort();
            assert_eq!(links, expected, "{name}, line {}", number + 1);
        }
    }
}

const SIZE: usize = 7;
type Matrix = [[bool; SIZE]; SIZE];

fn matrix(links: &[Link]) -> Matrix {
    let mut matrix = [[false; SIZE]; SIZE];
    for &Link { source, target } in links {
        matrix[source as usize][target as usize] = true;
    }
    matrix
}

/// The textbook's pseudocode on dense matrices: slow and obviously right.
fn slow(method: Method, forward: &[Link], reverse: &[Link]) -> Vec<Link> {
    let (forward, reverse) = (matrix(forward), matrix(reverse));
    let cells = || (0..SIZE).flat_map(|target| (0..SIZE).map(move |source| (source, target)));
    let mut result = [[false; SIZE]; SIZE];
    for (s, t) in cells() {
        result[s][t] = forward[s][t] && reverse[s][t];
    }
    let source_free = |m: &Matrix, s: usize| (0..SIZE).all(|t| !m[s][t]);
    let target_free = |m: &Matrix, t: usize| (0..SIZE).all(|s| !m[s][t]);
    let steps: &[(i32, i32)] = match method {
        Method::Grow => &[(0, -1), (-1, 0), (0, 1), (1, 0)],
        _ => &[
            (0, -1),
            (-1, 0),
            (0, 1),
            (1, 0),
            (-1, -1),
            (1, -1),
            (-1, 1),
            (1, 1),
        ],
    };
    loop {
        let before = result;
        for (s, t) in cells() {
            for &(source_step, target_step) in steps {
                let (near_s, near_t) = (s as i32 + source_step, t as i32 + target_step);
                let inside = 0..SIZE as i32;
                if !result[s][t] || !inside.contains(&near_s) || !inside.contains(&near_t) {
                    continue;
                }
                let (near_s, near_t) = (near_s as usize, near_t as usize);
                let free = source_free(&result, near_s) || target_free(&result, near_t);
                if free && (forward[near_s][near_t] || reverse[near_s][near_t]) {
                    result[near_s][near_t] = true;
                }
            }
        }
        if result == before {
            break;
        }
    }
    for side in [reverse, forward] {
        for (s, t) in cells().filter(|&(s, t)| side[s][t]) {
            let (source, target) = (source_free(&result, s), target_free(&result, t));
            let add = match method {
                Method::GrowDiagFinal => source || target,
                Method::GrowDiagFinalAnd => source && target,
                _ => false,
            };
            result[s][t] |= add;
        }
    }
    let taken = cells().filter(|&(s, t)| result[s][t]);
    let link = |(s, t)| Link {
        source: s as u32,
        target: t as u32,
    };
    let mut links: Vec<_> = taken.map(link).collect();
    links.sort();
    links
}

fn side() -> impl Strategy<Value = Vec<Link>> {
    let link =
        (0..SIZE as u32, 0..SIZE as u32).prop_map(|(source, target)| Link { source, target });
    prop::collection::vec(link, 0..16)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..Default::default() })]
    #[test]
    fn growing_equals_the_slow_version(forward in side(), reverse in side()) {
        let mut symmetriser = Symmetriser::new();
        let mut links = Vec::new();
        for (name, method) in &Method::NAMES[2..6] {
            symmetriser.symmetrise(*method, &forward, &reverse, &mut links);
            prop_assert_eq!(&links, &slow(*method, &forward, &reverse), "{}", name);
        }
    }

    #[test]
    fn every_method_lies_between_intersection_and_union(forward in side(), reverse in side()) {
        let mut symmetriser = Symmetriser::new();
        let mut answer = |method| {
            let mut links = Vec::new();
            symmetriser.symmetrise(method, &forward, &reverse, &mut links);
            links
        };
        let (smallest, largest) = (answer(Method::Intersection), answer(Method::Union));
        for (_, method) in Method::NAMES {
            let links = answer(method);
            prop_assert!(links.is_sorted());
            prop_assert!(smallest.iter().all(|link| links.contains(link)));
            prop_assert!(links.iter().all(|link| largest.contains(link)));
        }
    }
}
