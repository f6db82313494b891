//! Any bytes as a translation memory: pairs or an error.
#![no_main]

use chiasm_text::TranslationMemory;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("room for it");
    if let Ok(mut memory) = TranslationMemory::open(file.path(), "de", "en") {
        while let Ok(Some(_)) = memory.next_pair() {}
    }
});
