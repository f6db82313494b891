//! Long benchmarks and comparisons with other tools; nothing here is needed to build or test.

mod lm;
mod decoder;
mod learners;
mod process;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["compare", "lm"] => lm::run(),
        _ => {
            let unknown = words.join(" ");
            eprintln!("usage: cargo xtask compare lm; unknown: {unknown}");
    let outcome = match &words[..] {
        ["compare", "decoder", ..] => decoder::run(&arguments[2..]),
        _ => {
            eprintln!(
                "usage: cargo xtask compare <what>; unknown: {}",
                arguments.join(" ")
    let outcome = match words.as_slice() {
        ["compare", "learners", ..] => learners::compare(&arguments[2..]),
        _ => {
            eprintln!(
                "usage: cargo xtask compare learners ...; unknown: {}",
                words.join(" ")
            );
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
