//! What a model was made for, as it stands in its file.

use crate::features::FeatureSet;
use crate::{Error, Result};
use chiasm_phrases::SourceTags;
use chiasm_phrases::{ClassSet, Directions, Extraction, Extractor, ForwardRule, OrientationKind};
use chiasm_store::{Sections, Writer};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// What orientation is, and which phrases have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// How phrase pairs are found, and what counts as a neighbour.
    pub extraction: Extraction,
    /// Which orientations are told apart.
    pub classes: ClassSet,
    /// Which neighbours.
    pub directions: Directions,
}

impl Task {
    /// An extractor for one thread.
    pub fn extractor(&self) -> Extractor {
        let distances = self.classes == ClassSet::Distance;
        self.extraction.extractor().with_distances(distances)
    }

    /// Names of the classes, as learners want them.
    pub fn class_names(&self) -> Vec<String> {
        self.classes
            .names()
            .iter()
            .map(ToString::to_string)
            .collect()
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}-{}-{}",
            self.extraction.kind, self.classes, self.directions
        )
    }
}

/// The settings of a model: its task and, if it was learned, its features.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// What orientation is.
    pub task: Task,
    /// What a learned model looks at; none for a lexicalised one.
    pub features: Option<FeatureSet>,
    /// Features seen less often were dropped.
    pub min_count: u64,
    /// Features seen in fewer sentence pairs were dropped.
    pub min_sentences: u64,
    /// Features whose normalised mutual information with the class is below this were dropped.
    pub select: Option<f64>,
}

/// The same as JSON.
#[derive(Serialize, Deserialize)]
struct Written {
    orientation: String,
    classes: String,
    direction: String,
    max_length: usize,
    forward_rule: String,
    features: Option<FeatureSet>,
    min_count: u64,
    #[serde(default = "one")]
    min_sentences: u64,
    select: Option<f64>,
}

fn one() -> u64 {
    1
}

const SECTION: &str = "settings";

impl Settings {
    /// Where the tags are that the model looks at: in a file, or else behind the words.
    pub fn source_tags(&self, file: &Option<PathBuf>) -> SourceTags {
        let features = self.features.as_ref();
        features.map_or(SourceTags::None, |features| features.source_tags(file))
    }

    /// Writes section `settings`.
    pub fn write(&self, writer: &mut Writer) -> Result<()> {
        let task = &self.task;
        let rule = match task.extraction.forward_rule {
            ForwardRule::Moses => "moses",
            ForwardRule::Exact => "exact",
        };
        let written = Written {
            orientation: task.extraction.kind.to_string(),
            classes: task.classes.to_string(),
            direction: task.directions.to_string(),
            max_length: task.extraction.max_length,
            forward_rule: rule.into(),
            features: self.features,
            min_count: self.min_count,
            min_sentences: self.min_sentences,
            select: self.select,
        };
        let text = serde_json::to_string(&written)
            .map_err(|e| Error::Request(format!("the settings cannot be written: {e}")))?;
        Ok(writer.bytes(SECTION, text.as_bytes())?)
    }

    /// Reads what `write` wrote.
    pub fn read(sections: &Sections) -> Result<Self> {
        let corrupt = |reason: String| sections.corrupt(SECTION, &reason);
        let written: Written =
            serde_json::from_str(sections.text(SECTION)?).map_err(|e| corrupt(e.to_string()))?;
        let forward_rule = match written.forward_rule.as_str() {
            "moses" => ForwardRule::Moses,
            "exact" => ForwardRule::Exact,
            other => return Err(corrupt(format!("unknown forward rule {other}")).into()),
        };
        let extraction = Extraction {
            max_length: written.max_length,
            kind: OrientationKind::from_str(&written.orientation).map_err(corrupt)?,
            forward_rule,
        };
        let task = Task {
            extraction,
            classes: ClassSet::from_str(&written.classes).map_err(corrupt)?,
            directions: Directions::from_str(&written.direction).map_err(corrupt)?,
        };
        Ok(Settings {
            task,
            features: written.features,
            min_count: written.min_count,
            min_sentences: written.min_sentences,
            select: written.select,
        })
    }
}
