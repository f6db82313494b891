//! Options that the commands on learned models share.

use crate::commands::corpus_options::{CorpusOptions, ExtractionOptions};
use crate::commands::extract;
use crate::context::Context;
use chiasm_phrases::{ClassSet, Directions, IndexedCorpus, OrientationKind, SourceTags};
use chiasm_reorder::recipe::orientation_name;
use chiasm_reorder::{ContextMarks, FeatureSet, Method, Recipe};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

static USUAL: LazyLock<Recipe> = LazyLock::new(Recipe::default);

/// `--learner`: a method that learns, or the table of phrase pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LearnerName {
    /// Features and a classifier.
    Learned(chiasm_learn::Method),
    /// Smoothed frequencies of phrase pairs.
    Lexicalised,
}

/// Reads `--learner`.
pub fn learner_name(text: &str) -> Result<LearnerName, String> {
    if text == "lexicalised" {
        return Ok(LearnerName::Lexicalised);
    }
    let complaint = |error: String| error.replace(" expected", ", lexicalised expected");
    text.parse().map(LearnerName::Learned).map_err(complaint)
}

/// `on` or `off`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Yes.
    On,
    /// No.
    Off,
}

/// What the model tells apart and what it looks at.
#[derive(Args, Clone)]
#[command(next_help_heading = "Features")]
pub struct FeatureOptions {
    /// (word|phrase|hier)-(msd|mslr|monotonicity|leftright|straightinverted|distance); wbe is word.
    #[arg(long, value_name = "NAME", default_value = "hier-msd", value_parser = orientation_name)]
    pub orientation: (OrientationKind, ClassSet),
    /// backward, forward or both.
    #[arg(long, value_name = "WHICH", default_value_t = USUAL.directions)]
    pub direction: Directions,
    /// S1..S15, S7+unaligned, S7+classes, S7/classes, S7+tags, S7/tags, or parts joined by +: words, boundaries,
    /// alignments, unaligned, context=N, the same with class- or tag- before them, pair, by-phrase, anova=1|2|<=2|3|<=3.
    #[arg(long, value_name = "SET", default_value_t = USUAL.features)]
    pub features: FeatureSet,
    /// What tells context words apart: none, side or distance.
    #[arg(long, value_name = "MARKS", default_value_t = USUAL.features.marks)]
    pub context_marks: ContextMarks,
    /// Whether positions beyond the sentence are features.
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub sentence_edges: Switch,
    /// Drop features seen less often.
    #[arg(long, value_name = "N", default_value_t = USUAL.min_count, value_parser = clap::value_parser!(u64).range(1..))]
    pub min_count: u64,
    /// Drop features seen in fewer sentence pairs: one pair can show a feature many times, in
    /// phrases that overlap.
    #[arg(long, value_name = "N", default_value_t = USUAL.min_sentences, value_parser = clap::value_parser!(u64).range(1..))]
    pub min_sentences: u64,
    /// Classes of source words (word, tab, class a line) for features that look at classes
    /// [default: clustered from the source text].
    #[arg(long, value_name = "FILE")]
    pub source_classes: Option<PathBuf>,
    /// Classes of target words.
    #[arg(long, value_name = "FILE")]
    pub target_classes: Option<PathBuf>,
    /// Tags of source words for features that look at them, a tag a word [default: word|tag in the source text].
    #[arg(long, value_name = "FILE")]
    pub source_tags: Option<PathBuf>,
    /// How many classes to cluster where no file is given.
    #[arg(long, value_name = "N", default_value_t = USUAL.word_classes)]
    pub classes: usize,
}

impl FeatureOptions {
    /// The recipe that these options and a method make.
    pub fn recipe(&self, method: Method, extraction: &ExtractionOptions) -> Recipe {
        Recipe {
            method,
            orientation: self.orientation.0,
            classes: self.orientation.1,
            directions: self.direction,
            forward_rule: extraction.forward_rule,
            max_length: Some(extraction.max_length.into()),
            features: FeatureSet {
                marks: self.context_marks,
                edges: self.sentence_edges == Switch::On,
                ..self.features
            },
            min_count: self.min_count,
            min_sentences: self.min_sentences,
            word_classes: self.classes,
            class_files: [self.source_classes.clone(), self.target_classes.clone()],
            ..Recipe::default()
        }
    }
}

/// Reads a corpus, with tags of its source words if there are any.
pub fn read_corpus(
    corpus: &CorpusOptions,
    tags: &SourceTags,
    folder: &Path,
    context: &Context,
) -> anyhow::Result<IndexedCorpus> {
    let progress = context.progress("read", "pairs", None);
    let corpus = IndexedCorpus::read_tagged(&corpus.files(), tags, folder, &progress)?;
    extract::warn(&corpus.passed, context);
    Ok(corpus)
}
