//! Long benchmarks and comparisons with other tools; nothing here is needed to build or test.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    eprintln!(
        "usage: cargo xtask compare <what>; unknown: {}",
        arguments.join(" ")
    );
    ExitCode::from(2)
}
