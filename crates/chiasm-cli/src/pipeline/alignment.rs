//! The stage that aligns words, more than once.
//!
//! A sampled alignment is one draw from what the data allow: on 45,000 sentence pairs, two seeds
//! have four fifths of their links in common. Phrase pairs are therefore counted in several
//! alignments of the same text (docs/translation.md has what that brings).

use super::build::memory;
use super::cache::Stage;
use super::prepare::{TRAIN_SOURCE, TRAIN_TARGET};
use super::settings::{AlignSettings, Settings};
use crate::context::Context;
use anyhow::{anyhow, bail};
use chiasm_align::{Bitext, LinkSettings, Preset, align_corpus_by};
use chiasm_text::TextOutput;
use std::path::{Path, PathBuf};

/// The files of links that [`align`] writes: the same text aligned by each sampler.
pub fn files(settings: &AlignSettings, stage: &Stage) -> anyhow::Result<Vec<PathBuf>> {
    let numbers = 0..alignments(settings)?;
    Ok(numbers.map(|number| stage.file(&name(number))).collect())
}

fn name(number: usize) -> String {
    format!("links.{number}")
}

/// More bring nothing, and each takes time and memory.
const MOST: usize = 64;

/// The fast model is not sampled: there is but one.
fn alignments(settings: &AlignSettings) -> anyhow::Result<usize> {
    let wanted = settings.alignments;
    if !(1..=MOST).contains(&wanted) {
        bail!("align.alignments: {wanted} is not between 1 and {MOST}");
    }
    Ok(match preset(settings)? {
        Preset::Fast => 1,
        Preset::Standard | Preset::Best => wanted,
    })
}

fn preset(settings: &AlignSettings) -> anyhow::Result<Preset> {
    let preset = settings.preset.parse();
    preset.map_err(|e| anyhow!("align.preset: {e}"))
}

fn link_settings(settings: &AlignSettings) -> anyhow::Result<LinkSettings> {
    let method = settings.symmetrise.parse();
    Ok(LinkSettings {
        method: method.map_err(|e| anyhow!("align.symmetrise: {e}"))?,
        null_bias: 1.0,
    })
}

fn null_probability(settings: &AlignSettings) -> anyhow::Result<f32> {
    let wanted = settings.null_probability;
    if !(wanted > 0.0 && wanted < 1.0) {
        bail!("align.null_probability: {wanted} is not between 0 and 1");
    }
    Ok(wanted)
}

/// Is everything understood that is asked for?
pub fn check(settings: &AlignSettings) -> anyhow::Result<()> {
    alignments(settings)?;
    link_settings(settings)?;
    null_probability(settings)?;
    Ok(())
}

/// Aligns the training text.
pub fn align(
    text: &Stage,
    settings: &Settings,
    folder: &Path,
    context: &Context,
) -> anyhow::Result<()> {
    let bitext = Bitext::read(text.file(TRAIN_SOURCE), text.file(TRAIN_TARGET))?;
    let wanted = &settings.align;
    let link_settings = link_settings(wanted)?;
    let mut choice = chiasm_align::Settings::preset(preset(wanted)?, bitext.len());
    choice.seed = settings.seed;
    choice.memory = memory(settings)?;
    choice.set_null_probability(null_probability(wanted)?);
    // The start that translation was measured with; the looser one of the presets is better by hand-made links.
    choice.log_linear.tension = 4.0;
    let alignments = alignments(wanted)?;
    if let Some(sampling) = &mut choice.sampling
        && alignments > 1
    {
        sampling.chains = alignments as u32;
        sampling.apart = true;
    }
    let progress = context.progress("align", "passes", Some(chiasm_align::passes(&choice)));
    let trained = chiasm_align::train(&bitext, &choice, &progress);
    drop(progress);
    let mut line = String::new();
    for number in 0..trained.alignments() {
        let mut output = TextOutput::create(folder.join(name(number)))?;
        let this = number..number + 1;
        align_corpus_by(&trained, this, &bitext, link_settings, &(), |pair| {
            line.clear();
            chiasm_text::links::format(&pair.links, &mut line);
            line.push('\n');
            Ok(output.write_text(line.as_bytes())?)
        })?;
        output.finish()?;
    }
    Ok(())
}
