//! The stages of the neural ranker: training it, and finding out how much its judgement should count.

use crate::cache::Stage;
use crate::prepare::{TRAIN_SOURCE, TRAIN_TARGET};
use crate::settings::{RankerSettings, Settings};
use crate::tuning::DevelopmentSet;
use crate::{Error, Result};
use chiasm_decode::{Decoder, Input, RankingWeights, SearchSettings, System, Wanted};
use chiasm_metrics::bleu::{SentenceReferences, WIDTH};
use chiasm_neural::{Model, Recipe, Training};
use chiasm_store::beside;
use chiasm_text::{MappedText, Vocabulary};
use chiasm_tune::{Entry, Pool, Weights, corpus_bleu, mert, system_decoder};
use chiasm_work::Observer;
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// The trained model.
pub const RANKER: &str = "ranker.model";
/// The system with or without it.
pub const RANKED: &str = "ranked.chiasm";
/// Where a killed training is taken up again.
const CHECKPOINT: &str = "checkpoint";

/// How the model is trained.
pub fn recipe(settings: &Settings) -> Recipe {
    let ranker = &settings.ranker;
    Recipe {
        size: ranker.size,
        steps: ranker.steps,
        batch: ranker.batch,
        dropout: (ranker.dropout != 0.0).then_some(ranker.dropout),
        label_smoothing: ranker.label_smoothing,
        learning_rate: ranker.learning_rate,
        warm_up: ranker.warm_up,
        patience: ranker.patience,
        seed: settings.seed,
        memory: settings.memory.0,
    }
}

