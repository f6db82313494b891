//! Any line with any markup setting: no crash, and without markup no token is lost.
#![no_main]

use chiasm_decode::{Input, Markup};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &str| {
    for markup in [Markup::Exclusive, Markup::Inclusive, Markup::Ignore] {
        let input = Input::from_marked_line(line, markup);
        for constraint in &input.constraints {
            assert!(constraint.span.end as usize <= input.tokens.len());
            assert!(!constraint.span.is_empty());
        }
        if !line.contains('<') {
            assert_eq!(input.tokens, Input::from_line(line).tokens);
        }
    }
});
