//! How well a model tells orientations apart on sentences it has not seen.

use crate::corpus_view::{CorpusWords, PhraseFinder};
use crate::hashing::WordKey;
use crate::model::{OrientationModel, Scratch};
use crate::outcome::{Outcome, SentenceOutcome};
use crate::settings::Settings;
use crate::{Error, Result};
use chiasm_learn::Evaluation;
use chiasm_phrases::IndexedCorpus;
use chiasm_work::Progress;

#[derive(Default)]
struct Work {
    finder: PhraseFinder,
    scratch: Scratch,
    source: Vec<WordKey>,
    target: Vec<WordKey>,
    out: Vec<f32>,
    wide: Vec<f64>,
    evaluations: Vec<Evaluation>,
    /// Of every direction in turn.
    sentences: Vec<SentenceOutcome>,
    unknown: u64,
}

/// Lets the model answer for every phrase pair of a corpus; an outcome a direction.
pub fn evaluate(
    model: &dyn OrientationModel,
    settings: &Settings,
    corpus: &mut IndexedCorpus,
    progress: &dyn Progress,
) -> Result<Vec<Outcome>> {
    if model.needs_tags() && corpus.tags.is_none() {
        return Err(Error::no_tags());
    }
    let task = settings.task;
    let names = task.class_names();
    let classes = task.classes.len();
    let words = CorpusWords::new(
        corpus,
        |word| model.source_word(word),
        |word| model.target_word(word),
    );
    let mut outcomes: Vec<Outcome> = task
        .directions
        .iter()
        .map(|direction| Outcome {
            direction,
            evaluation: Evaluation::new(&names),
            unknown: 0,
            sentences: Vec::new(),
        })
        .collect();
    corpus.for_each_in_order(
        |pair, work: &mut Work| {
            let Work {
                finder,
                scratch,
                source,
                target,
                out,
                wide,
                evaluations,
                sentences,
                unknown,
            } = work;
            if evaluations.is_empty() {
                evaluations.resize(task.directions.len(), Evaluation::new(&names));
            }
            words.keys_of(pair, source, target);
            out.resize(model.columns(), 0.0);
            let first = sentences.len();
            sentences.resize(first + task.directions.len(), SentenceOutcome::default());
            scratch.begin_sentence(source);
            finder.find(&task, pair, |phrase| {
                let spans = phrase.instance.spans;
                let (source, target) = (spans.source, &target[spans.target.range()]);
                let known = model.log_probabilities(scratch, source, target, phrase.links, out);
                *unknown += u64::from(!known);
                let directions = task.directions.iter();
                let truths = directions.map(|direction| phrase.class(task.classes, direction));
                let sums = evaluations.iter_mut().zip(&mut sentences[first..]);
                for ((truth, out), (evaluation, sentence)) in
                    truths.zip(out.chunks(classes)).zip(sums)
                {
                    wide.clear();
                    wide.extend(out.iter().map(|&logarithm| f64::from(logarithm)));
                    let right = evaluation.add(wide, truth.unwrap_or_default(), 1.0);
                    sentence.examples += 1;
                    sentence.right += u32::from(right);
                }
            });
        },
        |work, pairs| {
            progress.advance(pairs);
            for (outcome, part) in outcomes.iter_mut().zip(work.evaluations.drain(..)) {
                add(&mut outcome.evaluation, &part);
                outcome.unknown += work.unknown;
            }
            for several in work.sentences.chunks(outcomes.len()) {
                for (outcome, sentence) in outcomes.iter_mut().zip(several) {
                    let some = sentence.examples > 0;
                    outcome.sentences.extend(some.then_some(sentence));
                }
            }
            work.sentences.clear();
            work.unknown = 0;
            Ok(())
        },
    )?;
    Ok(outcomes)
}

fn add(sum: &mut Evaluation, part: &Evaluation) {
    for (row, other) in sum.confusion.iter_mut().zip(&part.confusion) {
        for (count, other) in row.iter_mut().zip(other) {
            *count += other;
        }
    }
    sum.total_log_loss += part.total_log_loss;
}
