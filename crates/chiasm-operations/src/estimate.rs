//! From a word-aligned text to a model of its operations.

use crate::Result;
use crate::moves::Move;
use crate::names::{act_name, move_name};
use crate::units::steps;
use crate::walk::{Event, Place, positions, walk};
use chiasm_lm::Model;
use chiasm_lm::estimate::{Input, Options};
use chiasm_phrases::{IndexedCorpus, IndexedPair};
use chiasm_text::Vocabulary;
use chiasm_work::Progress;

/// The operations of sentence pairs, as lines of names.
#[derive(Default)]
struct Told {
    names: Vec<String>,
    ends: Vec<usize>,
}

/// Estimates a model on the operations of all sentence pairs, with what the words of each side are called, by number. Pairs
/// without links tell nothing.
pub fn estimate(
    corpus: &mut IndexedCorpus,
    names: [&[String]; 2],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Model> {
    let mut vocabulary = Vocabulary::new();
    let mut numbers: Vec<u32> = Vec::new();
    let mut ends: Vec<usize> = Vec::new();
    corpus.for_each_in_order(
        |pair: &IndexedPair, told: &mut Told| {
            if !pair.links.is_empty() {
                told.names.extend(operations_of_pair(pair, names));
                told.ends.push(told.names.len());
            }
        },
        |told, pairs| {
            let before = numbers.len();
            numbers.extend(told.names.iter().map(|name| vocabulary.intern(name)));
            ends.extend(told.ends.iter().map(|end| before + end));
            told.names.clear();
            told.ends.clear();
            progress.advance(pairs);
            Ok(())
        },
    )?;
    let mut start = 0;
    let sentences: Vec<&[u32]> = ends
        .iter()
        .map(|&end| {
            let sentence = &numbers[start..end];
            start = end;
            sentence
        })
        .collect();
    let mut input = Input::new(options);
    input.add_sentences(vocabulary.words(), sentences.into_iter())?;
    Ok(input.estimate(&())?.into_model(&())?)
}

/// The operations of a sentence pair, by name.
fn operations_of_pair(pair: &IndexedPair, names: [&[String]; 2]) -> Vec<String> {
    let links = pair.links.iter().map(|link| (link.source, link.target));
    let steps = steps(pair.source.len() as u32, pair.target.len() as u32, links);
    let source = |word: u32| names[0][pair.source[word as usize] as usize].as_str();
    let target = |word: u32| names[1][pair.target[word as usize] as usize].as_str();
    let mut told = Vec::with_capacity(steps.len());
    let mut place = Place::default();
    walk(
        &positions(&steps),
        0,
        &mut place,
        |_| false,
        |event| {
            told.push(match event {
                Event::Move(code) => move_name(Move::of_code(code)),
                Event::Step(number) => {
                    let mut name = String::new();
                    act_name(&steps[number].act, source, target, &mut name);
                    name
                }
            });
        },
    );
    told
}
