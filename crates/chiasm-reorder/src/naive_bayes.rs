//! Naive Bayes from counts alone: one pass over the corpus where features are not multiplied, memory for the
//! features, none for the examples.

use crate::class_counts::ClassCounts;
use crate::class_table::ClassTable;
use crate::corpus_view::HeldOut;
use crate::counting::Counting;
use crate::examples::{ExampleOptions, check, gather_aside};
use crate::index::FeatureIndex;
use crate::recipe::{Method, Recipe};
use crate::training::{Assembly, assemble};
use crate::{CorpusWords, Error, FeatureCounts, Result};
use chiasm_learn::naive_bayes::NaiveBayes;
use chiasm_learn::{Calibration, Model, Report, SelectMethod, Strength, selection};
use chiasm_phrases::IndexedCorpus;
use chiasm_work::Observer;

/// The features of a corpus, or of that part of it that is not kept aside, and their counts.
struct Counted<'a> {
    options: &'a ExampleOptions,
    learner: &'a chiasm_learn::Recipe,
    index: FeatureIndex,
    counts: ClassCounts,
}

/// Can the recipe's model be made of counts alone?
pub(crate) fn suffices(recipe: &Recipe) -> bool {
    let Method::Learned(learner) = &recipe.method else {
        return false;
    };
    learner.learner.is_naive_bayes()
        && learner.calibrate == Calibration::None
        && learner.select_method == SelectMethod::Univariate
        && recipe.held_out.is_none()
}

/// A model, the features that were seen often enough, and the report of each direction.
pub(crate) fn train(
    recipe: &Recipe,
    options: ExampleOptions,
    keep_counts: bool,
    corpus: &mut IndexedCorpus,
    classes: [ClassTable; 2],
    observer: &dyn Observer,
) -> Result<(crate::LearnedModel, usize, Vec<Report>)> {
    let Method::Learned(learner) = &recipe.method else {
        return Err(Error::Request(
            "the lexicalised model does not learn".into(),
        ));
    };
    check(corpus, &options.features)?;
    let words = CorpusWords::new(
        corpus,
        |word| classes[0].word(word),
        |word| classes[1].word(word),
    );
    let least = recipe.min_count * corpus.alignments as u64;
    let alphas = alphas(learner, &options, least, corpus, &words, observer)?;
    let started = (std::time::Instant::now(), chiasm_work::cpu_seconds());
    let counted = Counted::new(learner, &options, corpus, &words, observer)?;
    let alignments = corpus.alignments;
    counted.model(
        recipe,
        keep_counts,
        &alphas,
        alignments,
        (&words, &classes),
        started,
    )
}

/// The same from what was seen in the parts of a corpus; α is a number.
pub(crate) fn train_of_tallies(
    recipe: &Recipe,
    options: &ExampleOptions,
    keep_counts: bool,
    counted: (FeatureIndex, ClassCounts),
    words: &CorpusWords,
    classes: &[ClassTable; 2],
) -> Result<(crate::LearnedModel, usize, Vec<Report>)> {
    let Method::Learned(learner) = &recipe.method else {
        return Err(Error::Request(
            "the lexicalised model does not learn".into(),
        ));
    };
    let Some(Strength::Fixed(alpha)) = learner.strength() else {
        let reason = "alpha: a number expected, nothing is chosen in shards";
        return Err(Error::Request(reason.into()));
    };
    let started = (std::time::Instant::now(), chiasm_work::cpu_seconds());
    let alphas = vec![alpha; options.task.directions.len()];
    let (index, counts) = counted;
    let counted = Counted {
        options,
        learner,
        index,
        counts,
    };
    counted.model(recipe, keep_counts, &alphas, 1, (words, classes), started)
}

impl Counted<'_> {
    /// The model of the counts, the features that were seen often enough, and the report of each direction.
    fn model(
        &self,
        recipe: &Recipe,
        keep_counts: bool,
        alphas: &[f64],
        alignments: usize,
        (words, classes): (&CorpusWords, &[ClassTable; 2]),
        started: (std::time::Instant, f64),
    ) -> Result<(crate::LearnedModel, usize, Vec<Report>)> {
        let (counted, options, learner) = (self, self.options, self.learner);
        let least = recipe.min_count * alignments as u64;
        let kept = if keep_counts {
            Some(FeatureCounts::of_counts(
                &counted.index,
                &counted.counts,
                words,
            )?)
        } else {
            None
        };
        let mut classifiers = Vec::new();
        let mut reports = Vec::new();
        for (direction, &alpha) in alphas.iter().enumerate() {
            let bayes = counted.classifier(direction, alpha, least, alignments)?;
            let report = Report {
                learner: learner.learner.name().into(),
                examples: bayes.class_weights().iter().sum(),
                features: bayes.feature_ids().len() as u64,
                parameters: bayes.parameters(),
                iterations: 1,
                active_share: vec![1.0],
                converged: true,
                seconds: started.0.elapsed().as_secs_f64(),
                cpu_seconds: chiasm_work::cpu_seconds() - started.1,
                peak_memory_bytes: chiasm_work::peak_memory_bytes(),
                ..Report::default()
            };
            let model = Model::naive_bayes(options.task.class_names(), bayes);
            classifiers.push(model.with_report(report.clone()));
            reports.push(report);
        }
        let made_of = Assembly {
            options,
            index: &counted.index,
            words,
            classes,
        };
        let mut model = assemble(&made_of, &classifiers, recipe.min_count, learner.select)?;
        if let Some(kept) = kept {
            model = model.with_counts(kept);
        }
        let width = options.task.classes.len();
        let often = |&feature: &u32| counted.seen(feature, width) >= least;
        let frequent = (0..counted.index.len() as u32).filter(often).count();
        Ok((model, frequent, reports))
    }
}

