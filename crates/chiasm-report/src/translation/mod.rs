//! The papers' translation tables on any corpus.

mod contenders;
mod papers;
mod views;

use crate::{Error, Result};
use chiasm_page::Report;
use chiasm_train::experiment::{self, Contender, TestSet};
use chiasm_train::normalise::Side;
use chiasm_train::settings::{ReorderingSettings, SparseParts};
use chiasm_train::{Cache, Plan, Tuner, prepared_text};
use chiasm_work::Observer;
pub use contenders::Direction;
use contenders::{BASELINE, Kind};
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

/// What is asked for.
pub struct Request {
    /// The training text, the settings that all systems share, the folder of stages.
    pub training: chiasm_train::Request,
    /// Source side of the test set.
    pub test_source: PathBuf,
    /// Its references.
    pub test_targets: Vec<PathBuf>,
    /// Learners to compare.
    pub learners: Vec<String>,
    /// Numbers of their feature sets.
    pub sets: Vec<u32>,
    /// Tuners to compare.
    pub tuners: Vec<Tuner>,
    /// How often each system is tuned, with other seeds.
    pub seeds: u64,
    /// Which jumps the models know of.
    pub direction: Direction,
    /// With sparse features, too? What they look at, the settings say.
    pub sparse: bool,
    /// Those of the phrase alone, without word classes, as in the papers?
    pub phrase_alone: bool,
    /// Their frequent words, if not those of the settings.
    pub sparse_words: Option<usize>,
    /// The command that asked, for the page.
    pub command: String,
}

impl Request {
    /// Takes the design of the papers: models of jumps from the phrase before, S6 and S7, sparse features of the phrase alone, and
    /// five seeds of each tuner.
    pub fn as_in_the_papers(self) -> Self {
        let learners = contenders::LEARNERS.iter();
        Request {
            learners: learners.map(|known| known.0.to_string()).collect(),
            sets: vec![6, 7],
            tuners: vec![Tuner::Mert, Tuner::Pro, Tuner::Mira],
            seeds: 5,
            direction: Direction::Backward,
            sparse: true,
            phrase_alone: true,
            ..self
        }
    }

    fn kinds(&self) -> Result<Vec<Kind>> {
        contenders::kinds(&self.learners, &self.sets, self.direction, self.sparse)
    }

    /// The training of one system.
    fn training(&self, kind: &Kind, tuner: Tuner, seed: u64) -> chiasm_train::Request {
        let mut training = self.training.clone();
        kind.apply(&mut training.settings);
        self.settle_sparse(&mut training.settings.reordering);
        training.settings.tune.method = tuner;
        // Links, phrases and models are the same for all seeds of tuning.
        training.settings.tune.seed = seed;
        training
    }

    fn settle_sparse(&self, settings: &mut ReorderingSettings) {
        if self.phrase_alone {
            settings.sparse_parts = SparseParts::Phrase;
            settings.sparse_classes = 0;
        }
        settings.sparse_words = self.sparse_words.unwrap_or(settings.sparse_words);
    }
}

/// All systems of one tuner.
struct Tuned {
    tuner: Tuner,
    kinds: Vec<Kind>,
    contenders: Vec<Contender>,
}

/// MERT does not tune sparse features.
fn is_usable(kind: &Kind, tuner: Tuner) -> bool {
    !kind.sparse || tuner != Tuner::Mert
}

