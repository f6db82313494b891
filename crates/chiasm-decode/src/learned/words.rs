//! The first language model and what was learned, on the words of an option.

use super::index::hash;
use super::ngrams::{Change, ROOT, context_of, state_of};
use super::{Learned, Strengths};
use crate::language_model::{LanguageModel, is_within};
use crate::model::LogLinear;
use crate::options::{PhraseWords, SentenceOptions};
use chiasm_lm::State;
use std::cell::Cell;

/// What was learned of the words of all options of a sentence.
#[derive(Default)]
pub(crate) struct LearnedWords {
    /// How much it counts for this sentence.
    pub strengths: Strengths,
    /// The node of each word.
    alone: Vec<u32>,
    /// The weighted gain of a word and those after it in the option, if nothing before the option matters.
    inside: Vec<f32>,
    /// The context after each option under the same condition.
    ends: Vec<u32>,
    /// What was asked before, by its hash: hypotheses ask the same again and again.
    asked: Vec<Cell<Asked>>,
}

/// A context, a word, and what becomes of its probability.
#[derive(Clone, Copy, Default)]
struct Asked {
    context: u32,
    word: u32,
    known: bool,
    change: Change,
}

/// How many answers are kept.
const ANSWERS: usize = 1 << 12;

impl LearnedWords {
    pub fn clear(&mut self) {
        self.alone.clear();
        self.inside.clear();
        self.ends.clear();
        self.asked.clear();
    }

    /// Looks at the words of all options.
    pub fn fill(&mut self, model: &LogLinear, learned: &Learned, words: &PhraseWords) {
        let models = model.system().language_models();
        let Some(language) = models.first() else {
            return;
        };
        self.asked.resize(ANSWERS, Cell::default());
        let weight = model.weights.language_models[0];
        let nodes = words.words.iter().map(|&word| learned.ngrams.word(word));
        self.alone.extend(nodes);
        self.inside.resize(words.words.len(), 0.0);
        for option in 0..words.ends.len() {
            let (mut state, mut after) = (language.nothing(), language.nothing());
            let mut context = ROOT;
            for position in words.range(option) {
                let id = words.language_ids[position * models.len()];
                let score = language.score(&state, id, &mut after);
                let word = (words.words[position], self.alone[position]);
                let change = self.change(learned, context, word);
                self.inside[position] = weight * change.gain(score);
                (state, context) = (after, change.next);
            }
            for position in words.range(option).skip(1).rev() {
                self.inside[position - 1] += self.inside[position];
            }
            self.ends.push(context);
        }
    }

    /// What becomes of the probability of a word.
    #[inline]
    fn change(&self, learned: &Learned, context: u32, word: (u32, u32)) -> Change {
        let place = &self.asked[hash([context, word.0]) as usize % ANSWERS];
        let asked = place.get();
        if asked.known && asked.context == context && asked.word == word.0 {
            return asked.change;
        }
        let change = learned.ngrams.change(&self.strengths, context, word);
        place.set(Asked {
            context,
            word: word.0,
            known: true,
            change,
        });
        change
    }
}

/// The weighted score of the first language model, changed by what was learned, for the words of an option. The first state
/// and the last, which belong to the two, become those after the option. Stops as soon as what stood before no longer matters.
pub(crate) fn score(
    model: &LogLinear,
    options: &SentenceOptions,
    learned: &Learned,
    option: usize,
    states: &mut [State],
) -> f32 {
    let models = model.system().language_models();
    let (Some(language), [state, .., last]) = (models.first(), states) else {
        return 0.0;
    };
    let (words, known) = (&options.words, &options.learned_words);
    let (range, weight) = (words.range(option), model.weights.language_models[0]);
    let (mut context, mut next, mut total) = (context_of(last), *state, 0.0);
    for position in range.clone() {
        let at = position * models.len();
        let score = language.score(state, words.language_ids[at], &mut next);
        let word = (words.words[position], known.alone[position]);
        let change = known.change(learned, context, word);
        total += weight * (score + change.gain(score));
        std::mem::swap(state, &mut next);
        context = change.next;
        let seen = position + 1 - range.start;
        let within = || learned.ngrams.length(context) <= seen;
        if position + 1 < range.end && is_within(state, seen) && within() {
            total += words.inside[at + models.len()] + known.inside[position + 1];
            *state = words.final_states[option * models.len()];
            context = known.ends[option];
            break;
        }
    }
    *last = state_of(context);
    total
}

/// What was learned adds for the end of the sentence, weighted; the states are those before it.
pub(crate) fn gain_of_end(
    model: &LogLinear,
    options: &SentenceOptions,
    learned: &Learned,
    states: &[State],
) -> f32 {
    let models = model.system().language_models();
    let (Some(language), [state, .., last]) = (models.first(), states) else {
        return 0.0;
    };
    let end = learned.ngrams.end();
    let change = options.learned_words.change(learned, context_of(last), end);
    change.gain(end_score(language, state)) * model.weights.language_models[0]
}

fn end_score(language: &LanguageModel, state: &State) -> f32 {
    language.score(state, language.end_of_sentence(), &mut State::empty())
}

/// What was learned adds to the first language model for an option, word by word. Of `states`, the last becomes the one after
/// the option; the others are those before it and stay.
pub(crate) fn gain(
    model: &LogLinear,
    options: &SentenceOptions,
    learned: &Learned,
    option: u32,
    ends: bool,
    states: &mut [State],
) -> f32 {
    let models = model.system().language_models();
    let (Some(language), [state, .., last]) = (models.first(), states) else {
        return 0.0;
    };
    let (words, known) = (&options.words, &options.learned_words);
    let (mut state, mut context, mut total) = (*state, context_of(last), 0.0);
    for position in words.range(option as usize) {
        let mut after = state;
        let id = words.language_ids[position * models.len()];
        let score = language.score(&state, id, &mut after);
        let word = (words.words[position], known.alone[position]);
        let change = known.change(learned, context, word);
        (state, context) = (after, change.next);
        total += change.gain(score);
    }
    if ends {
        let change = known.change(learned, context, learned.ngrams.end());
        total += change.gain(end_score(language, &state));
        context = ROOT;
    }
    *last = state_of(context);
    total * model.weights.language_models[0]
}
