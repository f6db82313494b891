//! Thousands of damaged files: every one is an error or a model that answers, never a panic.

mod common;

use chiasm_lm::arpa::NgramList;
use chiasm_lm::{Model, State};
use common::data;
use proptest::prelude::*;
use std::path::Path;
use std::sync::OnceLock;

const WORDS: [&str; 4] = ["<s>", "</s>", "a", "b"];

/// Asks a model this and that.
fn ask(model: &Model) {
    let (mut state, mut next) = (model.begin_sentence_state(), State::default());
    for step in 0..60u32 {
        let word = match step % 3 {
            0 => step,
            1 => model.vocabulary_id(WORDS[step as usize % 4]),
            _ => u32::MAX - step,
        };
        let _ = (model.score(&state, word, &mut next), model.word(word).len());
        state = next;
    }
    let _ = model.score_line("a b b a <s> w1 w2 \u{e9}");
}

fn small_list() -> NgramList {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.arpa");
    std::fs::write(&path, small_arpa()).unwrap();
    NgramList::read(&path).unwrap()
}

fn small_arpa() -> String {
    "\\data\\\nngram 1=5\nngram 2=4\nngram 3=3\nngram 4=1\n\n\\1-grams:\n-2\t<unk>\n-99\t<s>\t-0.3\n\
     -0.7\t</s>\n-0.6\ta\t-0.2\n-0.5\tb\t-0.1\n\n\\2-grams:\n-0.4\t<s> a\t-0.05\n-0.2\ta b\t-0.1\n\
     -0.3\tb </s>\n-0.7\tb a\t0\n\n\\3-grams:\n-0.1\t<s> a b\t-0.2\n-0.2\ta b </s>\n-0.3\ta b a\n\n\
     \\4-grams:\n-0.01\t<s> a b </s>\n\n\\end\\\n"
        .to_string()
}

/// The bytes of both kinds of binary.
fn binaries() -> &'static [Vec<u8>; 2] {
    static BYTES: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    BYTES.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let name = Path::new("small");
        let models = [
            Model::from_list(small_list(), name).unwrap(),
            Model::quantised(small_list(), name).unwrap(),
        ];
        models.map(|model| {
            let path = folder.path().join("model.bin");
            model.save(&path).unwrap();
            std::fs::read(&path).unwrap()
        })
    })
}

#[derive(Clone, Debug)]
enum Damage {
    Set(prop::sample::Index, u8),
    Insert(prop::sample::Index, u8),
    Remove(prop::sample::Index, usize),
    Copy(prop::sample::Index, prop::sample::Index, usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let place = any::<prop::sample::Index>;
    let byte = prop_oneof![
        any::<u8>(),
        prop::sample::select(b"\t\n -.019\\<>=:ab".to_vec())
    ];
    prop_oneof![
        (place(), byte.clone()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        (place(), byte).prop_map(|(at, byte)| Damage::Insert(at, byte)),
        (place(), 1usize..40).prop_map(|(at, count)| Damage::Remove(at, count)),
        (place(), place(), 1usize..40).prop_map(|(from, to, count)| Damage::Copy(from, to, count)),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    match damage {
        Damage::Set(at, byte) => bytes[at.index(length)] = *byte,
        Damage::Insert(at, byte) => bytes.insert(at.index(length), *byte),
        Damage::Remove(at, count) => {
            let start = at.index(length);
            bytes.drain(start..(start + count).min(length));
        }
        Damage::Copy(from, to, count) => {
            let start = from.index(length);
            let piece = bytes[start..(start + count).min(length)].to_vec();
            let at = to.index(length);
            bytes.splice(at..at, piece);
        }
    }
}

fn open_and_ask(bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged");
    std::fs::write(&path, bytes).unwrap();
    let list = NgramList::read(&path);
    if let Ok(model) = list.and_then(|list| Model::quantised(list, &path)) {
        ask(&model);
    }
    match Model::open(&path) {
        Ok(model) => {
            ask(&model);
            true
        }
        Err(error) => {
            assert!(
                error.to_string().contains("damaged"),
                "no file name: {error}"
            );
            false
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arpa(damages in prop::collection::vec(damage(), 1..5)) {
        let mut bytes = small_arpa().into_bytes();
        for damage in &damages {
            apply(&mut bytes, damage);
        }
        open_and_ask(&bytes);
    }

    #[test]
    fn binary_anywhere(kind in 0usize..2, damages in prop::collection::vec(damage(), 1..4)) {
        let mut bytes = binaries()[kind].clone();
        for damage in &damages {
            apply(&mut bytes, damage);
        }
        open_and_ask(&bytes);
    }

    /// Contents only: header and section table stay right, so the file opens and is asked.
    #[test]
    fn binary_contents(
        kind in 0usize..2,
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..200),
    ) {
        let mut bytes = binaries()[kind].clone();
        let table = usize::try_from(u64::from_le_bytes(bytes[48..56].try_into().unwrap())).unwrap();
        for (at, byte) in &places {
            bytes[64 + at.index(table - 64)] = *byte;
        }
        open_and_ask(&bytes);
    }
}

#[test]
fn undamaged_binaries_answer_and_every_truncation_is_an_error() {
    for bytes in binaries() {
        assert!(open_and_ask(bytes));
        for length in (0..bytes.len()).step_by(7) {
            assert!(!open_and_ask(&bytes[..length]), "cut to {length}");
        }
    }
}

#[test]
fn a_container_of_another_kind_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other");
    let mut writer = chiasm_store::Writer::create(&path, "phrase table", 1).unwrap();
    writer.array("numbers", &[1u32]).unwrap();
    writer.finish().unwrap();
    let message = Model::open(&path).unwrap_err().to_string();
    assert!(
        message.ends_with("holds a phrase table, not a language model"),
        "{message}"
    );
}

#[test]
fn a_model_lives_under_a_prefix_in_a_larger_file() {
    let model = Model::open(data("order3.arpa.xz")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("system");
    let mut writer = chiasm_store::Writer::create(&path, "system", 1).unwrap();
    writer
        .within("lm/", |writer| model.write_sections(writer))
        .unwrap();
    writer.finish().unwrap();
    let container = chiasm_store::Container::open(&path).unwrap();
    let inside = Model::from_sections(&container.sections().within("lm/")).unwrap();
    let line = "w1 w2 w3 w4 w5";
    assert_eq!(inside.score_line(line), model.score_line(line));
    container.sections().verify().unwrap();
}
