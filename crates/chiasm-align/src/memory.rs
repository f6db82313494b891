//! What estimation takes, before it is taken.

use crate::bitext::Bitext;
use crate::cells::pair_cells;
use crate::settings::Settings;

/// A cell's share of the entries, of which there are about so many a cell where words are rare.
const ENTRIES_A_CELL: f64 = 0.4;
/// Bytes a cell of the log-linear model takes: its entry, its share of the entries with words, priors and probabilities.
const BYTES_A_CELL: f64 = 4.0 + ENTRIES_A_CELL * (8.0 + 4.0 + 2.0 * 4.0 * 2.0);
/// Bytes a word takes in a sampler: its number, its link, its share of the counts.
const BYTES_A_WORD: f64 = 4.0 + 2.0 + 16.0;
/// Bytes that the start of samplers takes.
const START: u64 = 100 << 20;
/// Bytes that the sums of a word take, about.
const SUMS_A_WORD: u64 = 12;
/// Sums take at most so much memory, and at most this share of the budget; more lie in files.
const MOST_SUMS: u64 = 128 << 20;
const SHARE_OF_SUMS: u64 = 8;

/// Every how-manieth pair the log-linear model is estimated on.
pub fn spacing(bitext: &Bitext, settings: &Settings) -> usize {
    let (source, target) = (&bitext.source.text, &bitext.target.text);
    let cells = (0..bitext.len()).map(|at| pair_cells(source, target, at) as u64);
    spacing_of(cells.sum(), settings)
}

fn spacing_of(cells: u64, settings: &Settings) -> usize {
    let most = (settings.memory.0 as f64 / BYTES_A_CELL) as u64;
    cells.div_ceil(most.max(1)).max(1) as usize
}

/// Do the sums of so many alignments of so many words lie in files?
pub fn sums_in_files(words: usize, alignments: usize, settings: &Settings) -> bool {
    let bytes = words as u64 * SUMS_A_WORD * alignments as u64;
    bytes > MOST_SUMS.min(settings.memory.0 / SHARE_OF_SUMS)
}

/// What estimation takes for so many cells and words of both sides: every how-manieth pair is used, and about how many bytes that
/// needs beside the text. Estimates for people.
pub fn memory_plan(cells: u64, words: u64, settings: &Settings) -> (usize, u64) {
    let Some(sampling) = settings.sampling else {
        let spacing = spacing_of(cells, settings);
        return (
            spacing,
            (cells as f64 / spacing as f64 * BYTES_A_CELL) as u64,
        );
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
    (1, START.max(sampler as u64 + sums))
}
