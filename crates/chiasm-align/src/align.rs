//! Whole texts: sentences in parallel, links in order.

use crate::bitext::Bitext;
use crate::decode::Decoder;
use crate::links::{LinkMaker, LinkSettings, PairAlignment, Posteriors};
use crate::model::Model;
use crate::train::Trained;
use crate::{Error, Result};
use chiasm_work::InOrder;
use chiasm_work::Progress;
use chiasm_work::cancel;
use rayon::prelude::*;
use std::ops::Range;

const CHUNK: usize = 256;
const CHUNKS: usize = 64;

/// Aligns the corpus a model was estimated on. `sink` gets the pairs in their order.
pub fn align_corpus(
    trained: &Trained,
    bitext: &Bitext,
    settings: LinkSettings,
    progress: &dyn Progress,
    sink: impl FnMut(&PairAlignment) -> Result<()>,
) -> Result<()> {
    let all = 0..trained.alignments();
    align_corpus_by(trained, all, bitext, settings, progress, sink)
}

/// The same by some of the alignments that [`Trained::alignments`] counts.
pub fn align_corpus_by(
    trained: &Trained,
    alignments: Range<usize>,
    bitext: &Bitext,
    settings: LinkSettings,
    progress: &dyn Progress,
    mut sink: impl FnMut(&PairAlignment) -> Result<()>,
) -> Result<()> {
    let align = |chunk: usize| -> Result<Vec<PairAlignment>> {
        let mut maker = LinkMaker::default();
        let mut posteriors = Posteriors::default();
        let mut cursor = trained.cursor(alignments.clone(), bitext);
        let mut decoder = trained.scorer.as_ref().map(Decoder::new);
        let pairs = chunk * CHUNK..((chunk + 1) * CHUNK).min(bitext.len());
        let align_pair = |at| {
            cancel::check();
            cursor.posteriors(at, &mut posteriors)?;
            let (source, target) = (&bitext.source.text, &bitext.target.text);
            let (source, target) = (source.sentence(at), target.sentence(at));
            if let Some(decoder) = &mut decoder {
                posteriors.sentence = decoder.score_ids(source, target);
            }
            Ok(maker.links(&posteriors, settings))
        };
        pairs.map(align_pair).collect()
    };
    let chunks = bitext.len().div_ceil(CHUNK);
    for first in (0..chunks).step_by(CHUNKS) {
        let some = first..(first + CHUNKS).min(chunks);
        let aligned: Result<Vec<Vec<PairAlignment>>> = some.into_par_iter().map(align).collect();
        for pair in aligned?.iter().flatten() {
            sink(pair)?;
            progress.advance(1);
        }
    }
    Ok(())
}

/// Aligns new text with a model. `read` fills a batch of source and target lines, `false` at the end;
/// `sink` gets the pairs in their order.
pub fn align_texts(
    model: &Model,
    settings: LinkSettings,
    read: impl FnMut(&mut Vec<(String, String)>) -> Result<bool> + Send,
    mut sink: impl FnMut(&PairAlignment) -> Result<()> + Send,
) -> Result<()> {
    InOrder::new(rayon::current_num_threads()).run(
        read,
        |lines: &Vec<(String, String)>, pairs: &mut Vec<PairAlignment>| {
            let mut maker = LinkMaker::default();
            let mut posteriors = Posteriors::default();
            let mut decoder = Decoder::new(model);
            pairs.clear();
            for (source, target) in lines {
                decoder.align(source, target, &mut posteriors);
                pairs.push(maker.links(&posteriors, settings));
            }
            Ok::<(), Error>(())
        },
        |pairs| pairs.iter().try_for_each(&mut sink),
    )
}
