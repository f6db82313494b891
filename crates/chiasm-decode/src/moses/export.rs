//! Writes a system as Moses would have it.

use crate::configuration::{
    Feature, FeatureKind, ReorderingShape, SearchAlgorithm, Side, SparseVocabularyShape,
};
use crate::system::System;
use crate::{Error, Result};
use chiasm_lm::arpa::NgramList;
use chiasm_phrases::OrientationKind;
use chiasm_store::{Container, beside};
use chiasm_text::{Lines, MappedText, TextOutput};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What to do about what Moses cannot have, and where language models come from.
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    /// Leave out learned reordering models and language models of word classes, which are errors otherwise.
    pub drop: bool,
    /// The ARPA file of each language model, in their order; by default the one that it was made from.
    pub language_models: Vec<PathBuf>,
    /// Text that the language models were estimated on, from which n-grams are found again if there is no ARPA file; by
    /// default what `train` left beside the system.
    pub text: Option<PathBuf>,
}

/// Writes `moses.ini`, `phrase-table.gz`, `reordering-table.N.gz`, `lmN.arpa.gz` and, with sparse
/// features, their word lists and weights into `folder`, all of them or, if something fails, none. Counts are not part of
/// a system, so the phrase table has none. Returns the names of what was left out.
pub fn export(system: System, folder: &Path, options: &ExportOptions) -> Result<Vec<String>> {
    system.confirm()?;
    let stages = system.path().map(|path| beside(path, ".stages"));
    let foreign = foreign_features(&system);
    if let (false, Some((name, reason))) = (options.drop, foreign.first()) {
        let message = format!("feature {name}: {reason}; --drop leaves it out");
        return Err(Error::configuration(folder, message));
    }
    if system.configuration().search.itg {
        let message = "Moses has no search whose joins are straight or inverted alone";
        return Err(Error::configuration(folder, message.to_string()));
    }
    let system = without(system, &foreign)?;
    set_names(&system).map_err(|message| Error::configuration(folder, message))?;
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |error| Error::from(chiasm_store::Error::io(path, error))
    };
    let is_new = !folder.exists();
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    let made = write_files(&system, folder, options, stages.as_deref());
    if made.is_err() && is_new {
        // Nothing in it was there before.
        std::fs::remove_dir_all(folder).map_err(failed(folder))?;
    }
    made?;
    Ok(foreign.into_iter().map(|(name, _)| name).collect())
}

/// Writes all files elsewhere in the folder first, then gives them their names.
fn write_files(
    system: &System,
    folder: &Path,
    options: &ExportOptions,
    stages: Option<&Path>,
) -> Result<()> {
    let failed = |error| chiasm_store::Error::io(folder, error);
    let unfinished = tempfile::Builder::new()
        .prefix(".export")
        .tempdir_in(folder)
        .map_err(failed)?;
    let place = unfinished.path();
    write_tables(system, place)?;
    for number in 0..system.language_models().len() {
        let recorded = system.configuration().language_model_files.get(number);
        let recorded = recorded.map(PathBuf::from).filter(|path| path.is_file());
        match options.language_models.get(number).cloned().or(recorded) {
            Some(path) => copy_arpa(system, number, &path, place)?,
            None => recover_arpa(system, number, options.text.as_deref(), stages, place)?,
        }
    }
    let sets = set_names(system).map_err(|message| Error::configuration(folder, message))?;
    write_sparse(system, &sets, place)?;
    let mut ini = TextOutput::create(place.join("moses.ini"))?;
    ini.write_text(ini_text(system, &sets).as_bytes())?;
    ini.finish()?;
    for entry in std::fs::read_dir(place).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        std::fs::rename(entry.path(), folder.join(entry.file_name())).map_err(failed)?;
    }
    Ok(())
}

/// Names of features that Moses cannot have, and why.
fn foreign_features(system: &System) -> Vec<(String, &'static str)> {
    let mut models = system.language_models().iter();
    let mut found = Vec::new();
    for feature in &system.configuration().features {
        let reason = match feature.kind {
            FeatureKind::ReorderingModel(_) => Some("Moses cannot use a learned reordering model"),
            FeatureKind::OperationModel | FeatureKind::OperationSupport => {
                Some("Moses cannot use this model of operation sequences")
            }
            FeatureKind::JointModel => Some("Moses cannot use this joint model"),
            FeatureKind::LanguageModel => {
                let of_words = models
                    .next()
                    .is_none_or(|model| model.is_of_words(system.target_words()));
                (!of_words).then_some("a language model of word classes needs factors in Moses")
            }
            _ => None,
        };
        found.extend(reason.map(|reason| (feature.name.clone(), reason)));
    }
    found
}

