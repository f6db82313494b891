//! `moses.ini` as it was before feature lines: `[ttable-file]`, `[weight-t]` and the like.

use super::description::{
    Description, ReorderingTable, check_sections, parse_reordering_type, search_settings,
};
use super::ini::{Ini, Line};
use crate::Result;
use crate::configuration::{Configuration, Feature, FeatureKind};
use std::path::PathBuf;

const SECTIONS: [&str; 19] = [
    "input-factors",
    "mapping",
    "distortion-limit",
    "ttable-file",
    "ttable-limit",
    "lmodel-file",
    "distortion-file",
    "weight-t",
    "weight-l",
    "weight-d",
    "weight-w",
    "weight-u",
    "stack",
    "beam-threshold",
    "cube-pruning-pop-limit",
    "search-algorithm",
    "max-phrase-length",
    "threads",
    "verbose",
];

/// Weights of one section, taken from the front.
struct WeightList<'a> {
    ini: &'a Ini,
    section: &'static str,
    values: std::vec::IntoIter<f32>,
}

impl<'a> WeightList<'a> {
    fn new(ini: &'a Ini, section: &'static str) -> Result<Self> {
        Ok(WeightList {
            ini,
            section,
            values: ini.numbers(section)?.into_iter(),
        })
    }

    fn take(&mut self, count: usize) -> Result<Vec<f32>> {
        let taken: Vec<f32> = self.values.by_ref().take(count).collect();
        let line = self
            .ini
            .section(self.section)
            .map_or(1, |section| section.number);
        if taken.len() < count {
            let message = format!("[{}] has too few weights", self.section);
            return Err(self.ini.error(line, message));
        }
        Ok(taken)
    }

    fn finish(self) -> Result<()> {
        let line = self
            .ini
            .section(self.section)
            .map_or(1, |section| section.number);
        match self.values.len() {
            0 => Ok(()),
            _ => {
                let message = format!("[{}] has too many weights", self.section);
                Err(self.ini.error(line, message))
            }
        }
    }
}

pub(super) fn describe(ini: &Ini) -> Result<Description> {
    check_sections(ini, &SECTIONS)?;
    let mut search = search_settings(ini)?;
    if let Some(section) = ini.section("ttable-limit")
        && let Some(line) = section.lines.first()
    {
        search.table_limit = ini.number(line.number, &line.text)? as usize;
    }
    let mut features = Vec::new();
    let mut add = |name: String, kind: FeatureKind, weights: Vec<f32>| {
        features.push(Feature {
            name,
            weights,
            kind,
        });
    };
    let mut distortion = WeightList::new(ini, "weight-d")?;
    add(
        "UnknownWordPenalty0".into(),
        FeatureKind::UnknownWordPenalty,
        unknown_weight(ini)?,
    );
    let mut word = WeightList::new(ini, "weight-w")?;
    add(
        "WordPenalty0".into(),
        FeatureKind::WordPenalty,
        word.take(1)?,
    );
    word.finish()?;
    let (phrase_table, scores) = phrase_table(ini)?;
    let mut phrase = WeightList::new(ini, "weight-t")?;
    add(
        "TranslationModel0".into(),
        FeatureKind::PhraseTable,
        phrase.take(scores)?,
    );
    phrase.finish()?;
    let distance = distortion.take(1)?;
    let mut reordering_tables = Vec::new();
    for line in lines(ini, "distortion-file") {
        let fields: Vec<&str> = line.text.split_whitespace().collect();
        let &["0-0" | "0", name, count, path] = &fields[..] else {
            let expected = "0-0, a type, the number of weights and a path expected";
            return Err(ini.error(line.number, expected));
        };
        let (shape, knows_target) = parse_reordering_type(ini, line.number, name)?;
        if ini.number(line.number, count)? as usize != shape.columns() {
            let message = format!("{} weights expected for {name}", shape.columns());
            return Err(ini.error(line.number, message));
        }
        let name = format!("LexicalReordering{}", reordering_tables.len());
        let weights = distortion.take(shape.columns())?;
        add(name, FeatureKind::ReorderingTable(shape), weights);
        reordering_tables.push(ReorderingTable {
            path: ini.find_file(line.number, path)?,
            knows_target,
            vocabularies: Vec::new(),
        });
    }
    distortion.finish()?;
    add("Distortion0".into(), FeatureKind::Distortion, distance);
    let mut language = WeightList::new(ini, "weight-l")?;
    let mut language_models = Vec::new();
    for line in lines(ini, "lmodel-file") {
        let fields: Vec<&str> = line.text.split_whitespace().collect();
        let &[_, "0", _, path] = &fields[..] else {
            let expected = "a type, the factor 0, the order and a path expected";
            return Err(ini.error(line.number, expected));
        };
        let name = format!("LM{}", language_models.len());
        add(name, FeatureKind::LanguageModel, language.take(1)?);
        language_models.push(ini.find_file(line.number, path)?);
    }
    language.finish()?;
    Ok(Description {
        configuration: Configuration {
            search,
            made_by: Some("imported from Moses".into()),
            features,
            ..Configuration::default()
        },
        phrase_table,
        language_models,
        reordering_tables,
        sparse_weights: Vec::new(),
    })
}

fn lines<'a>(ini: &'a Ini, section: &str) -> &'a [Line] {
    ini.section(section).map_or(&[], |section| &section.lines)
}

fn unknown_weight(ini: &Ini) -> Result<Vec<f32>> {
    Ok(vec![ini.value("weight-u")?.unwrap_or(1.0)])
}

/// The phrase table and how many scores it has.
fn phrase_table(ini: &Ini) -> Result<(PathBuf, usize)> {
    let tables = lines(ini, "ttable-file");
    if let Some(second) = tables.get(1) {
        return Err(ini.unsupported(second.number, "a second phrase table"));
    }
    let Some(line) = tables.first() else {
        let number = ini
            .section("ttable-file")
            .map_or(1, |section| section.number);
        return Err(ini.error(number, "a phrase table expected in [ttable-file]"));
    };
    let fields: Vec<&str> = line.text.split_whitespace().collect();
    let &[implementation, "0", "0", scores, path] = &fields[..] else {
        let expected =
            "an implementation, the factors 0 0, the number of scores and a path expected";
        return Err(ini.error(line.number, expected));
    };
    if implementation != "0" && implementation != "6" {
        let what = format!("phrase table implementation {implementation} (only text tables)");
        return Err(ini.unsupported(line.number, what));
    }
    let scores = ini.number(line.number, scores)? as usize;
    Ok((ini.find_file(line.number, path)?, scores))
}
