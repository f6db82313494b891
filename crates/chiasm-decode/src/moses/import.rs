//! Reads the files that a `moses.ini` names into a system.

use super::description::{Description, ReorderingTable, describe};
use crate::configuration::{Feature, FeatureKind, ReorderingShape};
use crate::language_model::LanguageModel;
use crate::sparse::SparseVocabulary;
use crate::sparse::parse_sparse_weights;
use crate::system::{Parts, System};
use crate::table::{PhraseTableBuilder, Precision};
use crate::weights::UNKNOWN_WORD;
use crate::{Error, Result};
use chiasm_phrases::PhraseLink;
use chiasm_reorder::StoredModel;
use chiasm_text::{Lines, StoredVocabulary, Vocabulary};
use chiasm_work::Progress;
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How to import.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// How scores are stored.
    pub precision: Precision,
    /// Are lines of tables that are not UTF-8 passed over?
    pub skip_bad_lines: bool,
    /// Learned models of orientation to add, each a feature of its own.
    pub reordering_models: Vec<PathBuf>,
    /// The source language, if it shall be recorded.
    pub source_language: Option<String>,
    /// The target language, if it shall be recorded.
    pub target_language: Option<String>,
}

impl Default for ImportOptions {
    fn default() -> Self {
        ImportOptions {
            precision: Precision::Sixteen,
            skip_bad_lines: false,
            reordering_models: Vec::new(),
            source_language: None,
            target_language: None,
        }
    }
}

/// The weight of an added model's features before tuning, as Moses has it for tables.
const MODEL_WEIGHT: f32 = 0.3;

/// Reads a Moses model; `progress` advances with the lines of its tables.
pub fn import(ini: &Path, options: &ImportOptions, progress: &dyn Progress) -> Result<System> {
    Ok(import_counting(ini, options, progress)?.0)
}

/// The same, and how many lines of tables were passed over.
pub fn import_counting(
    ini: &Path,
    options: &ImportOptions,
    progress: &dyn Progress,
) -> Result<(System, u64)> {
    let mut description = describe(ini)?;
    description.configuration.source_language = options.source_language.clone();
    description.configuration.target_language = options.target_language.clone();
    let mut words = Words::default();
    let mut reading = Reading {
        skip_bad_lines: options.skip_bad_lines,
        passed_over: 0,
        progress,
    };
    let table = read_tables(&description, &mut words, &mut reading)?;
    let mut language_models = Vec::new();
    for path in &description.language_models {
        let model = chiasm_lm::Model::open(path)?;
        language_models.push(LanguageModel::new(model, words.target.words()));
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let files = &mut description.configuration.language_model_files;
        files.push(absolute.display().to_string());
    }
    let mut sparse_weights = BTreeMap::new();
    for path in &description.sparse_weights {
        sparse_weights.append(&mut read_sparse_weights(path)?);
    }
    let mut sparse_vocabularies = read_sparse_vocabularies(&description)?;
    let mut reordering_models = Vec::new();
    for (number, path) in options.reordering_models.iter().enumerate() {
        let model = StoredModel::open(path)?;
        let shape = ReorderingShape::of_model(&*model);
        description.configuration.features.push(Feature {
            name: format!("Orientation{number}"),
            weights: vec![MODEL_WEIGHT; shape.columns()],
            kind: FeatureKind::ReorderingModel(shape),
        });
        reordering_models.push(model.into());
        sparse_vocabularies.push(Vec::new());
    }
    let system = System::new(Parts {
        sparse_vocabularies,
        source_casing: None,
        ranker: None,
        aligner: None,
        reordering_models,
        operation_models: Vec::new(),
        joint_model: None,
        configuration: description.configuration,
        sparse_weights,
        source_words: StoredVocabulary::new(&words.source),
        target_words: StoredVocabulary::new(&words.target),
        table: table.finish(options.precision),
        language_models,
    })?;
    Ok((system, reading.passed_over))
}

/// How the lines of tables are read.
struct Reading<'a> {
    skip_bad_lines: bool,
    passed_over: u64,
    progress: &'a dyn Progress,
}

