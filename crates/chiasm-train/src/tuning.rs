//! The stages that look at the development set: how far phrases may jump, and the weights.

use crate::confidence::calibration;
use crate::settings::Settings;
use crate::{Error, Result};
use chiasm_decode::{Decoder, Input, Preparation, SearchSettings, System, Wanted};
use chiasm_metrics::bleu::{self, Bleu};
use chiasm_text::{Lines, TextOutput, read_lines, read_lines_beside};
use chiasm_tune::system_decoder::SystemDecoder;
use chiasm_tune::{Outcome, Round, plot, tune};
use chiasm_work::Observer;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The chosen limit, as text; 0 is none.
pub const LIMIT: &str = "distortion-limit";
/// The tuned system.
pub const TUNED: &str = "tuned.chiasm";
/// How the tuning went.
pub const TUNING_PAGE: &str = "tuning.html";

/// A development set, tokenised.
pub struct DevelopmentSet {
    source: Vec<String>,
    targets: Vec<Vec<String>>,
}

impl DevelopmentSet {
    /// Reads at most `most` sentences.
    pub fn read(source: &Path, targets: &[impl AsRef<Path>], most: usize) -> Result<Self> {
        let read = |path: &Path| -> Result<Vec<String>> {
            let mut lines = Lines::open(path)?;
            let mut all = Vec::new();
            while all.len() < most {
                let Some(line) = lines.next_line()? else {
                    break;
                };
                all.push(line.to_string());
            }
            Ok(all)
        };
        let targets = targets
            .iter()
            .map(|path| read(path.as_ref()))
            .collect::<Result<_>>()?;
        Ok(DevelopmentSet {
            source: read(source)?,
            targets,
        })
    }

    /// Reads all sentences of files that must have equally many.
    pub fn read_whole(source: &Path, targets: &[impl AsRef<Path>]) -> Result<Self> {
        let sentences = read_lines(source)?;
        if sentences.is_empty() {
            return Err(Error::Request(format!(
                "{}: no sentences",
                source.display()
            )));
        }
        let beside = |path| read_lines_beside(path, source, sentences.len());
        let targets = targets
            .iter()
            .map(beside)
            .collect::<chiasm_text::Result<_>>()?;
        Ok(DevelopmentSet {
            source: sentences,
            targets,
        })
    }

    /// The same text as the system sees it: what people wrote becomes tokens.
    pub fn prepared(self, preparation: &Preparation) -> Self {
        let source = |line: &String| preparation.source_tokens(line);
        let target = |line: &String| preparation.reference_tokens(line);
        DevelopmentSet {
            source: self.source.iter().map(source).collect(),
            targets: self
                .targets
                .iter()
                .map(|set| set.iter().map(target).collect())
                .collect(),
        }
    }

    /// All lines of all sides.
    pub(crate) fn text(&self) -> String {
        let lines = self.source.iter().chain(self.targets.iter().flatten());
        lines.flat_map(|line| [line.as_str(), "\n"]).collect()
    }

    /// The source side.
    pub(crate) fn source(&self) -> &[String] {
        &self.source
    }

    /// Sentences with their first reference.
    pub(crate) fn pairs(&self) -> Vec<(String, String)> {
        let targets = self.targets.first().into_iter().flatten();
        self.source.iter().cloned().zip(targets.cloned()).collect()
    }

    /// Sets of references.
    pub(crate) fn targets(&self) -> &[Vec<String>] {
        &self.targets
    }

    fn first(&self, count: usize) -> DevelopmentSet {
        let cut = |lines: &Vec<String>| lines.iter().take(count).cloned().collect();
        DevelopmentSet {
            source: cut(&self.source),
            targets: self.targets.iter().map(cut).collect(),
        }
    }
}

/// BLEU of the best translations under some search settings.
fn bleu_with(
    system: &Arc<System>,
    search: SearchSettings,
    dev: &DevelopmentSet,
    threads: usize,
) -> Result<f64> {
    let decoder = Decoder::with_weights(system.clone(), &system.weights(), search)?;
    let inputs: Vec<Input> = dev
        .source
        .iter()
        .map(|line| Input::from_line(line))
        .collect();
    let wanted = Wanted {
        count: 1,
        distinct: false,
    };
    let lists = decoder.translate_batch(&inputs, wanted, threads)?;
    let bleu = Bleu {
        tokenizer: chiasm_metrics::Tokenizer::None,
        ..Default::default()
    };
    let mut sum = [0.0; bleu::WIDTH];
    for (sentence, list) in lists.iter().enumerate() {
        let hypothesis = list.first().map_or(String::new(), |best| best.text());
        let references: Vec<&str> = dev
            .targets
            .iter()
            .map(|set| set[sentence].as_str())
            .collect();
        for (total, count) in sum
            .iter_mut()
            .zip(bleu.counts(&hypothesis, &references).row())
        {
            *total += count;
        }
    }
    Ok(bleu.detailed(&sum).score)
}

