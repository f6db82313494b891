//! How a model of orientation is made: what is told apart, what is looked at, who learns. One value for the
//! library, the command line and configurations; the defaults stand here and nowhere else.

use crate::competitors::options_like;
use crate::features::{Anova, FeatureSet};
use crate::kept::Filter;
use crate::settings::Task;
use crate::{Error, Result};
use chiasm_learn::options::TypedOption;
use chiasm_phrases::{ClassSet, Directions, Extraction, ForwardRule, OrientationKind};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Who says how a phrase moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// A classifier of features.
    Learned(chiasm_learn::Recipe),
    /// Smoothed frequencies of phrase pairs; the number is added to every count.
    Lexicalised(f64),
}

/// What the lexicalised model adds to every count, if nothing else is asked for (as Moses does).
pub const SMOOTHING: f64 = 0.5;

/// The most that may be added to every count.
pub const LARGEST_SMOOTHING: f64 = 1e30;

/// How a model of orientation is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// Who learns.
    pub method: Method,
    /// What counts as a neighbour.
    pub orientation: OrientationKind,
    /// Which orientations are told apart.
    pub classes: ClassSet,
    /// Which neighbours.
    pub directions: Directions,
    /// Which blocks the forward orientation looks at.
    pub forward_rule: ForwardRule,
    /// The longest phrase; none is that of the phrase table, or 7.
    pub max_length: Option<usize>,
    /// What is looked at.
    pub features: FeatureSet,
    /// Features seen less often are dropped.
    pub min_count: u64,
    /// Features seen in fewer sentence pairs are dropped.
    pub min_sentences: u64,
    /// Word classes for features that look at them: how many to cluster where no file has them.
    pub word_classes: usize,
    /// Files of the classes of source and target words.
    pub class_files: [Option<PathBuf>; 2],
    /// Sentence pairs kept aside to score the model; none where it learns from all.
    pub held_out: Option<u64>,
    /// What phrase pairs must be to be examples.
    pub filter: Filter,
    /// How many examples, at most.
    pub sample: Option<u64>,
    /// Do equal examples become one?
    pub merging: bool,
    /// Does a naive Bayes model keep the counts of all features, so that it can be merged? None is wherever
    /// that can be done without features of pairs.
    pub keep_counts: Option<bool>,
}

/// The longest phrase, if nothing else is asked for.
pub const LONGEST_PHRASE: usize = 7;

impl Default for Recipe {
    fn default() -> Self {
        Recipe {
            method: Method::Learned(chiasm_learn::Recipe::default()),
            orientation: OrientationKind::Hier,
            classes: ClassSet::Msd,
            directions: Directions::Backward,
            forward_rule: ForwardRule::Moses,
            max_length: None,
            features: FeatureSet::usual(),
            min_count: 11,
            min_sentences: 1,
            word_classes: 50,
            class_files: [None, None],
            held_out: None,
            filter: Filter::default(),
            sample: None,
            merging: true,
            keep_counts: None,
        }
    }
}

/// Reads `hier-msd`.
pub fn orientation_name(text: &str) -> std::result::Result<(OrientationKind, ClassSet), String> {
    let complaint = || {
        format!(
            "'{text}' is not an orientation such as hier-msd: \
             (word|phrase|hier)-(msd|mslr|monotonicity|leftright|straightinverted|distance)"
        )
    };
    let (kind, classes) = text.split_once('-').ok_or_else(complaint)?;
    let kind = kind.parse().map_err(|_| complaint())?;
    let classes = classes.parse().map_err(|_| complaint())?;
    Ok((kind, classes))
}

impl Recipe {
    /// What orientation is.
    pub fn task(&self) -> Task {
        let extraction = Extraction {
            max_length: self.max_length.unwrap_or(LONGEST_PHRASE),
            kind: self.orientation,
            forward_rule: self.forward_rule,
        };
        Task {
            extraction,
            classes: self.classes,
            directions: self.directions,
        }
    }

    /// The same with this longest phrase where none was given.
    pub fn or_max_length(&self, max_length: usize) -> Self {
        Recipe {
            max_length: self.max_length.or(Some(max_length)),
            ..self.clone()
        }
    }

    /// The same with this seed where none was given.
    pub fn or_seed(&self, seed: u64) -> Self {
        let method = match &self.method {
            Method::Learned(recipe) => Method::Learned(recipe.or_seed(seed)),
            other => other.clone(),
        };
        Recipe {
            method,
            ..self.clone()
        }
    }

