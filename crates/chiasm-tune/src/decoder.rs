//! What tuning asks of a decoder.

use crate::Weights;

/// One translation of an n-best list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entry {
    /// Its words, numbered as the references' words are.
    pub target: Vec<u32>,
    /// The value of every dense feature.
    pub dense: Vec<f32>,
    /// Sparse features with a value; a number stands at most once.
    pub sparse: Vec<(u32, f32)>,
}

/// A decoder with the source side of a development set.
pub trait NbestDecoder {
    /// Translates every sentence with these weights: up to `size` translations each, best first.
    /// An empty list means that there is no translation.
    fn decode(
        &mut self,
        weights: &Weights,
        size: usize,
    ) -> Result<Vec<Vec<Entry>>, Box<dyn std::error::Error + Send + Sync>>;

    /// The dense features that may only count against a translation. With a reward for jumping the search goes astray: it
    /// misses most of what its own model likes best, and lists no longer say what new weights would do.
    fn penalties(&self) -> Vec<usize> {
        Vec::new()
    }

    /// The names of the sparse features numbered so far, so that numbers survive an interruption.
    fn sparse_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Numbers sparse features as in an earlier run.
    fn restore_sparse_names(&mut self, _names: Vec<String>) {}
}
