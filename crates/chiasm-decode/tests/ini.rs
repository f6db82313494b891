//! `moses.ini`: both dialects are read, and what is not supported is refused by name.

use chiasm_decode::moses::describe;
use chiasm_decode::{FeatureKind, SearchAlgorithm};
use proptest::prelude::*;
use std::path::Path;

const CURRENT: &str = "[input-factors]\n0\n\n[mapping]\n0 T 0\n\n[distortion-limit]\n6\n\n[feature]\nUnknownWordPenalty\nWordPenalty\nPhrasePenalty\nPhraseDictionaryMemory name=TM0 num-features=2 path=table table-limit=7\nLexicalReordering name=R0 num-features=6 type=hier-msd-bidirectional-fe path=orient sparse-phrase=1 sparse-words-source-top=words\nDistortion\nKENLM name=LM0 factor=0 path=lm order=3\n\n[weight]\nWordPenalty0= -1\nPhrasePenalty0= 0.2\nTM0= 0.2 0.3\nR0= 1 2 3 4 5 6\nDistortion0= 0.3\nLM0= 0.5\n";

const OLD: &str = "[ttable-file]\n0 0 0 5 table\n[ttable-limit]\n20\n0\n[lmodel-file]\n8 0 3 lm\n[distortion-file]\n0-0 wbe-msd-bidirectional-fe-allff 6 orient\n[weight-t]\n1\n2\n3\n4\n5\n[weight-l]\n0.5\n[weight-d]\n0.6\n1 2 3\n4 5 6\n[weight-w]\n-1\n[distortion-limit]\n-1\n";

fn describe_text(text: &str) -> Result<chiasm_decode::moses::Description, String> {
    let folder = tempfile::tempdir().unwrap();
    for name in ["table.gz", "orient", "lm", "words"] {
        std::fs::write(folder.path().join(name), "x\n").unwrap();
    }
    let path = folder.path().join("moses.ini");
    std::fs::write(&path, text).unwrap();
    describe(Path::new(&path)).map_err(|error| error.to_string())
}

#[test]
fn the_current_dialect() {
    let found = describe_text(CURRENT).unwrap();
    let configuration = &found.configuration;
    assert_eq!(configuration.search.distortion_limit, Some(6));
    assert_eq!(configuration.search.table_limit, 7);
    assert_eq!(configuration.search.algorithm, SearchAlgorithm::Cube);
    assert_eq!(configuration.features.len(), 7);
    assert_eq!(configuration.features[0].weights, [1.0]);
    assert_eq!(
        configuration.dense_weights().len(),
        1 + 1 + 1 + 2 + 6 + 1 + 1
    );
    let FeatureKind::ReorderingTable(shape) = &configuration.features[4].kind else {
        panic!("no reordering table");
    };
    assert_eq!(shape.columns(), 6);
    assert!(
        shape
            .sparse
            .as_ref()
            .is_some_and(|sparse| sparse.phrase && !sparse.stack)
    );
    assert!(found.phrase_table.ends_with("table.gz"));
}

#[test]
fn the_old_dialect() {
    let found = describe_text(OLD).unwrap();
    let configuration = &found.configuration;
    assert_eq!(configuration.search.distortion_limit, None);
    let weights = |name: &str| {
        let mut features = configuration.features.iter();
        features
            .find(|feature| feature.name == name)
            .unwrap()
            .weights
            .clone()
    };
    assert_eq!(weights("Distortion0"), [0.6]);
    assert_eq!(
        weights("LexicalReordering0"),
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    );
    assert_eq!(weights("TranslationModel0"), [1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(weights("WordPenalty0"), [-1.0]);
}

#[test]
fn what_is_not_supported_is_named() {
    for (from, to, expected) in [
        (
            "Distortion\n",
            "OpSequenceModel path=x\n",
            "feature OpSequenceModel is not supported",
        ),
        (
            "PhraseDictionaryMemory",
            "PhraseDictionaryCompact",
            "PhraseDictionaryCompact",
        ),
        (
            "table-limit=7",
            "cache-size=3",
            "cache-size=3 of PhraseDictionaryMemory",
        ),
        ("[mapping]\n0 T 0", "[mapping]\n0 T 0\n1 T 1", "1 T 1"),
        ("[distortion-limit]", "[lmbr-p]", "[lmbr-p]"),
        (
            "hier-msd-bidirectional-fe",
            "hier-msd-bidirectional-fe-collapseff",
            "collapseff",
        ),
        (
            "TM0= 0.2 0.3",
            "TM0= 0.2",
            "2 weights of TM0 expected, 1 found",
        ),
        ("LM0= 0.5", "LM1= 0.5", "LM"),
        ("path=lm ", "path=nowhere ", "nowhere: no such file"),
        ("factor=0 path=lm", "factor=1 path=lm", "another factor"),
        ("Distortion0= 0.3", "Distortion0= a", "a number expected"),
    ] {
        assert!(CURRENT.contains(from), "{from}");
        let error = describe_text(&CURRENT.replace(from, to)).unwrap_err();
        assert!(error.contains(expected), "{error}");
        assert!(error.contains("moses.ini: line"), "{error}");
    }
    for (from, to, expected) in [
        ("0 0 0 5 table", "1 0 0 5 table", "implementation 1"),
        ("[weight-w]", "[generation-file]", "[generation-file]"),
        ("0.6\n1 2 3\n", "0.6\n", "too few"),
        ("[weight-l]\n0.5", "[weight-l]\n0.5 0.5", "too many"),
    ] {
        let error = describe_text(&OLD.replace(from, to)).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn mutations_never_crash(
        old in any::<bool>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), "[ -~\n]{0,3}"), 1..6),
    ) {
        let mut text = if old { OLD } else { CURRENT }.to_string();
        for (at, insertion) in edits {
            let start = at.index(text.len());
            let end = (start + insertion.len()).min(text.len());
            text.replace_range(start..end, &insertion);
        }
        let _ = describe_text(&text);
    }
}
