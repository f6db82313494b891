//! Equal to the reference tool's answers on inputs made for the purpose.

use chiasm_phrases::moses_text::{MosesText, OrientationStyle, TokenLine};
use chiasm_phrases::{
    AlignedFiles, Alignment, ClassSet, CountedPairs, Extraction, Extractor, ForwardRule,
    IndexedCorpus, Lexicon, OrientationKind, PhraseSmoothing, PhraseTableWriter, score_pairs,
};
use std::io::Read;
use std::path::PathBuf;

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn unpacked(name: &str) -> Vec<String> {
    let mut text = String::new();
    chiasm_text::open(data(name))
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    text.lines().map(str::to_string).collect()
}

fn extracted(kind: OrientationKind, classes: ClassSet, max_length: usize) -> MosesText {
    let mut text = MosesText::default();
    let mut alignment = Alignment::default();
    let mut extractor = Extractor::new(max_length, kind, ForwardRule::Moses);
    let style = OrientationStyle::new(kind, classes);
    let (mut source, mut target) = (TokenLine::default(), TokenLine::default());
    let [sources, targets, links] = ["source", "target", "links"].map(unpacked);
    for ((source_line, target_line), link_line) in sources.iter().zip(&targets).zip(&links) {
        source.load(source_line).unwrap();
        target.load(target_line).unwrap();
        let mut parsed = Vec::new();
        chiasm_text::links::parse(link_line, source.len(), target.len(), &mut parsed).unwrap();
        alignment.load(&parsed, source.len(), target.len());
        extractor.instances(&alignment, |instance| {
            text.push(&instance, &alignment, &source, &target, &style);
        });
    }
    text
}

fn assert_same(found: &[u8], file: &str) {
    let mut found: Vec<&str> = std::str::from_utf8(found).unwrap().lines().collect();
    found.sort_unstable();
    let expected = unpacked(file);
    for (line, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "{file}: line {}", line + 1);
    }
    assert_eq!(found.len(), expected.len(), "{file}");
}

#[test]
fn extraction_is_equal_to_the_byte_after_sorting() {
    use ClassSet::*;
    use OrientationKind::*;
    for (kind, name) in [(Word, "wbe"), (Phrase, "phrase"), (Hier, "hier")] {
        for (classes, class_name) in [(Msd, "msd"), (Mslr, "mslr"), (Monotonicity, "mono")] {
            for length in [3, 7] {
                let file = |ending| format!("max{length}.{name}-{class_name}.{ending}.xz");
                if !data(&file("o.sorted")).exists() {
                    continue;
                }
                let text = extracted(kind, classes, length);
                assert_same(text.orientations.as_bytes(), &file("o.sorted"));
                if data(&file("sorted")).exists() {
                    assert_same(text.direct.as_bytes(), &file("sorted"));
                    assert_same(text.inverse.as_bytes(), &file("inv.sorted"));
                }
            }
        }
    }
}

fn corpus(folder: &std::path::Path) -> IndexedCorpus {
    let files = AlignedFiles {
        source: data("source"),
        target: data("target"),
        links: data("links"),
    };
    IndexedCorpus::read(&files, folder, &()).unwrap()
}

/// Lines with the same text and numbers that agree to five significant digits.
fn assert_same_table(found: &str, expected: &[String], name: &str) {
    let found: Vec<&str> = found.lines().collect();
    for (found, expected) in found.iter().zip(expected) {
        let (mine, theirs) = (found.split(' '), expected.split(' '));
        assert_eq!(
            mine.clone().count(),
            theirs.clone().count(),
            "{name}: {found} / {expected}"
        );
        for (mine, theirs) in mine.zip(theirs) {
            if mine == theirs {
                continue;
            }
            let numbers = (mine.parse::<f64>(), theirs.parse::<f64>());
            let (Ok(a), Ok(b)) = numbers else {
                panic!("{name}: {found} / {expected}")
            };
            assert!(
                (a - b).abs() <= 1e-5 * b.abs(),
                "{name}: {found} / {expected}"
            );
        }
    }
    assert_eq!(found.len(), expected.len(), "{name}");
}

#[test]
fn the_phrase_table_is_equal_for_any_budget() {
    let folder = tempfile::tempdir().unwrap();
    for budget in [1, 1 << 20, 1 << 30] {
        let mut corpus = corpus(folder.path());
        let lexicon = Lexicon::count(&mut corpus).unwrap();
        let extraction = Extraction {
            max_length: 7,
            kind: OrientationKind::Hier,
            forward_rule: ForwardRule::Moses,
        };
        let pairs =
            CountedPairs::count(&mut corpus, &extraction, budget, folder.path(), &()).unwrap();
        assert_eq!(pairs.spilled_runs > 0, budget == 1);
        let path = folder.path().join("phrase-table");
        let mut table = PhraseTableWriter::create(&path, &corpus).unwrap();
        score_pairs(
            pairs,
            &lexicon,
            PhraseSmoothing::None,
            budget,
            folder.path(),
            |pair| table.write(pair),
        )
        .unwrap();
        table.finish().unwrap();
        let found = std::fs::read_to_string(&path).unwrap();
        assert_same_table(&found, &unpacked("phrase-table.xz"), "phrase-table");
    }
}

#[test]
fn the_word_tables_are_equal() {
    let folder = tempfile::tempdir().unwrap();
    let mut corpus = corpus(folder.path());
    let lexicon = Lexicon::count(&mut corpus).unwrap();
    let prefix = folder.path().join("lex");
    lexicon
        .write(
            &prefix,
            &corpus.source.vocabulary,
            &corpus.target.vocabulary,
        )
        .unwrap();
    for name in ["lex.f2e", "lex.e2f"] {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        let mut found: Vec<&str> = text.lines().collect();
        let mut expected = unpacked(name);
        found.sort_unstable();
        expected.sort_unstable();
        assert_same_table(&found.join("\n"), &expected, name);
    }
}
