//! The papers' translation tables on any corpus.

mod contenders;
mod papers;
mod runs;
mod scores;
mod test_sets;
mod views;

use crate::Result;
use chiasm_decode::Unknown;
use chiasm_page::Report;
use chiasm_train::estimate::Size;
use chiasm_train::settings::{ReorderingSettings, SparseParts};
use chiasm_train::{Cache, Plan, Tuner};
use chiasm_work::Observer;
use contenders::{BASELINE, Kind};
pub use contenders::{Design, Direction};
use runs::Run;
use scores::Scores;
use std::collections::{BTreeMap, HashSet};
pub use test_sets::TestFiles;
use test_sets::TestSet;

/// What is asked for.
pub struct Request {
    /// The training text, the settings that all systems share, the folder of stages.
    pub training: chiasm_train::Request,
    /// What all systems translate.
    pub tests: Vec<TestFiles>,
    /// Which systems.
    pub design: Design,
    /// Keep tuned systems, not only their translations?
    pub keep_systems: bool,
    /// The command that asked, for the page.
    pub command: String,
}

impl Request {
    /// The training of one system.
    fn training(&self, kind: &Kind, tuner: Tuner, seed: u64) -> chiasm_train::Request {
        let mut training = self.training.clone();
        kind.apply(&mut training.settings);
        self.settle_sparse(&mut training.settings.reordering);
        // Neural models, too, know something of how phrases move, and the papers had none; unknown words were copied.
        training.settings.joint.train = false;
        training.settings.ranker.train = false;
        training.settings.search.unknown = Unknown::Copy;
        training.settings.tune.method = tuner;
        // Links, phrases and models are the same for all seeds of tuning.
        training.settings.tune.seed = seed;
        training
    }

    fn settle_sparse(&self, settings: &mut ReorderingSettings) {
        if self.design.phrase_alone {
            settings.sparse_parts = SparseParts::Phrase;
            settings.sparse_classes = 0;
        }
        settings.sparse_words = self.design.sparse_words.unwrap_or(settings.sparse_words);
    }

    /// Every tuned system of the design: its kind, tuner and seed.
    fn systems<'a>(&'a self, kinds: &'a [Kind]) -> impl Iterator<Item = (&'a Kind, Tuner, u64)> {
        let design = &self.design;
        kinds.iter().flat_map(move |kind| {
            let tuners = design.tuners.iter().copied();
            let usable = tuners.filter(move |&tuner| is_usable(kind, tuner));
            usable.flat_map(move |tuner| (1..=design.seeds).map(move |seed| (kind, tuner, seed)))
        })
    }
}

/// All systems of one tuner.
struct Tuned {
    tuner: Tuner,
    kinds: Vec<Kind>,
    /// By kind, then by seed.
    runs: Vec<Vec<Run>>,
    /// By test set, then by kind.
    scores: Vec<Vec<Scores>>,
}

impl Tuned {
    /// The kinds with their scores on a test set.
    fn rows(&self, test: usize) -> impl Iterator<Item = (&Kind, &Scores)> {
        self.kinds.iter().zip(&self.scores[test])
    }
}

/// MERT does not tune sparse features.
fn is_usable(kind: &Kind, tuner: Tuner) -> bool {
    !kind.sparse || tuner != Tuner::Mert
}

/// What [`report`] would do: how many systems, how often each stage is run that is not there yet, and about how long it all takes.
pub fn plan(request: &Request) -> Result<Vec<String>> {
    let size = Size::of(&request.training)?;
    let kinds = request.design.kinds()?;
    let mut stages: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    let mut add = |name, seconds| {
        let of_name: &mut (usize, f64) = stages.entry(name).or_default();
        *of_name = (of_name.0 + 1, of_name.1 + seconds);
    };
    let (mut seen, mut systems) = (HashSet::new(), 0);
    for (kind, tuner, seed) in request.systems(&kinds) {
        systems += 1;
        let training = request.training(kind, tuner, seed);
        let plan = Plan::new(&training)?;
        let mut translated = true;
        for test in &request.tests {
            let needs = runs::ingredients(&plan, &test.source)?;
            if !runs::is_there(&training, &needs) {
                translated = false;
                let sentences = test_sets::sentences(test)?;
                let seconds = size.translate(&training.settings, sentences).seconds;
                add("translate", seconds);
            }
        }
        // A system whose translations are there is not needed.
        if translated {
            continue;
        }
        for stage in plan.stages(&training, &size) {
            let Some((key, false)) = stage.found else {
                continue;
            };
            if seen.insert(format!("{}-{key}", stage.name)) {
                add(stage.name, stage.cost.seconds);
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
    let kinds = request.design.kinds()?;
    let mut cache = Cache::open(request.training.cache.clone(), observer)?;
    let tests = test_sets::read(request, &mut cache, observer)?;
    let mut all = Vec::new();
    for &tuner in &request.design.tuners {
        let mut tuned = Tuned {
            tuner,
            kinds: Vec::new(),
            runs: Vec::new(),
            scores: Vec::new(),
        };
        for kind in kinds.iter().filter(|kind| is_usable(kind, tuner)) {
            let mut runs = Vec::new();
            for seed in 1..=request.design.seeds {
                observer.say(&format!("== {}, {tuner}, seed {seed}", kind.name));
                let training = request.training(kind, tuner, seed);
                let keep = request.keep_systems;
                runs.push(runs::run(&training, &tests, keep, &mut cache, observer)?);
            }
            tuned.kinds.push(kind.clone());
            tuned.runs.push(runs);
        }
        tuned.score(&tests)?;
        for (number, test) in tests.iter().enumerate() {
            let shown = views::text(&tuned, number);
            observer.say(&format!("\n{tuner}, {}\n{shown}", test.name));
        }
        all.push(tuned);
    }
    Ok(written(request, &all, &tests))
}

impl Tuned {
    fn score(&mut self, tests: &[TestSet]) -> Result<()> {
        let systems = self.kinds.iter().zip(&self.runs);
        let systems: Vec<(&str, &[Run])> = systems
            .map(|(kind, runs)| (kind.name.as_str(), runs.as_slice()))
            .collect();
        let scores = tests
            .iter()
            .enumerate()
            .map(|(number, test)| scores::scores(&systems, number, test));
        self.scores = scores.collect::<Result<_>>()?;
        Ok(())
    }
}

fn written(request: &Request, all: &[Tuned], tests: &[TestSet]) -> Report {
    let items = views::items(all, tests, &request.command);
    let sets: Vec<String> = tests
        .iter()
        .map(|test| {
            let (sentences, references) = (test.source.len(), test.references.len());
            format!(
                "{}: {sentences} test sentences, {references} reference(s)",
                test.name
            )
        })
        .collect();
    let introduction = format!(
        "{}. BLEU on tokens as they are. Means over {} seed(s) of tuning, sd is their standard deviation. The difference is that to \
         \u{201c}{BASELINE}\u{201d} of the same tuner, with its 95 % interval over 1,000 samples of the sentences; p is its significance: \
         of several seeds by shuffling sentences and seeds (Clark et al. 2011), of one by those samples; Holm is p corrected \
         for the number of systems. MB is the whole system; ms is CPU time of decoding.",
        sets.join("; "),
        request.design.seeds
    );
    Report {
        html: chiasm_page::html("Reordering models in translation", &introduction, &items),
        csv: views::csv(all, tests),
        json: chiasm_page::as_json(&items),
    }
}
