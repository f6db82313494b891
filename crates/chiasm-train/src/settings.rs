//! Everything that training can be told. Its defaults live here and nowhere else: the library, `chiasm train`,
//! `chiasm tune` and `chiasm init` show the same.

pub use crate::choices::{CaseTreatment, Preset, SparseParts, Table, Tuner};
use crate::{Error, Result};
use chiasm_phrases::{Directions, PhraseSmoothing};
use chiasm_reorder::{FeatureSet, Recipe, TableName};
use chiasm_work::{MemorySize, as_text};
use serde::{Deserialize, Serialize};

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
    /// The joint model.
    pub joint: JointSettings,
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
    /// The longest n-grams of a model of operation sequences (Durrani et al. 2015); 0 is none.
    pub operations: usize,
    /// Word classes of a second such model, on classes; 0 is none.
    pub operation_classes: usize,
}

/// The search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchSettings {
    /// Candidates for the longest jump; the best on the development set is taken. 0 is no limit.
    pub distortion_limits: Vec<u16>,
    /// Hypotheses that the search scores for each number of translated words.
    pub pop_limit: usize,
    /// What becomes of words that the phrase table does not know.
    pub unknown: chiasm_decode::Unknown,
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

/// The joint model: a neural model of target words, inside the search, that looks at both languages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JointSettings {
    /// Is there to be one?
    pub train: bool,
    /// Words of each language that are told apart, at most.
    pub words: usize,
    /// Numbers that stand for a word.
    pub embedding: usize,
    /// Numbers of the hidden layer.
    pub hidden: usize,
    /// Words that are learned from in all passes together; 0 is by the amount of text.
    pub examples: usize,
    /// The share of the hidden layer that is dropped while training.
    pub dropout: f32,
    /// The learning rate after the warm-up; from there it falls.
    pub learning_rate: f32,
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
    /// Steps of training at most; 0 is by the amount of text.
    pub steps: usize,
    /// Target subwords of a step.
    pub batch: usize,
    /// The share of numbers inside the network that is dropped while training; 0 is by the amount of text.
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
            joint: JointSettings::default(),
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
        // What scored best on Japanese-English text (docs/reordering-in-translation.md).
        let mut learned = both_ways(15, Some(0.01), 0.02);
        learned.features.words.unaligned = true;
        ReorderingSettings {
            table: Table(Some(TableName {
                kind: chiasm_phrases::OrientationKind::Hier,
                classes: chiasm_phrases::ClassSet::Msd,
                directions: Directions::Bidirectional,
            })),
            models: vec![learned],
            sparse: false,
            sparse_parts: SparseParts::All,
            sparse_classes: 50,
            sparse_words: 80,
            operations: 0,
            operation_classes: 0,
        }
    }
}

impl Default for SearchSettings {
    fn default() -> Self {
        SearchSettings {
            distortion_limits: vec![6, 12, 0],
            // More takes more time in proportion, and brings hardly anything (docs/translation.md).
            pop_limit: 600,
            unknown: chiasm_decode::Unknown::Nearest,
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
            pop_limit: 1000,
            sentences: 1000,
            seed: 0,
        }
    }
}

impl Default for JointSettings {
    fn default() -> Self {
        JointSettings {
            // What it brings and costs, and what smaller ones do: docs/translation.md.
            train: true,
            words: 16_000,
            embedding: 96,
            hidden: 256,
            examples: 0,
            dropout: 0.2,
            learning_rate: 0.002,
        }
    }
}

impl Default for RankerSettings {
    fn default() -> Self {
        RankerSettings {
            // What it brings and costs: docs/translation.md.
            train: true,
            size: chiasm_neural::Size::Auto,
            steps: 0,
            batch: 600,
            dropout: 0.0,
            label_smoothing: 0.1,
            learning_rate: 0.002,
            warm_up: 1000,
            patience: 5,
            nbest: 50,
        }
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
                settings.tune.pop_limit = 400;
                settings.text.dev_pairs = 500;
                settings.reordering.models = vec![both_ways(7, None, 0.01)];
                settings.joint.train = false;
                settings.ranker.train = false;
            }
            Preset::Standard => {}
            Preset::Best => {
                settings.align.preset = chiasm_align::Preset::Best;
                settings.tune.iterations = 20;
                settings.tune.nbest = 200;
                settings.tune.pop_limit = 2000;
                settings.search.pop_limit = 5000;
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
        let order = self.reordering.operations;
        if order > chiasm_lm::MAX_ORDER {
            let reason = format!("{order} is more than {}", chiasm_lm::MAX_ORDER);
            return complain("reordering.operations", reason);
        }
        if self.reordering.operation_classes > 0 && order == 0 {
            let reason = "there is no model of operations: reordering.operations is 0".into();
            return complain("reordering.operation_classes", reason);
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
        if let Err(error) = crate::joint::recipe(self).check() {
            return complain("joint", error.to_string());
        }
        if let Err(error) = crate::ranking::recipe(self).check() {
            return complain("ranker", error.to_string());
        }
        if self.ranker.train
            && let Err(error) = crate::ranking::recipe(self).check_memory()
        {
            let reason = format!("{error}; train = false (--ranker off) does without");
            return complain("ranker", reason);
        }
        Ok(())
    }
}
