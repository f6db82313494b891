//! Addresses, tags and numbers leave the library as they came.

use chiasm::synthesis::Language;
use chiasm::{ParallelText, Preset, Trainer};

#[test]
fn what_must_stay_stays() {
    let generator = Language::ArabicLike.generator(1, 0);
    let pairs = (0..200).map(|number| generator.pair(number));
    let pairs = pairs.map(|pair| (pair.source_text(), pair.target_text()));
    let text = ParallelText::sentences(pairs).languages("ar", "en");
    let trained = Trainer::new(text).preset(Preset::Quick).seed(7).train();
    let translator = trained.unwrap().translator().unwrap();
    for stays in [
        "https://Example.org/a_(b)?c=1&amp;d=%20e",
        "A.Name+x@example.org",
        "<a href=\"/x y\" class='z'>",
        "</a>",
        "12:30",
        "1,234.56",
        "987654321",
    ] {
        let source = generator.pair(300).source_text();
        for line in [
            format!("{stays} {source}"),
            format!("{source} {stays}."),
            format!("({stays}), {source}"),
        ] {
            let text = translator.translate(&line).unwrap().text;
            assert!(text.contains(stays), "{line} became {text}");
            // What goes on from a beginning ends as the translation does.
            let rest = translator.complete(&line, "").unwrap();
            assert_eq!(rest, text);
        }
    }
}