    /// Can this be done?
    pub fn check(&self) -> Result<()> {
        if self.min_count == 0 || self.min_sentences == 0 {
            let reason = "min-count and min-sentences: at least 1 expected, 0 found";
            return Err(Error::Request(reason.into()));
        }
        if !self.classes.is_total() && self.directions.len() > 1 {
            return Err(Error::Request(format!(
                "classes {} are of neighbours in one direction: backward or forward expected",
                self.classes
            )));
        }
        if self.sample == Some(0) {
            let reason = "--sample: at least 1 expected, 0 found";
            return Err(Error::Request(reason.into()));
        }
        match &self.method {
            Method::Learned(recipe) => {
                recipe.check()?;
                let plain = self.features.anova == Anova::One && !self.features.by_phrase;
                if recipe.prior_lambda.is_some() && !plain {
                    let reason = "--prior-lambda is for features without products and by-phrase";
                    return Err(Error::Request(reason.into()));
                }
                if self.keep_counts == Some(true) && !self.keeps_counts() {
                    let reason = "--keep-counts on is for naive Bayes models without --select and --min-sentences";
                    return Err(Error::Request(reason.into()));
                }
            }
            Method::Lexicalised(smoothing) => {
                if !self.classes.is_of_tables() {
                    return Err(chiasm_phrases::Error::Classes(self.classes).into());
                }
                if !self.takes_all() {
                    let reason = "--filter and --sample are not for the lexicalised model, which counts all pairs";
                    return Err(Error::Request(reason.into()));
                }
                if !(*smoothing > 0.0 && *smoothing <= LARGEST_SMOOTHING) {
                    return Err(Error::Request(format!(
                        "--smoothing {smoothing}: a positive number of at most {LARGEST_SMOOTHING:e} is expected"
                    )));
                }
                if self.held_out.is_some() {
                    let reason =
                        "--held-out is not for the lexicalised model, which counts all pairs";
                    return Err(Error::Request(reason.into()));
                }
            }
        }
        Ok(())
    }

    /// Is every phrase pair an example?
    pub fn takes_all(&self) -> bool {
        self.filter == Filter::default() && self.sample.is_none()
    }

    /// What a model looks at: a prior of phrase pairs looks at them, too.
    pub fn looked_at(&self) -> FeatureSet {
        let with_prior = match &self.method {
            Method::Learned(recipe) => recipe.prior_lambda.is_some(),
            Method::Lexicalised(_) => false,
        };
        FeatureSet {
            pair: self.features.pair || with_prior,
            ..self.features
        }
    }

    /// What is said here and used by nobody.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Method::Learned(recipe) = &self.method {
            remarks.extend(recipe.remarks().into_iter().map(str::to_string));
            if !self.features.needs_classes() && self.class_files.iter().any(Option::is_some) {
                remarks.push(format!("{} looks at no word classes", self.features));
            }
        }
        remarks
    }

    /// Do the counts of all features go into the model?
    pub fn keeps_counts(&self) -> bool {
        let Method::Learned(recipe) = &self.method else {
            return false;
        };
        let single = self.features.anova == Anova::One;
        recipe.learner.is_naive_bayes()
            && self.keep_counts.unwrap_or(single)
            && !recipe.selects()
            && self.min_sentences == 1
    }

    fn take(&mut self, option: &TypedOption, smoothing: &mut f64) -> Result<()> {
        match option.name.as_str() {
            "learner" if option.value.as_deref() == Some("lexicalised") => {
                self.method = Method::Lexicalised(SMOOTHING);
            }
            "like" => {
                let like = options_like(option.required()?).map_err(Error::Request)?;
                for option in TypedOption::all(like)? {
                    self.take(&option, smoothing)?;
                }
            }
            "smoothing" => *smoothing = option.read()?,
            "orientation" => {
                let name = orientation_name(option.required()?).map_err(Error::Request)?;
                (self.orientation, self.classes) = name;
            }
            "direction" => self.directions = option.read()?,
            "forward-rule" => self.forward_rule = option.read()?,
            "max-length" => self.max_length = Some(option.read()?),
            "features" => {
                let set: FeatureSet = option.read()?;
                self.features = FeatureSet {
                    marks: self.features.marks,
                    edges: self.features.edges,
                    ..set
                };
            }
            "context-marks" => self.features.marks = option.read()?,
            "sentence-edges" => self.features.edges = option.switch()?,
            "min-count" => self.min_count = option.read()?,
            "min-sentences" => self.min_sentences = option.read()?,
            "classes" => self.word_classes = option.read()?,
            "source-classes" => self.class_files[0] = Some(option.required()?.into()),
            "target-classes" => self.class_files[1] = Some(option.required()?.into()),
            "held-out" => self.held_out = Some(option.read()?),
            "filter" => self.filter = option.read()?,
            "sample" => self.sample = Some(option.read()?),
            "no-merge" => self.merging = !option.flag()?,
            "keep-counts" => self.keep_counts = Some(option.switch()?),
            // What a command prints is not part of a model.
            "json" => {
                option.flag()?;
            }
            _ => {
                let known = match &mut self.method {
                    Method::Learned(recipe) => recipe.take(option)?,
                    Method::Lexicalised(_) => false,
                };
                if !known {
                    return Err(option.unexpected().into());
                }
            }
        }
        Ok(())
    }
}

impl FromStr for Recipe {
    type Err = Error;

