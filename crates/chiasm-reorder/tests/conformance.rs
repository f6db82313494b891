//! Reordering tables equal to the reference tool's.

use chiasm_phrases::{AlignedFiles, CountedPairs, Extraction, ForwardRule, IndexedCorpus};
use chiasm_reorder::{Smoothing, TableName, write_table};
use std::io::Read;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_table_is_equal_to_five_digits() {
    let temporary = tempfile::tempdir().unwrap();
    let data = folder().join("../chiasm-phrases/tests/data");
    let files = AlignedFiles {
        source: data.join("source"),
        target: data.join("target"),
        links: data.join("links"),
    };
    let mut tables = 0;
    for entry in std::fs::read_dir(folder().join("tests/data")).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap().to_string();
        let name = file
            .strip_prefix("reordering-table.")
            .unwrap()
            .strip_suffix(".xz")
            .unwrap();
        let name: TableName = name.parse().unwrap();
        let mut corpus = IndexedCorpus::read(&files, temporary.path(), &()).unwrap();
        let extraction = Extraction {
            max_length: 7,
            kind: name.kind,
            forward_rule: ForwardRule::Moses,
        };
        let pairs =
            CountedPairs::count(&mut corpus, &extraction, 1 << 20, temporary.path(), &()).unwrap();
        let output = temporary.path().join("table");
        write_table(name, Smoothing::Constant(0.5), pairs, &corpus, &output).unwrap();
        let found = std::fs::read_to_string(&output).unwrap();
        let mut expected = String::new();
        chiasm_text::open(&path)
            .unwrap()
            .read_to_string(&mut expected)
            .unwrap();
        compare(&found, &expected, &file);
        tables += 1;
    }
    assert_eq!(tables, 10);
}

fn compare(found: &str, expected: &str, name: &str) {
    assert_eq!(found.lines().count(), expected.lines().count(), "{name}");
    for (found, expected) in found.lines().zip(expected.lines()) {
        let [found_columns, expected_columns] =
            [found, expected].map(|line| line.rsplit_once(" ||| ").unwrap());
        assert_eq!(found_columns.0, expected_columns.0, "{name}");
        let numbers = |text: &str| -> Vec<f64> {
            text.split_whitespace()
                .map(|number| number.parse().unwrap())
                .collect()
        };
        let (mine, theirs) = (numbers(found_columns.1), numbers(expected_columns.1));
        assert_eq!(mine.len(), theirs.len(), "{name}: {found} / {expected}");
        for (a, b) in mine.iter().zip(&theirs) {
            assert!(
                (a - b).abs() <= 1e-5 * b.abs(),
                "{name}: {found} / {expected}"
            );
        }
    }
}
