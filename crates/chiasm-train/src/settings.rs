//! Everything that training can be told. Its defaults live here and nowhere else: the library, `chiasm train`,
//! `chiasm tune` and `chiasm init` show the same.

use crate::{Error, Result};
use chiasm_decode::Case;
use chiasm_phrases::{Directions, PhraseSmoothing};
use chiasm_reorder::{FeatureSet, Recipe, TableName};
use chiasm_tune::{Method, mert, mira, pro};
use chiasm_work::{MemorySize, as_text};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The whole configuration; sections and keys are those of the commented template.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Reading, cleaning, the development set.
    pub text: TextSettings,
    /// Word alignment.
    pub align: AlignSettings,
    /// The language model.
    pub lm: LanguageModelSettings,
    /// The phrase table.
    pub phrases: PhraseSettings,
    /// How phrases move.
    pub reordering: ReorderingSettings,
    /// The search.
    pub search: SearchSettings,
    /// The weights.
    pub tune: TuneSettings,
    /// The neural ranker.
    pub ranker: RankerSettings,
    /// Memory for counting and sorting.
    pub memory: MemorySize,
    /// Seed of everything random.
    pub seed: u64,
}

/// Reading, cleaning, the development set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextSettings {
    /// What becomes of capitals in text that is not tokenised.
    pub case: CaseTreatment,
    /// Pairs with a longer side are left out of training.
    pub max_length: usize,
    /// Pairs whose sides differ more in length are left out.
    pub max_ratio: f64,
    /// Leave out repeated pairs?
    pub drop_duplicates: bool,
    /// Pairs cut from the training text when no development set is given.
    pub dev_pairs: usize,
}

/// Word alignment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AlignSettings {
    /// The model and its effort.
    #[serde(with = "as_text")]
    pub preset: chiasm_align::Preset,
    /// How the two directions become one.
    #[serde(with = "as_text")]
    pub symmetrise: chiasm_align::Method,
    /// The share of words without a counterpart, a priori. Less than an aligner alone would take: the fewer
    /// words stay unaligned, the fewer accidental phrase pairs there are.
    pub null_probability: f32,
    /// Alignments that phrase pairs are counted in, each from random numbers of its own.
    pub alignments: usize,
}

/// The language model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LanguageModelSettings {
    /// The longest n-grams.
    pub order: usize,
    /// For each order, n-grams seen at most so often are left out.
    pub prune: Vec<u64>,
    /// Word classes of a second model, of classes instead of words; 0 is none.
    pub classes: usize,
    /// The longest n-grams of that model.
    pub class_order: usize,
}

/// The phrase table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PhraseSettings {
    /// The longest phrase.
    pub max_length: usize,
    /// How counts become probabilities.
    #[serde(with = "as_text")]
    pub smoothing: PhraseSmoothing,
}

/// How phrases move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReorderingSettings {
    /// The lexicalised table.
    #[serde(with = "as_text")]
    pub table: Table,
    /// Learned models, each written as the options of `chiasm reorder train`.
    pub models: Vec<Recipe>,
    /// Sparse features (Cherry 2013) beside them: one weight a frequent word or class and place.
    pub sparse: bool,
    /// What sparse features look at.
    #[serde(with = "as_text")]
    pub sparse_parts: SparseParts,
    /// Word classes of sparse features; 0 is none.
    pub sparse_classes: usize,
    /// Frequent words of sparse features.
    pub sparse_words: usize,
}

/// The search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchSettings {
    /// Candidates for the longest jump; the best on the development set is taken. 0 is no limit.
    pub distortion_limits: Vec<u16>,
    /// Hypotheses that the search makes for each number of translated words.
    pub pop_limit: usize,
}

/// The weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TuneSettings {
    /// How weights are found.
    #[serde(with = "as_text")]
    pub method: Tuner,
    /// Rounds at most.
    pub iterations: usize,
    /// Rounds without a better score after which tuning ends.
    pub patience: usize,
    /// Length of the n-best lists.
    pub nbest: usize,
    /// Hypotheses of the search while tuning.
    pub pop_limit: usize,
    /// Development sentences that are used.
    pub sentences: usize,
    /// Seed of tuning; 0 is the seed of everything.
    pub seed: u64,
}

