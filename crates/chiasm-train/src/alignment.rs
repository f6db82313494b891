//! The stage that aligns words, more than once.
//!
//! A sampled alignment is one draw from what the data allow: on 45,000 sentence pairs, two seeds
//! have four fifths of their links in common. Phrase pairs are therefore counted in several
//! alignments of the same text (docs/translation.md has what that brings).

use crate::Result;
use crate::cache::Stage;
use crate::prepare::{TRAIN_SOURCE, TRAIN_TARGET};
use crate::settings::{AlignSettings, Settings};
use chiasm_align::{Bitext, Knowledge, LinkSettings, Preset, align_corpus_by};
use chiasm_text::{MappedText, TextOutput};
use chiasm_work::Observer;
use std::path::{Path, PathBuf};

/// The files of links that [`align`] writes: the same text aligned by each sampler.
pub fn files(settings: &AlignSettings, stage: &Stage) -> Vec<PathBuf> {
    let numbers = 0..alignments(settings);
    numbers.map(|number| stage.file(&name(number))).collect()
}

fn name(number: usize) -> String {
    format!("links.{number}")
}

/// The fast model is not sampled: there is but one.
fn alignments(settings: &AlignSettings) -> usize {
    match settings.preset {
        Preset::Fast => 1,
        Preset::Standard | Preset::Best => settings.alignments,
    }
}

/// How so many pairs are aligned.
pub(crate) fn choice(settings: &Settings, pairs: usize) -> chiasm_align::Settings {
    let wanted = &settings.align;
    let mut choice = chiasm_align::Settings::preset(wanted.preset, pairs);
    choice.seed = settings.seed;
    choice.memory = settings.memory;
    choice.set_null_probability(wanted.null_probability);
    // The start that translation was measured with; the looser one of the presets is better by hand-made links.
    choice.log_linear.tension = 4.0;
    let alignments = alignments(wanted);
    if let Some(sampling) = &mut choice.sampling
        && alignments > 1
    {
        sampling.chains = alignments as u32;
        sampling.apart = true;
    }
    choice
}

/// The model that aligned, for pairs that users teach the system later.
pub const ALIGNER: &str = "aligner";

/// Aligns the training text.
pub fn align(
    text: &Stage,
    settings: &Settings,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<()> {
    let source = MappedText::open(text.file(TRAIN_SOURCE))?;
    let target = MappedText::open(text.file(TRAIN_TARGET))?;
    let bitext = Bitext::of_texts(&source, &target)?;
    let wanted = &settings.align;
    let link_settings = LinkSettings {
        method: wanted.symmetrise,
        null_bias: 1.0,
    };
    let choice = choice(settings, bitext.len());
    let knowledge = Knowledge {
        scratch: Some(folder.to_path_buf()),
        ..Knowledge::default()
    };
    let progress = observer.begin("align", "passes", Some(chiasm_align::passes(&choice)));
    let trained = chiasm_align::train_with(&bitext, &choice, knowledge, &*progress)?;
    drop(progress);
    trained.model(&bitext)?.save(folder.join(ALIGNER))?;
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