    /// The options of `chiasm reorder train`, as they are typed.
    fn from_str(text: &str) -> Result<Self> {
        let mut recipe = Recipe::default();
        let mut smoothing = SMOOTHING;
        for option in TypedOption::all(text)? {
            recipe.take(&option, &mut smoothing)?;
        }
        if let Method::Lexicalised(added) = &mut recipe.method {
            *added = smoothing;
        }
        recipe.check()?;
        Ok(recipe)
    }
}

impl fmt::Display for Recipe {
    /// As it would be typed; what is the default is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = Recipe::default();
        match &self.method {
            Method::Learned(recipe) => write!(f, "{recipe}")?,
            Method::Lexicalised(smoothing) => {
                write!(f, "--learner lexicalised --smoothing {smoothing}")?;
            }
        }
        let plain = FeatureSet {
            marks: usual.features.marks,
            edges: usual.features.edges,
            ..self.features
        };
        if plain != usual.features {
            write!(f, " --features {plain}")?;
        }
        if self.features.marks != usual.features.marks {
            write!(f, " --context-marks {}", self.features.marks)?;
        }
        if self.features.edges != usual.features.edges {
            write!(f, " --sentence-edges off")?;
        }
        if (self.orientation, self.classes) != (usual.orientation, usual.classes) {
            write!(f, " --orientation {}-{}", self.orientation, self.classes)?;
        }
        if self.directions != usual.directions {
            write!(f, " --direction {}", self.directions)?;
        }
        if self.forward_rule != usual.forward_rule {
            write!(f, " --forward-rule {}", self.forward_rule)?;
        }
        if let Some(length) = self.max_length {
            write!(f, " --max-length {length}")?;
        }
        if self.min_count != usual.min_count {
            write!(f, " --min-count {}", self.min_count)?;
        }
        if self.min_sentences != usual.min_sentences {
            write!(f, " --min-sentences {}", self.min_sentences)?;
        }
        if self.word_classes != usual.word_classes {
            write!(f, " --classes {}", self.word_classes)?;
        }
        for (name, file) in ["source", "target"].iter().zip(&self.class_files) {
            if let Some(file) = file {
                write!(f, " --{name}-classes {}", file.display())?;
            }
        }
        if let Some(pairs) = self.held_out {
            write!(f, " --held-out {pairs}")?;
        }
        if self.filter != usual.filter {
            write!(f, " --filter {}", self.filter)?;
        }
        if let Some(examples) = self.sample {
            write!(f, " --sample {examples}")?;
        }
        if !self.merging {
            f.write_str(" --no-merge")?;
        }
        match self.keep_counts {
            Some(true) => f.write_str(" --keep-counts on"),
            Some(false) => f.write_str(" --keep-counts off"),
            None => Ok(()),
        }
    }
}

impl Serialize for Recipe {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Recipe {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse()
            .map_err(|error| serde::de::Error::custom(format!("'{text}': {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_is_read_as_it_is_typed_and_written_back() {
        for text in [
            "--learner svm --c 0.01 --gap 0.02 --features S15 --direction bidirectional",
            "--learner nb-map --features S7 --context-marks none --sentence-edges off --keep-counts off",
            "--learner lexicalised --smoothing 0.25 --orientation word-mslr --forward-rule exact --max-length 5",
            "--learner dual --sigma2 auto --features S7/classes --classes 80 --held-out 100 --no-merge",
            "--learner perceptron --features S7+tags --filter pair-count=2,distinct --sample 1000",
            "--learner lbfgs --prior-lambda 0.5 --features S10 --orientation word-distance",
        ] {
            let recipe: Recipe = text.parse().unwrap();
            assert_eq!(recipe.to_string(), text);
            let json = serde_json::to_string(&recipe).unwrap();
            assert_eq!(serde_json::from_str::<Recipe>(&json).unwrap(), recipe);
        }
        let usual: Recipe = "".parse().unwrap();
        assert_eq!(usual, Recipe::default());
        assert_eq!("--json".parse::<Recipe>().unwrap(), usual);
    }

    #[test]
    fn what_cannot_be_done_is_refused_and_says_why() {
        for (text, part) in [
            ("--features S16", "S16"),
            ("--orientation sideways", "hier-msd"),
            ("--orientation word-distances", "hier-msd"),
            (
                "--orientation hier-straightinverted --direction both",
                "one direction",
            ),
            (
                "--learner lexicalised --orientation word-distance",
                "tables and extraction files do not have them",
            ),
            ("--learner lexicalised --sample 5", "counts all pairs"),
            ("--sample 0", "at least 1"),
            ("--filter short", "pair-count=N"),
            ("--learner lbfgs --prior-lambda 2", "from 0 to 1"),
            (
                "--learner lbfgs --prior-lambda 0.5 --features S9",
                "without products",
            ),
            ("--direction up", "backward"),
            ("--min-count 0", "at least 1"),
            ("--learner lexicalised --smoothing 0", "--smoothing 0"),
            ("--learner lexicalised --c 1", "--c"),
            ("--learner svm --keep-counts on", "naive Bayes"),
            ("--output x", "--output"),
        ] {
            let error = text.parse::<Recipe>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
