//! What estimation takes, before it is taken.

use crate::settings::Settings;

/// A cell's share of the entries, of which there are about so many a cell where words are rare.
const ENTRIES_A_CELL: f64 = 0.4;
/// Bytes that a cell of the log-linear model takes itself, and bytes of an entry: its words, priors and probabilities.
const BYTES_A_CELL: u64 = 4;
const BYTES_AN_ENTRY: f64 = 8.0 + 4.0 + 2.0 * 4.0 * 2.0;
/// Bytes a word takes in a sampler: its number, its link, its share of the counts.
const BYTES_A_WORD: f64 = 4.0 + 2.0 + 16.0;
/// Bytes that the start of samplers takes.
const START: u64 = 100 << 20;
/// Bytes that the sums of a word take, about.
const SUMS_A_WORD: u64 = 12;
/// Sums take at most so much memory, and at most this share of the budget; more lie in files.
const MOST_SUMS: u64 = 128 << 20;
const SHARE_OF_SUMS: u64 = 8;

/// Do so many cells lie in a file?
pub fn cells_in_file(cells: u64, settings: &Settings) -> bool {
    (BYTES_A_CELL as f64 + ENTRIES_A_CELL * BYTES_AN_ENTRY) * cells as f64
        > settings.memory.0 as f64
}

/// Do the sums of so many alignments of so many words lie in files?
pub fn sums_in_files(words: usize, alignments: usize, settings: &Settings) -> bool {
    let bytes = words as u64 * SUMS_A_WORD * alignments as u64;
    bytes > MOST_SUMS.min(settings.memory.0 / SHARE_OF_SUMS)
}

/// About how many bytes estimation takes beside the text, for so many cells and words of both sides. For people.
pub fn memory_plan(cells: u64, words: u64, settings: &Settings) -> u64 {
    let Some(sampling) = settings.sampling else {
        let held = match cells_in_file(cells, settings) {
            true => 0,
            false => BYTES_A_CELL * cells,
        };
        return held + (cells as f64 * ENTRIES_A_CELL * BYTES_AN_ENTRY) as u64;
    };
    let alignments = if sampling.apart {
        sampling.chains as usize
    } else {
        1
    };
    let sums = match sums_in_files(words as usize, alignments, settings) {
        true => 0,
        false => words * SUMS_A_WORD * alignments as u64,
    };
    let sampler = words as f64 * (BYTES_A_WORD + 2.0 * f64::from(sampling.chains));
    START.max(sampler as u64 + sums)
}
