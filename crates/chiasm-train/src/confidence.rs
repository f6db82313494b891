//! How sure a system may be of its words, learned from the development set.

use crate::Result;
use chiasm_decode::{Calibration, Decoder, GraphLimits, Input, stays};
use rayon::prelude::*;

/// So many sentences are enough for two numbers.
const SENTENCES: usize = 300;

/// The posteriors of the words of translations, and whether these words stay in the references.
pub fn labelled_words(
    decoder: &Decoder,
    source: &[String],
    reference: &[String],
) -> Result<Vec<(f32, bool)>> {
    let pairs: Vec<(&String, &String)> = source.iter().zip(reference).collect();
    let labelled = pairs.par_iter().map(|(source, reference)| {
        let input = Input::from_line(source);
        let translation = decoder.translate(&input)?;
        let graph = decoder.word_graph(&input, GraphLimits::default(), 1.0)?;
        let reference: Vec<&str> = chiasm_text::tokens(reference).collect();
        let labels = stays(&translation.words, &reference);
        let posteriors = graph.confidences(&translation);
        Ok(posteriors.into_iter().zip(labels).collect::<Vec<_>>())
    });
    let labelled: Vec<Vec<(f32, bool)>> = labelled.collect::<Result<_>>()?;
    Ok(labelled.concat())
}

/// Calibrates a decoder on a tokenised development set; `None` if that is too small.
pub fn calibration(
    decoder: &Decoder,
    source: &[String],
    reference: &[String],
) -> Result<Option<Calibration>> {
    let count = source.len().min(reference.len()).min(SENTENCES);
    let words = labelled_words(decoder, &source[..count], &reference[..count])?;
    Ok(Calibration::fit(&words))
}