/// Sentences that decide about the distortion limit.
const DECIDING: usize = 300;

/// Decodes with each candidate and writes down the best; a longer limit must be really better.
pub fn choose_limit(
    system: &Path,
    dev: &DevelopmentSet,
    settings: &Settings,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<()> {
    let system = Arc::new(System::open(system)?);
    let some = dev.first(DECIDING);
    let mut best: Option<(f64, u16)> = None;
    for &limit in &settings.search.distortion_limits {
        let search = SearchSettings {
            pop_limit: settings.tune.pop_limit,
            distortion_limit: (limit > 0).then_some(limit),
            ..system.configuration().search.clone()
        };
        let score = bleu_with(&system, search, &some, rayon::current_num_threads())?;
        let shown = if limit == 0 {
            "none".into()
        } else {
            limit.to_string()
        };
        observer.say(&format!(
            "distortion limit {shown}: BLEU {score:.2} on the development set"
        ));
        if best.is_none_or(|(best, _)| score > best + 0.05) {
            best = Some((score, limit));
        }
    }
    let limit = best.map_or(0, |(_, limit)| limit);
    let mut output = TextOutput::create(folder.join(LIMIT))?;
    output.write_text(limit.to_string().as_bytes())?;
    Ok(output.finish()?)
}

/// Reads what [`choose_limit`] wrote.
pub fn chosen_limit(path: &Path) -> Result<Option<u16>> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
    let limit: u16 = text
        .trim()
        .parse()
        .map_err(|_| Error::Request(format!("{}: a number of words expected", path.display())))?;
    Ok((limit > 0).then_some(limit))
}

/// Finds weights and writes the system with them and with the chosen limit.
pub fn tune_system(
    system: &Path,
    dev: &DevelopmentSet,
    limit: Option<u16>,
    settings: &Settings,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<()> {
    let mut opened = System::open(system)?;
    opened.set_search(SearchSettings {
        distortion_limit: limit,
        ..opened.configuration().search.clone()
    });
    let system = Arc::new(opened);
    let output = folder.join(TUNED);
    let Some(method) = settings.tune.method.method() else {
        return Ok(system.write_with_weights(&output, &system.weights())?);
    };
    let search = SearchSettings {
        pop_limit: settings.tune.pop_limit,
        ..system.configuration().search.clone()
    };
    let tuning = Tuning {
        choice: tune::Settings {
            method,
            rounds: settings.tune.iterations,
            nbest: settings.tune.nbest,
            patience: settings.tune.patience,
            seed: settings.tuning_seed(),
            folder: Some(folder.join("rounds")),
            fingerprint: folder.display().to_string(),
        },
        search,
        output,
        page: folder.join(TUNING_PAGE),
    };
    tuning.run(&system, dev, &mut |number, round| {
        let bleu = round.bleu;
        observer.say(&format!(
            "iteration {number}: BLEU {bleu:.2} on the development set"
        ));
    })?;
    Ok(())
}

/// How weights are found, and where they go.
pub(crate) struct Tuning {
    pub choice: tune::Settings,
    /// The search while tuning.
    pub search: SearchSettings,
    /// The tuned system.
    pub output: PathBuf,
    /// How it went.
    pub page: PathBuf,
}

impl Tuning {
    /// Finds weights, writes the system with them and the page; `report` hears of each round.
    pub fn run(
        self,
        system: &Arc<System>,
        dev: &DevelopmentSet,
        report: &mut dyn FnMut(usize, &Round),
    ) -> Result<Outcome> {
        let threads = rayon::current_num_threads();
        let mut decoder = SystemDecoder::new(system.clone(), self.search, &dev.source, threads);
        let references = decoder.references(&dev.targets);
        let start = decoder.start();
        let outcome = tune::tune(&mut decoder, &references, &start, &self.choice, report)?;
        let weights = decoder.named(&outcome.weights);
        let usual = system.configuration().search.clone();
        let tuned = Decoder::with_weights(system.clone(), &weights, usual)?;
        let reference = dev.targets.first().map_or(&[][..], Vec::as_slice);
        let calibration = calibration(&tuned, &dev.source, reference)?;
        system.write_tuned(&self.output, &weights, calibration)?;
        let names = system.configuration().feature_names();
        let mut page = TextOutput::create(&self.page)?;
        page.write_text(plot::page(&outcome, self.choice.method.name(), &names).as_bytes())?;
        page.finish()?;
        if let Some(rounds) = &self.choice.folder {
            tune::forget(rounds)?;
        }
        Ok(outcome)
    }
}
