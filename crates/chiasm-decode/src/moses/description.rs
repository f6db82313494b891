//! What a `moses.ini` describes, in our terms and checked.

use super::ini::{Ini, Line};
use super::old_dialect;
use crate::Result;
use crate::configuration::{
    Configuration, Feature, FeatureKind, ReorderingShape, SearchAlgorithm, SearchSettings, Side,
    SparseShape, SparseVocabularyShape,
};
use chiasm_phrases::{ClassSet, Directions, OrientationKind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The files and features of a Moses model.
#[derive(Clone, Debug)]
pub struct Description {
    /// Features with weights, search settings.
    pub configuration: Configuration,
    /// The phrase table.
    pub phrase_table: PathBuf,
    /// ARPA files, in the order of the features.
    pub language_models: Vec<PathBuf>,
    /// Reordering tables, in the order of the features.
    pub reordering_tables: Vec<ReorderingTable>,
    /// Files of sparse weights.
    pub sparse_weights: Vec<PathBuf>,
}

/// A reordering table and its sparse features' word lists.
#[derive(Clone, Debug)]
pub struct ReorderingTable {
    /// The table.
    pub path: PathBuf,
    /// Does it know the target side (`fe`), or the source side alone (`f`)?
    pub knows_target: bool,
    /// Files of words or classes, in the order of the shape.
    pub vocabularies: Vec<PathBuf>,
}

impl Description {
    /// All files that the model is made of.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = vec![self.phrase_table.clone()];
        files.extend(
            self.language_models
                .iter()
                .chain(&self.sparse_weights)
                .cloned(),
        );
        for table in &self.reordering_tables {
            files.push(table.path.clone());
            files.extend(table.vocabularies.iter().cloned());
        }
        files
    }
}

/// Reads and checks a `moses.ini` of either dialect.
pub fn describe(path: &Path) -> Result<Description> {
    let ini = Ini::read(path)?;
    if ini.section("feature").is_none() && ini.section("ttable-file").is_some() {
        return old_dialect::describe(&ini);
    }
    check_sections(&ini, &CURRENT_SECTIONS)?;
    let mut description = Description {
        configuration: Configuration {
            search: search_settings(&ini)?,
            made_by: Some("imported from Moses".into()),
            ..Configuration::default()
        },
        phrase_table: PathBuf::new(),
        language_models: Vec::new(),
        reordering_tables: Vec::new(),
        sparse_weights: Vec::new(),
    };
    let weights = read_weights(&ini)?;
    let mut counts = BTreeMap::new();
    for line in ini
        .section("feature")
        .iter()
        .flat_map(|section| &section.lines)
    {
        let parsed = FeatureLine::parse(&ini, line, &mut counts)?;
        add_feature(&ini, &parsed, &weights, &mut description)?;
    }
    for line in ini
        .section("weight-file")
        .iter()
        .flat_map(|section| &section.lines)
    {
        description
            .sparse_weights
            .push(ini.find_file(line.number, &line.text)?);
    }
    for (name, (number, _)) in &weights {
        let features = &description.configuration.features;
        if !features.iter().any(|feature| &feature.name == name) {
            return Err(ini.error(
                *number,
                format!("weights of {name}, which is not a feature"),
            ));
        }
    }
    if description.phrase_table.as_os_str().is_empty() {
        return Err(ini.error(1, "no phrase table among the features"));
    }
    Ok(description)
}

/// Sections that are understood, and those that only say how Moses should run.
const CURRENT_SECTIONS: [&str; 14] = [
    "input-factors",
    "mapping",
    "distortion-limit",
    "feature",
    "weight",
    "weight-file",
    "stack",
    "beam-threshold",
    "cube-pruning-pop-limit",
    "search-algorithm",
    "max-phrase-length",
    "threads",
    "verbose",
    "v",
];

pub(super) fn check_sections(ini: &Ini, known: &[&str]) -> Result<()> {
    for section in &ini.sections {
        if !known.contains(&section.name.as_str()) {
            let what = format!("section [{}]", section.name);
            return Err(ini.unsupported(section.number, what));
        }
        let expected: &[&str] = match section.name.as_str() {
            "input-factors" => &["0"],
            "mapping" => &["0 T 0", "T 0"],
            _ => continue,
        };
        for line in &section.lines {
            if !expected.contains(&line.text.as_str()) {
                let what = format!("{:?} in [{}] (one factor only)", line.text, section.name);
                return Err(ini.unsupported(line.number, what));
            }
        }
    }
    Ok(())
}

