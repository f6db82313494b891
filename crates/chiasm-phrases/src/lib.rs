//! Phrase pairs: which spans of two aligned sentences translate each other, how they move, how
//! often, and with what scores.

mod alignment;
mod corners;
mod extraction;
mod files;
pub mod moses_text;
mod orientation;

pub use alignment::Alignment;
pub use extraction::{Spans, extract};
pub use files::{
    AlignedFiles, Extraction, LONGEST_SENTENCE, Pair, Passed, extract_to_moses_files,
    for_each_pair_in_order,
};
pub use orientation::{ClassSet, Extractor, ForwardRule, Instance, Orientation, OrientationKind};
