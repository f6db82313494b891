//! The rounds of tuning: decode, merge, optimise, and again. The best round on the development
//! set, as decoded, is what comes out; the first round has the starting weights, so nothing worse
//! than them ever does.

use crate::interpolate::between;
use crate::pool::{add, corpus_bleu};
use crate::state::Folder;
use crate::{Entry, Error, NbestDecoder, Pool, Result, Weights, mert, mira, pro};
use chiasm_metrics::bleu::{SentenceReferences, WIDTH};
use std::path::{Path, PathBuf};

/// How weights are found on the lists.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// Minimum error rate training.
    Mert(mert::Settings),
    /// k-best batch MIRA.
    Mira(mira::Settings),
    /// Pairwise ranking optimisation.
    Pro(pro::Settings),
}

impl Method {
    /// The name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Mert(_) => "mert",
            Method::Mira(_) => "mira",
            Method::Pro(pro) if pro.as_published => "pro-classic",
            Method::Pro(_) => "pro",
        }
    }

    /// Are weights of different rounds near enough to each other for a mean?
    fn averages(&self) -> bool {
        match self {
            Method::Mert(_) => false,
            Method::Mira(_) => true,
            Method::Pro(pro) => !pro.as_published,
        }
    }
}

/// How to tune.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How weights are found on the lists.
    pub method: Method,
    /// New weights at most this many times.
    pub rounds: usize,
    /// Length of the n-best lists.
    pub nbest: usize,
    /// Rounds without a better score after which to stop.
    pub patience: usize,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Where rounds are kept until the end, so that a killed run can go on.
    pub folder: Option<PathBuf>,
    /// What else the result depends on (system, development set, search); a folder of another run
    /// is not gone on with.
    pub fingerprint: String,
}

impl Settings {
    /// The usual settings for a method.
    pub fn new(method: Method) -> Self {
        Settings {
            method,
            rounds: 15,
            nbest: 100,
            patience: 4,
            seed: 1,
            folder: None,
            fingerprint: String::new(),
        }
    }

    fn check(&self) -> Result<()> {
        let setting = |name, reason: &str| {
            let reason = reason.to_string();
            Err(Error::Setting { name, reason })
        };
        if self.nbest == 0 {
            return setting("nbest", "at least 1 expected");
        }
        if self.patience == 0 {
            return setting("patience", "at least 1 expected");
        }
        Ok(())
    }
}

/// One round: weights, and how the development set scores with them.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// The weights.
    pub weights: Weights,
    /// BLEU of the best translations, 0 to 100.
    pub bleu: f64,
    /// What the method expected on the lists, where it chose the weights.
    pub predicted: Option<f64>,
    /// Words of the best translations over words of the closest references.
    pub length_ratio: f64,
    /// Entries that no earlier round had.
    pub new_entries: usize,
    /// Entries of all rounds so far.
    pub entries: usize,
}

/// Why tuning ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// As many rounds as allowed.
    Rounds,
    /// The lists brought nothing new.
    NothingNew,
    /// The method found no better weights.
    Settled,
    /// No better score for some rounds.
    NoGain,
}

impl Stop {
    /// For people.
    pub fn describe(self) -> &'static str {
        match self {
            Stop::Rounds => "the limit of rounds was reached",
            Stop::NothingNew => "the n-best lists brought nothing new",
            Stop::Settled => "the weights changed no more",
            Stop::NoGain => "the development set scored no better for several rounds",
        }
    }
}

/// What tuning brought.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The weights of the best round.
    pub weights: Weights,
    /// Which round that was; 0 is the starting weights.
    pub best: usize,
    /// All rounds.
    pub rounds: Vec<Round>,
    /// Why it ended.
    pub stop: Stop,
    /// How many rounds came from an earlier, interrupted run.
    pub resumed: usize,
}

/// Weights that changed less than this, relative to the largest, did not change.
const SETTLED: f32 = 1e-5;

