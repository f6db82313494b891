//! From a word-aligned corpus and a recipe to a model of orientation.

use crate::class_table::ClassTable;
use crate::classes::{Clustered, read_classes};
use crate::corpus_view::CorpusWords;
use crate::examples::{ExampleOptions, ExampleSet};
use crate::features::FeatureSet;
use crate::hashing::WordKey;
use crate::kept::Sifting;
use crate::naive_bayes;
use crate::recipe::{Method, Recipe};
use crate::{Error, FeatureCounts, LexicalisedModel, Result, Smoothing, StoredModel};
use chiasm_learn::{Evaluation, Loss, Report, Strength};
use chiasm_phrases::{CountedPairs, IndexedCorpus};
use chiasm_work::{Observer, Progress};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// With fewer sentence pairs too few can be kept aside for auto to be the default.
const ENOUGH_TO_CHOOSE: u64 = 1000;

/// How much memory counting may take, and where the rest goes. Results do not depend on either.
#[derive(Clone, Debug)]
pub struct Workplace {
    /// Bytes.
    pub memory: usize,
    /// The folder of temporary files.
    pub folder: PathBuf,
}

/// The classes of both sides' words, if the recipe's features look at any: from its files, or clustered from
/// the texts.
pub fn word_classes_of_files(
    recipe: &Recipe,
    texts: [&Path; 2],
    observer: &dyn Observer,
) -> Result<[ClassTable; 2]> {
    for (file, text) in recipe.class_files.iter().zip(texts) {
        if needs_classes(recipe) && file.is_none() && !text.is_file() {
            return Err(Error::Request(format!(
                "{}: word classes are clustered from this text, which is then read twice; name a file, or give the classes",
                text.display()
            )));
        }
    }
    if needs_classes(recipe) && recipe.features.needs_tags() && recipe.class_files[0].is_none() {
        let reason = "features of classes and of tags: give --source-classes, the text may have tags in its words";
        return Err(Error::Request(reason.into()));
    }
    let cluster = |side: usize, progress: &dyn Progress| {
        Clustered::of_file(texts[side], recipe.word_classes, progress)
    };
    word_classes(recipe, cluster, observer)
}

fn needs_classes(recipe: &Recipe) -> bool {
    matches!(recipe.method, Method::Learned(_)) && recipe.features.needs_classes()
}

/// The same with whatever clusters the words of side 0, the source, and 1, the target.
pub fn word_classes(
    recipe: &Recipe,
    cluster: impl Fn(usize, &dyn Progress) -> Result<Clustered> + Sync,
    observer: &dyn Observer,
) -> Result<[ClassTable; 2]> {
    if !needs_classes(recipe) {
        return Ok([ClassTable::default(), ClassTable::default()]);
    }
    let side = |number: usize| match &recipe.class_files[number] {
        Some(file) => {
            let classes = read_classes(file)?;
            ClassTable::new(classes.iter().map(|(word, class)| (word.as_str(), *class)))
        }
        None => {
            let progress = observer.begin("classes", "rounds", None);
            cluster(number, &*progress)?.table()
        }
    };
    let (source, target) = rayon::join(|| side(0), || side(1));
    Ok([source?, target?])
}

/// Examples of a corpus, ready to be learned from.
pub struct Preparation {
    recipe: Recipe,
    /// For each direction, with its strength chosen.
    recipes: Vec<chiasm_learn::Recipe>,
    /// The examples.
    pub set: ExampleSet,
    counts: Option<FeatureCounts>,
}

/// A learned model, and how learning went, for each direction.
pub struct Learned {
    /// The model.
    pub model: StoredModel,
    /// Features that were seen often enough.
    pub kept: usize,
    /// What the learner says.
    pub reports: Vec<Report>,
    /// The model on the sentence pairs kept aside, if there are any, and its temperature.
    pub held_out: Vec<(Evaluation, f64)>,
}

/// Counts phrase pairs: the lexicalised model, and how many examples it was made of.
pub fn count(
    recipe: &Recipe,
    smoothing: f64,
    corpus: &mut IndexedCorpus,
    workplace: &Workplace,
    observer: &dyn Observer,
) -> Result<(LexicalisedModel, u64)> {
    recipe.check()?;
    let task = recipe.task();
    let pairs = corpus.passed.sentence_pairs * corpus.alignments as u64;
    let progress = observer.begin("extract", "pairs", Some(pairs));
    let Workplace { memory, folder } = workplace;
    let pairs = CountedPairs::count(corpus, &task.extraction, *memory, folder, &*progress)?;
    drop(progress);
    let examples = pairs.totals.total;
    let smoothing = Smoothing::Constant(smoothing);
    let model = LexicalisedModel::new(task, smoothing, pairs, corpus)?;
    observer.say(&format!(
        "lexicalised: {examples} examples, {} phrase pairs",
        model.len()
    ));
    Ok((model, examples))
}

