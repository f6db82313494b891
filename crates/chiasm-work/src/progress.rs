//! How a long piece of work says how far it is, without knowing who listens.

/// Someone who listens. `()` does not.
pub trait Progress: Sync {
    /// `amount` more units (lines, records, bytes) are done.
    fn advance(&self, amount: u64);
}

impl Progress for () {
    fn advance(&self, _amount: u64) {}
}
