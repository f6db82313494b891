//! The page in a real browser: translate, look, hover, compare, pin, and what it says when things
//! go wrong. Pictures are left in target/screenshots.

use crate::browser::Browser;
use crate::client::post;
use crate::fixture::{Served, fixture};
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::SocketAddr;

pub fn browser() -> Option<Browser> {
    let browser = Browser::start();
    if browser.is_none() {
        // Past the capture of the test runner, so that it is seen.
        let line = "tests of the page: skipped, chromium or chromedriver is not installed";
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    browser
}

/// A sentence whose translation changes the order of phrases.
fn moving_sentence<'a>(address: SocketAddr, system: &str, text: &'a [String]) -> &'a str {
    let has_moved = |line: &&String| {
        let answer = post(
            address,
            "/v1/translate",
            &json!({ "text": line, "system": system }),
        )
        .json();
        let phrases = answer["sentences"][0]["phrases"]
            .as_array()
            .unwrap()
            .clone();
        let moved = phrases
            .iter()
            .filter(|phrase| phrase["orientation"] != "monotone")
            .count();
        moved >= 2 && (4..=9).contains(&phrases.len())
    };
    text.iter().find(has_moved).expect("some phrase moves")
}

/// Pairs of curves that cross, and pairs of phrases that change their order: they must be the same.
const CROSSINGS: &str = "
    const ends = [...document.querySelectorAll('.view:first-child .line')].map((line) => {
        const length = line.getTotalLength();
        return [line.getPointAtLength(0).x, line.getPointAtLength(length).x];
    });
    const starts = [...document.querySelectorAll('.view:first-child .row.source .block')];
    const order = starts.map((block) => Number(block.dataset.phrase));
    let crossing = 0, moved = 0;
    for (let a = 0; a < ends.length; a += 1) for (let b = a + 1; b < ends.length; b += 1) {
        if ((ends[a][0] - ends[b][0]) * (ends[a][1] - ends[b][1]) < 0) crossing += 1;
        if (order.indexOf(a) > order.indexOf(b)) moved += 1;
    }
    return [crossing, moved, ends.length]";

fn crossings(browser: &Browser) -> [u64; 3] {
    let found = browser.run(CROSSINGS);
    [0, 1, 2].map(|part| found[part].as_u64().unwrap())
}

pub fn translate(browser: &Browser, text: &str) {
    browser.fill("#text", text);
    browser.click("button.main");
    browser.wait("translated", "document.querySelector('.picture .line') && document.getElementById('status').textContent.includes('ranslated')");
}

