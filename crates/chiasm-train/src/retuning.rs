//! New weights for a system that is there already, on a development set of one's own.

use crate::settings::TuneSettings;
use crate::tuning::{DevelopmentSet, Tuning};
use crate::{Error, Result, ranking};
use chiasm_decode::{Preparation, SearchSettings, System};
use chiasm_store::beside;
use chiasm_tune::{Outcome, Round, tune};
use chiasm_work::Observer;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A system, a development set, and where the tuned system goes.
#[derive(Clone, Debug)]
pub struct TuneRequest {
    /// The system.
    pub system: PathBuf,
    /// Source sentences.
    pub dev_source: PathBuf,
    /// Sets of references.
    pub dev_targets: Vec<PathBuf>,
    /// The sentences are tokens as the system was trained on. Otherwise a system that knows its languages makes tokens
    /// of them, as when it translates.
    pub tokenized: bool,
    /// How to tune; all sentences are used.
    pub settings: TuneSettings,
    /// The tuned system. Rounds are kept beside it until the end, so that a killed run can go on.
    pub output: PathBuf,
}

impl TuneRequest {
    /// The page that shows how it went.
    pub fn page(output: &Path) -> PathBuf {
        beside(output, ".tuning.html")
    }

    /// Tunes and writes the system with its new weights, and the page.
    pub fn run(&self, observer: &dyn Observer) -> Result<Tuned> {
        let settings = &self.settings;
        let Some(method) = settings.method.method() else {
            return Err(Error::Request("a method of tuning is expected".into()));
        };
        let system = Arc::new(System::open(&self.system)?);
        let preparation = match self.tokenized {
            true => Preparation::tokenized(),
            false => Preparation::new(&system),
        };
        let dev = DevelopmentSet::read_whole(&self.dev_source, &self.dev_targets)?;
        let dev = dev.prepared(&preparation);
        let search = SearchSettings {
            pop_limit: settings.pop_limit,
            ranked: 0,
            ..system.configuration().search.clone()
        };
        let tuning = Tuning {
            choice: tune::Settings {
                method,
                rounds: settings.iterations,
                nbest: settings.nbest,
                patience: settings.patience,
                seed: settings.seed,
                folder: Some(beside(&self.output, ".tuning")),
                fingerprint: self.fingerprint(&search, &dev)?,
            },
            search,
            output: match system.ranker() {
                Some(_) => beside(&self.output, ranking::UNRANKED),
                None => self.output.clone(),
            },
            page: Self::page(&self.output),
        };
        let report = &mut |number, round: &Round| observer.say(&remark(number, round));
        let outcome = tuning.run(&system, &dev, report);
        let outcome = outcome.map_err(|error| self.named(error))?;
        if system.ranker().is_some() {
            ranking::rank_anew(&self.output, &dev, settings.seed, observer)?;
        }
        Ok(Tuned {
            outcome,
            settings: settings.clone(),
            features: system.configuration().feature_names(),
        })
    }

    /// What the tuner complains of is said of the system.
    fn named(&self, error: Error) -> Error {
        match error {
            Error::Tune(source) => Error::Tuning {
                system: self.system.clone(),
                source,
            },
            other => other,
        }
    }

    /// What an interrupted run must have in common with this one to be gone on with.
    fn fingerprint(&self, search: &SearchSettings, dev: &DevelopmentSet) -> Result<String> {
        let path = &self.system;
        let file = std::fs::metadata(path).map_err(|error| Error::io(path, error))?;
        let changed = file.modified().ok();
        let since = changed.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Ok(format!(
            "system {} bytes, {since:?}; search {search:?}; {} sets, text {:016x}",
            file.len(),
            self.dev_targets.len(),
            tune::checksum(dev.text().as_bytes())
        ))
    }
}

fn remark(number: usize, round: &Round) -> String {
    let expected = match round.predicted {
        Some(bleu) => format!(", {bleu:.2} expected"),
        None => String::new(),
    };
    format!(
        "iteration {number}: BLEU {:.2}{expected}; length {:.3}; {} n-best entries, {} of them new",
        round.bleu, round.length_ratio, round.entries, round.new_entries
    )
}

/// What tuning brought.
pub struct Tuned {
    /// The rounds and the weights of the best one.
    pub outcome: Outcome,
    /// How it was tuned.
    pub settings: TuneSettings,
    /// The names of the dense features.
    pub features: Vec<String>,
}

impl Tuned {
    /// For machines.
    pub fn json(&self) -> Value {
        let outcome = &self.outcome;
        json!({
            "method": self.settings.method.to_string(),
            "seed": self.settings.seed,
            "start_bleu": outcome.rounds[0].bleu,
            "bleu": outcome.rounds[outcome.best].bleu,
            "best_iteration": outcome.best,
            "iterations": outcome.rounds.len() - 1,
            "resumed_iterations": outcome.resumed,
            "stopped": outcome.stop.describe(),
            "features": self.features,
            "weights": outcome.weights.dense,
            "sparse_weights": outcome.weights.sparse.len(),
            "rounds": outcome.rounds.iter().map(round_json).collect::<Vec<_>>(),
        })
    }

    /// For people.
    pub fn text(&self) -> String {
        let outcome = &self.outcome;
        let kept = match outcome.best {
            0 => "nothing better was found, the weights are as they were".to_string(),
            best => format!("the weights of iteration {best} were kept"),
        };
        format!(
            "BLEU {:.2} -> {:.2}: {kept}; {}",
            outcome.rounds[0].bleu,
            outcome.rounds[outcome.best].bleu,
            outcome.stop.describe()
        )
    }
}

fn round_json(round: &Round) -> Value {
    json!({
        "bleu": round.bleu,
        "expected_bleu": round.predicted,
        "length_ratio": round.length_ratio,
        "entries": round.entries,
        "new_entries": round.new_entries,
        "weights": round.weights.dense,
    })
}
