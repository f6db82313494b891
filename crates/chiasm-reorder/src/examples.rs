//! From links and text to the examples that learners read.

use crate::class_table::ClassTable;
use crate::corpus_view::{CorpusWords, HeldOut, MOST_WORDS, PhraseFinder, base_features};
use crate::counting::Counting;
use crate::features::FeatureSet;
use crate::index::FeatureIndex;
use crate::kept::Kept;
use crate::settings::Task;
use crate::{Error, Result};
use chiasm_learn::{Builder, Examples};
use chiasm_phrases::{Direction, IndexedCorpus};
use chiasm_work::Progress;
use std::path::PathBuf;
use std::sync::Arc;

/// What examples are made of.
#[derive(Clone, Debug)]
pub struct ExampleOptions {
    /// What orientation is.
    pub task: Task,
    /// The features.
    pub features: FeatureSet,
    /// Features seen less often are dropped.
    pub min_count: u64,
    /// Features seen in fewer sentence pairs are dropped.
    pub min_sentences: u64,
    /// Whether examples with equal features become one.
    pub merging: bool,
    /// How many sentence pairs are kept aside.
    pub held_out: u64,
    /// The phrase pairs that are examples, of those that are not kept aside; none is all.
    pub kept: Option<Arc<Kept>>,
    /// Memory for counting.
    pub budget: usize,
    /// Where the rest goes.
    pub folder: PathBuf,
}

/// Examples of each direction, and what is needed to make a model of what is learned from them.
#[derive(Debug)]
pub struct ExampleSet {
    /// What was asked for.
    pub options: ExampleOptions,
    /// The features.
    pub index: FeatureIndex,
    /// Words of the corpus.
    pub words: CorpusWords,
    /// Classes of source and target words.
    pub classes: [ClassTable; 2],
    /// Examples of each direction, backward first.
    pub examples: Vec<Examples>,
    /// The same of the sentence pairs that were kept aside.
    pub held_out: Vec<Examples>,
}

#[derive(Default)]
struct Work {
    finder: PhraseFinder,
    base: Vec<(u64, u32)>,
    known: Vec<(u32, u32)>,
    features: Vec<u32>,
    /// For each example: orientations and whether it is held out, number of features, features.
    records: Vec<u32>,
}

const HELD_OUT: u32 = 1 << 16;

impl ExampleSet {
    /// Counts the features of a corpus, cuts, and gathers the examples.
    pub fn build(
        corpus: &mut IndexedCorpus,
        options: ExampleOptions,
        classes: [ClassTable; 2],
        progress: &dyn Progress,
    ) -> Result<Self> {
        check(corpus, &options.features)?;
        let words = CorpusWords::new(
            corpus,
            |word| classes[0].word(word),
            |word| classes[1].word(word),
        );
        let total = corpus.passed.sentence_pairs;
        if total == 0 {
            return Err(Error::Request("no sentence pairs to learn from".into()));
        }
        if options.held_out >= total {
            return Err(Error::Request(format!(
                "{} sentence pairs held out of {total}: nothing is left to learn from",
                options.held_out
            )));
        }
        let held_out = HeldOut {
            count: options.held_out,
            total,
        };
        let counting = Counting {
            task: &options.task,
            set: &options.features,
            words: &words,
            held_out,
            kept: options.kept.as_deref(),
            min_count: options.min_count * corpus.alignments as u64,
            min_sentences: options.min_sentences,
            budget: options.budget,
            folder: &options.folder,
        };
        let index = FeatureIndex::count(corpus, &counting, progress)?;
        if index.is_empty() {
            return Err(options.no_features(options.min_count));
        }
        let (examples, held_out) = gather(
            corpus,
            &options,
            &index,
            &words,
            (held_out, false),
            progress,
        )?;
        Ok(ExampleSet {
            options,
            index,
            words,
            classes,
            examples,
            held_out,
        })
    }

    /// Drops the features that were seen less often than `min_count` times, after all have been counted.
    pub fn cut(&mut self, min_count: u64) -> Result<()> {
        let seen = self.seen();
        let often = |feature: u32| seen[feature as usize] >= min_count;
        if !seen.iter().any(|&times| times >= min_count) {
            return Err(self.options.no_features(min_count));
        }
        for examples in self.examples.iter_mut().chain(&mut self.held_out) {
            *examples = examples.with_features(often)?;
        }
        Ok(())
    }

    /// How often each feature was seen.
    pub fn seen(&self) -> Vec<u64> {
        let examples = &self.examples[0];
        let mut seen = vec![0u64; self.index.len()];
        for index in examples.scan() {
            let pairs = examples.pairs_of(index);
            let weight: u64 = pairs.map(|pair| examples.pair_weight(pair) as u64).sum();
            for (feature, value) in examples.row(index).entries() {
                seen[feature as usize] += weight * value as u64;
            }
        }
        seen
    }
}

impl ExampleOptions {
    pub(crate) fn no_features(&self, min_count: u64) -> Error {
        Error::NoFeatures {
            features: self.features,
            min_count,
            min_sentences: self.min_sentences,
        }
    }
}

/// Can features be made of this corpus?
pub(crate) fn check(corpus: &IndexedCorpus, features: &FeatureSet) -> Result<()> {
    if features.needs_tags() && corpus.tags.is_none() {
        return Err(Error::no_tags());
    }
    let most = corpus
        .source
        .vocabulary
        .len()
        .max(corpus.target.vocabulary.len());
    if most > MOST_WORDS {
        let reason = format!("{most} different words; at most {MOST_WORDS} are supported");
        return Err(Error::Request(reason));
    }
    Ok(())
}