/// Trains whatever the recipe says.
pub fn train(
    recipe: &Recipe,
    corpus: &mut IndexedCorpus,
    classes: [ClassTable; 2],
    workplace: &Workplace,
    observer: &dyn Observer,
) -> Result<StoredModel> {
    match recipe.method {
        Method::Lexicalised(smoothing) => {
            let (model, _) = count(recipe, smoothing, corpus, workplace, observer)?;
            Ok(StoredModel::Lexicalised(model))
        }
        Method::Learned(_) => Ok(learn(recipe, corpus, classes, workplace, observer)?.model),
    }
}

/// Learns what the recipe says: naive Bayes from counts alone where that suffices, everything else from examples.
pub fn learn(
    recipe: &Recipe,
    corpus: &mut IndexedCorpus,
    classes: [ClassTable; 2],
    workplace: &Workplace,
    observer: &dyn Observer,
) -> Result<Learned> {
    if !naive_bayes::suffices(recipe) {
        let prepared = Preparation::new(recipe, corpus, classes, workplace, observer)?;
        return prepared.learn(observer);
    }
    recipe.check()?;
    for remark in recipe.remarks() {
        observer.say(&format!("note: {remark}"));
    }
    let keep_counts = keeps_counts(recipe, corpus);
    let wanted = options(recipe, keep_counts, workplace).sifted(recipe, corpus)?;
    let (model, kept, reports) =
        naive_bayes::train(recipe, wanted, keep_counts, corpus, classes, observer)?;
    let report = reports.iter().flat_map(Report::lines);
    report.for_each(|line| observer.say(&line));
    Ok(Learned {
        model: StoredModel::Learned(Box::new(model)),
        kept,
        reports,
        held_out: Vec::new(),
    })
}

/// Counts are whole numbers of one alignment's phrase pairs.
fn keeps_counts(recipe: &Recipe, corpus: &IndexedCorpus) -> bool {
    recipe.keeps_counts() && corpus.alignments == 1
}

pub(crate) fn options(recipe: &Recipe, keep_counts: bool, workplace: &Workplace) -> ExampleOptions {
    ExampleOptions {
        task: recipe.task(),
        features: recipe.looked_at(),
        kept: None,
        min_count: if keep_counts { 1 } else { recipe.min_count },
        min_sentences: recipe.min_sentences,
        merging: recipe.merging,
        held_out: recipe.held_out.unwrap_or(0),
        budget: workplace.memory,
        folder: workplace.folder.clone(),
    }
}

impl ExampleOptions {
    /// The same with the phrase pairs that the recipe's filter and sample leave.
    fn sifted(self, recipe: &Recipe, corpus: &mut IndexedCorpus) -> Result<Self> {
        if recipe.takes_all() {
            return Ok(self);
        }
        let words = CorpusWords::new(corpus, WordKey::of, WordKey::of);
        let sifting = Sifting {
            filter: recipe.filter,
            sample: recipe.sample,
            task: &self.task,
            features: &self.features,
            words: &words,
            budget: self.budget,
            folder: &self.folder,
        };
        let kept = sifting.kept(corpus)?.map(Arc::new);
        Ok(ExampleOptions { kept, ..self })
    }
}