impl Reading<'_> {
    /// The next line that is text; `false` at the end.
    fn line(&mut self, lines: &mut Lines, text: &mut String) -> Result<bool> {
        text.clear();
        self.progress.advance(1);
        if !self.skip_bad_lines {
            return Ok(lines.append_line(text)?);
        }
        while let Some(bytes) = lines.next_bytes()? {
            if let Ok(line) = std::str::from_utf8(bytes) {
                text.push_str(line);
                return Ok(true);
            }
            self.passed_over += 1;
        }
        Ok(false)
    }
}

#[derive(Default)]
struct Words {
    source: Vocabulary,
    target: Vocabulary,
}

fn read_tables(
    description: &Description,
    words: &mut Words,
    reading: &mut Reading,
) -> Result<PhraseTableBuilder> {
    let features = &description.configuration.features;
    let phrase_scores: usize = features
        .iter()
        .filter(|feature| feature.kind == FeatureKind::PhraseTable)
        .map(|feature| feature.weights.len())
        .sum();
    let shapes = features.iter().filter_map(|feature| match &feature.kind {
        FeatureKind::ReorderingTable(shape) => Some(shape.columns()),
        _ => None,
    });
    let widths: Vec<usize> = shapes.collect();
    let columns = phrase_scores + widths.iter().sum::<usize>();
    let mut builder = PhraseTableBuilder::new(columns);
    read_phrase_table(
        &description.phrase_table,
        phrase_scores,
        words,
        &mut builder,
        reading,
    )?;
    let mut first = phrase_scores;
    for (table, &width) in description.reordering_tables.iter().zip(&widths) {
        if table.knows_target {
            read_reordering_table(table, first, width, words, &mut builder, reading)?;
        } else {
            read_source_reordering_table(table, first, width, words, &mut builder, reading)?;
        }
        first += width;
    }
    Ok(builder)
}

/// The fields of a table line.
fn fields(line: &str) -> Vec<&str> {
    line.split("|||").map(str::trim).collect()
}

/// Reads probabilities as natural logarithms, none below that of an unknown word.
fn read_scores(lines: &Lines, text: &str, count: usize, into: &mut Vec<f32>) -> Result<()> {
    into.clear();
    for word in text.split_ascii_whitespace() {
        let value = word.parse::<f64>().ok().filter(|value| value.is_finite());
        let Some(value) = value else {
            let message = format!("a probability expected, {word:?} found");
            return Err(lines.error(message).into());
        };
        into.push(value.ln().max(f64::from(UNKNOWN_WORD)) as f32);
    }
    if into.len() != count {
        let message = format!("{count} scores expected, {} found", into.len());
        return Err(lines.error(message).into());
    }
    // The logarithm of a negative number is not a number.
    if into.iter().any(|value| !value.is_finite()) {
        return Err(lines.error("a probability below 0 found").into());
    }
    Ok(())
}

fn intern(vocabulary: &mut Vocabulary, phrase: &str, into: &mut Vec<u32>) {
    into.clear();
    into.extend(chiasm_text::tokens(phrase).map(|word| vocabulary.intern(word)));
}

fn read_phrase_table(
    path: &Path,
    count: usize,
    words: &mut Words,
    builder: &mut PhraseTableBuilder,
    reading: &mut Reading,
) -> Result<()> {
    let mut lines = Lines::open(path)?;
    let mut text = String::new();
    let (mut source, mut target) = (Vec::new(), Vec::new());
    let (mut links, mut scores) = (Vec::new(), Vec::new());
    loop {
        if !reading.line(&mut lines, &mut text)? {
            return Ok(());
        }
        let fields = fields(&text);
        if fields.len() < 3 {
            let expected = "source ||| target ||| scores expected";
            return Err(lines.error(expected).into());
        }
        intern(&mut words.source, fields[0], &mut source);
        intern(&mut words.target, fields[1], &mut target);
        if source.is_empty() || source.len() > 255 || target.len() > 255 {
            return Err(lines
                .error("a source phrase of 1 to 255 words expected")
                .into());
        }
        read_scores(&lines, fields[2], count, &mut scores)?;
        links.clear();
        for word in fields.get(3).unwrap_or(&"").split_ascii_whitespace() {
            let link = word.split_once('-').and_then(|(s, t)| {
                let link = PhraseLink::new(s.parse().ok()?, t.parse().ok()?);
                link.is_within(source.len(), target.len()).then_some(link)
            });
            let Some(link) = link else {
                let message = format!("a link inside the phrase expected, {word:?} found");
                return Err(lines.error(message).into());
            };
            links.push(link);
        }
        builder.add(&source, &target, &links, &scores);
    }
}