/// The neural ranker: a small Transformer that chooses among the translations that the search finds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RankerSettings {
    /// Is there to be one?
    pub train: bool,
    /// How large it is.
    #[serde(with = "as_text")]
    pub size: chiasm_neural::Size,
    /// Steps of training at most; 0 is by the number of sentence pairs.
    pub steps: usize,
    /// Target subwords of a step.
    pub batch: usize,
    /// The share of numbers inside the network that is dropped while training.
    pub dropout: f32,
    /// The share of probability that all subwords are to have in common.
    pub label_smoothing: f32,
    /// The learning rate after the warm-up; from there it falls.
    pub learning_rate: f32,
    /// Steps in which it grows.
    pub warm_up: usize,
    /// Looks at the development set without a better likelihood after which training ends.
    pub patience: usize,
    /// Translations that it chooses among.
    pub nbest: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            text: TextSettings::default(),
            align: AlignSettings::default(),
            lm: LanguageModelSettings::default(),
            phrases: PhraseSettings::default(),
            reordering: ReorderingSettings::default(),
            search: SearchSettings::default(),
            tune: TuneSettings::default(),
            ranker: RankerSettings::default(),
            memory: MemorySize(4 << 30),
            seed: 1,
        }
    }
}

impl Default for TextSettings {
    fn default() -> Self {
        TextSettings {
            case: CaseTreatment::Truecase,
            max_length: 80,
            max_ratio: 9.0,
            drop_duplicates: false,
            dev_pairs: 1000,
        }
    }
}

impl Default for AlignSettings {
    fn default() -> Self {
        AlignSettings {
            preset: chiasm_align::Preset::Standard,
            symmetrise: chiasm_align::Method::GrowDiagFinalAnd,
            null_probability: 0.03,
            alignments: 4,
        }
    }
}

impl Default for LanguageModelSettings {
    fn default() -> Self {
        LanguageModelSettings {
            order: 5,
            prune: Vec::new(),
            classes: 200,
            class_order: 6,
        }
    }
}

impl Default for PhraseSettings {
    fn default() -> Self {
        PhraseSettings {
            max_length: 7,
            smoothing: PhraseSmoothing::None,
        }
    }
}

/// A model that looks at both neighbours, learned by the SVM.
fn both_ways(set: usize, strength: Option<f64>, gap: f64) -> Recipe {
    let learner = chiasm_learn::Recipe {
        c: strength.map(chiasm_learn::Strength::Fixed),
        gap,
        ..chiasm_learn::Recipe::default()
    };
    Recipe {
        method: chiasm_reorder::Method::Learned(learner),
        features: FeatureSet::numbered(set).unwrap_or_else(FeatureSet::usual),
        directions: Directions::Bidirectional,
        ..Recipe::default()
    }
}

impl Default for ReorderingSettings {
    fn default() -> Self {
        ReorderingSettings {
            table: Table(Some(TableName {
                kind: chiasm_phrases::OrientationKind::Hier,
                classes: chiasm_phrases::ClassSet::Msd,
                directions: Directions::Bidirectional,
            })),
            // What scored best on the development set of a Japanese-English corpus (docs/translation.md).
            models: vec![both_ways(15, Some(0.01), 0.02)],
            sparse: false,
            sparse_parts: SparseParts::All,
            sparse_classes: 50,
            sparse_words: 80,
        }
    }
}

impl Default for SearchSettings {
    fn default() -> Self {
        SearchSettings {
            distortion_limits: vec![6, 12, 0],
            // 300 takes 0.35 of the time and may cost a third of a BLEU point (docs/translation.md).
            pop_limit: 1000,
        }
    }
}

impl Default for TuneSettings {
    fn default() -> Self {
        TuneSettings {
            method: Tuner::Mira,
            iterations: 10,
            patience: 4,
            nbest: 100,
            pop_limit: 300,
            sentences: 1000,
            seed: 0,
        }
    }
}

