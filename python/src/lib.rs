//! The Python package `chiasm`: thin bindings on the library crate, no algorithm.
//!
//! `call.rs` is how every long call is made: without the interpreter's lock, on threads of its own, ended by Ctrl-C.

mod align;
mod call;
mod error;
mod language_model;
mod learn;
mod metrics;
mod reorder;
mod shards;
mod synthesis;
mod text;
mod train;
mod translate;

use pyo3::prelude::*;

#[pymodule]
fn _chiasm(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Error", module.py().get_type::<error::ChiasmError>())?;
    module.add_class::<align::AlignmentModel>()?;
    module.add_class::<language_model::LanguageModel>()?;
    module.add_class::<language_model::State>()?;
    module.add_class::<learn::Classifier>()?;
    module.add_class::<text::Tokenizer>()?;
    module.add_class::<text::Detokenizer>()?;
    module.add_class::<translate::Translator>()?;
    module.add_class::<translate::Translation>()?;
    module.add_class::<reorder::OrientationModel>()?;
    module.add_function(wrap_pyfunction!(align::align_fit, module)?)?;
    module.add_function(wrap_pyfunction!(align::symmetrise, module)?)?;
    module.add_function(wrap_pyfunction!(align::aer, module)?)?;
    module.add_function(wrap_pyfunction!(learn::learn_fit, module)?)?;
    module.add_function(wrap_pyfunction!(learn::mutual_information, module)?)?;
    module.add_function(wrap_pyfunction!(metrics::corpus, module)?)?;
    module.add_function(wrap_pyfunction!(metrics::sentences, module)?)?;
    module.add_function(wrap_pyfunction!(metrics::compare, module)?)?;
    module.add_function(wrap_pyfunction!(reorder::examples, module)?)?;
    module.add_function(wrap_pyfunction!(reorder::reorder_train, module)?)?;
    module.add_function(wrap_pyfunction!(synthesis::synthesise, module)?)?;
    module.add_function(wrap_pyfunction!(train::train, module)?)?;
    module.add_function(wrap_pyfunction!(train::settings, module)?)?;
    module.add_submodule(&shards::module(module.py())?)?;
    Ok(())
}
