//! How well confidences are calibrated: `cargo xtask confidence SYSTEM DEV_SOURCE DEV_TARGET TEST_SOURCE TEST_TARGET` on tokenised
//! text. The calibration is learned from the development set as `train` does it; of the test set's words the share that stays
//! is compared with what was said (expected calibration error, ten bins), and how well words that go are told from those that
//! stay (area under the curve).

use anyhow::{Context, Result, bail};
use chiasm_decode::{Decoder, System};
use chiasm_train::{calibration, labelled_words};
use std::sync::Arc;

pub fn run(arguments: &[String]) -> Result<()> {
    let [system, files @ ..] = arguments else {
        bail!("a system and four files expected");
    };
    let mut texts = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).with_context(|| file.clone())?;
        texts.push(text.lines().map(String::from).collect::<Vec<_>>());
    }
    let [dev_source, dev_target, source, target] = texts.as_slice() else {
        bail!("a system and four files expected");
    };
    let decoder = Decoder::new(Arc::new(System::open(system)?))?;
    let fitted = calibration(&decoder, dev_source, dev_target)?.context("too little text")?;
    let words = labelled_words(&decoder, source, target)?;
    let calibrated: Vec<(f32, bool)> = words
        .iter()
        .map(|(posterior, stays)| (fitted.apply(*posterior), *stays))
        .collect();
    let stayed = words.iter().filter(|(_, stays)| *stays).count();
    println!(
        "{} words, {:.1} % of them stay; offset {:.3}, slope {:.3}",
        words.len(),
        100.0 * stayed as f64 / words.len() as f64,
        fitted.offset,
        fitted.slope
    );
    println!(
        "expected calibration error: posteriors {:.4}, calibrated {:.4}",
        error(&words),
        error(&calibrated)
    );
    println!(
        "area under the curve for words that go: {:.4}",
        area(&words)
    );
    Ok(())
}

/// The mean distance between what is said of the words of a bin and the share of them that stays.
fn error(words: &[(f32, bool)]) -> f64 {
    let mut bins = [(0.0_f64, 0.0_f64); 10];
    for (said, stays) in words {
        let bin = &mut bins[((said * 10.0) as usize).min(9)];
        bin.0 += f64::from(*said);
        bin.1 += f64::from(u8::from(*stays));
    }
    let distance: f64 = bins
        .iter()
        .map(|(said, stayed)| (said - stayed).abs())
        .sum();
    distance / words.len() as f64
}

/// The share of pairs of a word that stays and one that goes in which the first is said to be more probable; equals count half.
fn area(words: &[(f32, bool)]) -> f64 {
    let mut sorted: Vec<(f32, bool)> = words.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut went, mut right, mut stayed) = (0.0, 0.0, 0.0);
    for equal in sorted.chunk_by(|a, b| a.0 == b.0) {
        let stays = equal.iter().filter(|(_, stays)| *stays).count() as f64;
        let goes = equal.len() as f64 - stays;
        right += stays * (went + goes / 2.0);
        (went, stayed) = (went + goes, stayed + stays);
    }
    right / (went * stayed)
}