/// The system without some of its features.
fn without(system: System, foreign: &[(String, &str)]) -> Result<System> {
    if foreign.is_empty() {
        return Ok(system);
    }
    let is_foreign = |name: &str| foreign.iter().any(|(other, _)| other == name);
    let mut parts = system.into_parts();
    let mut language_models = std::mem::take(&mut parts.language_models).into_iter();
    let mut files = std::mem::take(&mut parts.configuration.language_model_files).into_iter();
    let mut models = std::mem::take(&mut parts.reordering_models).into_iter();
    let mut vocabularies = std::mem::take(&mut parts.sparse_vocabularies).into_iter();
    parts.operation_models.clear();
    parts.joint_model = None;
    for feature in std::mem::take(&mut parts.configuration.features) {
        let keep = !is_foreign(&feature.name);
        match &feature.kind {
            FeatureKind::LanguageModel => {
                let (model, file) = (language_models.next(), files.next());
                parts.language_models.extend(model.filter(|_| keep));
                parts
                    .configuration
                    .language_model_files
                    .extend(file.filter(|_| keep));
            }
            FeatureKind::ReorderingTable(_) | FeatureKind::ReorderingModel(_) => {
                let is_model = matches!(feature.kind, FeatureKind::ReorderingModel(_));
                let model = if is_model { models.next() } else { None };
                parts.reordering_models.extend(model.filter(|_| keep));
                parts
                    .sparse_vocabularies
                    .extend(vocabularies.next().filter(|_| keep));
            }
            _ => {}
        }
        if keep {
            parts.configuration.features.push(feature);
        } else {
            let prefix = format!("{}_", feature.name);
            parts
                .sparse_weights
                .retain(|name, _| !name.starts_with(&prefix));
        }
    }
    System::new(parts)
}

/// Writes the ARPA file of a model whose n-grams are found again in the text that it was estimated on.
fn recover_arpa(
    system: &System,
    number: usize,
    text: Option<&Path>,
    stages: Option<&Path>,
    folder: &Path,
) -> Result<()> {
    let model = system.language_models()[number].model();
    let mut candidates: Vec<PathBuf> = text.map(Path::to_path_buf).into_iter().collect();
    if text.is_none() {
        let entries = stages.and_then(|stages| std::fs::read_dir(stages).ok());
        let paths = entries.into_iter().flatten().flatten();
        candidates = paths
            .map(|entry| entry.path().join("train.target"))
            .filter(|path| path.is_file())
            .collect();
        candidates.sort();
    }
    let mut last = None;
    for path in candidates {
        match recovered(model, &path) {
            Ok(list) => {
                let output = folder.join(format!("lm{number}.arpa.gz"));
                return Ok(list.write(output)?);
            }
            Err(error) => last = Some((path, error)),
        }
    }
    let message = match last {
        Some((path, error)) => return Err(Error::configuration(path, error.to_string())),
        None => {
            "its ARPA file and the text it was made of are not there any more; name one of them (--lm, --lm-text)"
        }
    };
    let place = system.path().map_or("system".into(), Path::to_path_buf);
    Err(Error::configuration(
        place,
        format!("language model {number}: {message}"),
    ))
}

fn recovered(model: &chiasm_lm::Model, path: &Path) -> Result<NgramList> {
    if Container::is_container(path) {
        let text = MappedText::open(path)?;
        let words = text.vocabulary();
        let sentences = text
            .sentences()
            .map(|line| line.iter().map(|&word| words.word(word)));
        return Ok(NgramList::recover(model, sentences)?);
    }
    let lines = chiasm_text::read_lines(path)?;
    let sentences = lines.iter().map(|line| chiasm_text::tokens(line));
    Ok(NgramList::recover(model, sentences)?)
}

/// Copies an ARPA file after checking that it is the model of the system.
fn copy_arpa(system: &System, number: usize, from: &Path, folder: &Path) -> Result<()> {
    let model = chiasm_lm::Model::open(from)?;
    if model.counts() != system.language_models()[number].model().counts() {
        let message = format!("not language model {number} of the system: its counts differ");
        return Err(Error::configuration(from, message));
    }
    let mut lines = Lines::open(from)?;
    let mut output = TextOutput::create(folder.join(format!("lm{number}.arpa.gz")))?;
    while let Some(line) = lines.next_line()? {
        output.write_text(line.as_bytes())?;
        output.write_text(b"\n")?;
    }
    Ok(output.finish()?)
}

