//! From parallel text to a translation system.

use crate::{ParallelText, Result, Translator};
use chiasm_train::cache::Timing;
use chiasm_train::{Cache, Preset, Request, Settings};
use chiasm_work::{Observer, Silent};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Trains. What is not said is the preset's.
pub struct Trainer<'a> {
    text: ParallelText,
    settings: Settings,
    language_model: Option<PathBuf>,
    more_target_text: Option<PathBuf>,
    stages: Option<PathBuf>,
    threads: Option<usize>,
    observer: &'a dyn Observer,
}

impl<'a> Trainer<'a> {
    /// On this text, as [`Preset::Standard`] does it.
    pub fn new(text: ParallelText) -> Self {
        Trainer {
            text,
            settings: Settings::preset(Preset::Standard),
            language_model: None,
            more_target_text: None,
            stages: None,
            threads: None,
            observer: &Silent,
        }
    }

    /// Begins with another preset; what was set before is forgotten.
    pub fn preset(mut self, preset: Preset) -> Self {
        self.settings = Settings::preset(preset);
        self
    }

    /// All settings at once.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Changes some of them.
    pub fn with(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// The seed of everything random: the same seed gives the same bytes.
    pub fn seed(self, seed: u64) -> Self {
        self.with(|settings| settings.seed = seed)
    }

    /// Takes a language model that is there, in place of one estimated on the target text.
    pub fn language_model(mut self, file: impl Into<PathBuf>) -> Self {
        self.language_model = Some(file.into());
        self
    }

    /// More target text for the language model.
    pub fn more_target_text(mut self, file: impl Into<PathBuf>) -> Self {
        self.more_target_text = Some(file.into());
        self
    }

    /// Keeps the stages in this folder, so that a second run goes on where the first ended; without it they
    /// are made in a temporary one.
    pub fn stages(mut self, folder: impl Into<PathBuf>) -> Self {
        self.stages = Some(folder.into());
        self
    }

    /// So many threads; otherwise those of the current rayon pool. The result does not depend on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Tells someone how far it is.
    pub fn observer(mut self, observer: &'a dyn Observer) -> Self {
        self.observer = observer;
        self
    }

    /// Checks, trains, tunes.
    pub fn train(self) -> Result<Trained> {
        match self.threads {
            None => self.run(),
            Some(threads) => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1));
                pool.build()?.install(|| self.run())
            }
        }
    }

    fn run(self) -> Result<Trained> {
        self.settings.check()?;
        let temporary = tempfile::tempdir()?;
        let request = Request {
            raw: self.text.as_files(temporary.path())?,
            lm_text: self.more_target_text,
            lm: self.language_model,
            settings: self.settings,
            cache: self
                .stages
                .unwrap_or_else(|| temporary.path().join("stages")),
        };
        let mut cache = Cache::open(request.cache.clone(), self.observer)?;
        let system = chiasm_train::train(&request, &mut cache, self.observer)?;
        Ok(Trained {
            system,
            timings: cache.timings().to_vec(),
            _temporary: temporary,
        })
    }
}

/// A tuned system among its stages; [`save`](Trained::save) it to keep it.
pub struct Trained {
    system: PathBuf,
    timings: Vec<Timing>,
    // The stages may lie in it, for as long as this value lives.
    _temporary: TempDir,
}

impl Trained {
    /// Writes the system, one file that appears whole.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        Ok(chiasm_train::deliver(&self.system, path.as_ref())?)
    }

    /// Translates with it.
    pub fn translator(&self) -> Result<Translator> {
        Translator::open(&self.system)
    }

    /// The stages and what each took.
    pub fn timings(&self) -> &[Timing] {
        &self.timings
    }
}