#[test]
fn the_page_shows_compares_and_pins() {
    let Some(browser) = browser() else { return };
    let fixture = fixture();
    let served = Served::start(&[&fixture.learned, &fixture.table, &fixture.arabic], &[]);
    let url = format!("http://{}/", served.address);
    browser.open(&url);
    browser.wait(
        "systems",
        "document.querySelectorAll('#system option').length === 3",
    );
    see_and_hover(&browser, &served, &fixture.japanese_text);
    compare(&browser, &fixture.japanese_text);
    pin(&browser);
    script_stays_text(&browser);
    arabic(&browser, &served, &fixture.arabic_text);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

fn see_and_hover(browser: &Browser, served: &Served, text: &[String]) {
    let line = moving_sentence(served.address, "learned", text);
    translate(browser, line);
    let expected = post(served.address, "/v1/translate", &json!({ "text": line })).json();
    let expected = &expected["sentences"][0];
    let shown = browser.run("return document.querySelector('.translation').textContent");
    assert_eq!(shown, expected["translation"]);
    let [crossing, moved, curves] = crossings(browser);
    assert_eq!(curves, expected["phrases"].as_array().unwrap().len() as u64);
    assert!(crossing >= 1 && crossing == moved, "{crossing} {moved}");
    browser.screenshot("translated");

    // The phrase that moved: pointing at it shows probabilities, features, alternatives.
    let phrases = expected["phrases"].as_array().unwrap();
    let number = phrases
        .iter()
        .position(|phrase| phrase["orientation"] != "monotone")
        .unwrap();
    let orientation = phrases[number]["orientation"].as_str().unwrap();
    browser.hover(&format!(".row.target .block[data-phrase='{number}']"));
    browser.wait(
        "reasons",
        "document.querySelector('.details .reasons tbody tr')",
    );
    let details = browser.run("return document.querySelector('.details').innerText");
    let details = details.as_str().unwrap();
    for part in [
        orientation,
        "monotone",
        "swap",
        "discontinuous",
        "%",
        "What decided",
    ] {
        assert!(details.contains(part), "{part}: {details}");
    }
    let lit = "[...document.querySelectorAll('.block.on')].length === 2 && document.querySelectorAll('.line.on').length === 1";
    browser.wait("source, target and curve stand out", lit);
    browser.screenshot("hovered");

    // By keyboard: Tab into the row, arrows along it, what is focused is explained.
    browser.run("document.querySelector('.row.target .block').focus()");
    browser.press("\u{E014}");
    browser.wait(
        "the second phrase has the focus",
        "document.activeElement.matches('.row.target .block[data-phrase=\"1\"]')",
    );
    browser.wait(
        "and is explained",
        "document.querySelector('.details').dataset.of === '1'",
    );
    let label = browser.run("return document.activeElement.getAttribute('aria-label')");
    assert!(label.as_str().unwrap().contains("becomes"), "{label}");
    let unlabelled = browser.run(
        "return [...document.querySelectorAll('button, select, textarea, input')].filter((one) =>
            !one.textContent.trim() && !one.getAttribute('aria-label') && !(one.labels && one.labels.length)).length",
    );
    assert_eq!(unlabelled, 0);

    browser.prefer("dark");
    let dark = browser.run("return getComputedStyle(document.body).backgroundColor");
    browser.screenshot("dark");
    browser.prefer("light");
    assert_ne!(
        dark,
        browser.run("return getComputedStyle(document.body).backgroundColor")
    );
}

fn compare(browser: &Browser, text: &[String]) {
    browser.choose("other", "table");
    browser.wait(
        "two views",
        "document.querySelectorAll('.sentence.two .view .picture .line').length > 3",
    );
    let names = browser
        .run("return [...document.querySelectorAll('.view h2')].map((one) => one.textContent)");
    assert_eq!(names, json!(["learned", "table"]));
    // The same source words stand out in both.
    browser.hover(".view[data-system='learned'] .row.source .block:nth-child(3)");
    browser.wait(
        "both are lit",
        "document.querySelectorAll('.view .picture.lit').length === 2",
    );
    // A table has no features; the page says so.
    browser.hover(".view[data-system='table'] .row.target .block");
    browser.wait("explained", "document.querySelector('.view[data-system=table] .reasons')?.innerText.includes('counted phrase pairs')");
    browser.screenshot("compared");
    browser.narrow(true);
    let wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    browser.wait(
        "nothing but pictures is wider than a telephone",
        &format!("!({wide})"),
    );
    browser.screenshot("narrow");
    browser.narrow(false);
    // Short sentences stand side by side.
    let shown = browser.run("return document.getElementById('text').value");
    let short = text.iter().min_by_key(|line| line.len()).unwrap();
    translate(browser, short);
    let side_by_side = "(() => {
        const [a, b] = [...document.querySelectorAll('.view')].map((one) => one.getBoundingClientRect());
        return a && b && a.right <= b.left && a.top === b.top })()";
    browser.wait("side by side", side_by_side);
    browser.screenshot("side-by-side");
    translate(browser, shown.as_str().unwrap());
    browser.choose("other", "");
    browser.wait(
        "one view",
        "document.querySelectorAll('.view .picture').length === 1",
    );
}

