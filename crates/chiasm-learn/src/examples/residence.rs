//! Which rows of a mapped file stay in memory.
//!
//! The pages of a map that were looked at count as the process's memory until the system wants them
//! back, which it does late. Whoever walks over rows gives them back as it goes; those that it needs again are
//! most likely still in the system's cache, and if not, on disk.

use super::Examples;
use std::ops::Range;

/// Rows that a walk in their order leaves in memory behind it.
const STRETCH: usize = 1 << 18;
/// Visits of rows in no order, each to pages of its own.
const VISITS: usize = 1 << 14;

impl Examples {
    /// All rows in order. Where they are mapped, those that were passed do not stay in memory.
    pub fn scan(&self) -> impl Iterator<Item = usize> + '_ {
        self.scan_part(0..self.rows())
    }

    /// The same of some.
    pub(crate) fn scan_part(&self, rows: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let mapped = self.is_mapped();
        let last = rows.end;
        rows.inspect(move |row| {
            if mapped && (row % STRETCH == 0 || row + 1 == last) {
                self.release();
            }
        })
    }

    /// To be called after visit `number` to a row, the first being 0, of a walk without order; a
    /// walk by `stretches` visits neighbours together.
    #[inline(always)]
    pub(crate) fn visited(&self, number: usize, stretches: bool) {
        let often = if stretches { STRETCH } else { VISITS };
        if number % often == often - 1 && self.is_mapped() {
            self.release();
        }
    }

    /// Gives the pages of a mapped file back to the system.
    pub(crate) fn release(&self) {
        self.features.release();
    }
}
