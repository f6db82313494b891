//! The models and scores of KenLM on the conformance text.

mod common;

use chiasm_lm::Model;
use chiasm_lm::arpa::NgramList;
use common::{data, score_line};

fn expected_scores(name: &str) -> Vec<(f64, usize)> {
    let text = std::fs::read_to_string(data(name)).unwrap();
    let parse = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        (fields[1].parse().unwrap(), fields[3].parse().unwrap())
    };
    text.lines()
        .filter(|l| l.starts_with("Total:"))
        .map(parse)
        .collect()
}

fn check_scores(model: &Model, name: &str) {
    let queries = std::fs::read_to_string(data("queries")).unwrap();
    let expected = expected_scores(name);
    assert_eq!(queries.lines().count(), expected.len());
    for (line, (total, unknown)) in queries.lines().zip(expected) {
        let (found, found_unknown) = score_line(model, line);
        assert!((found - total).abs() < 1e-3, "{line}: {found} for {total}");
        assert_eq!(found_unknown, unknown, "{line}");
    }
}

#[test]
fn sentences_score_as_kenlm_scores_them_from_text_and_from_the_binary() {
    let folder = tempfile::tempdir().unwrap();
    for order in ["order3", "order5"] {
        let model = Model::open(data(&format!("{order}.arpa.xz"))).unwrap();
        check_scores(&model, &format!("{order}.scores"));
        let path = folder.path().join("model.bin");
        model.save(&path).unwrap();
        let mapped = Model::open(&path).unwrap();
        check_scores(&mapped, &format!("{order}.scores"));
        assert_eq!(mapped.counts(), model.counts());
    }
}

#[test]
fn an_arpa_file_is_written_as_it_was_read() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["order3", "order5", "order3.prune012"] {
        let list = NgramList::read(data(&format!("{name}.arpa.xz"))).unwrap();
        let path = folder.path().join("copy.arpa");
        list.write(&path).unwrap();
        let again = NgramList::read(&path).unwrap();
        assert_eq!(list.orders, again.orders);
        assert!(list.vocabulary.words().eq(again.vocabulary.words()));
        let copy = folder.path().join("copy.arpa.gz");
        again.write(&copy).unwrap();
        let unpacked = NgramList::read(&copy).unwrap();
        assert_eq!(unpacked.orders, again.orders);
    }
}

#[test]
fn the_same_model_is_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let path = folder.path().join(format!("model{threads}"));
        pool.install(|| {
            Model::open(data("order5.arpa.xz"))
                .unwrap()
                .save(&path)
                .unwrap()
        });
        files.push(std::fs::read(path).unwrap());
    }
    assert!(files[0] == files[1]);
}

#[test]
fn a_quantised_model_is_small_and_scores_nearly_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let source = data("order5.arpa.xz");
    let list = NgramList::read(&source).unwrap();
    let exact = Model::from_list(list.clone(), &source).unwrap();
    let quantised = Model::quantised(list, &source).unwrap();
    let sizes = [&exact, &quantised].map(|model| {
        let path = folder.path().join("model.bin");
        model.save(&path).unwrap();
        std::fs::metadata(&path).unwrap().len()
    });
    assert!(sizes[1] * 2 < sizes[0], "{sizes:?}");
    quantised.save(folder.path().join("q.bin")).unwrap();
    let mapped = Model::open(folder.path().join("q.bin")).unwrap();
    let queries = std::fs::read_to_string(data("queries")).unwrap();
    for line in queries.lines() {
        let (a, b) = (score_line(&exact, line), score_line(&mapped, line));
        assert_eq!(a.1, b.1);
        assert!(
            (a.0 - b.0).abs() < 0.1 + 0.01 * a.0.abs(),
            "{line}: {} {}",
            a.0,
            b.0
        );
        assert_eq!(b, score_line(&quantised, line));
    }
}
