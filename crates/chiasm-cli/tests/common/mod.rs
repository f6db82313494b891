//! Which program the tests ask.

use std::ffi::OsString;

/// The program that was built, or another that `CHIASM_BINARY` names: `.ci/findings` asks an older one, whose tests must fail.
pub fn binary() -> OsString {
    std::env::var_os("CHIASM_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_chiasm").into())
}
