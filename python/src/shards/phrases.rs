//! Phrase pairs of the rows that one machine has, and what becomes of them.

use super::columns::{Column, wrong_row};
use super::words::Words;
use crate::call::call;
use crate::error::{raised, refused};
use chiasm::phrases::shards::{self, Cuts, Scoring, Shard};
use chiasm::phrases::{
    CountedPair, CountedPairs, Counts64, CountsOfCounts, Extraction, ForwardRule, IndexedCorpus,
    Lexicon, OrientationKind, ScoredPair, write_line,
};
use chiasm::reorder::{OrientationColumns, Smoothing, TableName, write_table_line};
use chiasm::text::TextOutput;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

/// Spark runs a task a core.
pub const ONE: Option<usize> = Some(1);
/// About so many bytes of text are given at once.
const ENOUGH: usize = 4 << 20;

/// Rows on their way to a corpus, and the corpus.
#[pyclass(module = "chiasm._chiasm")]
pub struct Rows {
    shard: Option<Shard>,
    pub corpus: Option<IndexedCorpus>,
    pub folder: tempfile::TempDir,
}

impl Rows {
    /// All rows as a corpus; none are taken from here on.
    pub fn corpus(&mut self) -> PyResult<&mut IndexedCorpus> {
        if let Some(shard) = self.shard.take() {
            self.corpus = Some(shard.finish().map_err(raised)?);
        }
        self.corpus.as_mut().ok_or_else(|| refused("no rows"))
    }
}

fn runs(all: Vec<PyBackedBytes>) -> Vec<Vec<u8>> {
    all.iter().map(|run| run.to_vec()).collect()
}

/// The extraction of `chiasm phrases` and `chiasm reorder table`.
pub fn extraction(kind: &str, rule: &str, max_length: usize) -> PyResult<Extraction> {
    let kind: OrientationKind = kind
        .parse()
        .map_err(|_| refused(format!("'{kind}': word, phrase or hier expected")))?;
    let forward_rule: ForwardRule = rule
        .parse()
        .map_err(|_| refused(format!("'{rule}' is not a rule for the forward direction")))?;
    if !(1..=255).contains(&max_length) {
        return Err(refused(format!(
            "max_length {max_length}: between 1 and 255 expected"
        )));
    }
    Ok(Extraction {
        max_length,
        kind,
        forward_rule,
    })
}

#[pymethods]
impl Rows {
    #[new]
    fn new(words: &Words) -> PyResult<Self> {
        let folder = tempfile::tempdir()?;
        let shard = Shard::new(words.sides.clone(), folder.path()).map_err(raised)?;
        Ok(Rows {
            shard: Some(shard),
            corpus: None,
            folder,
        })
    }

    /// Takes a batch; the first wrong row ends it.
    fn add(&mut self, source: Column<'_>, target: Column<'_>, links: Column<'_>) -> PyResult<()> {
        let Some(shard) = &mut self.shard else {
            return Err(refused("rows come before what is made of them"));
        };
        let columns = [source.texts()?, target.texts()?, links.texts()?];
        for row in 0..columns[0].len() {
            let mut texts = [""; 3];
            for (text, column) in texts.iter_mut().zip(&columns) {
                *text = column.get(row).map_err(|reason| wrong_row(row, reason))?;
            }
            shard.push(texts).map_err(|error| wrong_row(row, error))?;
        }
        Ok(())
    }

    /// Rows, those without links, and those too long to be sentences.
    fn passed(&mut self) -> PyResult<(u64, u64, u64)> {
        let passed = self.corpus()?.passed;
        Ok((passed.sentence_pairs, passed.without_links, passed.too_long))
    }

