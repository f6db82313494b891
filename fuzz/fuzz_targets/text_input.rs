//! Any bytes as text, compressed or not: lines or an error that names one.
#![no_main]

use chiasm_text::Lines;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("room for it");
    for open in [Lines::open, Lines::open_sentences] {
        if let Ok(mut lines) = open(file.path()) {
            while let Ok(Some(_)) = lines.next_line() {}
        }
    }
});
