//! Pages and tables that show people what models do.
//!
//! Drawn with the kit of `chiasm-page`. `classification/` the papers' tables of how well orientations
//! are told apart, `translation/` those of what that does for translation; `score/` metrics of systems side by side;
//! `demo/` moved phrases as pictures.
#![forbid(unsafe_code)]

pub mod classification;
pub mod demo;
mod error;
pub mod score;
pub mod translation;

pub use chiasm_page as kit;
pub use chiasm_page::Report;
pub use error::{Error, Result};
