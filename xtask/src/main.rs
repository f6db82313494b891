//! Long benchmarks and comparisons with other tools, the record of what libraries offer, licences, and files broken on purpose.

mod adapt;
mod align;
mod alone;
mod api;
mod complete;
mod confidence;
mod decoder;
mod learners;
mod licences;
mod lm;
mod mutate;
mod process;
mod scale;
mod serve;
mod spark;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["adapt", ..] => adapt::run(&arguments[1..]),
        ["alone", ..] => alone::run(&arguments[1..]),
        ["api"] => api::run(false),
        ["complete", ..] => complete::run(&arguments[1..]),
        ["confidence", ..] => confidence::run(&arguments[1..]),
        ["api", "--check"] => api::run(true),
        ["compare", "align", ..] => align::run(&arguments[2..]),
        ["compare", "lm"] => lm::run(),
        ["compare", "decoder", ..] => decoder::run(&arguments[2..]),
        ["compare", "serve", ..] => serve::run(&arguments[2..]),
        ["compare", "learners", ..] => learners::compare(&arguments[2..]),
        ["scale", ..] => scale::measure(&arguments[1..]),
        ["spark", ..] => spark::run(&arguments[1..]),
        ["licences"] => licences::run(),
        ["mutate", ..] => mutate::run(&arguments[1..]),
        ["mutate-here", ..] => mutate::run_here(&arguments[1..]),
        _ => {
            let unknown = words.join(" ");
            eprintln!(
                "usage: cargo xtask compare align|lm|decoder|learners|serve ..., adapt ..., alone ..., complete ..., confidence ..., api [--check], licences, scale ..., spark [PYTHON] [PAIRS], or mutate [COUNT] [FORMAT]; \
                 unknown: {unknown}"
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
