//! Options that the commands on learned models share.

use crate::commands::corpus_options::{
    BudgetOptions, CorpusOptions, ExtractionOptions, OrientationName, orientation_name,
};
use crate::commands::learner_options::LearnerKind;
use crate::context::Context;
use chiasm_phrases::{Directions, IndexedCorpus};
use chiasm_reorder::classes::{WordClasses, read_classes};
use chiasm_reorder::{ClassTable, ContextMarks, ExampleOptions, FeatureSet, Task};
use chiasm_text::{Text, Vocabulary};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// `--learner`: a method of `chiasm-learn`, or the table of phrase pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Features and a classifier.
    Learned(LearnerKind),
    /// Smoothed frequencies of phrase pairs.
    Lexicalised,
}

/// Reads `--learner`.
pub fn method(text: &str) -> Result<Method, String> {
    if text == "lexicalised" {
        return Ok(Method::Lexicalised);
    }
    LearnerKind::from_str(text, false)
        .map(Method::Learned)
        .map_err(|_| {
            let kinds = LearnerKind::value_variants().iter();
            let names: Vec<String> = kinds
                .filter_map(|kind| Some(kind.to_possible_value()?.get_name().to_string()))
                .collect();
            format!("'{text}' is none of {}, lexicalised", names.join(", "))
        })
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
    /// (word|phrase|hier)-(msd|mslr|monotonicity|leftright); wbe is word.
    #[arg(long, value_name = "NAME", default_value = "hier-msd", value_parser = orientation_name)]
    pub orientation: OrientationName,
    /// backward, forward or both.
    #[arg(long, value_name = "WHICH", default_value = "backward")]
    pub direction: Directions,
    /// S1..S15, S7+unaligned, S7+classes, S7/classes, or parts joined by +: words, boundaries,
    /// alignments, unaligned, context=N, the same with class- before them, anova=1|2|<=2.
    #[arg(long, value_name = "SET", default_value = "S7+unaligned")]
    pub features: FeatureSet,
    /// What tells context words apart: none, side or distance.
    #[arg(long, value_name = "MARKS", default_value = "distance")]
    pub context_marks: ContextMarks,
    /// Whether positions beyond the sentence are features.
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub sentence_edges: Switch,
    /// Drop features seen less often.
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u64).range(1..))]
    pub min_count: u64,
    /// Drop features seen in fewer sentence pairs: one pair can show a feature many times, in
    /// phrases that overlap.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub min_sentences: u64,
    /// Classes of source words (word, tab, class a line) for features that look at classes
    /// [default: clustered from the source text].
    #[arg(long, value_name = "FILE")]
    pub source_classes: Option<PathBuf>,
    /// Classes of target words.
    #[arg(long, value_name = "FILE")]
    pub target_classes: Option<PathBuf>,
    /// How many classes to cluster where no file is given.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub classes: usize,
}

impl FeatureOptions {
    /// The features.
    pub fn set(&self) -> FeatureSet {
        FeatureSet {
            marks: self.context_marks,
            edges: self.sentence_edges == Switch::On,
            ..self.features
        }
    }

    /// What orientation is.
    pub fn task(&self, extraction: &ExtractionOptions) -> Task {
        Task {
            extraction: extraction.extraction(self.orientation.kind),
            classes: self.orientation.classes,
            directions: self.direction,
        }
    }

    /// Can the words be clustered, where the features look at classes and no file has them?
    pub fn check_classes(&self, corpus: &CorpusOptions, context: &Context) -> anyhow::Result<()> {
        let sides = [
            (&self.source_classes, &corpus.source),
            (&self.target_classes, &corpus.target),
        ];
        for (classes, text) in sides {
            if !self.features.needs_classes() && classes.is_some() {
                context.say(format!("note: {} looks at no word classes", self.features));
            }
            anyhow::ensure!(
                !self.features.needs_classes() || classes.is_some() || text.is_file(),
                "{}: word classes are clustered from this text, which is then read twice; name a file, or give the classes",
                text.display()
            );
        }
        Ok(())
    }

    /// The classes of both sides, if the features look at any.
    pub fn class_tables(
        &self,
        corpus: &CorpusOptions,
        context: &Context,
    ) -> anyhow::Result<[ClassTable; 2]> {
        if !self.features.needs_classes() {
            return Ok([ClassTable::default(), ClassTable::default()]);
        }
        let (source, target) = rayon::join(
            || class_table(&self.source_classes, &corpus.source, self.classes, context),
            || class_table(&self.target_classes, &corpus.target, self.classes, context),
        );
        Ok([source?, target?])
    }

    /// What examples are made of.
    pub fn example_options(
        &self,
        extraction: &ExtractionOptions,
        budget: &BudgetOptions,
        folder: PathBuf,
        held_out: u64,
    ) -> ExampleOptions {
        ExampleOptions {
            task: self.task(extraction),
            features: self.set(),
            min_count: self.min_count,
            min_sentences: self.min_sentences,
            merging: true,
            held_out,
            budget: budget.bytes(),
            folder,
        }
    }
}

/// Rounds of clustering.
pub const ROUNDS: u32 = 20;

/// Word classes of a text.
pub struct Clustered {
    /// The text, in words of the vocabulary.
    pub text: Text,
    /// Its words, the most frequent first.
    pub vocabulary: Vocabulary,
    /// Their classes.
    pub found: WordClasses,
}

/// Clusters the words of a text.
pub fn cluster(
    path: &Path,
    classes: usize,
    rounds: u32,
    context: &Context,
) -> anyhow::Result<Clustered> {
    let mut vocabulary = Vocabulary::new();
    let mut text = Text::read(path, &mut vocabulary)?;
    anyhow::ensure!(
        !vocabulary.is_empty(),
        "{}: no words, so no classes",
        path.display()
    );
    let mut counts = vec![0u64; vocabulary.len()];
    text.tokens
        .iter()
        .for_each(|&word| counts[word as usize] += 1);
    let (vocabulary, new) = vocabulary.by_frequency(&counts);
    text.renumber(&new);
    let progress = context.progress("classes", "rounds", None);
    let found = WordClasses::cluster(&text, vocabulary.len(), classes, rounds, &progress)?;
    Ok(Clustered {
        text,
        vocabulary,
        found,
    })
}

fn class_table(
    file: &Option<PathBuf>,
    text: &Path,
    count: usize,
    context: &Context,
) -> anyhow::Result<ClassTable> {
    if let Some(file) = file {
        let classes = read_classes(file)?;
        let words = classes.iter().map(|(word, class)| (word.as_str(), *class));
        return Ok(ClassTable::new(words)?);
    }
    let clustered = cluster(text, count, ROUNDS, context)?;
    let classes = clustered.found.classes.iter().copied();
    Ok(ClassTable::new(clustered.vocabulary.words().zip(classes))?)
}

/// Reads a corpus.
pub fn read_corpus(
    corpus: &CorpusOptions,
    folder: &Path,
    context: &Context,
) -> anyhow::Result<IndexedCorpus> {
    let progress = context.progress("read", "pairs", None);
    Ok(IndexedCorpus::read(&corpus.files(), folder, &progress)?)
}
