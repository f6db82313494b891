//! Any bytes as a system file: refused, or used without a crash.
//! Seeds: `chiasm import moses --ini crates/chiasm-decode/tests/data/hier-msd.ini -o fuzz/corpus/system_file/seed`
#![no_main]

use chiasm_decode::{Decoder, Input, System, Wanted};
use libfuzzer_sys::fuzz_target;
use std::io::Write;
use std::sync::Arc;

fuzz_target!(|bytes: &[u8]| {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let Ok(system) = System::open(file.path()) else {
        return;
    };
    let Ok(decoder) = Decoder::new(Arc::new(system)) else {
        return;
    };
    let wanted = Wanted { count: 5, distinct: true };
    let _ = decoder.nbest(&Input::from_line("f1 f3 zzz f32 f2"), wanted);
});