/// The classes of all directions together are one number, so that the directions share their rows.
struct JointClasses {
    directions: usize,
    names: Vec<String>,
}

impl JointClasses {
    fn new(task: &Task) -> Self {
        JointClasses {
            directions: task.directions.len(),
            names: task.class_names(),
        }
    }

    fn joint_names(&self) -> Vec<String> {
        let count = self.names.len().pow(self.directions as u32);
        let directions = 0..self.directions;
        let name = |joint| {
            let of_each = directions
                .clone()
                .map(|at| self.names[self.class(joint, at)].as_str());
            of_each.collect::<Vec<_>>().join(" ")
        };
        (0..count).map(name).collect()
    }

    fn joint(&self, classes: impl DoubleEndedIterator<Item = usize>) -> usize {
        let join = |joint, class| joint * self.names.len() + class;
        classes.rev().fold(0, join)
    }

    /// The class in one of the directions.
    fn class(&self, joint: usize, direction: usize) -> usize {
        joint / self.names.len().pow(direction as u32) % self.names.len()
    }

    /// The examples of each direction.
    fn apart(&self, examples: &Examples, factor: f64) -> Result<Vec<Examples>> {
        if self.directions == 1 && factor == 1.0 {
            return Ok(vec![examples.clone()]);
        }
        let of_direction = |direction| {
            let class_of = |joint| self.class(joint, direction);
            Ok(examples.with_classes(self.names.clone(), class_of, factor)?)
        };
        (0..self.directions).map(of_direction).collect()
    }
}

fn builder(options: &ExampleOptions, classes: &JointClasses) -> Result<Builder> {
    // Those of training and those kept aside, each in its share of the memory; the rest lies in files.
    let builder = Builder::new(classes.joint_names())?.merging(options.merging);
    Ok(builder.within(options.budget / 2, &options.folder))
}

/// The examples of the sentence pairs that are kept aside, and no others.
pub(crate) fn gather_aside(
    corpus: &mut IndexedCorpus,
    options: &ExampleOptions,
    index: &FeatureIndex,
    words: &CorpusWords,
) -> Result<Vec<Examples>> {
    let aside = HeldOut {
        count: options.held_out,
        total: corpus.passed.sentence_pairs,
    };
    Ok(gather(corpus, options, index, words, (aside, true), &())?.1)
}

/// Examples for training, unless only those kept aside are wanted, and those.
pub(crate) fn gather(
    corpus: &mut IndexedCorpus,
    options: &ExampleOptions,
    index: &FeatureIndex,
    words: &CorpusWords,
    (held_out, only_aside): (HeldOut, bool),
    progress: &dyn Progress,
) -> Result<(Vec<Examples>, Vec<Examples>)> {
    let joint = JointClasses::new(&options.task);
    let mut training = builder(options, &joint)?;
    let mut aside = builder(options, &joint)?;
    let classes = options.task.classes;
    // Each alignment of a sentence pair has its share of a vote.
    let share = 1.0 / corpus.alignments as f64;
    let mut entries = Vec::new();
    let mut failure = None;
    corpus.for_each_in_order(
        |pair, work: &mut Work| {
            let mark = match held_out.contains(pair.index) {
                true => HELD_OUT,
                false if only_aside => return,
                false => 0,
            };
            let Work {
                finder,
                base,
                known,
                features,
                records,
            } = work;
            // What is kept aside is scored as it is.
            let kept = options.kept.as_deref().filter(|_| mark == 0);
            finder.find_kept(&options.task, pair, kept, |phrase| {
                base_features(&options.features, pair, phrase, words, base);
                features.clear();
                index.features_of(base, known, features);
                features.sort_unstable();
                // Directions that nobody asked for need no class.
                let class = |direction| phrase.class(classes, direction).unwrap_or_default() as u32;
                let (backward, forward) = (class(Direction::Backward), class(Direction::Forward));
                records.push(mark | forward << 8 | backward);
                records.push(features.len() as u32);
                records.extend_from_slice(features);
            });
        },
        |work, pairs| {
            progress.advance(pairs);
            let mut rest = work.records.as_slice();
            while let [head, length, tail @ ..] = rest {
                let (features, tail) = tail.split_at(*length as usize);
                rest = tail;
                let builder = if head & HELD_OUT != 0 {
                    &mut aside
                } else {
                    &mut training
                };
                let directions = options.task.directions.iter();
                let class = joint.joint(
                    directions
                        .map(|direction| direction.of(head & 0xff, head >> 8 & 0xff) as usize),
                );
                entries.clear();
                entries.extend(features.iter().map(|&feature| (feature, 1.0)));
                if let Err(error) = builder.push(&mut entries, class, 1.0) {
                    failure.get_or_insert(error);
                }
            }
            work.records.clear();
            Ok(())
        },
    )?;
    if let Some(error) = failure {
        return Err(error.into());
    }
    let ids: Vec<u32> = (0..index.len() as u32).collect();
    let finish = |builder: Builder| -> Result<Vec<Examples>> {
        joint.apart(&builder.finish_with_ids(ids.clone())?, share)
    };
    Ok((finish(training)?, finish(aside)?))
}
