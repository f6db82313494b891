//! The page where translations are corrected, in a real browser.

use crate::fixture::{Served, fixture};
use crate::page::{browser, translate};

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
    browser.fill(".edit", &before[..3]);
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
