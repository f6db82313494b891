//! What one machine of many does: rows in flat columns, numbers out that add up. `chiasm/spark` has Spark do the adding.

mod align;
mod columns;
mod learn;
mod phrases;
mod words;

pub use columns::{Column, Flat, Written};

use pyo3::prelude::*;

/// Everything as a module of its own.
pub fn module<'py>(py: Python<'py>) -> PyResult<Bound<'py, PyModule>> {
    let module = PyModule::new(py, "shards")?;
    module.add_class::<align::Round>()?;
    module.add_class::<learn::Features>()?;
    module.add_class::<learn::Momentum>()?;
    module.add_class::<phrases::Rows>()?;
    module.add_class::<phrases::SummedLexicon>()?;
    module.add_class::<phrases::TextFile>()?;
    module.add_class::<words::WordCounter>()?;
    module.add_class::<words::Words>()?;
    module.add_function(wrap_pyfunction!(align::align_columns, &module)?)?;
    module.add_function(wrap_pyfunction!(align::beginning, &module)?)?;
    module.add_function(wrap_pyfunction!(align::knowing, &module)?)?;
    module.add_function(wrap_pyfunction!(align::after_round, &module)?)?;
    module.add_function(wrap_pyfunction!(learn::seen, &module)?)?;
    module.add_function(wrap_pyfunction!(learn::gather, &module)?)?;
    module.add_function(wrap_pyfunction!(learn::begin, &module)?)?;
    module.add_function(wrap_pyfunction!(learn::round, &module)?)?;
    module.add_function(wrap_pyfunction!(learn::gradient, &module)?)?;
    module.add_function(wrap_pyfunction!(learn::curvature, &module)?)?;
    module.add_function(wrap_pyfunction!(learn::minimise, &module)?)?;
    module.add_function(wrap_pyfunction!(learn::describe, &module)?)?;
    module.add_function(wrap_pyfunction!(phrases::merge, &module)?)?;
    module.add_function(wrap_pyfunction!(phrases::target_counts, &module)?)?;
    module.add_function(wrap_pyfunction!(phrases::target_marginals, &module)?)?;
    module.add_function(wrap_pyfunction!(phrases::score, &module)?)?;
    module.add_function(wrap_pyfunction!(phrases::table_kind, &module)?)?;
    module.add_function(wrap_pyfunction!(phrases::reordering_lines, &module)?)?;
    Ok(module)
}