    /// How often words were linked: keys, counts.
    #[allow(clippy::type_complexity)]
    fn lexicon<'py>(
        &mut self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>)> {
        let corpus = self.corpus()?;
        let lexicon = call(py, ONE, None, |_| Ok(Lexicon::count(corpus)?))?;
        let mut counts: Vec<(u64, u32)> = lexicon.counts().collect();
        counts.sort_unstable();
        let keys = counts.iter().map(|count| count.0 as i64).collect();
        let counts = counts.iter().map(|count| i64::from(count.1)).collect();
        Ok((PyArray1::from_vec(py, keys), PyArray1::from_vec(py, counts)))
    }

    /// Sorted runs of phrase pairs with their places.
    fn phrases<'py>(
        &mut self,
        py: Python<'py>,
        cuts: Vec<u32>,
        kind: &str,
        rule: &str,
        max_length: usize,
        memory: usize,
    ) -> PyResult<Vec<(usize, Bound<'py, PyBytes>)>> {
        let extraction = extraction(kind, rule, max_length)?;
        let folder = self.folder.path().to_path_buf();
        let corpus = self.corpus()?;
        let found = call(py, ONE, None, |_| {
            let pairs = CountedPairs::count(corpus, &extraction, memory, &folder, &())?;
            let mut given = Vec::new();
            let cuts = Cuts::of_numbers(&cuts);
            shards::give_runs(pairs, &cuts, |place, run| given.push((place, run)))?;
            Ok(given)
        })?;
        let found = found.into_iter();
        Ok(found
            .map(|(place, run)| (place, PyBytes::new(py, &run)))
            .collect())
    }
}

/// Sums of a run: distinct pairs, those seen once to four times, occurrences, backward and forward orientations.
type Sums = [u64; 14];

/// Adds up the runs of one place.
#[pyfunction]
pub fn merge<'py>(
    py: Python<'py>,
    words: &Words,
    all: Vec<PyBackedBytes>,
) -> PyResult<Vec<(Bound<'py, PyBytes>, Sums)>> {
    let folder = tempfile::tempdir()?;
    let mut merged = Vec::new();
    let give = |run: Vec<u8>, sums: shards::RunSums| {
        let mut flat = [0; 14];
        flat[..5].copy_from_slice(&sums.counts_of_counts.sums());
        flat[5] = sums.totals.total;
        flat[6..10].copy_from_slice(&sums.totals.backward);
        flat[10..].copy_from_slice(&sums.totals.forward);
        merged.push((run, flat));
    };
    call(py, ONE, None, |_| {
        Ok(shards::merge_runs(
            runs(all),
            words.both(),
            folder.path(),
            give,
        )?)
    })?;
    let merged = merged.into_iter();
    Ok(merged
        .map(|(run, sums)| (PyBytes::new(py, &run), sums))
        .collect())
}

/// What the pairs of a run tell their targets, for each meeting.
#[pyfunction]
pub fn target_counts<'py>(
    py: Python<'py>,
    words: &Words,
    number: (u64, u64),
    run: PyBackedBytes,
    meetings: usize,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let folder = tempfile::tempdir()?;
    let told = call(py, ONE, None, |_| {
        let run = run.to_vec();
        let (both, folder) = (words.both(), folder.path());
        Ok(shards::target_counts(number, run, both, meetings, folder)?)
    })?;
    Ok(told.iter().map(|bytes| PyBytes::new(py, bytes)).collect())
}

/// Adds up where targets meet: places, and what goes back to each.
#[pyfunction]
pub fn target_marginals<'py>(
    py: Python<'py>,
    told: Vec<PyBackedBytes>,
    memory: usize,
) -> PyResult<Vec<(u64, Bound<'py, PyBytes>)>> {
    let folder = tempfile::tempdir()?;
    let mut given = Vec::new();
    call(py, ONE, None, |_| {
        let give = |place, records| given.push((place, records));
        Ok(shards::target_marginals(
            &runs(told),
            memory,
            folder.path(),
            give,
        )?)
    })?;
    let given = given.iter();
    Ok(given
        .map(|(place, records)| (*place, PyBytes::new(py, records)))
        .collect())
}

/// Word translation probabilities of the sums of all counts.
#[pyclass(module = "chiasm._chiasm", frozen)]
pub struct SummedLexicon(Lexicon);

#[pymethods]
impl SummedLexicon {
    #[new]
    fn new(keys: PyReadonlyArray1<'_, i64>, counts: PyReadonlyArray1<'_, i64>) -> PyResult<Self> {
        let (keys, counts) = (keys.as_slice()?, counts.as_slice()?);
        if keys.len() != counts.len() {
            return Err(refused("as many keys as counts expected"));
        }
        if counts.iter().any(|&count| u32::try_from(count).is_err()) {
            return Err(refused(
                "two words were linked more than four billion times",
            ));
        }
        let pairs = keys.iter().zip(counts);
        let pairs = pairs.map(|(&key, &count)| (key as u64, count as u32));
        Ok(SummedLexicon(Lexicon::of_counts(pairs)))
    }

