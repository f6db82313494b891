//! Interpolated modified Kneser-Ney smoothing, at any size.
//!
//! Heafield, Pouzyrevsky, Clark & Koehn, *Scalable Modified Kneser-Ney Language Model Estimation*
//! (ACL 2013): count the longest n-grams, adjust, normalise, interpolate, each step one pass over
//! sorted records that stay in memory or, past the budget, on disk. The result does not depend on
//! the budget or the number of threads.
//!
//! Conventions, as KenLM has them: a sentence is `<s> w1 .. wn </s>`, an empty line `<s> </s>`;
//! `<s>` has probability 1 and is never predicted; `<unk>` has the share of one word in the
//! uniform distribution below the 1-grams; an n-gram is pruned if it *occurs* at most as often as
//! the threshold of its order says, after discounts were estimated from all n-grams.

mod count;
mod discount;
mod gram;
mod interpolate;
mod normalise;
mod sinks;
mod tokens;

pub use discount::{CountStatistics, Discounts, Thresholds};
pub use tokens::SpecialWords;

use crate::arpa::NgramList;
use crate::{Error, MAX_ORDER, Model, Result};
use chiasm_text::{Lines, Vocabulary};
use chiasm_work::Progress;
use gram::Packing;
use interpolate::Sink;
use normalise::Normalised;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use tokens::Tokens;

/// How to estimate.
#[derive(Clone, Debug)]
pub struct Options {
    /// The longest n-grams.
    pub order: usize,
    /// For each order, n-grams that occur at most so often are left out; orders beyond the list
    /// take its last number. The first must be 0, and none may be less than the one before.
    pub prune: Vec<u64>,
    /// Discounts where those of the text cannot be estimated.
    pub fallback: Option<Discounts>,
    /// What to do with `<s>`, `</s>` and `<unk>` in the text.
    pub special: SpecialWords,
    /// Bytes to hold in memory.
    pub memory: usize,
    /// Where sorted runs go if that is not enough.
    pub folder: PathBuf,
}

impl Options {
    /// Order 5, nothing pruned, 1 GiB.
    pub fn new(order: usize) -> Self {
        Options {
            order,
            prune: Vec::new(),
            fallback: None,
            special: SpecialWords::Refuse,
            memory: 1 << 30,
            folder: std::env::temp_dir(),
        }
    }

    /// One threshold an order.
    fn thresholds(&self) -> Result<Vec<u64>> {
        if !(1..=MAX_ORDER).contains(&self.order) {
            let message = format!("order {} is not between 1 and {MAX_ORDER}", self.order);
            return Err(Error::Impossible(message));
        }
        if self.prune.len() > self.order {
            let message = format!(
                "{} pruning thresholds for a model of order {}",
                self.prune.len(),
                self.order
            );
            return Err(Error::Impossible(message));
        }
        if self.prune.first().is_some_and(|&first| first != 0) {
            return Err(Error::Impossible(
                "words cannot be pruned: the first threshold must be 0".into(),
            ));
        }
        if !self.prune.is_sorted() {
            return Err(Error::Impossible(
                "a pruning threshold is less than that of the order before".into(),
            ));
        }
        let mut thresholds = self.prune.clone();
        thresholds.resize(self.order, self.prune.last().copied().unwrap_or(0));
        Ok(thresholds)
    }
}

/// What was found on the way.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Lines.
    pub sentences: u64,
    /// Words in them.
    pub tokens: u64,
    /// n-grams of each order in the model.
    pub counts: Vec<u64>,
    /// Discounts of each order.
    pub discounts: Vec<Discounts>,
}

/// A model that is all but written: counted, adjusted and normalised.
pub struct Estimate {
    summary: Summary,
    vocabulary: Vocabulary,
    unigrams: Vec<f32>,
    normalised: Vec<Normalised>,
    packing: Packing,
    budget: usize,
    folder: PathBuf,
}

/// Reads `texts` one after another and does all but the last pass.
pub fn estimate<P: AsRef<Path>>(
    texts: &[P],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Estimate> {
    // Before the text is read, for that may take long.
    options.thresholds()?;
    let mut input = Input::new(options);
    for text in texts {
        input.add_file(text)?;
    }
    input.estimate(progress)
}

/// The text of a model, added piece by piece.
pub struct Input<'a> {
    tokens: Tokens,
    options: &'a Options,
}

impl<'a> Input<'a> {
    /// No text.
    pub fn new(options: &'a Options) -> Self {
        Input {
            tokens: Tokens::new(options.memory / 8, &options.folder),
            options,
        }
    }