fn pin(browser: &Browser) {
    let text = || browser.run("return document.querySelector('.translation').textContent");
    let before = text();
    browser.click(".row.source .block:nth-child(2)");
    browser.wait("chosen", "document.querySelector('.details .others')");
    browser.wait(
        "reasons",
        "document.querySelector('.details .reasons tbody tr')",
    );
    browser.fill(".own input", "blue cheese");
    browser.click(".own button");
    browser.wait("pinned", "document.querySelector('.block.pinned')");
    let after = text();
    assert!(after.as_str().unwrap().contains("blue cheese"), "{after}");
    assert_ne!(before, after);
    let said = browser.run("return document.getElementById('status').textContent");
    assert!(said.as_str().unwrap().contains("blue cheese"), "{said}");
    browser.screenshot("pinned");

    // An alternative that the system offers.
    browser.wait("alternatives", "document.querySelector('.others .other')");
    let other = browser.run("return document.querySelector('.others .other bdi').textContent");
    browser.click(".others .other");
    let followed = format!(
        "document.querySelector('.row.target .block.pinned .words')?.textContent === {other}"
    );
    browser.wait("the alternative is pinned", &followed);
    browser.click(".row.target .block.pinned");
    browser.click(".unpin");
    browser.wait("free again", "!document.querySelector('.block.pinned')");
    assert_eq!(text(), before);
}

fn script_stays_text(browser: &Browser) {
    let hostile =
        "<img src=x onerror=document.title='owned'> <script>document.title='owned'</script>";
    translate(browser, hostile);
    browser.wait(
        "shown",
        "document.querySelector('.row.source').textContent.includes('<script>')",
    );
    browser.hover(".row.target .block");
    browser.wait("explained", "document.querySelector('.details .others')");
    let elements = "return document.querySelectorAll('main img, main script, body script').length";
    assert_eq!(browser.run(elements), 0);
    assert_ne!(browser.run("return document.title"), "owned");
    // Markup from strings is refused by the policy, whoever tries.
    let refused = browser.run("try { document.body.innerHTML = '<b>x</b>'; return 'taken' } catch (error) { return error.name }");
    assert_eq!(refused, "TypeError");
    // That was our own doing.
    browser.complaints();
}

fn arabic(browser: &Browser, served: &Served, text: &[String]) {
    browser.choose("system", "arabic");
    let line = moving_sentence(served.address, "arabic", text);
    translate(browser, line);
    let arabic = "document.querySelector('.view')?.dataset.system === 'arabic' && document.querySelector('.view .line')";
    browser.wait("arabic", arabic);
    let direction = |selector: &str| {
        browser.run(&format!(
            "return getComputedStyle(document.querySelector(\"{selector}\")).direction"
        ))
    };
    assert_eq!(direction("#text"), "rtl");
    assert_eq!(direction(".row.source"), "rtl");
    assert_eq!(direction(".translation"), "ltr");
    assert_eq!(direction(".row.source bdi"), "rtl");
    assert_eq!(direction(".row.target bdi"), "ltr");
    let first_is_right = browser.run(
        "const [a, b] = [...document.querySelectorAll('.row.source .block')].map((one) => one.getBoundingClientRect().left);
         return a > b",
    );
    assert_eq!(first_is_right, json!(true));
    // Though the languages run in opposite directions, curves cross only where phrases change places.
    let [crossing, moved, _] = crossings(browser);
    assert!(crossing >= 1 && crossing == moved, "{crossing} {moved}");
    browser.hover(".row.target .block:nth-child(2)");
    browser.wait(
        "reasons",
        "document.querySelector('.details .reasons tbody tr')",
    );
    browser.screenshot("arabic");
}

