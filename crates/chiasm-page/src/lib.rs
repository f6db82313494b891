//! One kit of pages: tables, claims, figures and drawings on a page that is complete in itself.
//!
//! ```
//! use chiasm_page::{Item, html};
//! let page = html("Rounds", "BLEU by round.", &[Item::Heading("MIRA".into())]);
//! assert!(page.starts_with("<!doctype html>") && page.contains("<h2>MIRA</h2>"));
//! ```
#![forbid(unsafe_code)]

mod page;
mod svg;

pub use page::{Claim, Figure, Item, Report, Table, as_json, document, html};
pub use svg::{Plot, STYLE as PLOT_STYLE, Series, short};
