//! Any text as links: sorted, within their sentences, each once; or refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|line: &str| {
    let mut links = Vec::new();
    if chiasm_text::links::parse(line, 30, 20, &mut links).is_ok() {
        assert!(links.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(links.iter().all(|link| link.source < 30 && link.target < 20));
    }
});
