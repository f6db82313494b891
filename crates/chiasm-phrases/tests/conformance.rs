//! Equal to the reference tool's answers on inputs made for the purpose.

use chiasm_phrases::moses_text::{MosesText, OrientationStyle, TokenLine};
use chiasm_phrases::{Alignment, ClassSet, Extractor, ForwardRule, OrientationKind};
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
                assert_same(&text.orientations, &file("o.sorted"));
                if data(&file("sorted")).exists() {
                    assert_same(&text.direct, &file("sorted"));
                    assert_same(&text.inverse, &file("inv.sorted"));
                }
            }
        }
    }
}