/// What [`report`] would do: how many systems, how often each stage is run that is not there yet, and about how long it all takes.
/// Translating the test set is not in it.
pub fn plan(request: &Request) -> Result<Vec<String>> {
    let size = chiasm_train::estimate::Size::of(&request.training)?;
    let mut stages: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    let (mut seen, mut systems) = (HashSet::new(), 0);
    for kind in &request.kinds()? {
        for &tuner in request
            .tuners
            .iter()
            .filter(|&&tuner| is_usable(kind, tuner))
        {
            for seed in 1..=request.seeds {
                systems += 1;
                let training = request.training(kind, tuner, seed);
                for stage in Plan::new(&training)?.stages(&training, &size) {
                    let Some((key, false)) = stage.found else {
                        continue;
                    };
                    if seen.insert(format!("{}-{key}", stage.name)) {
                        let of_name = stages.entry(stage.name).or_default();
                        *of_name = (of_name.0 + 1, of_name.1 + stage.cost.seconds);
                    }
                }
            }
        }
    }
    let all = (stages.values()).fold(0.0, |sum, (_, seconds)| sum + seconds);
    let mut lines = vec![format!("{systems} systems")];
    lines.extend(stages.iter().map(|(name, (count, seconds))| {
        format!("{name:<10} {count} times, about {seconds:.0} s of processor time")
    }));
    let hours = all / 3600.0;
    lines.push(format!(
        "in all about {all:.0} s of processor time ({hours:.1} hours)"
    ));
    Ok(lines)
}

/// Trains, translates, scores.
pub fn report(request: &Request, observer: &dyn Observer) -> Result<Report> {
    let kinds = request.kinds()?;
    let mut cache = Cache::open(request.training.cache.clone(), observer)?;
    let test = read_test(request, &mut cache, observer)?;
    let mut all = Vec::new();
    for &tuner in &request.tuners {
        let mut tuned = Tuned {
            tuner,
            kinds: Vec::new(),
            contenders: Vec::new(),
        };
        for kind in kinds.iter().filter(|kind| is_usable(kind, tuner)) {
            let mut contender = Contender::new(kind.name.clone());
            for seed in 1..=request.seeds {
                observer.say(&format!("== {}, {tuner}, seed {seed}", kind.name));
                let training = request.training(kind, tuner, seed);
                let run = experiment::run(&training, &test, &mut cache, observer)?;
                contender.runs.push(run);
            }
            tuned.kinds.push(kind.clone());
            tuned.contenders.push(contender);
        }
        experiment::score(&mut tuned.contenders, &test, BASELINE, 1)?;
        let shown = experiment::table(&tuned.contenders, test.source.len());
        observer.say(&format!("\n{tuner}\n{shown}"));
        all.push(tuned);
    }
    Ok(written(request, &all, &test))
}

/// The test set, normalised as the training text is.
fn read_test(request: &Request, cache: &mut Cache, observer: &dyn Observer) -> Result<TestSet> {
    let training = &request.training;
    let text = prepared_text(training, &Plan::new(training)?, cache, observer)?;
    let mut source = training.normaliser(Side::Source, &text)?;
    let mut target = training.normaliser(Side::Target, &text)?;
    let source = source.lines(&request.test_source)?;
    let name = request.test_source.display();
    if source.is_empty() {
        return Err(Error::Request(format!("{name}: no sentences")));
    }
    let mut references = Vec::new();
    for path in &request.test_targets {
        let lines = target.lines(path)?;
        if lines.len() != source.len() {
            let (path, found, expected) = (path.display(), lines.len(), source.len());
            let reason = format!("{path}: {found} lines, but {name} has {expected}");
            return Err(Error::Request(reason));
        }
        references.push(lines);
    }
    Ok(TestSet { source, references })
}

fn written(request: &Request, all: &[Tuned], test: &TestSet) -> Report {
    let items = views::items(all, test, &request.command);
    let introduction = format!(
        "{} test sentences, {} reference(s), BLEU on tokens as they are. Means over {} seed(s) of tuning; p is the \
         significance of the difference to \u{201c}{BASELINE}\u{201d} of the same tuner (paired bootstrap over sentences, \
         1,000 samples, on the means). MB is the whole system; ms is CPU time of decoding.",
        test.source.len(),
        test.references.len(),
        request.seeds
    );
    Report {
        html: chiasm_page::html("Reordering models in translation", &introduction, &items),
        csv: views::csv(all, test),
        json: chiasm_page::as_json(&items),
    }
}
