//! The system file: what is written is read; what is damaged is reported, never a crash.

use chiasm_decode::moses::{ExportOptions, ImportOptions, export, import};
use chiasm_decode::{Decoder, Glossary, Input, Markup, SearchSettings, System, Wanted};
use chiasm_phrases::Span;
use chiasm_work::Progress;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Silent;

impl Progress for Silent {
    fn advance(&self, _: u64) {}
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn imported(name: &str) -> System {
    import(&data(name), &ImportOptions::default(), &Silent).unwrap()
}

fn fast(system: &Arc<System>) -> Decoder {
    let settings = SearchSettings {
        pop_limit: 30,
        stack: 30,
        ..system.configuration().search.clone()
    };
    Decoder::with_weights(system.clone(), &system.weights(), settings).unwrap()
}

fn inputs(count: usize) -> Vec<Input> {
    let text = std::fs::read_to_string(data("input")).unwrap();
    text.lines().take(count).map(Input::from_line).collect()
}

const TEN: Wanted = Wanted {
    count: 10,
    distinct: true,
};

#[test]
fn a_written_system_translates_alike_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.chiasm");
    let system = Arc::new(imported("hier-mslr.ini"));
    system.write(&path).unwrap();
    let opened = Arc::new(System::open(&path).unwrap());
    opened.verify().unwrap();
    assert_eq!(opened.configuration(), system.configuration());
    let expected = fast(&system).translate_batch(&inputs(30), TEN, 1).unwrap();
    for threads in [1, 2, 5] {
        let found = fast(&opened)
            .translate_batch(&inputs(30), TEN, threads)
            .unwrap();
        assert!(found == expected, "{threads} threads");
    }
}

#[test]
fn an_exported_system_comes_back_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let system = Arc::new(imported("word-msd.ini"));
    let dropped = export(
        imported("word-msd.ini"),
        folder.path(),
        &ExportOptions::default(),
    )
    .unwrap();
    assert!(dropped.is_empty());
    let again = import(
        &folder.path().join("moses.ini"),
        &ImportOptions::default(),
        &Silent,
    );
    let again = Arc::new(again.unwrap());
    let (a, b) = (system.configuration(), again.configuration());
    assert_eq!((&a.features, &a.search), (&b.features, &b.search));
    assert_eq!(again.phrase_table().len(), system.phrase_table().len());
    let one = fast(&system).translate_batch(&inputs(20), TEN, 1).unwrap();
    let two = fast(&again).translate_batch(&inputs(20), TEN, 1).unwrap();
    for (one, two) in one.iter().flatten().zip(two.iter().flatten()) {
        assert_eq!(one.words, two.words);
        assert!((one.score - two.score).abs() < 1e-3);
    }
}

/// Opens and uses a damaged file; anything but a crash will do. Returns the error, if any.
fn try_to_use(path: &Path) -> Option<String> {
    let system = match System::open(path) {
        Ok(system) => Arc::new(system),
        Err(error) => return Some(error.to_string()),
    };
    let decoder = fast(&system);
    for input in inputs(4) {
        if let Err(error) = decoder.nbest(&input, TEN) {
            return Some(error.to_string());
        }
    }
    None
}

#[test]
fn truncated_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.chiasm");
    imported("hier-msd.ini").write(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let cut = folder.path().join("cut.chiasm");
    for length in (0..whole.len()).step_by(whole.len() / 41 + 1) {
        std::fs::write(&cut, &whole[..length]).unwrap();
        let error = try_to_use(&cut).expect("a truncated file was accepted");
        assert!(error.contains("cut.chiasm"), "{error}");
    }
}

/// Damage in the contents is not seen when the file is opened; using it must not crash, and
/// `verify` names the section.
#[test]
fn damaged_contents_are_reported_or_survived() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.chiasm");
    imported("hier-msd.ini").write(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let damaged = folder.path().join("damaged.chiasm");
    let mut state = 12345u64;
    let mut random = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize
    };
    let mut reported = 0;
    for round in 0..150 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random() % 40 {
            let position = random() % bytes.len();
            bytes[position] = match round % 3 {
                0 => 0xff,
                1 => 0,
                _ => random() as u8,
            };
        }
        std::fs::write(&damaged, &bytes).unwrap();
        let outcome = std::panic::catch_unwind(|| try_to_use(&damaged));
        let Ok(error) = outcome else {
            panic!("round {round}: a panic");
        };
        reported += usize::from(error.is_some());
        if bytes != whole
            && let Ok(system) = System::open(&damaged)
        {
            let error = system.verify().unwrap_err().to_string();
            assert!(error.contains("section"), "{error}");
        }
    }
    assert!(
        reported > 20,
        "only {reported} damaged files were noticed in use"
    );
}

