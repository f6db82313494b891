//! Estimation against KenLM's models.

mod common;

use chiasm_lm::arpa::NgramList;
use chiasm_lm::estimate::{Options, estimate};
use common::data;
use std::collections::HashMap;

fn entries(list: &NgramList) -> HashMap<String, (f32, f32)> {
    let mut all = HashMap::new();
    for (index, orders) in list.orders.iter().enumerate() {
        for (at, words) in orders.words.chunks_exact(index + 1).enumerate() {
            let spelled: Vec<&str> = words.iter().map(|&w| list.vocabulary.word(w)).collect();
            let value = (orders.probabilities[at], orders.backoffs[at]);
            assert!(all.insert(spelled.join(" "), value).is_none());
        }
    }
    all
}

fn check(name: &str, options: &Options) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lm.arpa");
    estimate(&[data("text")], options, &())
        .unwrap()
        .write_arpa(&path, &())
        .unwrap();
    let expected = NgramList::read(data(name)).unwrap();
    let found = NgramList::read(&path).unwrap();
    for (order, (a, b)) in expected.orders.iter().zip(&found.orders).enumerate() {
        assert_eq!(a.len(), b.len(), "order {}", order + 1);
    }
    let found = entries(&found);
    for (words, (probability, backoff)) in entries(&expected) {
        let &(p, b) = found.get(&words).unwrap_or_else(|| panic!("no '{words}'"));
        assert!(
            (p - probability).abs() < 1e-4,
            "{words}: {p} for {probability}"
        );
        assert!((b - backoff).abs() < 1e-4, "{words}: {b} for {backoff}");
    }
}

#[test]
fn every_probability_and_backoff_as_kenlm_has_it() {
    check("order3.arpa.xz", &Options::new(3));
    check("order5.arpa.xz", &Options::new(5));
}

#[test]
fn pruned_as_kenlm_prunes() {
    let options = Options {
        prune: vec![0, 1, 2],
        ..Options::new(3)
    };
    check("order3.prune012.arpa.xz", &options);
}