/// Trains the model.
pub fn learn(
    text: &Stage,
    dev: &DevelopmentSet,
    settings: &Settings,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<()> {
    let checkpoint = folder.join(CHECKPOINT);
    let training = Training {
        source: &MappedText::open(text.file(TRAIN_SOURCE))?,
        target: &MappedText::open(text.file(TRAIN_TARGET))?,
        held_out: &dev.pairs(),
        recipe: &recipe(settings),
        checkpoint: Some(&checkpoint),
    };
    chiasm_neural::train(&training, observer)?.write(folder.join(RANKER))?;
    // It is many times as large as the model, and of no use any more.
    let removed = std::fs::remove_file(&checkpoint);
    removed.map_err(|error| Error::io(&checkpoint, error))
}

/// Writes the system with the model if that translates the development set better, as it was if not.
pub fn rank_system(
    tuned: &Path,
    model: &Path,
    dev: &DevelopmentSet,
    settings: &RankerSettings,
    seed: u64,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<()> {
    let system = Arc::new(System::open(tuned)?);
    let model = Arc::new(Model::open(model)?);
    let chosen = choose_weights(&system, &model, dev, settings.nbest, seed)?;
    observer.say(&chosen.remark());
    let mut ranked = System::open(tuned)?;
    if let Some(weights) = chosen.weights {
        ranked.set_ranker(model, weights, settings.nbest);
    }
    Ok(ranked.write(folder.join(RANKED))?)
}

/// What stands beside a system between finding its weights and finding those of its ranker.
pub(crate) const UNRANKED: &str = ".unranked";

/// New weights changed the scale of the model score: how much the ranker counts beside it is found again. Reads the
/// file beside `output` and removes it.
pub(crate) fn rank_anew(
    output: &Path,
    dev: &DevelopmentSet,
    seed: u64,
    observer: &dyn Observer,
) -> Result<()> {
    let unranked = beside(output, UNRANKED);
    let system = Arc::new(System::open(&unranked)?);
    let nbest = system.configuration().search.ranked;
    if let Some(model) = system.ranker() {
        let chosen = choose_weights(&system, model, dev, nbest, seed)?;
        observer.say(&chosen.remark());
        let mut ranked = System::open(&unranked)?;
        match chosen.weights {
            Some(weights) => ranked.set_ranker(model.clone(), weights, nbest),
            None => ranked.remove_ranker(),
        }
        ranked.write(output)?;
    }
    std::fs::remove_file(&unranked).map_err(|error| Error::io(&unranked, error))
}

/// Parts of the development set, each ranked with weights that were found on the others. With two of them chance in the
/// weights of a half could outweigh what a ranker brings.
const FOLDS: usize = 5;

/// What the development set says of a ranker.
pub(crate) struct Chosen {
    /// The weights, if it helps.
    pub weights: Option<RankingWeights>,
    /// BLEU without it.
    without: f64,
    /// BLEU with it, each fifth of the sentences ranked with weights that were found on the others.
    with: f64,
}

impl Chosen {
    /// For people.
    pub fn remark(&self) -> String {
        let (without, with) = (self.without, self.with);
        let verdict = match self.weights {
            Some(_) => "it is on",
            None => "it does not help and is left out",
        };
        format!(
            "ranker: BLEU {without:.2} on the development set without it, {with:.2} with it; {verdict}"
        )
    }
}

/// Finds the weights of both judgements and of the length by minimum error rate training on n-best lists.
pub(crate) fn choose_weights(
    system: &Arc<System>,
    model: &Model,
    dev: &DevelopmentSet,
    nbest: usize,
    seed: u64,
) -> Result<Chosen> {
    let (lists, references) = judged_lists(system, model, dev, nbest)?;
    let pool = |sentences: &[usize]| -> Result<Pool> {
        let pick = |&sentence: &usize| (lists[sentence].clone(), references[sentence].clone());
        let (lists, references): (Vec<_>, Vec<_>) = sentences.iter().map(pick).unzip();
        let mut pool = Pool::new(lists.len(), 3);
        pool.merge(&lists, &references)?;
        Ok(pool)
    };
    let every: Vec<usize> = (0..lists.len()).collect();
    let all = pool(&every)?;
    let alone = Weights::of_dense(vec![1.0, 0.0, 0.0]);
    let without = all.bleu(&alone);
    let find = |pool: &Pool| -> Weights {
        let starts = [alone.clone(), Weights::of_dense(vec![1.0, 0.5, 0.0])];
        let found = mert::optimise(pool, &starts, &mert::Settings::default(), seed, 0);
        found.map_or(alone.clone(), |(weights, _)| weights)
    };
    let mut sum = [0.0; WIDTH];
    for fold in 0..FOLDS {
        let in_fold = |sentence: &usize| sentence % FOLDS == fold;
        let (judged, learned): (Vec<usize>, Vec<usize>) = every.iter().copied().partition(in_fold);
        let weights = find(&pool(&learned)?);
        for sentence in pool(&judged)?.sentences() {
            if let Some(best) = sentence.best(&weights) {
                let row = sentence.counts(best).row();
                sum.iter_mut()
                    .zip(row)
                    .for_each(|(sum, count)| *sum += count);
            }
        }
    }
    let with = corpus_bleu(&sum);
    let found = find(&all).dense;
    let helps = with > without && found[1] > 0.0;
    let weights = helps.then(|| RankingWeights {
        score: found[0],
        ranker: found[1],
        word: found[2],
    });
    Ok(Chosen {
        weights,
        without,
        with,
    })
}

type Lists = (Vec<Vec<Entry>>, Vec<SentenceReferences>);

/// The n-best lists of the development set with three features: model score, the model's judgement, words.
fn judged_lists(
    system: &Arc<System>,
    model: &Model,
    dev: &DevelopmentSet,
    nbest: usize,
) -> Result<Lists> {
    let search = SearchSettings {
        ranked: 0,
        ..system.configuration().search.clone()
    };
    let decoder = Decoder::with_weights(system.clone(), &system.weights(), search)?;
    let inputs: Vec<Input> = dev
        .source()
        .iter()
        .map(|line| Input::from_line(line))
        .collect();
    let wanted = Wanted {
        count: nbest,
        distinct: true,
    };
    let lists = decoder.translate_batch(&inputs, wanted, rayon::current_num_threads())?;
    let judged: Vec<Vec<f32>> = inputs
        .par_iter()
        .zip(&lists)
        .map(|(input, list)| {
            let words: Vec<&[String]> = list.iter().map(|one| one.words.as_slice()).collect();
            model.score(&input.tokens, &words)
        })
        .collect();
    let mut vocabulary = Vocabulary::new();
    let mut entries = Vec::with_capacity(lists.len());
    for (list, judged) in lists.iter().zip(&judged) {
        // A sentence that is too long to be judged is ranked by its model score, whatever the weights.
        let count = if judged.is_empty() { 1 } else { judged.len() };
        let judged = judged.iter().copied().chain(std::iter::repeat(0.0));
        let entry = |(one, judged): (&chiasm_decode::Translation, f32)| Entry {
            target: one
                .words
                .iter()
                .map(|word| vocabulary.intern(word))
                .collect(),
            dense: vec![one.score, judged, one.words.len() as f32],
            sparse: Vec::new(),
        };
        entries.push(list.iter().zip(judged).take(count).map(entry).collect());
    }
    let references = system_decoder::references(dev.targets(), &mut vocabulary);
    Ok((entries, references))
}
