//! Alignment models that released versions wrote: readable for ever, with the same links.

use chiasm_align::{Decoder, LinkMaker, LinkSettings, Method, Model, Posteriors};
use std::path::PathBuf;

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden/0.1.0")
        .join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(golden(name)).unwrap()
}

fn check(name: &str) {
    let model = Model::open(golden(&format!("{name}.model"))).unwrap();
    let mut decoder = Decoder::new(&model);
    let settings = LinkSettings {
        method: Method::GrowDiagFinalAnd,
        null_bias: 1.0,
    };
    let mut found = String::new();
    for (source, target) in text("source").lines().zip(text("target").lines()) {
        let mut posteriors = Posteriors::default();
        decoder.align(source, target, &mut posteriors);
        let pair = LinkMaker::default().links(&posteriors, settings);
        chiasm_text::links::format(&pair.links, &mut found);
        found.push('\n');
    }
    assert_eq!(found, text(&format!("{name}.answers")));
}

#[test]
fn a_log_linear_model_of_0_1_0_still_aligns() {
    check("fast");
}

#[test]
fn a_hidden_markov_model_of_0_1_0_still_aligns() {
    check("standard");
}
