//! A system file whose contents are overwritten with any bytes: refused, or used without a crash.
//! (Header and section table have a checksum, which a fuzzer would not get past; contents are only
//! checked on request, so a decoder must bear them as they are.)
#![no_main]

use chiasm_decode::moses::{ImportOptions, import};
use chiasm_decode::{Decoder, Input, System, Wanted};
use std::path::Path;
use std::sync::{Arc, OnceLock};

const INI: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../crates/chiasm-decode/tests/data/hier-msd.ini"
);

fn good() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let system = import(Path::new(INI), &ImportOptions::default(), &()).expect("good models");
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        system.write(file.path()).expect("room for it");
        std::fs::read(file.path()).expect("the file just written")
    })
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let mut bytes = good().to_vec();
    let table: [u8; 8] = bytes[48..56].try_into().expect("eight bytes");
    let end = u64::from_le_bytes(table) as usize;
    // Pieces of (place, length, contents).
    let mut rest = input;
    while let [a, b, c, length, more @ ..] = rest {
        let place = u32::from_le_bytes([*a, *b, *c, 0]) as usize;
        let at = 64 + place % (end - 64);
        let length = usize::from(length % 16).min(more.len()).min(end - at);
        bytes[at..at + length].copy_from_slice(&more[..length]);
        rest = &more[length..];
    }
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), &bytes).expect("room for it");
    let Ok(system) = System::open(file.path()) else {
        return;
    };
    let _ = system.verify();
    let Ok(decoder) = Decoder::new(Arc::new(system)) else {
        return;
    };
    let wanted = Wanted { count: 5, distinct: true };
    let _ = decoder.nbest(&Input::from_line("f1 f3 zzz f32 f2"), wanted);
});
