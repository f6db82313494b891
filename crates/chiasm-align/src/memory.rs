//! What estimation takes, before it is taken.

use crate::bitext::Bitext;
use crate::cells::pair_cells;
use crate::settings::Settings;

/// Samplers begin with a log-linear model of so many cells of the corpus: enough for the frequent words, whatever the size.
const START_CELLS: u64 = 4_000_000;
/// A cell's share of the entries, of which there are about so many a cell where words are rare.
const ENTRIES_A_CELL: f64 = 0.4;
/// Bytes a cell of the log-linear model takes: its entry, its share of the entries with words, priors and probabilities.
const BYTES_A_CELL: f64 = 4.0 + ENTRIES_A_CELL * (8.0 + 4.0 + 2.0 * 4.0 * 2.0);
/// Bytes a word takes in a sampler: its number, its link, its share of the counts.
const BYTES_A_WORD: f64 = 4.0 + 2.0 + 16.0;
/// Bytes that the sums of a word take, about.
const SUMS_A_WORD: u64 = 12;
/// Sums take at most so much memory, and at most this share of the budget; more lie in files.
const MOST_SUMS: u64 = 128 << 20;
const SHARE_OF_SUMS: u64 = 8;

/// Every how-manieth pair the log-linear model is estimated on. Where it is but the start of samplers, that depends on the corpus
/// alone.
pub fn spacing(bitext: &Bitext, settings: &Settings) -> usize {
    let (source, target) = (&bitext.source.text, &bitext.target.text);
    let cells = (0..bitext.len()).map(|at| pair_cells(source, target, at) as u64);
    spacing_of(cells.sum(), settings)
}

fn spacing_of(cells: u64, settings: &Settings) -> usize {
    let most = match settings.sampling {
        Some(_) => START_CELLS,
        None => (settings.memory.0 as f64 / BYTES_A_CELL) as u64,
    };
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
    let spacing = spacing_of(cells, settings);
    let start = cells as f64 / spacing as f64 * BYTES_A_CELL;
    match settings.sampling {
        None => (spacing, start as u64),
        Some(sampling) => {
            let alignments = if sampling.apart {
                sampling.chains as usize
            } else {
                1
            };
            let sums = match sums_in_files(words as usize, alignments, settings) {
                true => 0,
                false => words * SUMS_A_WORD * alignments as u64,
            };
            let sampler = words as f64 * BYTES_A_WORD + sums as f64;
            (1, start.max(sampler) as u64)
        }
    }
}