#[test]
fn every_section_may_be_all_ones_or_all_zeros() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.chiasm");
    imported("hier-msd.ini").write(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let system = System::open(&path).unwrap();
    let damaged = folder.path().join("damaged.chiasm");
    // Sections stand in the file in the order of writing, each at a multiple of 64; the contents of
    // the table's sections are found by their bytes.
    for (name, length) in system.sections() {
        let container = chiasm_store::Container::open(&path).unwrap();
        let contents = container.sections().bytes(&name).unwrap().to_vec();
        if contents.is_empty() {
            continue;
        }
        let start = whole
            .windows(length)
            .position(|window| window == &contents[..])
            .unwrap();
        for value in [0u8, 0xff, 0x7f] {
            let mut bytes = whole.clone();
            bytes[start..start + length].fill(value);
            std::fs::write(&damaged, &bytes).unwrap();
            let outcome = std::panic::catch_unwind(|| try_to_use(&damaged));
            assert!(
                outcome.is_ok(),
                "section {name} full of {value} makes a panic"
            );
        }
    }
}

#[test]
fn any_line_gives_a_translation() {
    let system = Arc::new(imported("hier-msd.ini"));
    let decoder = fast(&system);
    let long = "f1 f3 zzz f2 ".repeat(2500);
    let lines = [
        "",
        " ",
        "|||",
        "f1 ||| f2",
        "<",
        "< f1 >",
        "<x translation=\"e1\">f1 f2</x> f3",
        "\u{1} \u{7f} f1 \u{200b}",
        "f1\tf2",
        long.as_str(),
    ];
    for markup in [
        Markup::PassThrough,
        Markup::Exclusive,
        Markup::Inclusive,
        Markup::Ignore,
    ] {
        for line in lines {
            if line.len() > 10_000 && markup != Markup::PassThrough {
                continue;
            }
            let input = Input::from_marked_line(line, markup);
            let found = decoder.translate(&input).unwrap();
            let mut covered: Vec<Span> = found.phrases.iter().map(|phrase| phrase.source).collect();
            covered.sort_unstable();
            let mut next = 0;
            for span in covered {
                assert_eq!(span.start, next);
                next = span.end;
            }
            assert_eq!(next as usize, input.tokens.len());
        }
    }
}

#[test]
fn constraints_are_obeyed() {
    let system = Arc::new(imported("hier-msd.ini"));
    let decoder = fast(&system);
    let line = r#"f1 <n translation="the white house">f3 f32</n> f2"#;
    let exclusive = decoder
        .translate(&Input::from_marked_line(line, Markup::Exclusive))
        .unwrap();
    assert!(
        exclusive.text().contains("the white house"),
        "{}",
        exclusive.text()
    );
    let used = exclusive
        .phrases
        .iter()
        .find(|phrase| phrase.source == Span::new(1, 3))
        .unwrap();
    assert_eq!(used.target.len(), 3);
    // Unknown to the language model, it loses against what the table has.
    let inclusive = decoder
        .translate(&Input::from_marked_line(line, Markup::Inclusive))
        .unwrap();
    assert!(inclusive.score > exclusive.score);
    let mut glossary = Glossary::default();
    glossary.add("f3 f32", "e1 e1 e1");
    let mut input = Input::from_line("f1 f3 f32 f2");
    glossary.apply(&mut input);
    assert!(
        decoder
            .translate(&input)
            .unwrap()
            .text()
            .contains("e1 e1 e1")
    );
}

#[test]
fn lists_are_sorted_distinct_and_add_up() {
    let system = Arc::new(imported("word-msd.ini"));
    let decoder = fast(&system);
    let weights = system.weights();
    for list in decoder.translate_batch(&inputs(20), TEN, 1).unwrap() {
        let mut seen = std::collections::HashSet::new();
        for pair in list.windows(2) {
            assert!(pair[0].score >= pair[1].score - 1e-3);
        }
        for translation in &list {
            assert!(seen.insert(translation.text()));
            let dense = translation.features.iter().zip(&weights.dense);
            let score: f32 = dense.map(|(value, weight)| value * weight).sum();
            assert!((score - translation.score).abs() < 1e-3);
        }
    }
}

#[test]
fn what_is_cancelled_ends_and_what_comes_after_is_as_before() {
    let system = Arc::new(imported("hier-msd.ini"));
    let decoder = fast(&system);
    let expected = decoder.nbest(&inputs(1)[0], TEN).unwrap();
    let cancel = chiasm_work::Cancel::default();
    cancel.cancel();
    let outcome = cancel.run(|| decoder.nbest(&inputs(1)[0], TEN));
    assert!(outcome.is_err());
    assert!(decoder.nbest(&inputs(1)[0], TEN).unwrap() == expected);
}