impl Preparation {
    /// Gathers the examples that a recipe learns from, and chooses the strength if that is asked for.
    pub fn new(
        recipe: &Recipe,
        corpus: &mut IndexedCorpus,
        classes: [ClassTable; 2],
        workplace: &Workplace,
        observer: &dyn Observer,
    ) -> Result<Self> {
        recipe.check()?;
        let Method::Learned(learner) = &recipe.method else {
            let reason = "the lexicalised model has no features to learn from";
            return Err(Error::Request(reason.into()));
        };
        for remark in recipe.remarks() {
            observer.say(&format!("note: {remark}"));
        }
        let keep_counts = keeps_counts(recipe, corpus);
        let wanted = options(recipe, keep_counts, workplace).sifted(recipe, corpus)?;
        // Where classes lie on a line, some mistakes are worse than others.
        let ordered = recipe.classes.is_ordered().then_some(Loss::Distance);
        let learner = &chiasm_learn::Recipe {
            loss: learner.loss.or(ordered),
            ..learner.clone()
        };
        let recipes = strengths(learner, corpus, &wanted, &classes, observer)?;
        let progress = observer.begin("examples", "pairs", None);
        let mut set = ExampleSet::build(corpus, wanted, classes, &*progress)?;
        drop(progress);
        let counts = if keep_counts {
            let counts = FeatureCounts::new(&set)?;
            set.cut(recipe.min_count)?;
            Some(counts)
        } else {
            None
        };
        observer.say(&format!(
            "{}: {} examples, {} features kept of {}",
            set.options.features,
            set.examples[0].weight(),
            set.examples[0].features(),
            set.index.len() as u64 + set.index.dropped,
        ));
        Ok(Preparation {
            recipe: recipe.clone(),
            recipes,
            set,
            counts,
        })
    }

    /// Learns.
    pub fn learn(&self, observer: &dyn Observer) -> Result<Learned> {
        let set = &self.set;
        let conditions = match &self.recipe.method {
            Method::Learned(recipe) if recipe.prior_lambda.is_some() => set.index.whole_pairs(),
            _ => Vec::new(),
        };
        let mut classifiers = Vec::new();
        let mut reports = Vec::new();
        let mut held_out = Vec::new();
        for (direction, (examples, recipe)) in set.examples.iter().zip(&self.recipes).enumerate() {
            let progress = observer.begin("learning", "iterations", None);
            let aside = set.held_out.get(direction);
            let aside = aside.filter(|_| set.options.held_out > 0);
            let (model, report) =
                recipe.train_conditioned(examples.clone(), aside, &conditions, &*progress)?;
            drop(progress);
            report.lines().iter().for_each(|line| observer.say(line));
            if let Some(aside) = aside {
                let evaluation = chiasm_learn::evaluate(&model, aside)?;
                observer.say(&format!(
                    "on {} held-out examples: accuracy {:.2} %, log loss {:.4} nats",
                    evaluation.examples(),
                    100.0 * evaluation.accuracy(),
                    evaluation.log_loss()
                ));
                held_out.push((evaluation, model.temperature()));
            }
            classifiers.push(model);
            reports.push(report);
        }
        let selects = self.recipes.first().filter(|recipe| recipe.selects());
        let select = selects.map(|recipe| recipe.select.unwrap_or(0.0));
        let mut model = set.model(&classifiers, self.recipe.min_count, select)?;
        if let Some(counts) = &self.counts {
            model = model.with_counts(counts.clone());
        }
        Ok(Learned {
            model: StoredModel::Learned(Box::new(model)),
            kept: set.examples[0].features(),
            reports,
            held_out,
        })
    }
}

/// The learner's recipe for one or two directions. Where auto is to choose and no pairs are kept aside for good,
/// it chooses on some that are kept aside for that alone, so that auto and the number it takes give the
/// same model.
fn strengths(
    learner: &chiasm_learn::Recipe,
    corpus: &mut IndexedCorpus,
    wanted: &ExampleOptions,
    classes: &[ClassTable; 2],
    observer: &dyn Observer,
) -> Result<Vec<chiasm_learn::Recipe>> {
    let pairs = corpus.passed.sentence_pairs;
    let recipe = if pairs < ENOUGH_TO_CHOOSE {
        learner.clone()
    } else {
        learner.or_auto()
    };
    let chooses = recipe.strength() == Some(Strength::Auto) && wanted.held_out == 0;
    if !chooses {
        return Ok(vec![recipe; 2]);
    }
    let aside = ExampleOptions {
        held_out: (pairs / 20).clamp(1, 1000),
        features: FeatureSet {
            // What a prior is conditioned on is not learned.
            pair: wanted.features.pair && recipe.prior_lambda.is_none(),
            ..wanted.features
        },
        ..wanted.clone()
    };
    let progress = observer.begin("examples to choose with", "pairs", None);
    let set = ExampleSet::build(corpus, aside, classes.clone(), &*progress)?;
    drop(progress);
    let mut chosen = Vec::new();
    for (examples, held_out) in set.examples.iter().zip(&set.held_out) {
        let progress = observer.begin("choosing", "iterations", None);
        let choice = recipe.choose_strength(examples, held_out, &*progress)?;
        drop(progress);
        observer.say(&format!("strength {choice}"));
        chosen.push(recipe.with_strength(choice.strength));
    }
    Ok(chosen)
}