/// Words of a table that the phrase table does not have make the phrase unfindable.
fn look_up(vocabulary: &Vocabulary, phrase: &str, into: &mut Vec<u32>) -> bool {
    into.clear();
    for word in chiasm_text::tokens(phrase) {
        match vocabulary.get(word) {
            Some(id) => into.push(id),
            None => return false,
        }
    }
    true
}

fn read_reordering_table(
    table: &ReorderingTable,
    first: usize,
    width: usize,
    words: &Words,
    builder: &mut PhraseTableBuilder,
    reading: &mut Reading,
) -> Result<()> {
    let mut lines = Lines::open(&table.path)?;
    let mut text = String::new();
    let (mut source, mut target, mut scores) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        if !reading.line(&mut lines, &mut text)? {
            return Ok(());
        }
        let &[source_words, target_words, values] = &fields(&text)[..] else {
            let expected = "source ||| target ||| probabilities expected";
            return Err(lines.error(expected).into());
        };
        read_scores(&lines, values, width, &mut scores)?;
        let known = look_up(&words.source, source_words, &mut source)
            && look_up(&words.target, target_words, &mut target);
        if known && let Some(entry) = builder.find(&source, &target) {
            builder.set_scores(entry, first, &scores);
        }
    }
}

fn read_source_reordering_table(
    table: &ReorderingTable,
    first: usize,
    width: usize,
    words: &Words,
    builder: &mut PhraseTableBuilder,
    reading: &mut Reading,
) -> Result<()> {
    let mut lines = Lines::open(&table.path)?;
    let mut text = String::new();
    let (mut source, mut scores) = (Vec::new(), Vec::new());
    let mut by_source: HashMap<Vec<u32>, Vec<f32>> = HashMap::new();
    loop {
        if !reading.line(&mut lines, &mut text)? {
            break;
        }
        let &[source_words, values] = &fields(&text)[..] else {
            return Err(lines.error("source ||| probabilities expected").into());
        };
        read_scores(&lines, values, width, &mut scores)?;
        if look_up(&words.source, source_words, &mut source) {
            by_source.insert(source.clone(), scores.clone());
        }
    }
    builder.set_scores_by_source(first, |source| by_source.get(source).map(Vec::as_slice));
    Ok(())
}

fn read_sparse_vocabularies(description: &Description) -> Result<Vec<Vec<SparseVocabulary>>> {
    let shapes = description
        .configuration
        .features
        .iter()
        .filter_map(|feature| match &feature.kind {
            FeatureKind::ReorderingTable(shape) => Some(shape),
            _ => None,
        });
    let mut all = Vec::new();
    for (shape, table) in shapes.zip(&description.reordering_tables) {
        let mut vocabularies = Vec::new();
        let shapes = shape.sparse.iter().flat_map(|sparse| &sparse.vocabularies);
        for (shape, path) in shapes.zip(&table.vocabularies) {
            vocabularies.push(read_sparse_vocabulary(path, shape.is_classes)?);
        }
        all.push(vocabularies);
    }
    Ok(all)
}

/// One word a line, or a word and its class.
fn read_sparse_vocabulary(path: &Path, is_classes: bool) -> Result<SparseVocabulary> {
    let mut lines = Lines::open(path)?;
    let mut pairs = Vec::new();
    while let Some(line) = lines.next_line()? {
        let words: Vec<String> = chiasm_text::tokens(line).map(str::to_string).collect();
        match (&words[..], is_classes) {
            ([], _) => {}
            ([word], false) => pairs.push((word.clone(), word.clone())),
            ([word, class], true) => pairs.push((word.clone(), class.clone())),
            (_, true) => return Err(lines.error("a word and its class expected").into()),
            (_, false) => return Err(lines.error("one word expected").into()),
        }
    }
    let pairs = pairs
        .iter()
        .map(|(word, label)| (word.as_str(), label.as_str()));
    Ok(SparseVocabulary::new(pairs))
}

fn read_sparse_weights(path: &Path) -> Result<BTreeMap<String, f32>> {
    let mut lines = Lines::open(path)?;
    let mut text = String::new();
    while lines.append_line(&mut text)? {
        text.push('\n');
    }
    parse_sparse_weights(&text).map_err(|message| Error::configuration(path, message))
}