impl Default for RankerSettings {
    fn default() -> Self {
        RankerSettings {
            train: false,
            size: chiasm_neural::Size::Auto,
            steps: 0,
            batch: 600,
            dropout: 0.2,
            label_smoothing: 0.1,
            learning_rate: 0.002,
            warm_up: 1000,
            patience: 5,
            nbest: 50,
        }
    }
}

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
    /// Slower and better: the best aligner, more rounds, a wider search, a neural ranker.
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

/// More translations only take time.
const MOST_RANKED: usize = 1000;

/// More alignments bring nothing, and each takes time and memory.
const MOST_ALIGNMENTS: usize = 64;

impl Settings {
    /// The settings of a preset.
    pub fn preset(preset: Preset) -> Self {
        let mut settings = Settings::default();
        match preset {
            Preset::Quick => {
                settings.align.preset = chiasm_align::Preset::Fast;
                settings.lm.classes = 0;
                settings.tune.iterations = 4;
                settings.tune.sentences = 200;
                settings.tune.pop_limit = 100;
                settings.text.dev_pairs = 500;
                settings.reordering.models = vec![both_ways(7, None, 0.01)];
            }
            Preset::Standard => {}
            Preset::Best => {
                settings.align.preset = chiasm_align::Preset::Best;
                settings.tune.iterations = 20;
                settings.tune.nbest = 200;
                settings.tune.pop_limit = 500;
                settings.search.pop_limit = 2000;
                settings.ranker.train = true;
            }
        }
        settings
    }

    /// The seed of tuning.
    pub fn tuning_seed(&self) -> u64 {
        match self.tune.seed {
            0 => self.seed,
            seed => seed,
        }
    }

    /// Can all of this be done? A mistake of the last stage is better found before the first.
    pub fn check(&self) -> Result<()> {
        let complain = |key: &'static str, reason: String| Err(Error::Setting { key, reason });
        let wanted = self.align.alignments;
        if !(1..=MOST_ALIGNMENTS).contains(&wanted) {
            let reason = format!("{wanted} is not between 1 and {MOST_ALIGNMENTS}");
            return complain("align.alignments", reason);
        }
        let share = self.align.null_probability;
        if !(share > 0.0 && share < 1.0) {
            let reason = format!("{share} is not between 0 and 1");
            return complain("align.null_probability", reason);
        }
        for model in &self.reordering.models {
            if let Err(error) = model.check() {
                return complain("reordering.models", format!("'{model}': {error}"));
            }
        }
        if self.ranker.train && !(2..=MOST_RANKED).contains(&self.ranker.nbest) {
            let reason = format!("{} is not between 2 and {MOST_RANKED}", self.ranker.nbest);
            return complain("ranker.nbest", reason);
        }
        if let Err(error) = crate::ranking::recipe(self).check() {
            return complain("ranker", error.to_string());
        }
        Ok(())
    }

    /// Reads a configuration file over a preset: what the file does not say stays.
    pub fn read_over(preset: Preset, text: &str) -> std::result::Result<Self, String> {
        let mut base =
            toml::Table::try_from(Settings::preset(preset)).map_err(|e| e.to_string())?;
        let complaint = |error| complaint(&error, text);
        let file: toml::Table = toml::from_str(text).map_err(complaint)?;
        // Alone first: what is laid over a preset no longer knows its line.
        toml::from_str::<Settings>(text).map_err(complaint)?;
        overlay(&mut base, file);
        base.try_into()
            .map_err(|error: toml::de::Error| error.message().to_string())
    }
}

fn complaint(error: &toml::de::Error, text: &str) -> String {
    let line = error
        .span()
        .map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    // A key that is not known is named by the message itself.
    let named = error.message().starts_with("unknown field");
    let key = line
        .filter(|_| !named)
        .map_or(String::new(), |line| key_of(text, line));
    match line {
        Some(line) => format!("line {line}: {key}{}", error.message()),
        None => error.message().to_string(),
    }
}

