//! Text of the built-in language pairs, for trying things out.

use crate::call::call;
use crate::error::refused;
use chiasm::synthesis::Language;
use chiasm::work::cancel;
use pyo3::prelude::*;

/// Sentence pairs with their links, as lines.
type Pairs = (Vec<String>, Vec<String>, Vec<String>);

/// Makes sentence pairs of a built-in language pair.
#[pyfunction]
pub fn synthesise(py: Python<'_>, language: &str, pairs: u64, seed: u64) -> PyResult<Pairs> {
    let known = "arabic-like or japanese-like expected";
    let language =
        Language::from_name(language).ok_or_else(|| refused(format!("{language}: {known}")))?;
    call(py, Some(1), None, |_| {
        let generator = language.generator(seed, 0);
        let (mut source, mut target, mut links) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..pairs {
            cancel::check();
            let pair = generator.pair(number);
            source.push(pair.source_text());
            target.push(pair.target_text());
            links.push(pair.links_text());
        }
        Ok((source, target, links))
    })
}
