//! The page where translations are corrected, in a real browser.

use crate::browser::Browser;
use crate::fixture::{Served, fixture};
use crate::page::{browser, translate};
use serde_json::json;

/// What stands in the field in which a translation is corrected.
const EDITED: &str = "document.querySelector('.edit').value";

#[test]
fn a_translation_is_completed_corrected_learned_and_forgotten() {
    let Some(browser) = browser() else { return };
    let (fixture, folder) = (fixture(), tempfile::tempdir().unwrap());
    let memories = ["--memories", folder.path().to_str().unwrap()];
    let served = Served::start(&[&fixture.arabic], &memories);
    browser.open(&format!("http://{}/", served.address));
    browser.wait(
        "systems",
        "document.querySelectorAll('#system option').length === 1",
    );
    translate(&browser, &fixture.arabic_text[0]);
    let shown = || browser.run("return document.querySelector('.translation').textContent");
    let before = shown().as_str().unwrap().to_string();

    // The first letters typed, the rest by Tab.
    browser.click(".workbench summary");
    let first = before.split(' ').next().unwrap();
    let mut typed = first.to_string();
    typed.pop();
    assert!(!typed.is_empty(), "{before}");
    browser.fill(".edit", &typed);
    browser.wait("a completion", "document.querySelector('.ghost .next')");
    browser.screenshot("completing");
    for words in 1..=before.split(' ').count() {
        browser.press("\u{E004}");
        let so_far = before.split(' ').take(words).collect::<Vec<_>>().join(" ");
        browser.wait(&so_far, &format!("{EDITED} === {so_far:?}"));
    }
    browser.wait("the whole translation", &format!("{EDITED} === {before:?}"));

    // A correction is learned, survives a reload, and is undone.
    let corrected = "Something quite different.";
    browser.fill(".edit", corrected);
    browser.click(".learn");
    let reads = |text: &str| {
        let expression =
            format!("document.querySelector('.translation')?.textContent === {text:?}");
        browser.wait(text, &expression);
    };
    reads(corrected);
    browser.screenshot("learned");
    browser.open(&format!("http://{}/", served.address));
    browser.wait("the text is there again", "document.getElementById('text').value !== '' && document.querySelectorAll('#system option').length === 1");
    browser.click("button.main");
    reads(corrected);
    browser.click("#memory summary");
    browser.wait(
        "the pair is listed",
        "document.querySelectorAll('#pairs .forget').length === 1",
    );
    browser.click(".forget");
    reads(&before);
    browser.wait(
        "nothing is listed",
        "document.querySelectorAll('#pairs .forget').length === 0",
    );
    browser.click(".workbench summary");
    browser.fill(".edit", corrected);
    browser.click(".learn");
    reads(corrected);
    browser.click(".undo");
    reads(&before);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Waits until the translation reads so.
fn reads(browser: &Browser, text: &str) {
    let shown = "document.querySelector('.translation')?.textContent";
    browser.wait(text, &format!("{shown} === {text:?}"));
}

fn opened(browser: &Browser, served: &Served) {
    browser.open(&format!("http://{}/", served.address));
    let systems = "document.querySelectorAll('#system option').length > 0";
    browser.wait("systems", systems);
}

/// Nothing sticks out of the window.
fn fits(browser: &Browser, what: &str) {
    let wide = "[document.documentElement, ...document.querySelectorAll('.picture')]
        .some((one) => one.scrollWidth > one.clientWidth + 1)";
    browser.wait(what, &format!("!({wide})"));
}

#[test]
fn a_translation_is_corrected_on_a_telephone() {
    let Some(browser) = browser() else { return };
    let (fixture, folder) = (fixture(), tempfile::tempdir().unwrap());
    let memories = ["--memories", folder.path().to_str().unwrap()];
    let served = Served::start(&[&fixture.arabic], &memories);
    browser.narrow(true);
    opened(&browser, &served);
    // So long a sentence that no telephone has room for it in one row.
    let line = fixture.arabic_text[..4].join(" ").replace('.', ",");
    translate(&browser, &line);
    fits(&browser, "a long sentence is broken into rows");
    let rows = "new Set([...document.querySelectorAll('.row.source .block')]
        .map((one) => Math.round(one.getBoundingClientRect().top))).size";
    assert!(browser.run(&format!("return {rows}")).as_u64().unwrap() > 1);
    let seen =
        "document.querySelector('.translation').getBoundingClientRect().top < window.innerHeight";
    browser.wait("the translation is in view", seen);
    // A tap explains a phrase.
    browser.click(".row.target .block");
    browser.wait("explained", "document.querySelector('.details .others')");
    fits(&browser, "what is said of a phrase fits");
    browser.screenshot("telephone");

    translate(&browser, &fixture.arabic_text[1]);
    let before = browser.run("return document.querySelector('.translation').textContent");
    let before = before.as_str().unwrap();
    browser.click(".workbench summary");
    browser.fill(".edit", &before[..2]);
    browser.wait("a completion", "document.querySelector('.ghost .next')");
    let corrected = "Said on the way.";
    browser.fill(".edit", corrected);
    browser.click(".learn");
    reads(&browser, corrected);
    browser.click("#memory summary");
    let listed = "document.querySelectorAll('#pairs .forget').length === 1";
    browser.wait("the pair is listed", listed);
    fits(&browser, "the list fits");
    browser.click(".undo");
    reads(&browser, before);
    browser.narrow(false);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn pins_survive_a_reload_and_text_runs_from_right_to_left() {
    let Some(browser) = browser() else { return };
    let fixture = fixture();
    let served = Served::start(&[&fixture.learned], &[]);
    opened(&browser, &served);
    // Of one word, so that what it is pinned to begins the translation.
    let word = fixture.japanese_text[0].split(' ').next().unwrap();
    translate(&browser, word);
    browser.click(".row.target .block");
    browser.wait("chosen", "document.querySelector('.details .own')");
    let reasons = "document.querySelector('.details .reasons tbody tr')";
    browser.wait("reasons", reasons);
    let meaning = browser.run("return document.querySelector('.meaning').textContent");
    let meaning = meaning.as_str().unwrap();
    let words = [
        "is translated by",
        "stands",
        "has no word",
        "is in the phrase",
    ];
    assert!(words.iter().any(|word| meaning.contains(word)), "{meaning}");
    browser.fill(".own input", "كتاب أحمر");
    browser.click(".own button");
    browser.wait("pinned", "document.querySelector('.block.pinned')");
    let pinned = browser.run("return document.querySelector('.translation').textContent");
    assert!(
        pinned.as_str().unwrap().starts_with("كتاب أحمر"),
        "{pinned}"
    );

    opened(&browser, &served);
    browser.click("button.main");
    reads(&browser, pinned.as_str().unwrap());
    browser.wait("still pinned", "document.querySelector('.block.pinned')");
    // The translation begins with Arabic letters: so run it, and the field where it is corrected.
    browser.click(".workbench summary");
    browser.fill(".edit", "كتاب");
    browser.wait("a completion", "document.querySelector('.ghost .next')");
    for selector in [".translation", ".edit", ".ghost"] {
        let direction = format!("getComputedStyle(document.querySelector('{selector}')).direction");
        assert_eq!(
            browser.run(&format!("return {direction}")),
            "rtl",
            "{selector}"
        );
    }
    browser.press("\u{E004}");
    browser.wait(
        "Tab goes on",
        &format!("{EDITED}.length > 4 && {EDITED}.startsWith('كتاب')"),
    );
    browser.screenshot("right-to-left");
    browser.click(".row.target .block.pinned");
    browser.click(".unpin");
    browser.wait("free again", "!document.querySelector('.block.pinned')");
    opened(&browser, &served);
    browser.click("button.main");
    browser.wait("translated", "document.querySelector('.picture .line')");
    assert_eq!(
        browser.run("return document.querySelectorAll('.block.pinned').length"),
        0
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn text_comes_from_a_file_and_goes_to_one() {
    let Some(browser) = browser() else { return };
    let (fixture, folder) = (fixture(), tempfile::tempdir().unwrap());
    let [examples, text] = ["examples", "text.txt"].map(|name| folder.path().join(name));
    std::fs::write(&examples, format!("{}\n", fixture.japanese_text[2])).unwrap();
    let served = Served::start(
        &[&fixture.learned],
        &["--examples", examples.to_str().unwrap()],
    );
    // Whoever comes sees a translation.
    opened(&browser, &served);
    browser.wait("an example", "document.querySelector('.picture .line')");
    assert_eq!(
        browser.run("return document.getElementById('text').value"),
        json!(fixture.japanese_text[2])
    );
    let left = "(() => {
        const [row, block] = ['.row.source', '.row.source .block'].map((one) =>
            document.querySelector(one).getBoundingClientRect().left);
        return Math.abs(row - block) < 2 })()";
    browser.wait("the source stands under its text", left);

    let long = fixture.japanese_text[..6].join(" ");
    std::fs::write(
        &text,
        format!("\u{feff}{}\r\n{long}\r\n", fixture.japanese_text[0]),
    )
    .unwrap();
    browser.upload("#file", &text);
    browser.wait(
        "both lines",
        "document.querySelectorAll('.translation').length === 2 && !document.getElementById('take').hidden",
    );
    fits(&browser, "a long sentence is broken into rows");
    assert_eq!(
        browser.run("return document.querySelectorAll('.picture.wrapped').length"),
        1
    );
    browser.screenshot("wrapped");
    browser.run(
        "navigator.clipboard.writeText = async (text) => { window.copied = text; };
         const make = URL.createObjectURL;
         URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return make.call(URL, blob); };",
    );
    browser.click("#copy");
    browser.click("#download");
    let expected = "[...document.querySelectorAll('.translation')].map((one) => `${one.textContent}\\n`).join('')";
    browser.wait("copied", &format!("window.copied === {expected}"));
    browser.wait("saved", &format!("window.saved === {expected}"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
