//! From parallel text to a system.

use crate::call::{Listener, call};
use crate::error::{raised, refused};
use chiasm::{MemorySize, ParallelText, Preset, Settings, Trainer};
use pyo3::prelude::*;
use std::path::PathBuf;

/// What is trained on, with what, and where it goes.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Request {
    source: PathBuf,
    target: PathBuf,
    languages: Option<(String, String)>,
    links: Option<PathBuf>,
    dev: Option<(PathBuf, Vec<PathBuf>)>,
    lm: Option<PathBuf>,
    lm_text: Option<PathBuf>,
    preset: String,
    config: String,
    seed: Option<u64>,
    memory: Option<u64>,
    stages: Option<PathBuf>,
    output: PathBuf,
}

impl Request {
    fn settings(&self) -> PyResult<Settings> {
        let preset: Preset = self
            .preset
            .parse()
            .map_err(|reason| refused(format!("{reason}")))?;
        let mut settings = Settings::read_over(preset, &self.config).map_err(refused)?;
        if let Some(seed) = self.seed {
            settings.seed = seed;
        }
        if let Some(memory) = self.memory {
            settings.memory = MemorySize(memory);
        }
        settings.check().map_err(raised)?;
        Ok(settings)
    }

    fn text(&self) -> ParallelText {
        let mut text = ParallelText::lines(&self.source, &self.target);
        if let Some((source, target)) = &self.languages {
            text = text.languages(source, target);
        }
        if let Some(links) = &self.links {
            text = text.links(links);
        }
        if let Some((source, targets)) = &self.dev {
            text = text.development(source, targets);
        }
        text
    }
}

/// Trains and writes the system.
#[pyfunction]
pub fn train(
    py: Python<'_>,
    request: Request,
    threads: Option<usize>,
    listener: Listener<'_>,
) -> PyResult<()> {
    let settings = request.settings()?;
    call(py, threads, listener, |meter| {
        let mut trainer = Trainer::new(request.text())
            .settings(settings)
            .observer(meter);
        if let Some(lm) = &request.lm {
            trainer = trainer.language_model(lm);
        }
        if let Some(text) = &request.lm_text {
            trainer = trainer.more_target_text(text);
        }
        if let Some(stages) = &request.stages {
            trainer = trainer.stages(stages);
        }
        trainer.train()?.save(&request.output)
    })
}

/// All settings with their defaults, as commented TOML.
#[pyfunction]
pub fn settings() -> &'static str {
    chiasm::train::configuration::TEMPLATE
}
