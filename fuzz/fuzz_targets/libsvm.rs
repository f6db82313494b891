//! Any bytes as LIBSVM examples: read or refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = chiasm_learn::libsvm::read(bytes, "fuzz", true);
});