/// `section.key: ` of a line, counted from 1.
fn key_of(text: &str, line: usize) -> String {
    let mut section = String::new();
    for (number, line_text) in text.lines().enumerate() {
        let trimmed = line_text.trim();
        if let Some(name) = trimmed.strip_prefix('[') {
            section = format!("{}.", name.trim_end_matches(']'));
        }
        if number + 1 == line {
            let key = trimmed.split_once('=').map(|(key, _)| key.trim());
            return key.map_or(String::new(), |key| format!("{section}{key}: "));
        }
    }
    String::new()
}

fn overlay(base: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(value)) => overlay(inner, value),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

/// What `chiasm init` writes.
pub const TEMPLATE: &str = "\
# How `chiasm train --config THIS_FILE` builds a system. Everything here is the default of the
# standard preset; delete what you do not change. The command line has the last word.

memory = \"4G\"       # for counting and sorting; what does not fit goes to disk
seed = 1            # the same seed gives the same bytes

[text]
case = \"truecase\"   # words as inside sentences; or lower, keep (not for tokenised text)
max_length = 80     # pairs with a longer side are left out of training
max_ratio = 9.0     # so are pairs whose sides differ more in length
drop_duplicates = false
dev_pairs = 1000    # cut from the training text when no development set is given

[align]
preset = \"standard\" # fast, standard, best
symmetrise = \"grow-diag-final-and\"
null_probability = 0.03 # a priori share of words without a counterpart; more leaves more unaligned
alignments = 4      # from different seeds; phrase pairs are counted in all of them

[lm]
order = 5
prune = []          # e.g. [0, 0, 1]: n-grams of order 3 and more seen once are left out
classes = 200       # a second model of this many word classes; 0 is none
class_order = 6

[phrases]
max_length = 7
smoothing = \"none\" # relative frequencies, or \"kneser-ney\"

[reordering]
table = \"hier-msd-bidirectional-fe\" # or \"none\"
# Learned models beside it, each as the options of `chiasm reorder train`; [] is none.
models = [\"--learner svm --features S15 --c 0.01 --direction both --gap 0.02\"]
sparse = false      # a weight for each frequent word or class that moves; needs mira or pro
sparse_parts = \"all\" # or \"phrase\": not the phrase before nor the words between
sparse_classes = 50 # 0 is none
sparse_words = 80

[search]
distortion_limits = [6, 12, 0] # candidates; the best on the development set is taken; 0 is no limit
pop_limit = 1000

[tune]
method = \"mira\"     # mira, mert, pro, pro-classic (as published), none
iterations = 10
patience = 4        # rounds without a better score after which tuning ends
nbest = 100
pop_limit = 300
sentences = 1000    # of the development set
seed = 0            # 0: the seed above

[ranker]
train = false       # a small neural model that chooses among the translations that the search finds
size = \"auto\"       # by the number of sentence pairs; or tiny, small, base
steps = 0           # of training at most; 0: by the number of sentence pairs
batch = 600         # target subwords of a step
dropout = 0.2
label_smoothing = 0.1
learning_rate = 0.002 # after the warm-up; from there it falls
warm_up = 1000
patience = 5        # looks at the development set without a better likelihood after which training ends
nbest = 50          # translations that it chooses among
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_says_the_defaults() {
        let read = Settings::read_over(Preset::Quick, TEMPLATE).unwrap();
        assert_eq!(read, Settings::default());
    }

    #[test]
    fn a_file_changes_what_it_says_and_nothing_else() {
        let read = Settings::read_over(Preset::Best, "[lm]\norder = 3\n").unwrap();
        let mut expected = Settings::preset(Preset::Best);
        expected.lm.order = 3;
        assert_eq!(read, expected);
        let unknown = Settings::read_over(Preset::Best, "[lm]\nordre = 3\n").unwrap_err();
        assert!(unknown.contains("ordre"), "{unknown}");
        assert!(unknown.starts_with("line 2"), "{unknown}");
        let negative = Settings::read_over(Preset::Best, "\n[lm]\nclasses = -3\n").unwrap_err();
        assert!(negative.starts_with("line 3"), "{negative}");
        let broken = Settings::read_over(Preset::Best, "[lm]\norder = \n").unwrap_err();
        assert!(broken.starts_with("line 2"), "{broken}");
    }
}