#[test]
fn the_page_says_what_is_wrong() {
    let Some(browser) = browser() else { return };
    let fixture = fixture();
    let options = [
        "--max-words",
        "12",
        "--max-sentences",
        "100",
        "--max-requests",
        "1",
        "--max-seconds",
        "60",
    ];
    let served = Served::start(&[&fixture.learned], &options);
    browser.open(&format!("http://{}/", served.address));
    browser.wait(
        "systems",
        "document.querySelectorAll('#system option').length === 1",
    );
    let problem = |kind: &str| {
        browser.wait(kind, &format!("!document.getElementById('problem').hidden && document.getElementById('problem').dataset.kind === '{kind}'"));
        let said = browser.run("return document.getElementById('problem').innerText");
        said.as_str().unwrap().to_string()
    };
    // One sentence too long, then too many of them: the second is not even sent.
    browser.fill("#text", &"neko ".repeat(13));
    browser.click("button.main");
    let said = problem("too_long");
    assert!(
        said.contains("too long") && said.contains("13 words; at most 12"),
        "{said}"
    );
    browser.run(&format!(
        "document.getElementById('text').value = {}",
        json!("a\n".repeat(101))
    ));
    browser.click("button.main");
    browser.wait(
        "too many",
        "document.getElementById('problem').innerText.includes('101 sentences')",
    );
    browser.screenshot("too-long");

    // Busy: another client has the only place.
    busy(&browser, &served, &problem);

    // Away.
    drop(served);
    browser.fill("#text", "neko");
    browser.click("button.main");
    let said = problem("away");
    assert!(said.contains("does not answer"), "{said}");
    browser.screenshot("away");
    let alert = browser.run("return document.getElementById('problem').getAttribute('role')");
    assert_eq!(alert, "alert");
}

fn busy(browser: &Browser, served: &Served, problem: &dyn Fn(&str) -> String) {
    let (address, done) = (served.address, std::sync::atomic::AtomicBool::new(false));
    let text: Vec<&str> = fixture()
        .japanese_text
        .iter()
        .map(|line| {
            let end = line
                .match_indices(' ')
                .nth(9)
                .map_or(line.len(), |(at, _)| at);
            &line[..end]
        })
        .take(100)
        .collect();
    let body: Value = json!({ "text": text, "nbest": 10, "distinct": true });
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    post(address, "/v1/translate", &body);
                }
            });
        }
        browser.fill("#text", "neko");
        // The page may slip in between two of the others' requests; then it asks again.
        let answered = "!document.getElementById('problem').hidden
            || document.getElementById('status').textContent.includes('ranslated')";
        let refused = "return !document.getElementById('problem').hidden";
        loop {
            browser.click("button.main");
            browser.wait("answered", answered);
            if browser.run(refused) == json!(true) {
                break;
            }
        }
        let said = problem("busy");
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(
            said.contains("busy") && said.contains("Try again"),
            "{said}"
        );
        browser.screenshot("busy");
    });
    browser.click("#again");
    browser.wait(
        "translated at last",
        "document.querySelector('.picture .line')",
    );
    assert_eq!(
        browser.run("return document.getElementById('problem').hidden"),
        json!(true)
    );
}

#[test]
fn the_page_asks_for_the_token_or_was_given_it() {
    let Some(browser) = browser() else { return };
    let served = Served::start(&[&fixture().table], &["--token", "open sesame"]);
    let address = served.address;
    let systems = "document.querySelectorAll('#system option').length === 1";
    browser.open(&format!("http://{address}/"));
    browser.wait(
        "the question",
        "document.getElementById('problem').dataset.kind === 'token' && !document.getElementById('token-label').hidden",
    );
    browser.fill("#token", "open sesame");
    browser.click("#again");
    browser.wait("systems", systems);
    browser.fill("#text", &fixture().japanese_text[0]);
    browser.click("button.main");
    browser.wait(
        "a translation",
        "document.querySelector('.view .translation') !== null",
    );
    assert!(
        browser
            .run("return document.getElementById('problem').hidden")
            .as_bool()
            .unwrap()
    );
    // A link that somebody was sent: it leaves the address bar as soon as it is read.
    browser.run("sessionStorage.clear()");
    browser.open("about:blank");
    browser.open(&format!("http://{address}/#token=open%20sesame"));
    browser.wait("systems", systems);
    assert_eq!(browser.run("return location.hash"), "");
    let known = ["401"];
    let others = browser.complaints();
    let others: Vec<&String> = others
        .iter()
        .filter(|said| !known.iter().any(|one| said.contains(one)))
        .collect();
    assert!(others.is_empty(), "{others:?}");
}