/// Tunes. `report` hears of each round as it is done.
pub fn tune(
    decoder: &mut dyn NbestDecoder,
    references: &[SentenceReferences],
    start: &Weights,
    settings: &Settings,
    report: &mut dyn FnMut(usize, &Round),
) -> Result<Outcome> {
    settings.check()?;
    if references.is_empty() {
        return Err(Error::Input("the development set is empty".into()));
    }
    if !start.is_finite() {
        return Err(Error::Input("a starting weight is not a number".into()));
    }
    let mut pool =
        Pool::new(references.len(), start.dense.len()).with_penalties(decoder.penalties());
    let folder = match &settings.folder {
        Some(path) => Some(Folder::open(path, settings, start)?),
        None => None,
    };
    let mut rounds: Vec<Round> = Vec::new();
    let mut next = (start.clone(), None);
    let mut stop = None;
    if let Some(folder) = &folder {
        while let Some(kept) = folder.read(rounds.len(), &mut pool)? {
            decoder.restore_sparse_names(kept.sparse_names);
            report(rounds.len(), &kept.round);
            rounds.push(kept.round);
            next = (kept.next.0, Some(kept.next.1));
            stop = kept.stop;
        }
    }
    let resumed = rounds.len();
    let stop = loop {
        if let Some(stop) = stop {
            break stop;
        }
        let (weights, predicted) = next;
        let before: Vec<usize> = pool.sentences().iter().map(|s| s.len()).collect();
        let lists = decoder
            .decode(&weights, settings.nbest)
            .map_err(Error::Decoder)?;
        let new_entries = pool.merge(&lists, references)?;
        let (bleu, length_ratio) = first_best(&lists, references);
        let round = Round {
            weights,
            bleu,
            predicted,
            length_ratio,
            new_entries,
            entries: pool.entries(),
        };
        report(rounds.len(), &round);
        rounds.push(round);
        let found = find_next(&pool, &rounds, settings)?;
        stop = found.stop;
        if let Some(folder) = &folder {
            let names = decoder.sparse_names();
            folder.write(&rounds, &pool, &before, &found, &names)?;
        }
        next = (found.weights, Some(found.predicted));
    };
    let best = best_round(&rounds);
    Ok(Outcome {
        weights: rounds[best].weights.clone(),
        best,
        rounds,
        stop,
        resumed,
    })
}

/// Removes the rounds of a run that is done, and their folder if nothing else is in it.
pub fn forget(folder: &Path) -> Result<()> {
    crate::state::remove_rounds(folder)?;
    // What people put there is theirs.
    let _ = std::fs::remove_dir(folder);
    Ok(())
}

