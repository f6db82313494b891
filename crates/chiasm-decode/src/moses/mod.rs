//! Moses models in and out: `moses.ini` in its current and its old dialect, text phrase tables,
//! text reordering tables, ARPA language models, sparse weight files. What this decoder cannot do
//! is refused by name, never ignored.

mod description;
mod export;
mod import;
mod ini;
mod old_dialect;

pub use description::{Description, ReorderingTable, describe};
pub use export::{ExportOptions, export};
pub use import::{ImportOptions, import, import_counting};