/// α of each direction; auto looks at sentence pairs that are kept aside for that.
fn alphas(
    learner: &chiasm_learn::Recipe,
    options: &ExampleOptions,
    least: u64,
    corpus: &mut IndexedCorpus,
    words: &CorpusWords,
    observer: &dyn Observer,
) -> Result<Vec<f64>> {
    let directions = options.task.directions.len();
    if let Some(Strength::Fixed(alpha)) = learner.strength() {
        return Ok(vec![alpha; directions]);
    }
    let aside = ExampleOptions {
        held_out: (corpus.passed.sentence_pairs / 20).clamp(1, 1000),
        ..options.clone()
    };
    let counted = Counted::new(learner, &aside, corpus, words, observer)?;
    let held_out = gather_aside(corpus, &aside, &counted.index, words)?;
    let names = options.task.class_names();
    let mut alphas = Vec::new();
    for (direction, examples) in held_out.iter().enumerate() {
        let usual = learner.usual_alpha();
        let bayes = counted.classifier(direction, usual, least, corpus.alignments)?;
        let choice = bayes.choose_alpha(&names, examples, &())?;
        observer.say(&format!("alpha {}", choice.alpha));
        alphas.push(choice.alpha);
    }
    Ok(alphas)
}

impl<'a> Counted<'a> {
    fn new(
        learner: &'a chiasm_learn::Recipe,
        options: &'a ExampleOptions,
        corpus: &mut IndexedCorpus,
        words: &CorpusWords,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let total = corpus.passed.sentence_pairs;
        if total <= options.held_out {
            return Err(Error::Request("no sentence pairs to learn from".into()));
        }
        let counting = Counting {
            task: &options.task,
            set: &options.features,
            words,
            held_out: HeldOut {
                count: options.held_out,
                total,
            },
            kept: options.kept.as_deref(),
            min_count: options.min_count * corpus.alignments as u64,
            min_sentences: options.min_sentences,
            budget: options.budget,
            folder: &options.folder,
        };
        let progress = observer.begin("counting", "pairs", Some(total * corpus.alignments as u64));
        let (index, counts) = ClassCounts::count(corpus, &counting, &*progress)?;
        if index.is_empty() {
            return Err(options.no_features(options.min_count));
        }
        Ok(Counted {
            options,
            learner,
            index,
            counts,
        })
    }

    /// Naive Bayes of one direction with the features that were seen often enough and tell enough. Each of several
    /// alignments has its share of a count.
    fn classifier(
        &self,
        direction: usize,
        alpha: f64,
        least: u64,
        alignments: usize,
    ) -> Result<NaiveBayes> {
        let width = self.options.task.classes.len();
        let columns = direction * width..(direction + 1) * width;
        let share = 1.0 / alignments as f64;
        let of = |values: &[u64]| self.counts.columns_of(values, columns.clone());
        let mut counts = of(&self.counts.counts);
        counts.iter_mut().for_each(|count| *count *= share);
        let weights = &self.counts.class_weights[columns.clone()];
        let weights: Vec<f64> = weights
            .iter()
            .map(|&weight| weight as f64 * share)
            .collect();
        let mut kept: Vec<u32> = (0..self.index.len() as u32)
            .filter(|&feature| self.seen(feature, width) >= least)
            .collect();
        if let Some(threshold) = self.learner.select {
            let mut present = of(&self.counts.present);
            present.iter_mut().for_each(|count| *count *= share);
            let information = selection::information_of_counts(&present, &weights);
            kept.retain(|&feature| information[feature as usize].normalised >= threshold);
        }
        check_counts(&weights, &self.options.task.class_names(), kept.is_empty())?;
        let rows = kept.iter().map(|&feature| feature as usize * width);
        let counts: Vec<f64> = rows
            .flat_map(|row| counts[row..row + width].to_vec())
            .collect();
        let variant = self.learner.variant();
        Ok(NaiveBayes::from_counts(
            variant, alpha, &kept, &counts, weights,
        )?)
    }

    /// How often a feature was seen; the first direction has all of it.
    fn seen(&self, feature: u32, width: usize) -> u64 {
        let start = feature as usize * self.counts.class_weights.len();
        self.counts.counts[start..start + width].iter().sum()
    }
}

/// What every learner asks of its examples.
fn check_counts(weights: &[f64], names: &[String], empty: bool) -> Result<()> {
    if let Some(unseen) = weights.iter().position(|&weight| weight <= 0.0) {
        let name = &names[unseen];
        let reason = format!("class {name} was never seen in the training examples");
        return Err(chiasm_learn::Error::Examples(reason).into());
    }
    if empty {
        return Err(chiasm_learn::Error::NoFeatures.into());
    }
    Ok(())
}