/// A number that tells texts apart, for fingerprints.
pub fn checksum(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

/// The first of the rounds with the highest BLEU.
fn best_round(rounds: &[Round]) -> usize {
    let mut best = 0;
    for (index, round) in rounds.iter().enumerate() {
        if round.bleu > rounds[best].bleu {
            best = index;
        }
    }
    best
}

fn first_best(lists: &[Vec<Entry>], references: &[SentenceReferences]) -> (f64, f64) {
    let mut sum = [0.0; WIDTH];
    for (list, references) in lists.iter().zip(references) {
        // No translation at all is an empty one, and as short as can be.
        let target = list.first().map_or(&[][..], |entry| &entry.target);
        add(&mut sum, &references.count(target).row(), 1.0);
    }
    let ratio = if sum[1] > 0.0 { sum[0] / sum[1] } else { 1.0 };
    (corpus_bleu(&sum), ratio)
}

/// What follows a round.
pub(crate) struct Next {
    pub weights: Weights,
    pub predicted: f64,
    pub stop: Option<Stop>,
}

/// MIRA goes so far at most from the best weights to those that it finds on the lists. Short lists know nothing of what lies beyond
/// them: all the way, the first rounds on Arabic made translations twice as long, and half of all rounds went by until the lists
/// had shown what is wrong with that (docs/tuning.md).
const PART_OF_THE_WAY: f64 = 0.5;

/// How far to go after these rounds. A round that decodes no better than the best one so far halves the way, a better one makes
/// it longer again: with models of operations half of it went astray until patience was lost.
fn part_of_the_way(rounds: &[Round]) -> f64 {
    let mut part = PART_OF_THE_WAY;
    for last in 1..rounds.len() {
        let better = best_round(&rounds[..=last]) == last;
        part *= if better {
            std::f64::consts::SQRT_2
        } else {
            0.5
        };
        part = part.min(PART_OF_THE_WAY);
    }
    part
}

/// Rounds whose weights are averaged in the end.
const AVERAGED: usize = 3;

/// The mean of the weights of the best rounds. MIRA and PRO wander around a good place from round to
/// round, and the round that happens to score best is no better than its neighbours on other text.
fn mean_of_best(rounds: &[Round]) -> Option<Weights> {
    let mut order: Vec<usize> = (1..rounds.len()).collect();
    if order.len() <= AVERAGED {
        return None;
    }
    order.sort_by(|&a, &b| rounds[b].bleu.total_cmp(&rounds[a].bleu).then(a.cmp(&b)));
    let best: Vec<&Weights> = order[..AVERAGED]
        .iter()
        .map(|&round| &rounds[round].weights)
        .collect();
    Some(Weights::mean(&best))
}

fn reason_to_stop(rounds: &[Round], settings: &Settings) -> Option<Stop> {
    let round = rounds.len().checked_sub(1)?;
    if rounds[round].new_entries == 0 {
        Some(Stop::NothingNew)
    } else if round >= settings.rounds {
        Some(Stop::Rounds)
    } else if round - best_round(rounds) >= settings.patience {
        Some(Stop::NoGain)
    } else {
        None
    }
}

fn find_next(pool: &Pool, rounds: &[Round], settings: &Settings) -> Result<Next> {
    let round = rounds.len() - 1;
    let last = &rounds[round];
    let staying = |stop| Next {
        weights: last.weights.clone(),
        predicted: last.bleu,
        stop: Some(stop),
    };
    // The mean of the best rounds is tried last, and only once.
    if let Some(stop) = reason_to_stop(&rounds[..round], settings)
        && mean_of_best(&rounds[..round]).as_ref() == Some(&last.weights)
    {
        return Ok(staying(stop));
    }
    if let Some(stop) = reason_to_stop(rounds, settings) {
        return Ok(match mean_of_best(rounds) {
            Some(weights) if settings.method.averages() => Next {
                weights,
                predicted: rounds[best_round(rounds)].bleu,
                stop: None,
            },
            _ => staying(stop),
        });
    }
    let (weights, predicted) = match &settings.method {
        Method::Mert(mert) => {
            let best = best_round(rounds);
            let mut starts = vec![rounds[best].weights.clone()];
            starts.extend(rounds.iter().rev().map(|round| round.weights.clone()));
            match mert::optimise(pool, &starts, mert, settings.seed, round) {
                Some(found) => found,
                None => return Ok(staying(Stop::Settled)),
            }
        }
        Method::Mira(mira) => {
            let best = &rounds[best_round(rounds)].weights;
            let (found, _) = mira::optimise(pool, best, mira, settings.seed, round);
            let weights = between(best, &found, part_of_the_way(rounds));
            let predicted = pool.bleu(&weights);
            (weights, predicted)
        }
        Method::Pro(pro) => pro::optimise(pool, &last.weights, pro, settings.seed, round)?,
    };
    let largest = weights
        .dense
        .iter()
        .fold(0.0f32, |most, w| most.max(w.abs()));
    if !weights.is_finite() || weights.distance(&last.weights) <= SETTLED * largest {
        return Ok(staying(Stop::Settled));
    }
    Ok(Next {
        weights,
        predicted,
        stop: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(weights: Weights, bleu: f64) -> Round {
        Round {
            weights,
            bleu,
            predicted: None,
            length_ratio: 1.0,
            new_entries: 2,
            entries: 2,
        }
    }

    #[test]
    fn mira_goes_part_of_the_way_from_the_best_round() {
        let reference: Vec<u32> = (0..8).collect();
        let references = [SentenceReferences::new(&[&reference])];
        let entry = |target: Vec<u32>, dense| Entry {
            target,
            dense,
            sparse: Vec::new(),
        };
        let bad = entry(vec![9, 9, 3, 4, 9], vec![1.0, 0.0]);
        let good = entry(reference.clone(), vec![0.0, 0.5]);
        let mut pool = Pool::new(1, 2);
        pool.merge(&[vec![bad, good]], &references).unwrap();
        let start = Weights::of_dense(vec![0.5, 0.25]);
        let astray = Weights::of_dense(vec![5.0, -3.0]);
        let rounds = [round(start.clone(), 30.0), round(astray, 8.0)];
        let mira = mira::Settings::default();
        let settings = Settings::new(Method::Mira(mira));
        let next = find_next(&pool, &rounds, &settings).unwrap();
        let (found, _) = mira::optimise(&pool, &start, &mira, settings.seed, 1);
        assert_ne!(found, start);
        // Half of it was in vain.
        let quarter = |feature: usize| 0.75 * start.dense[feature] + 0.25 * found.dense[feature];
        for feature in 0..2 {
            assert!((next.weights.dense[feature] - quarter(feature)).abs() < 1e-6);
        }
        assert_eq!(next.predicted, pool.bleu(&next.weights));
    }

    #[test]
    fn the_way_is_halved_in_vain_and_grows_with_success() {
        let part = |bleu: &[f64]| {
            let rounds = bleu
                .iter()
                .map(|&bleu| round(Weights::of_dense(vec![1.0]), bleu));
            part_of_the_way(&rounds.collect::<Vec<_>>())
        };
        assert_eq!(part(&[30.0]), 0.5);
        assert_eq!(part(&[30.0, 31.0, 32.0]), 0.5);
        assert_eq!(part(&[30.0, 8.0]), 0.25);
        // As good is not better.
        assert_eq!(part(&[30.0, 8.0, 30.0]), 0.125);
        let grown = 0.125 * std::f64::consts::SQRT_2;
        assert!((part(&[30.0, 8.0, 29.0, 31.0]) - grown).abs() < 1e-12);
    }
}