fn shapes(system: &System) -> Vec<(&Feature, &ReorderingShape)> {
    let features = system.configuration().features.iter();
    features
        .filter_map(|feature| match &feature.kind {
            FeatureKind::ReorderingTable(shape) => Some((feature, shape)),
            _ => None,
        })
        .collect()
}

fn write_tables(system: &System, folder: &Path) -> Result<()> {
    let table = system.phrase_table();
    let layout = system.layout();
    let phrase_scores = layout.phrase_scores.len();
    let mut phrases = TextOutput::create(folder.join("phrase-table.gz"))?;
    let widths: Vec<usize> = shapes(system)
        .iter()
        .map(|(_, shape)| shape.columns())
        .collect();
    let mut orientations = Vec::new();
    for number in 0..widths.len() {
        let path = folder.join(format!("reordering-table.{number}.gz"));
        orientations.push(TextOutput::create(path)?);
    }
    let mut row = vec![0.0; layout.table_columns];
    let mut line = String::new();
    table.visit::<Error>(&mut |source, options| {
        let source: Vec<&str> = source
            .iter()
            .map(|&w| system.source_words().word(w))
            .collect();
        let source = source.join(" ");
        for number in options {
            let option = table.option(number)?;
            table.scores(number, &mut row)?;
            let target = option
                .target
                .iter()
                .map(|&word| system.target_words().word(word));
            let target = target.collect::<Vec<_>>().join(" ");
            line.clear();
            let _ = write!(line, "{source} ||| {target} |||");
            push_probabilities(&mut line, &row[..phrase_scores]);
            line.push_str(" |||");
            for link in option.links {
                let _ = write!(line, " {}-{}", link.source, link.target);
            }
            line.push_str(" ||| ||| |||\n");
            phrases.write_text(line.as_bytes())?;
            let mut first = phrase_scores;
            for (output, width) in orientations.iter_mut().zip(&widths) {
                let scores = &row[first..first + width];
                first += width;
                // A pair that the table did not have scores 0 throughout.
                if scores.iter().all(|&score| score == 0.0) {
                    continue;
                }
                line.clear();
                let _ = write!(line, "{source} ||| {target} |||");
                push_probabilities(&mut line, scores);
                line.push('\n');
                output.write_text(line.as_bytes())?;
            }
        }
        Ok(())
    })?;
    phrases.finish()?;
    for output in orientations {
        output.finish()?;
    }
    Ok(())
}

fn push_probabilities(line: &mut String, scores: &[f32]) {
    for &score in scores {
        let _ = write!(line, " {:e}", f64::from(score).exp());
    }
}

/// The names of the word lists and classes of each reordering feature: Moses takes what stands behind the last hyphen
/// of an option for the name, so hyphens are left out.
fn set_names(system: &System) -> std::result::Result<Vec<Vec<String>>, String> {
    let mut all = Vec::new();
    for (feature, shape) in shapes(system) {
        let sets = shape.sparse.iter().flat_map(|sparse| &sparse.vocabularies);
        let names: Vec<String> = sets.clone().map(|set| set.name.replace('-', "")).collect();
        let options: Vec<String> = sets
            .zip(&names)
            .map(|(set, name)| option(set, name))
            .collect();
        let twice = (1..options.len()).find(|&at| options[..at].contains(&options[at]));
        if let Some(at) = twice {
            return Err(format!(
                "feature {}: two lists would be {}",
                feature.name, options[at]
            ));
        }
        all.push(names);
    }
    Ok(all)
}

/// The option that names a list: `sparse-words-source-topn`.
fn option(set: &SparseVocabularyShape, name: &str) -> String {
    let what = if set.is_classes { "clusters" } else { "words" };
    let side = match set.side {
        Side::Source => "source",
        Side::Target => "target",
    };
    format!("sparse-{what}-{side}-{name}")
}

fn list_file(feature: usize, set: &SparseVocabularyShape, name: &str) -> String {
    option(set, name).replacen('-', &format!(".{feature}."), 1)
}

fn write_sparse(system: &System, sets: &[Vec<String>], folder: &Path) -> Result<()> {
    for (number, (_, shape)) in shapes(system).iter().enumerate() {
        let lists = shape.sparse.iter().flat_map(|sparse| &sparse.vocabularies);
        let lists = lists.zip(&sets[number]);
        for ((set, name), words) in lists.zip(system.sparse_vocabularies(number)) {
            let mut output = TextOutput::create(folder.join(list_file(number, set, name)))?;
            for (word, label) in words.pairs() {
                let line = if set.is_classes {
                    format!("{word}\t{label}\n")
                } else {
                    format!("{word}\n")
                };
                output.write_text(line.as_bytes())?;
            }
            output.finish()?;
        }
    }
    let weights = system.weights().sparse;
    if !weights.is_empty() {
        let mut output = TextOutput::create(folder.join("sparse-weights"))?;
        for (name, weight) in &weights {
            let name = system.sparse_feature(name).map_or_else(
                || name.clone(),
                |feature| system.sparse_name_in(feature, &sets[feature.feature()]),
            );
            output.write_text(format!("{name} {weight}\n").as_bytes())?;
        }
        output.finish()?;
    }
    Ok(())
}