pub(super) fn search_settings(ini: &Ini) -> Result<SearchSettings> {
    let mut settings = SearchSettings::default();
    if let Some(limit) = ini.value::<i32>("distortion-limit")? {
        settings.distortion_limit = u16::try_from(limit).ok();
    }
    if let Some(stack) = ini.value("stack")? {
        settings.stack = stack;
    }
    if let Some(threshold) = ini.value("beam-threshold")? {
        settings.beam_threshold = threshold;
    }
    if let Some(limit) = ini.value("cube-pruning-pop-limit")? {
        settings.pop_limit = limit;
    }
    match ini.value::<u32>("search-algorithm")? {
        None | Some(1) => {}
        Some(0) => settings.algorithm = SearchAlgorithm::Stack,
        Some(other) => {
            let line = ini
                .section("search-algorithm")
                .map_or(1, |section| section.number);
            return Err(ini.unsupported(line, format!("search algorithm {other}")));
        }
    }
    Ok(settings)
}

type NamedWeights = BTreeMap<String, (u64, Vec<f32>)>;

fn read_weights(ini: &Ini) -> Result<NamedWeights> {
    let mut weights = NamedWeights::new();
    for line in ini
        .section("weight")
        .iter()
        .flat_map(|section| &section.lines)
    {
        let Some((name, values)) = line.text.split_once('=') else {
            return Err(ini.error(line.number, "a feature name, = and its weights expected"));
        };
        let values = values
            .split_whitespace()
            .map(|text| ini.number(line.number, text));
        let values = values.collect::<Result<Vec<f32>>>()?;
        weights.insert(name.trim().to_string(), (line.number, values));
    }
    Ok(weights)
}

/// A line of `[feature]`: the kind of feature and its parameters.
struct FeatureLine {
    number: u64,
    class: String,
    name: String,
    parameters: BTreeMap<String, String>,
}

impl FeatureLine {
    fn parse(ini: &Ini, line: &Line, counts: &mut BTreeMap<String, usize>) -> Result<Self> {
        let mut words = line.text.split_whitespace();
        let class = words.next().unwrap_or_default().to_string();
        let mut parameters = BTreeMap::new();
        for word in words {
            let Some((key, value)) = word.split_once('=') else {
                return Err(ini.error(line.number, format!("key=value expected, {word:?} found")));
            };
            parameters.insert(key.to_string(), value.to_string());
        }
        let count = counts.entry(class.clone()).or_insert(0);
        let default = format!("{class}{count}");
        *count += 1;
        Ok(FeatureLine {
            number: line.number,
            name: parameters.remove("name").unwrap_or(default),
            class,
            parameters,
        })
    }

    fn take(&mut self, key: &str) -> Option<String> {
        self.parameters.remove(key)
    }

    fn required(&mut self, ini: &Ini, key: &str) -> Result<String> {
        let message = format!("{} needs {key}=...", self.class);
        self.take(key)
            .ok_or_else(|| ini.error(self.number, message))
    }
}

fn add_feature(
    ini: &Ini,
    line: &FeatureLine,
    weights: &NamedWeights,
    description: &mut Description,
) -> Result<()> {
    let mut line = FeatureLine {
        number: line.number,
        class: line.class.clone(),
        name: line.name.clone(),
        parameters: line.parameters.clone(),
    };
    let declared = line.take("num-features");
    line.take("tuneable");
    let mut expected = 1;
    let kind = match line.class.as_str() {
        "Distortion" => FeatureKind::Distortion,
        "WordPenalty" => FeatureKind::WordPenalty,
        "PhrasePenalty" => FeatureKind::PhrasePenalty,
        "UnknownWordPenalty" => FeatureKind::UnknownWordPenalty,
        "PhraseDictionaryMemory" => {
            if !description.phrase_table.as_os_str().is_empty() {
                return Err(ini.unsupported(line.number, "a second phrase table"));
            }
            expected = match &declared {
                Some(text) => text.parse().map_err(|_| {
                    ini.error(line.number, format!("a number expected, {text:?} found"))
                })?,
                None => weights.get(&line.name).map_or(4, |entry| entry.1.len()),
            };
            check_factors(ini, &mut line)?;
            let path = line.required(ini, "path")?;
            description.phrase_table = ini.find_file(line.number, &path)?;
            if let Some(limit) = line.take("table-limit") {
                description.configuration.search.table_limit =
                    ini.number(line.number, &limit)? as usize;
            }
            FeatureKind::PhraseTable
        }
        "KENLM" | "SRILM" | "IRSTLM" => {
            line.take("order");
            line.take("lazyken");
            line.take("load");
            if line.take("factor").is_some_and(|factor| factor != "0") {
                return Err(ini.unsupported(line.number, "a language model of another factor"));
            }
            let path = line.required(ini, "path")?;
            description
                .language_models
                .push(ini.find_file(line.number, &path)?);
            FeatureKind::LanguageModel
        }
        "LexicalReordering" => {
            let shape = add_reordering(ini, &mut line, description)?;
            expected = shape.columns();
            FeatureKind::ReorderingTable(shape)
        }
        other => return Err(ini.unsupported(line.number, format!("feature {other}"))),
    };
    if let Some((key, value)) = line.parameters.first_key_value() {
        let what = format!("{key}={value} of {}", line.class);
        return Err(ini.unsupported(line.number, what));
    }
    let weights = match weights.get(&line.name) {
        Some((_, values)) if values.len() == expected => values.clone(),
        Some((number, values)) => {
            let message = format!(
                "{expected} weights of {} expected, {} found",
                line.name,
                values.len()
            );
            return Err(ini.error(*number, message));
        }
        None if kind == FeatureKind::UnknownWordPenalty => vec![1.0],
        None => {
            let message = format!("no weights of {} in [weight]", line.name);
            return Err(ini.error(line.number, message));
        }
    };
    description.configuration.features.push(Feature {
        name: line.name,
        weights,
        kind,
    });
    Ok(())
}