    /// Adds the lines of a file.
    pub fn add_file(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let mut lines = Lines::open(path)?;
        self.tokens.read(&mut lines, self.options.special)
    }

    /// Adds sentences of numbers in `words`, which are all in use and in the order of their first
    /// appearance. More than one may be the same, such as the name of a class.
    pub fn add_sentences<'w, 's>(
        &mut self,
        words: impl Iterator<Item = &'w str>,
        sentences: impl Iterator<Item = &'s [u32]>,
    ) -> Result<()> {
        self.tokens.take(words, sentences, self.options.special)
    }

    /// Does all but the last pass.
    pub fn estimate(self, progress: &dyn Progress) -> Result<Estimate> {
        estimate_tokens(self.tokens, self.options, progress)
    }
}

fn estimate_tokens(
    mut tokens: Tokens,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Estimate> {
    let thresholds = options.thresholds()?;
    // Shares of the budget: tokens an eighth; the first sort three eighths, later the sorts by
    // suffix; the sorts by context three eighths.
    let part = options.memory / 8;
    if tokens.words == 0 {
        return Err(Error::Impossible("there are no words in the text".into()));
    }
    let order = options.order;
    let words = tokens.vocabulary.len();
    let packing = Packing::new(words, order).ok_or_else(|| {
        Error::Impossible(format!(
            "{words} different words are too many for order {order}"
        ))
    })?;
    let counted = count::count(
        &mut tokens,
        order,
        packing,
        3 * part,
        &options.folder,
        progress,
    )?;
    let share = 3 * part / (order - 1).max(1);
    let adjusted = count::adjust(
        counted,
        order,
        packing,
        words,
        &thresholds,
        share,
        &options.folder,
    )?;
    let discounts = adjusted
        .statistics
        .iter()
        .enumerate()
        .map(|(index, found)| Discounts::estimate(index + 1, found, options.fallback))
        .collect::<Result<Vec<_>>>()?;
    let unigrams = interpolate::unigram_probabilities(&adjusted.unigrams, &discounts[0]);
    let normalised = adjusted
        .longer
        .into_par_iter()
        .enumerate()
        .map(|(index, sorter)| {
            let (sorted, discounts) = (sorter.finish()?, &discounts[index + 1]);
            normalise::normalise(
                sorted,
                index + 2,
                packing,
                discounts,
                share,
                &options.folder,
            )
        })
        .collect::<Result<Vec<_>>>()?;
    let mut counts = adjusted.kept;
    counts[0] = words as u64;
    Ok(Estimate {
        summary: Summary {
            sentences: tokens.sentences,
            tokens: tokens.words,
            counts,
            discounts,
        },
        vocabulary: tokens.vocabulary,
        unigrams,
        normalised,
        packing,
        budget: share,
        folder: options.folder.clone(),
    })
}

impl Estimate {
    /// What was found on the way.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The words; number 0 is `<unk>`, 1 `<s>`, 2 `</s>`.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Writes an ARPA file, compressed as its ending says.
    pub fn write_arpa(self, path: impl AsRef<Path>, progress: &dyn Progress) -> Result<()> {
        let mut sink =
            sinks::ArpaSink::create(path.as_ref(), &self.summary.counts, self.vocabulary.clone())?;
        self.finish(progress, &mut sink)?;
        sink.finish()
    }

    /// All n-grams in memory, whatever the budget.
    pub fn into_list(self, progress: &dyn Progress) -> Result<NgramList> {
        let mut sink = sinks::ListSink(NgramList {
            vocabulary: self.vocabulary.clone(),
            orders: Vec::new(),
        });
        self.finish(progress, &mut sink)?;
        Ok(sink.0)
    }

    /// A model in memory, to be asked or saved. It takes the memory that it needs, whatever the
    /// budget.
    pub fn into_model(self, progress: &dyn Progress) -> Result<Model> {
        let mut sink = sinks::ModelSink::new(self.summary.counts.len());
        let vocabulary = self.vocabulary.clone();
        self.finish(progress, &mut sink)?;
        sink.finish(&vocabulary)
    }

    fn finish(self, progress: &dyn Progress, sink: &mut dyn Sink) -> Result<()> {
        let folder = self.folder;
        interpolate::interpolate(
            &self.unigrams,
            self.normalised,
            self.packing,
            self.budget,
            &folder,
            progress,
            sink,
        )
    }
}