/// The type of a reordering table as Moses spells it.
fn reordering_type(shape: &ReorderingShape) -> String {
    let kind = match shape.orientation {
        OrientationKind::Word => "wbe",
        OrientationKind::Phrase => "phrase",
        OrientationKind::Hier => "hier",
    };
    format!("{kind}-{}-{}-fe", shape.classes, shape.directions)
}

fn ini_text(system: &System, sets: &[Vec<String>]) -> String {
    let configuration = system.configuration();
    let search = &configuration.search;
    let limit = search.distortion_limit;
    let limit = limit.map_or("-1".to_string(), |limit| limit.to_string());
    let algorithm = match search.algorithm {
        SearchAlgorithm::Stack => 0,
        SearchAlgorithm::Cube => 1,
    };
    let mut text = format!(
        "[input-factors]\n0\n\n[mapping]\n0 T 0\n\n[distortion-limit]\n{limit}\n\n\
         [search-algorithm]\n{algorithm}\n\n[stack]\n{}\n\n[cube-pruning-pop-limit]\n{}\n\n\
         [beam-threshold]\n{}\n\n[feature]\n",
        search.stack, search.pop_limit, search.beam_threshold
    );
    let (mut models, mut tables) = (0, 0);
    for feature in &configuration.features {
        let name = &feature.name;
        let count = feature.weights.len();
        let _ = match &feature.kind {
            FeatureKind::Distortion => writeln!(text, "Distortion name={name}"),
            FeatureKind::WordPenalty => writeln!(text, "WordPenalty name={name}"),
            FeatureKind::PhrasePenalty => writeln!(text, "PhrasePenalty name={name}"),
            FeatureKind::UnknownWordPenalty => writeln!(text, "UnknownWordPenalty name={name}"),
            FeatureKind::PhraseTable => writeln!(
                text,
                "PhraseDictionaryMemory name={name} num-features={count} path=phrase-table.gz \
                 input-factor=0 output-factor=0 table-limit={}",
                configuration.search.table_limit
            ),
            FeatureKind::LanguageModel => {
                models += 1;
                let model = &system.language_models()[models - 1];
                let (number, order) = (models - 1, model.model().order());
                writeln!(
                    text,
                    "KENLM name={name} factor=0 path=lm{number}.arpa.gz order={order}"
                )
            }
            // They have been left out: see `foreign_features`.
            FeatureKind::OperationModel
            | FeatureKind::OperationSupport
            | FeatureKind::JointModel => Ok(()),
            FeatureKind::ReorderingTable(shape) | FeatureKind::ReorderingModel(shape) => {
                let kind = reordering_type(shape);
                let names = sets.get(tables).map_or(&[][..], Vec::as_slice);
                let sparse = sparse_parameters(tables, shape, names);
                tables += 1;
                writeln!(
                    text,
                    "LexicalReordering name={name} num-features={count} type={kind} \
                     input-factor=0 output-factor=0 path=reordering-table.{}.gz{sparse}",
                    tables - 1
                )
            }
        };
    }
    text.push_str("\n[weight]\n");
    for feature in &configuration.features {
        let weights: Vec<String> = feature.weights.iter().map(f32::to_string).collect();
        let _ = writeln!(text, "{}= {}", feature.name, weights.join(" "));
    }
    if !system.weights().sparse.is_empty() {
        text.push_str("\n[weight-file]\nsparse-weights\n");
    }
    text
}

fn sparse_parameters(number: usize, shape: &ReorderingShape, names: &[String]) -> String {
    let mut text = String::new();
    let Some(sparse) = &shape.sparse else {
        return text;
    };
    for (flag, name) in [
        (sparse.phrase, "phrase"),
        (sparse.stack, "stack"),
        (sparse.between, "between"),
    ] {
        if flag {
            let _ = write!(text, " sparse-{name}=1");
        }
    }
    for (set, name) in sparse.vocabularies.iter().zip(names) {
        let (option, file) = (option(set, name), list_file(number, set, name));
        let _ = write!(text, " {option}={file}");
    }
    text
}