fn check_factors(ini: &Ini, line: &mut FeatureLine) -> Result<()> {
    for key in ["input-factor", "output-factor"] {
        if line.take(key).is_some_and(|factor| factor != "0") {
            return Err(ini.unsupported(line.number, format!("{key} other than 0")));
        }
    }
    Ok(())
}

fn add_reordering(
    ini: &Ini,
    line: &mut FeatureLine,
    description: &mut Description,
) -> Result<ReorderingShape> {
    check_factors(ini, line)?;
    let name = line.required(ini, "type")?;
    let (mut shape, knows_target) = parse_reordering_type(ini, line.number, &name)?;
    let path = line.required(ini, "path")?;
    let mut sparse = SparseShape::default();
    let mut vocabularies = Vec::new();
    for (key, value) in std::mem::take(&mut line.parameters) {
        let flag = value != "0" && value != "false";
        match key.as_str() {
            "sparse-phrase" => sparse.phrase = flag,
            "sparse-stack" => sparse.stack = flag,
            "sparse-between" => sparse.between = flag,
            _ => match parse_vocabulary_key(&key) {
                Some(vocabulary) => {
                    sparse.vocabularies.push(vocabulary);
                    vocabularies.push(ini.find_file(line.number, &value)?);
                }
                None => {
                    line.parameters.insert(key, value);
                }
            },
        }
    }
    let has_sparse = sparse.phrase || sparse.stack || sparse.between;
    shape.sparse = has_sparse.then_some(sparse);
    if !has_sparse {
        vocabularies.clear();
    }
    description.reordering_tables.push(ReorderingTable {
        path: ini.find_file(line.number, &path)?,
        knows_target,
        vocabularies,
    });
    Ok(shape)
}

/// `sparse-words-source-NAME`, `sparse-clusters-target-NAME` and so on.
fn parse_vocabulary_key(key: &str) -> Option<SparseVocabularyShape> {
    let rest = key.strip_prefix("sparse-")?;
    let (is_classes, rest) = match rest.strip_prefix("words-") {
        Some(rest) => (false, rest),
        None => (true, rest.strip_prefix("clusters-")?),
    };
    let (side, name) = match rest.strip_prefix("source-") {
        Some(name) => (Side::Source, name),
        None => (Side::Target, rest.strip_prefix("target-")?),
    };
    (!name.is_empty() && !name.contains(':')).then(|| SparseVocabularyShape {
        name: name.to_string(),
        side,
        is_classes,
    })
}

/// Reads e.g. `hier-msd-bidirectional-fe`; the second value tells whether the table knows the
/// target side.
pub(super) fn parse_reordering_type(
    ini: &Ini,
    number: u64,
    name: &str,
) -> Result<(ReorderingShape, bool)> {
    let (mut orientation, mut classes) = (OrientationKind::Word, None::<ClassSet>);
    let (mut directions, mut knows_target) = (Directions::Backward, None);
    for part in name.split('-') {
        match part {
            "backward" | "unidirectional" => directions = Directions::Backward,
            "forward" => directions = Directions::Forward,
            "bidirectional" => directions = Directions::Bidirectional,
            "fe" => knows_target = Some(true),
            "f" => knows_target = Some(false),
            "allff" => {}
            _ => {
                if let Ok(kind) = part.parse() {
                    orientation = kind;
                } else if let Some(set) = part
                    .parse()
                    .ok()
                    .filter(|set: &ClassSet| set.is_of_tables())
                {
                    classes = Some(set);
                } else {
                    let what = format!("{part:?} in the reordering type {name}");
                    return Err(ini.unsupported(number, what));
                }
            }
        }
    }
    let (Some(classes), Some(knows_target)) = (classes, knows_target) else {
        let expected =
            format!("a reordering type such as hier-msd-bidirectional-fe expected, {name:?} found");
        return Err(ini.error(number, expected));
    };
    let shape = ReorderingShape {
        orientation,
        classes,
        directions,
        sparse: None,
    };
    Ok((shape, knows_target))
}
