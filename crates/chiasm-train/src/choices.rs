//! The words that settings choose among, and what each stands for.

use chiasm_decode::Case;
use chiasm_reorder::TableName;
use chiasm_tune::{Method, mert, mira, pro};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What becomes of capitals in text that is not tokenised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CaseTreatment {
    /// Words are written as inside sentences.
    Truecase,
    /// Everything in small letters.
    Lower,
    /// As it is.
    Keep,
}

impl CaseTreatment {
    /// What models then know of capitals. Text that is tokenised already is taken as it is.
    pub fn case(self, tokenised: bool) -> Case {
        match self {
            _ if tokenised => Case::Kept,
            CaseTreatment::Truecase => Case::Truecased,
            CaseTreatment::Lower => Case::Lower,
            CaseTreatment::Keep => Case::Kept,
        }
    }
}

/// The name of a lexicalised table, such as hier-msd-bidirectional-fe, or `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table(pub Option<TableName>);

impl FromStr for Table {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "none" => Ok(Table(None)),
            name => Ok(Table(Some(name.parse()?))),
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("none"),
            Some(name) => name.fmt(f),
        }
    }
}

/// What sparse features look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SparseParts {
    /// The phrase, the one before it, and the words between them.
    All,
    /// The phrase alone.
    Phrase,
}

impl SparseParts {
    /// All of them with their names.
    pub const NAMES: [(&'static str, SparseParts); 2] =
        [("all", SparseParts::All), ("phrase", SparseParts::Phrase)];
}

impl FromStr for SparseParts {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        named(&SparseParts::NAMES, text)
    }
}

impl fmt::Display for SparseParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        name_of(&SparseParts::NAMES, self, f)
    }
}

/// How weights are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tuner {
    /// k-best batch MIRA, also for sparse features.
    Mira,
    /// Minimum error rate training.
    Mert,
    /// Pairwise ranking optimisation.
    Pro,
    /// The same as it was published (Hopkins & May 2011).
    ProClassic,
    /// Weights stay as they are.
    None,
}

impl Tuner {
    /// All of them with their names.
    pub const NAMES: [(&'static str, Tuner); 5] = [
        ("mert", Tuner::Mert),
        ("pro", Tuner::Pro),
        ("pro-classic", Tuner::ProClassic),
        ("mira", Tuner::Mira),
        ("none", Tuner::None),
    ];

    /// The method, if there is to be any.
    pub fn method(self) -> Option<Method> {
        match self {
            Tuner::Mert => Some(Method::Mert(mert::Settings::default())),
            Tuner::Pro => Some(Method::Pro(pro::Settings::default())),
            Tuner::ProClassic => Some(Method::Pro(pro::Settings::published())),
            Tuner::Mira => Some(Method::Mira(mira::Settings::default())),
            Tuner::None => None,
        }
    }
}

impl FromStr for Tuner {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        named(&Tuner::NAMES, text)
    }
}

impl fmt::Display for Tuner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        name_of(&Tuner::NAMES, self, f)
    }
}

fn name_of<T: PartialEq>(
    names: &[(&'static str, T)],
    value: &T,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let named = names.iter().find(|(_, known)| known == value);
    f.write_str(named.map_or("", |(name, _)| name))
}

fn named<T: Copy>(names: &[(&'static str, T)], text: &str) -> std::result::Result<T, String> {
    let found = names.iter().find(|(name, _)| *name == text);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<&str> = names.iter().map(|&(name, _)| name).collect();
        format!("'{text}' is none of {}", names.join(", "))
    })
}

/// Where to begin before the file and the command line have their say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// A look at the data: the quick aligner, few rounds of tuning on few sentences.
    Quick,
    /// What to use.
    #[default]
    Standard,
    /// Slower and better: the best aligner, more rounds, a wider search.
    Best,
}

impl Preset {
    /// All of them with their names.
    pub const NAMES: &'static [(&'static str, Preset)] = &[
        ("quick", Preset::Quick),
        ("standard", Preset::Standard),
        ("best", Preset::Best),
    ];
}

impl FromStr for Preset {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        named(Preset::NAMES, text)
    }
}