    /// Writes PREFIX.f2e and PREFIX.e2f, as `chiasm phrases --write-lexicon` does.
    fn write(&self, words: &Words, prefix: std::path::PathBuf) -> PyResult<()> {
        let [source, target] = words.both();
        let written = self
            .0
            .write(&prefix, &source.vocabulary, &target.vocabulary);
        written.map_err(raised)
    }
}

/// The lines of the phrase table of one place, some at a time.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn score<'py>(
    py: Python<'py>,
    words: &Words,
    lexicon: &SummedLexicon,
    smoothing: &str,
    counts_of_counts: [u64; 5],
    all: Vec<PyBackedBytes>,
    marginals: Vec<PyBackedBytes>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let scoring = Scoring {
        lexicon: &lexicon.0,
        smoothing: smoothing.parse().map_err(refused)?,
        counts_of_counts: CountsOfCounts::of_sums(counts_of_counts),
    };
    let folder = tempfile::tempdir()?;
    let mut lines = vec![Vec::new()];
    let [source, target] = words.both();
    call(py, ONE, None, |_| {
        let each = |pair: &ScoredPair| {
            let last = enough(&mut lines);
            write_line(pair, &source.vocabulary, &target.vocabulary, last);
            Ok(())
        };
        let marginals = runs(marginals);
        let (both, folder) = (words.both(), folder.path());
        Ok(scoring.score_runs(runs(all), &marginals, both, folder, each)?)
    })?;
    Ok(lines.iter().map(|text| PyBytes::new(py, text)).collect())
}

fn enough(lines: &mut Vec<Vec<u8>>) -> &mut Vec<u8> {
    if lines.last().is_none_or(|last| last.len() >= ENOUGH) {
        lines.push(Vec::new());
    }
    let last = lines.len() - 1;
    &mut lines[last]
}

/// How a reordering table is called, taken apart: which neighbours, and the rule's extraction.
#[pyfunction]
pub fn table_kind(name: &str) -> PyResult<String> {
    let name: TableName = name.parse().map_err(refused)?;
    Ok(name.kind.to_string())
}

/// The lines of the reordering table of one place, some at a time.
#[pyfunction]
pub fn reordering_lines<'py>(
    py: Python<'py>,
    words: &Words,
    name: &str,
    smoothing: f64,
    by_counts: bool,
    totals: [u64; 9],
    all: Vec<PyBackedBytes>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let name: TableName = name.parse().map_err(refused)?;
    let mut sums = Counts64 {
        total: totals[0],
        ..Counts64::default()
    };
    sums.backward.copy_from_slice(&totals[1..5]);
    sums.forward.copy_from_slice(&totals[5..]);
    let smoothing = match by_counts {
        true => Smoothing::ByCounts(smoothing),
        false => Smoothing::Constant(smoothing),
    };
    let columns = OrientationColumns::new(name.classes, name.directions, smoothing, &sums);
    let folder = tempfile::tempdir()?;
    let mut lines = vec![Vec::new()];
    call(py, ONE, None, |_| {
        let mut pairs = shards::pairs_of_runs(runs(all), words.both(), sums, folder.path())?;
        let mut pair = CountedPair::default();
        while pairs.next(&mut pair)? {
            write_table_line(&pair, &columns, words.both(), enough(&mut lines));
        }
        Ok(())
    })?;
    Ok(lines.iter().map(|text| PyBytes::new(py, text)).collect())
}

/// A file of text that appears when it is whole; its name says how it is compressed.
#[pyclass(module = "chiasm._chiasm")]
pub struct TextFile(Option<TextOutput>);

#[pymethods]
impl TextFile {
    #[new]
    fn create(path: std::path::PathBuf) -> PyResult<Self> {
        Ok(TextFile(Some(TextOutput::create(path).map_err(raised)?)))
    }

    fn write(&mut self, bytes: &[u8]) -> PyResult<()> {
        let output = self.0.as_mut().ok_or_else(|| refused("a file is done"))?;
        output.write_text(bytes).map_err(raised)
    }

    fn finish(&mut self) -> PyResult<()> {
        let output = self.0.take().ok_or_else(|| refused("a file is done"))?;
        output.finish().map_err(raised)
    }
}
